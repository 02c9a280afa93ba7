import {
  comparedLines,
  type Durations,
  type Line,
  type Pair,
  pairsOf,
  type Side,
  taskDeltas
} from "@proofline/kernel/standing"
import { between, durationText } from "../../parts/when.ts"

export { type Line, type Pair, pairsOf, type Side }

/** One that goes on has taken until now. */
const until = (now: number): Durations => ({ between: (from, to) => between(from, to, now), text: durationText })

/** What two runs come to, line by line. */
export const summaryOf = (a: Side, b: Side, now: number): ReadonlyArray<Line> => comparedLines(a, b, until(now))

/** How much more of it there is of a task in B. */
export const deltasOf = (pair: Pair, now: number): ReadonlyArray<string> => taskDeltas(pair, until(now))
