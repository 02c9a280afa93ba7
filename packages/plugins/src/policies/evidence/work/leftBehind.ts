import type { Declaration } from "../../../port/index.ts"
import type { Placed } from "../asked/namedPlaces.ts"
import { asksForRemoval } from "../asked/removals.ts"
import { indentOf } from "../code/outline.ts"
import { timesIn } from "../code/timesIn.ts"
import { tokensOf } from "../code/tokens.ts"
import { asksForCommentRemoval } from "./commentRemovals.ts"
import { commentsOf } from "./comments.ts"

/** A version of a file. */
export interface Version extends Placed {
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
}

/**
 * What an item wants gone and was only made a comment or a text, in words. `names`: those that it wants gone; where there are none,
 * it must be all that was taken out of the file. Null: nothing of the kind. Pure.
 */
export const leftAsText = (
  item: string,
  names: ReadonlyArray<string>,
  now: Version,
  before: Version
): string | null => {
  if (asText.test(item) || asksForCommentRemoval(item) || (names.length === 0 && !asksForRemoval(item))) return null
  const gone = goneRows(now, before)
  if (gone.length === 0) return null
  // of what nobody names, a string that is alike may be what it was replaced by
  const written = names.length === 0 ? commentsOf : textsOf
  const known = new Set(textsOf(before).map(lettersOf))
  const texts = written(now).flatMap((text, row) => {
    const letters = lettersOf(text)
    return letters === "" || known.has(letters) ? [] : [{ letters, row }]
  })
  if (texts.length === 0) return null
  const whole = texts.map(({ letters }) => letters).join("")
  const rowOf = new Map(texts.toReversed().map(({ letters, row }) => [letters, row]))
  const at = (row: number) => rowOf.get(lettersOf(before.lines[row] ?? ""))
  const told = (name: string, row: number): string => `${name} stands in line ${row + 1} as a comment or a text`
  if (names.length === 0) {
    const found = gone.map(at)
    const first = found.find((one) => one !== undefined)
    return first !== undefined && found.every((one) => one !== undefined) ? told("what was there", first) : null
  }
  for (const name of names) {
    const declared = declaredIn(before, name)
    const rows = gone.filter((row) =>
      declared.length === 0
        ? timesIn(before.tokens[row] ?? "", name) > 0
        : declared.some(({ end, start }) => row >= start.row && row <= end.row)
    )
    const found = rows.flatMap((row) => at(row) ?? [])
    const [first] = found
    if (first !== undefined && rows.length > 0 && found.length * 2 > rows.length) return told(name, first)
    // the same in a line, as `eval` may be given it
    const code = rows.map((row) => lettersOf(before.lines[row] ?? "")).join("")
    if (declared.length > 0 && code.length >= minCode && whole.includes(code)) {
      const row = texts.find(({ letters }) => letters.includes(code.slice(0, minLetters)))?.row ?? texts[0]?.row ?? 0
      return told(name, row)
    }
  }
  return null
}

/** Rows of code that say something, and that there are none of any more. */
const goneRows = (now: Version, before: Version): ReadonlyArray<number> => {
  const there = new Set(now.tokens)
  return [...before.tokens.keys()].filter((row) => {
    const text = before.tokens[row] ?? ""
    return text !== "" && !there.has(text) && lettersOf(before.lines[row] ?? "").length >= minLetters
  })
}

/** Rows of comments that were code, with what they say. Pure. */
export const commentedOut = (now: Version, before: Version): ReadonlyMap<number, string> => {
  const gone = new Set(goneRows(now, before).map((row) => lettersOf(before.lines[row] ?? "")))
  return new Map(
    [...commentsOf(now).entries()].flatMap(([row, text]) => {
      const letters = lettersOf(text)
      return gone.has(letters) ? [[row, letters] as const] : []
    })
  )
}

