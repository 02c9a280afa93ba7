import type { Span } from "../../port/index.ts"
import { hasComments, languageOf } from "../../text/languages.ts"
import { positions } from "../../text/lines.ts"
import { partsOf } from "../../text/scan.ts"
import type { ChangedFile } from "./file.ts"

/** What one line of a comment says. */
export interface Remark {
  readonly row: number
  /** Without the signs that make it a comment. */
  readonly text: string
  /** There is nothing but brackets beside it on its line. */
  readonly isAlone: boolean
  /** It is all there is between two curly brackets. */
  readonly isHeld: boolean
  /** The comment has text on this line only. */
  readonly isWhole: boolean
  /** It goes on before or behind this line, or in comments there: what it says may be an example. */
  readonly isInRun: boolean
  /** Documentation, which may hold examples. */
  readonly isDocumentation: boolean
  /** Begins with `//`, `#` or the like. */
  readonly isLineComment: boolean
}

/** What the comments of a file say, line by line; null: nobody knows what a comment is in such a file. */
export const remarksOf = (file: ChangedFile): ReadonlyArray<Remark> | null => {
  const spans = commentsOf(file)
  if (spans === null) return null
  const rows = new Map<number, boolean>()
  const remarks = spans.flatMap((span) => remarksIn(file.lines, span))
  for (const { isAlone, row } of remarks) rows.set(row, isAlone)
  return remarks.map((remark) => ({
    ...remark,
    isInRun: !remark.isWhole || rows.get(remark.row - 1) === true || rows.get(remark.row + 1) === true
  }))
}

/** Where the comments are. */
export const commentsOf = ({ lines, outline, path }: ChangedFile): ReadonlyArray<Span> | null => {
  if (outline !== null) return outermost(outline.asides.filter(({ kind }) => kind === "comment"))
  const language = languageOf(path, lines)
  // some tools read comments in JSON, but it has none
  if (!hasComments(language) || /\.(?:json|ndjson|jsonl)$/i.test(path)) return null
  const source = lines.join("\n")
  const positionOf = positions(source)
  return partsOf(source, language).flatMap(({ from, kind, to }) =>
    kind === "comment" ? [{ start: positionOf(from), end: positionOf(to) }] : []
  )
}

const outermost = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const kept: Array<Span> = []
  for (const span of [...spans].sort((a, b) => a.start.row - b.start.row || a.start.column - b.start.column)) {
    const last = kept.at(-1)?.end
    const isInside =
      last !== undefined &&
      (span.start.row < last.row || (span.start.row === last.row && span.start.column < last.column))
    if (!isInside) kept.push(span)
  }
  return kept
}

const remarksIn = (lines: ReadonlyArray<string>, { end, start }: Span): ReadonlyArray<Remark> => {
  const first = (lines[start.row] ?? "").slice(start.column)
  const isLineComment = /^(?:\/\/|#|--|;|%)/.test(first) && !/^--\[\[/.test(first)
  const rows = Array.from({ length: end.row - start.row + 1 }, (_, i) => start.row + i).flatMap((row) => {
    const line = lines[row] ?? ""
    const from = row === start.row ? start.column : 0
    const to = row === end.row ? end.column : line.length
    const text = bare(line.slice(from, to), row === start.row)
    const [before, after] = [line.slice(0, from), line.slice(to)]
    const isAlone = !/[^\s{}()[\];,<>]/.test(before + after)
    const isHeld = /\{\s*$/.test(before) && /^\s*\}/.test(after)
    return text === "" ? [] : [{ row, text, isAlone, isHeld }]
  })
  const isDocumentation =
    /^(?:\/\/[/!](?!\/)|#'|--- )/.test(first) ||
    (end.row > start.row && /^(?:\/\*[*!]|"""|'''|[rRuUbB]*["'])/.test(first))
  return rows.map((row) => ({
    ...row,
    isWhole: rows.length === 1,
    isInRun: false,
    isDocumentation,
    isLineComment
  }))
}

const bare = (text: string, isFirst: boolean): string =>
  text
    .trim()
    .replace(isFirst ? opening : /^(?:\*(?!\/)\s*)+/, "")
    .replace(closing, "")
    .trim()

const opening =
  /^(?:\/\/+!?|\/\*+!?|#+[!|=]?(?!\[)|#\[|--+(?:\[\[)?|;+|%+|<!--+|<#|[rRuUbB]{0,2}(?:"""|'''|"|')|\{-\|?|\(\*+|=begin)\s*/
const closing = /\s*(?:\*+\/|--+>|"""|'''|-\}|\*+\)|\]\]|#>|\]#|=end|\|#)$/
