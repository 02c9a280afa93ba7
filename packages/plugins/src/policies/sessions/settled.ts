import type { LogUnavailable, RunId, State } from "@proofline/kernel"
import { Effect, Option, Stream } from "effect"
import { positionAfter } from "../../operations/newestEvents.ts"
import type { SessionContext } from "./context.ts"

/** How long a call waits for the world before it says that it still works, ms: clients give up after a minute. */
const patienceMs = 40_000

/** The run once it does not wait for the world any more, or after `patienceMs` as it is, whoever changes it. */
export const settled = Effect.fnUntraced(function* (
  { engine, log }: SessionContext,
  run: RunId,
  isWaiting: (state: State) => boolean
): Effect.fn.Return<State, LogUnavailable> {
  const { state, version } = yield* engine.load(run)
  if (!isWaiting(state)) return state
  const quiet = log.follow(yield* positionAfter(log, run, version)).pipe(
    Stream.filter(({ stream }) => stream === run),
    // of several events at once the last is enough
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.mapEffect(() => engine.load(run)),
    Stream.filter((snapshot) => !isWaiting(snapshot.state)),
    Stream.runHead
  )
  const found = Option.flatten(yield* Effect.timeoutOption(quiet, `${patienceMs} millis`))
  return Option.isSome(found) ? found.value.state : (yield* engine.load(run)).state
})
