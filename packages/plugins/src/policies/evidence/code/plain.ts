import type { Position, SourceOutline, Span } from "../../../port/index.ts"
import { lineStarts, rowAt, withoutEnd } from "../../../text/lines.ts"
import { hidden, hide, type Part } from "../../../text/parts.ts"

/**
 * A file as its outline lets it be searched: lines joined by LF, everything at its place. Comments are blanks in both
 * texts; in `code` a string is a pair of double quotes with nothing to be read between them.
 */
export interface Plain {
  readonly code: string
  readonly text: string
  /** Where every row begins. */
  readonly starts: ReadonlyArray<number>
  /** For every opening bracket where its closing one stands; 0: nobody closes it. */
  readonly closers: Int32Array
}

const made = new WeakMap<SourceOutline, Plain>()

/** The same file is asked for again and again; its outline stands for it. */
export const plainOf = (lines: ReadonlyArray<string>, outline: SourceOutline): Plain => {
  const before = made.get(outline)
  if (before !== undefined) return before
  const plain = read(lines, outline)
  made.set(outline, plain)
  return plain
}

export const offsetOf = ({ starts }: Pick<Plain, "starts">, { column, row }: Position): number =>
  (starts[row] ?? starts.at(-1) ?? 0) + column

/** The row, from 0, that an offset stands in. */
export const rowOf = ({ starts }: Pick<Plain, "starts">, offset: number): number => rowAt(starts, offset)

const read = (lines: ReadonlyArray<string>, { asides, strings }: SourceOutline): Plain => {
  const rows = lines.map((line) => withoutEnd(line).replace(/^\ufeff/, " "))
  const source = rows.join("\n")
  const starts = lineStarts(source)
  const part = ({ end, start }: Span) => ({ from: offsetOf({ starts }, start), to: offsetOf({ starts }, end) })
  const comments = asides
    .filter(({ kind }) => kind === "comment")
    .map((aside): Part => ({ kind: "comment", ...part(aside) }))
  const literals = strings.map((string): Part => ({ kind: "string", open: 1, close: 1, ...part(string) }))
  // a documentation string is a comment and a string
  const parts = [...comments, ...literals].sort((a, b) => a.from - b.from || (a.kind === "comment" ? -1 : 1))
  const { code, text } = hide(source, parts, quoted)
  return { code, text, starts, closers: closersOf(code) }
}

const quoted = (literal: string): string => {
  const inside = literal.replace(/[^\n]/g, hidden)
  const mark = (char: string) => (char === "\n" || char === "" ? char : '"')
  return literal.length < 2 ? mark(inside) : mark(inside.charAt(0)) + inside.slice(1, -1) + mark(inside.slice(-1))
}

/** For every opening bracket of a code where its closing one stands; 0: nobody closes it. */
export const closersOf = (code: string): Int32Array => {
  const closers = new Int32Array(code.length)
  const open: Array<number> = []
  for (let at = 0; at < code.length; at++) {
    const char = code.charCodeAt(at)
    if (char === 40 || char === 91 || char === 123) open.push(at)
    else if (char === 41 || char === 93 || char === 125) {
      const from = open.pop()
      if (from !== undefined) closers[from] = at
    }
  }
  return closers
}
