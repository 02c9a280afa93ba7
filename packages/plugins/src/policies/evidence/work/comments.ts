import type { LineRange, SourceOutline } from "../../../port/index.ts"
import { languageOf } from "../../../text/languages.ts"
import { scan } from "../../../text/scan.ts"
import { asksForWording, codeNamesIn } from "../asked/commentItems.ts"
import { mentionedFiles } from "../asked/namedFiles.ts"
import { saidOf } from "../asked/said.ts"
import { documentationIn } from "../code/documentation.ts"
import { onceFor } from "../code/once.ts"
import { isRowIn } from "../code/rowsIn.ts"
import { exampleRows } from "./examples.ts"
import { isPlaceholder } from "./placeholder.ts"

/**
 * The rows of some comments that stand at the code which the item names: in a declaration of that name, or
 * right before it. Where the file declares none of the names they may stand anywhere, if it speaks of one at all. Pure.
 */
export const commentsAt = (
  item: string,
  { lines, outline, path }: Commented,
  comments: ReadonlyMap<number, string>
): ReadonlyMap<number, string> => {
  const text = saidOf(item)
  // a typo or a link may be anywhere in the file
  if (asksForWording(text)) return comments
  const files = mentionedFiles(text).map(({ name }) => name)
  const names = codeNamesIn(text)
    .filter(
      (name) => !files.includes(name.replaceAll("`", "")) && (!/[\w-]\.[a-z]{1,5}$/.test(name) || name.endsWith("`"))
    )
    .map(
      (name) =>
        name
          .replace(/\(.*|`/g, "")
          .split(/[.:#]+/)
          .at(-1) ?? ""
    )
  if (names.length === 0 || outline === null) return comments
  const declared = outline.declarations.filter(({ name }) => name !== null && names.includes(name))
  if (declared.length === 0) {
    const isName = (word: string) => names.includes(word) || names.includes(`${word}s`)
    const stem = path.replace(/^.*\/|\.\w+$/g, "")
    const isKnown = isName(stem) || lines.some((line) => (line.match(/[\w$]+/g) ?? []).some(isName))
    return isKnown ? comments : new Map()
  }
  const texts = commentsOf({ path, lines, outline })
  const isBefore = (row: number): boolean => texts[row] !== "" || /^\s*(?:$|[@#[])/.test(lines[row] ?? "")
  const isAt = (row: number): boolean =>
    declared.some(({ end, start }) => {
      if (row >= start.row) return row <= end.row
      for (let at = row; at < start.row; at++) if (!isBefore(at)) return false
      return true
    })
  return new Map([...comments].filter(([row]) => isAt(row)))
}

/** What a version of a file is read with. */
export interface Commented {
  readonly path: string
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/**
 * Rows, from 0, whose comments say something that the file did not say before, with what they say. No work are: signs
 * without words, marks of open work, instructions to tools, code that was made a comment, what repeats names, and what
 * stands there a second time. `isOfWording`: a sign that differs is enough, as in a link. `examples`: what an example shows
 * counts too, and where they are to be run nothing else does.
 */
export const newComments = (
  now: Commented,
  before: Commented,
  isOfWording = false,
  examples: "run" | "any" | null = null
): ReadonlyMap<number, string> => {
  const texts = commentsOf(now)
  const shown = examples === null ? new Set<number>() : exampleRows(now, texts, examples === "run")
  const plain = isOfWording ? signsOf : lettersOf
  const said = new Set(
    [...commentsOf(before), ...before.lines, ...linesWithout(now)].map(plain).filter((text) => text !== "")
  )
  const names = new Set((now.outline?.declarations ?? []).flatMap(({ name }) => wordsOf(name ?? "")))
  const found = new Map<number, string>()
  const counts = (row: number, text: string): boolean =>
    (shown.has(row) && isNoSign(text)) ||
    (examples !== "run" && (isOfWording ? isNoSign(text) : saysSomething(text, names)))
  for (const [row, text] of texts.entries()) {
    const letters = plain(text)
    if (letters === "" || said.has(letters) || !counts(row, text)) continue
    said.add(letters)
    found.set(row, letters)
  }
  return found
}

/** Comments that say something new and stand in these lines. */
export const commentsIn = (
  comments: ReadonlyMap<number, string>,
  range: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> =>
  [...comments].flatMap(([row, text]) => (isRowIn(range, row) ? [`#${sha256(text).slice(0, 8)}`] : []))

/** Lines that hold something beside comments. */
const linesWithout = (file: Commented): ReadonlyArray<string> => {
  const comments = commentsOf(file)
  return file.lines.filter((_, row) => (comments[row] ?? "") === "")
}

/** What is said in comments, row by row. */
export const commentsOf = (of: Commented): ReadonlyArray<string> => commentsFor(of.lines)(of)

/** Many items may be judged of the same lines. */
const commentsFor = onceFor((_: ReadonlyArray<string>) => {
  let known: { readonly of: Commented; readonly texts: ReadonlyArray<string> } | undefined
  return (of: Commented): ReadonlyArray<string> => {
    if (known?.of.outline !== of.outline || known.of.path !== of.path) known = { of, texts: readComments(of) }
    return known.texts
  }
})

const readComments = ({ lines, outline, path }: Commented): ReadonlyArray<string> => {
  if (outline === null) {
    const language = languageOf(path, lines)
    if (language.name === "unknown" || language.name === "prose") return lines.map(() => "")
    const { comments } = scan(lines.join("").replaceAll("\r", " "), language)
    const documented = documentationIn(language, lines)
    return lines.map((_, row) => comments.get(row) ?? documented.get(row) ?? "")
  }
  const texts = lines.map(() => "")
  for (const { end, kind, start } of outline.asides) {
    if (kind !== "comment") continue
    for (let row = start.row; row <= end.row; row++) {
      const line = lines[row] ?? ""
      const part = line.slice(row === start.row ? start.column : 0, row === end.row ? end.column : line.length)
      texts[row] = `${texts[row] ?? ""} ${part}`
    }
  }
  return texts
}

const lettersOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

const signsOf = (text: string): string => (lettersOf(text) === "" ? "" : text.replace(/\s+/g, ""))

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .toLowerCase()
    .match(/\p{L}{2,}/gu) ?? []

const isNoSign = (text: string): boolean => !(open.test(text) || instruction.test(text) || isPlaceholder(text))

const saysSomething = (text: string, names: ReadonlySet<string>): boolean => {
  if (!isNoSign(text)) return false
  if ((text.match(/[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/gu) ?? []).length >= 6) return !/実装済み|完了/.test(text)
  return new Set(wordsOf(text).filter((word) => !names.has(word) && !filler.has(word))).size >= 2
}

const open = /\b(?:TODO|FIXME|TBD|XXX|HACK|STUB|PLACEHOLDER)\b|not (?:yet )?implemented/i
const instruction =
  /eslint|biome-|prettier-|@ts-|istanbul|noqa|nolint|pylint|mypy|type:\s*ignore|pragma|\/\/go:|#region|#!|rubocop/i
/** Says nothing of what it is about. */
const filler: ReadonlySet<string> = new Set(
  "the this that an is are was be been it its of to in and or for with function method class module file code implemented implements implementation done complete completed works working finished documented documentation comment comments docstring added here now see above below new".split(
    " "
  )
)
