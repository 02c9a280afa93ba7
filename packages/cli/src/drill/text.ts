import type { LineRange, Position, SourceOutline } from "@proofline/plugins/ports"

/** A text with the places of its lines. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly outline: SourceOutline
  readonly starts: ReadonlyArray<number>
}

export const sourceOf = (path: string, text: string, outline: SourceOutline): Source => ({
  path,
  text,
  outline,
  starts: [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
})

export const offsetOf = ({ starts, text }: Source, { column, row }: Position): number =>
  Math.min(text.length, (starts[row] ?? text.length) + column)

export const rowOf = ({ starts }: Source, offset: number): number => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** Offsets of whole lines, the end of the last one included. */
export const linesAt = ({ starts, text }: Source, { end, start }: LineRange): readonly [from: number, to: number] => [
  starts[start - 1] ?? text.length,
  starts[end] ?? text.length
]

export const replaced = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to)

export const indentAt = (source: Source, offset: number): string => {
  const start = source.starts[rowOf(source, offset)] ?? 0
  return /^[ \t]*/.exec(source.text.slice(start))?.[0] ?? ""
}

export const newlineOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n")

/** How the file indents once more. */
export const stepOf = (text: string): string => {
  if (/^\t/m.test(text)) return "\t"
  return /^( {2,8})\S/m.exec(text)?.[1] ?? "    "
}

/** Nothing but letters, digits and the like: what stays when a text is laid out anew. */
export const wordsOf = (text: string): string => text.replace(/[^\p{L}\p{N}_$]+/gu, "")

export const count = (text: string, part: string): number => (part === "" ? 0 : text.split(part).length - 1)
