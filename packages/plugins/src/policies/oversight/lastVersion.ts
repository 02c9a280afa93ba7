import type { EventLog, LogUnavailable, RunId } from "@proofline/kernel"
import { Effect, Stream } from "effect"

/** So many events are read at once. */
const readAtOnce = 50

/**
 * How many events a run has. It is found by halving, for versions count from 1 without a hole: a long log is neither
 * read nor folded for it.
 */
export const lastVersion = Effect.fnUntraced(function* (
  log: EventLog["Service"],
  run: RunId
): Effect.fn.Return<number, LogUnavailable> {
  let last = 0
  let beyond = Number.POSITIVE_INFINITY
  let at = 1
  while (last + 1 < beyond) {
    const { length } = yield* log.read(run, at).pipe(Stream.take(readAtOnce), Stream.runCollect)
    if (length === 0) beyond = at
    else last = at + length - 1
    if (length > 0 && length < readAtOnce) break
    at = beyond === Number.POSITIVE_INFINITY ? last * 2 : Math.floor((last + beyond) / 2)
  }
  return last
})
