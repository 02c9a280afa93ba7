import type { LineRange } from "../../../port/index.ts"
import { onceFor } from "./once.ts"

/** Those of the rows of a file, from 0, that stand in a range. They are looked up: of one file thousands of items may be judged. */
export const rowsIn = (rows: ReadonlyArray<number>, { end, start }: LineRange): ReadonlyArray<number> => {
  const known = setOf(rows)
  const found: Array<number> = []
  for (let row = start - 1; row < end; row++) if (known.has(row)) found.push(row)
  return found
}

export const setOf = onceFor((rows: ReadonlyArray<number>): ReadonlySet<number> => new Set(rows))
