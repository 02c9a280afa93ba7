import { comparedLines, type Line, type Pair, pairsOf, type Side } from "@proofline/kernel/standing"
import { between, durationText } from "../../parts/when.ts"

export { type Line, type Pair, pairsOf, type Side }

/** What two runs come to, line by line; one that goes on has taken until now. */
export const summaryOf = (a: Side, b: Side, now: number): ReadonlyArray<Line> =>
  comparedLines(a, b, (from, to) => durationText(between(from, to, now)))
