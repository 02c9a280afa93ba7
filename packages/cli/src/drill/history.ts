import type { LineRange } from "@proofline/plugins/ports"
import { offsetOf, type Source, wordsOf } from "./text.ts"

/** Lines that somebody has added to a function. */
export interface Added extends LineRange {
  readonly name: string | null
}

/** Lines of code that must be new. */
const least = 2
/** Words of a shorter line stand in any file. */
const leastWords = 6

/**
 * Where a commit has put new code into a function: lines whose words stand nowhere in the file of before, in whatever
 * layout. `isLeftOut`: lines, from 1, of which nothing is taken. Null: it has not.
 */
export const addedTo = (source: Source, before: string | null, isLeftOut: (line: number) => boolean): Added | null => {
  const { outline, text } = source
  if (outline.faults.length > 0) return null
  const old = wordsOf(before ?? "")
  const asides = outline.asides
    // whether code does anything is for the rules to say
    .filter(({ kind }) => kind !== "nothing")
    .map(({ end, start }) => [offsetOf(source, start), offsetOf(source, end)] as const)
  const strings = outline.strings.filter(({ end, start }) => end.row > start.row)
  const isNew = (row: number): boolean => {
    const from = source.starts[row] ?? 0
    const line = text.slice(from, source.starts[row + 1] ?? text.length)
    const code = from + line.search(/\S/)
    const words = wordsOf(line)
    return (
      words.length >= leastWords &&
      !old.includes(words) &&
      !isLeftOut(row + 1) &&
      !asides.some(([start, end]) => code >= start && code < end) &&
      !strings.some(({ end, start }) => row > start.row && row <= end.row)
    )
  }
  const rows = source.starts.flatMap((_, row) => (isNew(row) ? [row] : []))
  if (rows.length < least) return null
  const found = outline.declarations
    .filter(({ kind }) => kind === "function")
    .map((one) => ({
      one,
      rows: rows.filter((row) => row >= one.bodyStart.row && row <= one.end.row && one.end.row > one.bodyStart.row)
    }))
    .filter((one) => one.rows.length >= least)
    // the innermost one that holds them
    .toSorted((a, b) => b.rows.length - a.rows.length || size(a.one) - size(b.one))
  const [best] = found
  const start = best?.rows[0]
  const end = best?.rows.at(-1)
  return best === undefined || start === undefined || end === undefined
    ? null
    : { name: best.one.name, start: start + 1, end: end + 1 }
}

const size = ({
  end,
  start
}: {
  readonly start: { readonly row: number }
  readonly end: { readonly row: number }
}): number => end.row - start.row
