import { lineStarts } from "./lines.ts"

/** A comment or a string in a text: offsets in UTF-16 units, the end excluded. */
export type Part =
  | { readonly kind: "comment"; readonly from: number; readonly to: number }
  | {
      readonly kind: "string"
      readonly from: number
      readonly to: number
      /** Characters at its ends that are quotes. */
      readonly open: number
      readonly close: number
    }

/** Stands for a character inside a string: no letter, no blank, no bracket. */
export const hidden = "\u0001"

/**
 * A text without its comments, and also without what its strings say; each of the length of the source, so that positions
 * agree. Where the parts come from, a grammar or the signs of a language, is all the same. Parts inside of others go with them.
 */
export const hide = (
  source: string,
  parts: ReadonlyArray<Part>,
  quoted: (said: string, open: number, close: number) => string = asQuoted
): { readonly code: string; readonly text: string } => {
  const code: Array<string> = []
  const text: Array<string> = []
  let done = 0
  for (const part of parts) {
    if (part.from < done || part.to <= part.from) continue
    const between = source.slice(done, part.from)
    const said = source.slice(part.from, part.to)
    const blanks = said.replace(/[^\n]/g, " ")
    code.push(between, part.kind === "comment" ? blanks : quoted(said, part.open, part.close))
    text.push(between, part.kind === "comment" ? blanks : said)
    done = part.to
  }
  const rest = source.slice(done)
  return { code: code.join("") + rest, text: text.join("") + rest }
}

const asQuoted = (said: string, open: number, close: number): string =>
  said.slice(0, open) +
  said.slice(open, said.length - close).replace(/[^\n]/g, hidden) +
  said.slice(said.length - close)

/** A stretch of a text: rows from 0, UTF-16 units from 0. */
interface Stretch {
  readonly start: { readonly row: number; readonly column: number }
  readonly end: { readonly row: number; readonly column: number }
}

/** The lines with blanks in place of what the spans hold. */
export const withoutSpans = (lines: ReadonlyArray<string>, spans: ReadonlyArray<Stretch>): ReadonlyArray<string> => {
  const source = lines.join("\n")
  const starts = lineStarts(source)
  const parts = spans
    .map(({ end, start }) => ({
      kind: "comment" as const,
      from: (starts[start.row] ?? source.length) + start.column,
      to: (starts[end.row] ?? source.length) + end.column
    }))
    .sort((a, b) => a.from - b.from || b.to - a.to)
  return hide(source, parts).text.split("\n")
}
