import type { LineRange } from "../../../port/index.ts"
import { onceFor } from "./once.ts"

/** Whether a row of a file, from 0, stands in a range of its lines. */
export const isRowIn = ({ end, start }: LineRange, row: number): boolean => row >= start - 1 && row < end

/**
 * Whether what was taken out behind a row, -1 before the first of so many, was of a range. A cut before its first line or
 * behind its last one is none of it, but at the begin and the end of the file.
 */
export const isCutIn = (range: LineRange, row: number, total: number): boolean =>
  (row === -1 || isRowIn(range, row)) && (row === total - 1 || isRowIn(range, row + 1))

/** Those of the rows of a file, from 0, that stand in a range. They are looked up: of one file thousands of items may be judged. */
export const rowsIn = (rows: ReadonlyArray<number>, { end, start }: LineRange): ReadonlyArray<number> => {
  const known = setOf(rows)
  const found: Array<number> = []
  for (let row = start - 1; row < end; row++) if (known.has(row)) found.push(row)
  return found
}

export const setOf = onceFor((rows: ReadonlyArray<number>): ReadonlySet<number> => new Set(rows))
