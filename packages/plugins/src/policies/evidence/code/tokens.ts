import type { SourceOutline, Span } from "../../../port/index.ts"
import { withoutEnd } from "../../../text/lines.ts"

/**
 * The tokens of a part of a file, one a line, without comments and blanks. What may change the meaning counts: blanks
 * within strings; where a line ends, but for languages to which that is nothing; the depth of a line where layout is
 * structure, relative to the first one.
 */
export const tokensOf = (lines: ReadonlyArray<string>, outline: SourceOutline, part: Span): string => {
  const known = indexOf(outline)
  const before = known.tokens.get(part)
  if (before !== undefined) return before
  const tokens: Array<string> = []
  const depth = depthOf(lines[part.start.row] ?? "")
  for (let row = part.start.row; row <= part.end.row; row++) {
    const line = withoutEnd(lines[row] ?? "")
    const from = row === part.start.row ? part.start.column : 0
    const to = row === part.end.row ? part.end.column : line.length
    const strings = known.strings.get(row) ?? []
    const found = tokensIn(line, row, from, to, known.comments.get(row) ?? [], strings)
    const continues = strings.some(({ start }) => start.row < row)
    if (found.length > 0 && !outline.isFreeForm && !continues)
      tokens.push(outline.isIndented ? `>${Math.max(0, depthOf(line) - depth)}` : ">")
    tokens.push(...found)
  }
  const text = tokens.join("\n")
  known.tokens.set(part, text)
  return text
}

/** A token by itself: a word, a whole string, any other character. */
const single = /[\p{L}\p{N}_$]+|\s+|[^\s]/uy

/** The tokens of one line without its comments, each operator character for itself: `x=-1` is `x = -1`. */
export const rowTokens = (
  raw: string,
  row: number,
  outline: SourceOutline
): { readonly tokens: ReadonlyArray<string>; readonly inString: boolean } => {
  const known = indexOf(outline)
  const line = withoutEnd(raw).replace(/^\ufeff/, " ")
  const strings = known.strings.get(row) ?? []
  const comments = known.comments.get(row) ?? []
  const tokens = tokensIn(line, row, 0, line.length, comments, strings, single)
  // a documentation string is a comment and a string
  const inString = strings.some(
    ({ start }) => start.row < row && reach(comments, start.row, start.column, 1) === start.column
  )
  return { tokens: inString && tokens.length === 0 ? ['""'] : tokens, inString }
}

/** What is asked of an outline again and again. */
interface Index {
  readonly comments: ReadonlyMap<number, ReadonlyArray<Span>>
  readonly strings: ReadonlyMap<number, ReadonlyArray<Span>>
  readonly tokens: Map<Span, string>
}

const indexes = new WeakMap<SourceOutline, Index>()

const indexOf = (outline: SourceOutline): Index => {
  const before = indexes.get(outline)
  if (before !== undefined) return before
  const made: Index = {
    comments: byRow(outline.asides.filter(({ kind }) => kind === "comment")),
    strings: byRow(outline.strings),
    tokens: new Map()
  }
  indexes.set(outline, made)
  return made
}

const tokensIn = (
  line: string,
  row: number,
  from: number,
  to: number,
  quiet: ReadonlyArray<Span>,
  literal: ReadonlyArray<Span>,
  token: RegExp = grouped
): ReadonlyArray<string> => {
  const tokens: Array<string> = []
  for (let at = from; at < to; ) {
    const silent = reach(quiet, row, at, line.length)
    if (silent > at) {
      at = silent
      continue
    }
    const string = reach(literal, row, at, line.length)
    if (string > at) {
      tokens.push(JSON.stringify(line.slice(at, Math.min(string, to))))
      at = string
      continue
    }
    token.lastIndex = at
    const text = token.exec(line)?.[0] ?? line.slice(at)
    if (text.replace(invisible, "").trim() !== "") tokens.push(text)
    at += Math.max(1, text.length)
  }
  return tokens
}

/** Marks without a width, which are blanks to whoever reads the file. */
const invisible = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g

/** A word, blanks, a bracket or separator, or operator characters that stand together: `++ +` is not `+ ++`. */
const grouped = /[\p{L}\p{N}_$]+|\s+|[()[\]{},;]|[^\p{L}\p{N}_$\s()[\]{},;"'`]+|[^\s]/uy

/** Where the span that holds this place ends on this line; the place itself when none does. */
const reach = (spans: ReadonlyArray<Span>, row: number, column: number, length: number): number => {
  for (const { end, start } of spans) {
    const begins = start.row < row || (start.row === row && start.column <= column)
    const ends = end.row > row || (end.row === row && end.column > column)
    if (begins && ends) return end.row > row ? length : end.column
  }
  return column
}

/** Spans by every line they touch. */
const byRow = (spans: ReadonlyArray<Span>): ReadonlyMap<number, ReadonlyArray<Span>> => {
  const rows = new Map<number, Array<Span>>()
  for (const span of spans) {
    for (let row = span.start.row; row <= span.end.row; row++) {
      const there = rows.get(row)
      if (there === undefined) rows.set(row, [span])
      else there.push(span)
    }
  }
  return rows
}

const depthOf = (line: string): number => line.length - line.trimStart().length
