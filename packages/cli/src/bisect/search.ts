import { Effect } from "effect"

/** What running the command at a point came to; `skip`: that point tells nothing. */
export type Verdict = "good" | "bad" | "skip"

/** Neighbours of which the first is good and the second bad, but for those between them that tell nothing. */
export interface Change {
  readonly good: number
  readonly bad: number
  readonly skipped: ReadonlyArray<number>
}

/** Finds where it changes between a point that is good and a later one that is bad, each asked once. */
export const findChange = Effect.fnUntraced(function* <E, R>(
  from: number,
  to: number,
  ask: (index: number) => Effect.Effect<Verdict, E, R>
): Effect.fn.Return<Change, E, R> {
  let good = from
  let bad = to
  const skipped = new Set<number>()
  for (;;) {
    const next = nearestToMiddle(good, bad, skipped)
    if (next === null) return { good, bad, skipped: between(good, bad) }
    const verdict = yield* ask(next)
    if (verdict === "good") good = next
    else if (verdict === "bad") bad = next
    else skipped.add(next)
  }
})

const between = (good: number, bad: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, bad - good - 1) }, (_, i) => good + 1 + i)

const nearestToMiddle = (good: number, bad: number, skipped: ReadonlySet<number>): number | null => {
  const middle = (good + bad) / 2
  const left = between(good, bad).filter((index) => !skipped.has(index))
  return left.reduce<number | null>(
    (best, index) => (best === null || Math.abs(index - middle) < Math.abs(best - middle) ? index : best),
    null
  )
}
