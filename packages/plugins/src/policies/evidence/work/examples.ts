import type { SourceOutline } from "../../../port/index.ts"

/** Of comments, row by row: those that show how what the file declares is called. `isRun`: only examples that are tried. Pure. */
export const exampleRows = (
  { lines, outline }: { readonly lines: ReadonlyArray<string>; readonly outline: SourceOutline | null },
  comments: ReadonlyArray<string>,
  isRun: boolean
): ReadonlySet<number> => {
  const names = outline === null ? declaredIn(lines, comments) : outline.declarations.flatMap(({ name }) => name ?? [])
  const words = [...new Set(names.map((name) => /[\p{L}_$][\p{L}\p{N}_$]*$/u.exec(name)?.[0] ?? ""))].filter(
    (name) => name !== ""
  )
  const rows = new Set<number>()
  const isCall = (text: string): boolean =>
    (text.match(/[\p{L}_$][\p{L}\p{N}_$]*(?=[!?]?\s?[({])/gu) ?? []).some((name) => words.includes(name))
  for (const part of partsOf(comments)) {
    const texts = part.rows.map((row) => bare(comments[row] ?? ""))
    const isAny = !isRun && texts.some(isCall)
    const isTried =
      texts.some((text) => isCall(text) && (prompt.test(text) || part.isFenced)) &&
      (part.isFenced && outline?.language === "rust"
        ? part.mayRun && texts.some((text) => /\bassert\w*!|\?;|\bunwrap\(/.test(text))
        : texts.some((text, at) => at > 0 && prompt.test(texts[at - 1] ?? "") && text !== "" && !prompt.test(text)) &&
          !texts.some((text) => /#\s*doctest:\s*\+SKIP/.test(text)))
    if (isAny || isTried) for (const row of part.rows) rows.add(row)
  }
  return rows
}

const prompt = /^(?:>>>|\.\.\.(?=\s)|(?:\.{3}|iex)(?:\(\d+\))?>|julia>)\s*/

/** Without the signs of a comment. */
const bare = (text: string): string =>
  text
    .trim()
    .replace(/^(?:\/\/[/!]?|\/\*\*?|\*(?!\/)|#|--)\s?/, "")
    .trim()

interface Part {
  readonly rows: ReadonlyArray<number>
  /** Between fences. */
  readonly isFenced: boolean
  readonly mayRun: boolean
}

/** Comments between blank rows, and what stands between fences. */
const partsOf = (comments: ReadonlyArray<string>): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let rows: Array<number> = []
  let fence: string | null = null
  const end = () => {
    if (rows.length > 0)
      parts.push({ rows, isFenced: fence !== null, mayRun: !/ignore|no_run|compile_fail|text/.test(fence ?? "") })
    rows = []
  }
  for (const [row, text] of comments.entries()) {
    const said = bare(text)
    const opened = /^```(.*)$/.exec(said)
    if (opened !== null) {
      end()
      fence = fence === null ? (opened[1] ?? "") : null
    } else if (text === "" || (said === "" && fence === null)) end()
    else rows.push(row)
    // a blank line of documentation that is no comment
    if (text === "" && comments[row + 1] === "") fence = null
  }
  end()
  return parts
}

/** Where no grammar is known, by the words before a name. */
const declaredIn = (lines: ReadonlyArray<string>, comments: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line, row) =>
    comments[row] === ""
      ? (/^\s*(?:(?:defp?|defmacro|def|function|sub|proc|func?|fun|let)\s+)?([a-z_][\w]*)[!?]?\s*(?:[(=]|do\b)/.exec(
          line
        )?.[1] ?? [])
      : []
  )
