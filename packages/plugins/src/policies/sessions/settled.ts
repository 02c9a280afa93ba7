import type { LogUnavailable, RunId } from "@proofline/kernel"
import { Effect, Option, Stream } from "effect"
import { positionAfter } from "../../operations/newestEvents.ts"
import { load, type SessionContext } from "./context.ts"
import type { AnyRun } from "./state.ts"

/** How long a call waits for the world before it says that it still works, ms: clients give up after a minute. */
const patienceMs = 40_000

/**
 * The run once it does not wait for the world any more, or after `patienceMs` as it is, whoever changes it. Where
 * nothing is waited for it is the one that was given: what others do meanwhile is not told as the outcome of a call.
 */
export const settled = Effect.fnUntraced(function* (
  context: SessionContext,
  run: RunId,
  { state, version }: { readonly state: AnyRun; readonly version: number },
  waitsFor: (state: AnyRun) => boolean
): Effect.fn.Return<AnyRun, LogUnavailable> {
  // of a run that has ended nothing comes any more, whatever it waited for
  const isWaiting = (now: AnyRun): boolean => now.run.status === "running" && waitsFor(now)
  if (!isWaiting(state)) return state
  const quiet = context.log.follow(yield* positionAfter(context.log, run, version)).pipe(
    Stream.filter(({ stream }) => stream === run),
    // of several events at once the last is enough
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.mapEffect(() => load(context, run)),
    Stream.filter((snapshot) => !isWaiting(snapshot.state)),
    Stream.runHead
  )
  const found = Option.flatten(yield* Effect.timeoutOption(quiet, `${patienceMs} millis`))
  return Option.isSome(found) ? found.value.state : (yield* load(context, run)).state
})