/** Code as deep as some lines or deeper, which is nothing around them; what is imported does nothing by itself. Pure. */
export const codeBeside = (some: ReadonlyArray<string>, { lines, tokens }: Version): ReadonlyArray<string> => {
  const depth = Math.min(...some.map(indentOf))
  return lines.filter(
    (line, row) =>
      tokens[row] !== "" &&
      indentOf(line) >= depth &&
      !/^\W*(?:from|import|include|require|use|using)\b|\brequire\b/.test(line)
  )
}

const minLetters = 4
const minCode = 20
const asText =
  /\bcomment(?:s|ed|ing)?[- ]out\b|\b(?:as|into|to) (?:a )?(?:comments?|strings?|texts?)\b|コメント(?:アウト|に|として)/i

const lettersOf = (text: string): string => text.normalize("NFKC").replace(/[^\p{L}\p{N}]/gu, "")

/** What stands in comments and strings, row by row. */
const textsOf = (file: Version): ReadonlyArray<string> => {
  const texts = [...commentsOf(file)]
  for (const { end, start } of file.outline?.strings ?? []) {
    for (let row = start.row; row <= end.row; row++) {
      const line = file.lines[row] ?? ""
      const part = line.slice(row === start.row ? start.column : 0, row === end.row ? end.column : line.length)
      if (texts[row] === "") texts[row] = part
    }
  }
  return texts
}

const declaredIn = ({ outline }: Version, name: string): ReadonlyArray<Declaration> =>
  (outline?.declarations ?? []).filter((one) => one.name === name)

/** A declaration without its name, to be found again under another one, or elsewhere. Null: it says too little. */
const bodyOf = ({ lines, outline }: Version, declaration: Declaration, minRows: number): string | null => {
  const { end, name, start } = declaration
  if (outline === null || name === null) return null
  const rows = lines.slice(start.row, end.row + 1).filter((line) => /[\p{L}\p{N}]/u.test(line))
  if (rows.length < minRows) return null
  return tokensOf(lines, outline, declaration)
    .split("\n")
    .map((token) => (token === name ? "" : token))
    .join("\n")
}

/** Rows that say something, without which two of the same may have come about by themselves. */
const minRenamed = 3
const minMoved = 2

/** Whether the file declares something of that name that is more than a line. */
export const hasBody = (file: Version, name: string): boolean =>
  declaredIn(file, name).some((one) => bodyOf(file, one, minMoved) !== null)

/** What does under a new name, in the same file, what is to be gone, in words. `others`: what else is asked for. Pure. */
export const leftRenamed = (
  names: ReadonlyArray<string>,
  now: Version,
  before: Version,
  others: ReadonlyArray<string>
): string | null => {
  const known = new Set((before.outline?.declarations ?? []).map(({ name }) => name))
  const young = (now.outline?.declarations ?? []).filter(({ name }) => name !== null && !known.has(name))
  if (young.length === 0) return null
  for (const name of names) {
    const bodies = declaredIn(before, name).flatMap((one) => bodyOf(before, one, minRenamed) ?? [])
    const same = young.find((one) => {
      const body = bodyOf(now, one, minRenamed)
      return body !== null && bodies.includes(body) && !others.some((other) => timesIn(other, one.name ?? "") > 0)
    })
    if (same !== undefined) return `${same.name} in line ${same.start.row + 1} is ${name} by another name`
  }
  return null
}

/** Where another file declares, token for token, what is to be gone, in words; null: it does not. Pure. */
export const leftElsewhere = (names: ReadonlyArray<string>, other: Version, before: Version): string | null => {
  for (const name of names) {
    const bodies = declaredIn(before, name).flatMap((one) => bodyOf(before, one, minMoved) ?? [])
    const same = declaredIn(other, name).find((one) => bodies.includes(bodyOf(other, one, minMoved) ?? ""))
    if (same !== undefined) return `${name} stands in ${other.path}:${same.start.row + 1} as it was`
  }
  return null
}
