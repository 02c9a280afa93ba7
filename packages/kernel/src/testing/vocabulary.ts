/** The words in which contracts are told: what must hold, and a clock that no case waits for. */
import { Clock, Context, Deferred, Duration, Effect, Schema } from "effect"
import { canonicalJson } from "../log/codec.ts"

export class ContractViolated extends Schema.TaggedError<ContractViolated>()("ContractViolated", {
  message: Schema.String
}) {}

export const holds = (condition: boolean, message: string): Effect.Effect<void, ContractViolated> =>
  condition ? Effect.void : Effect.fail(new ContractViolated({ message }))

export const same = (actual: unknown, expected: unknown, what: string): Effect.Effect<void, ContractViolated> =>
  Effect.suspend(() => {
    const [found, expectedJson] = [canonicalJson(actual), canonicalJson(expected)]
    return holds(found === expectedJson, `${what}: expected ${expectedJson}, found ${found}.`)
  })

/** A clock that stands still until it is told otherwise, so that no case waits. */
interface HandClock extends Clock.Clock {
  readonly advance: (ms: number) => Effect.Effect<void>
}

const handClock = (start: number): HandClock => {
  let now = start
  const sleepers = new Set<{ readonly until: number; readonly wake: Deferred.Deferred<void> }>()
  const currentTimeMillisUnsafe = () => now
  const nanos = () => BigInt(now) * 1_000_000n
  return {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.suspend(() => {
        const sleeper = { until: now + Duration.toMillis(duration), wake: Deferred.makeUnsafe<void>() }
        if (sleeper.until <= now) return Effect.yieldNow
        sleepers.add(sleeper)
        return Effect.ensuring(
          Deferred.await(sleeper.wake),
          Effect.sync(() => sleepers.delete(sleeper))
        )
      }),
    advance: (ms) =>
      Effect.sync(() => {
        now += ms
        for (const sleeper of [...sleepers]) if (sleeper.until <= now) Deferred.doneUnsafe(sleeper.wake, Effect.void)
      })
  }
}

/** Lets so many ms go by where the log keeps a time of its own, in a database say; nothing needs to by default. */
export const TimePasses = Context.Reference<(ms: number) => Effect.Effect<void>>(
  "@proofline/kernel/testing/TimePasses",
  { defaultValue: (): ((ms: number) => Effect.Effect<void>) => () => Effect.void }
)

export const noon = Date.UTC(2026, 0, 2, 12)
const clock = Effect.map(Clock.Clock, (current) => current as HandClock)
/** Lets so many ms go by. */
export const advance = (ms: number) =>
  Effect.gen(function* () {
    const passes = yield* TimePasses
    yield* passes(ms)
    yield* (yield* clock).advance(ms)
  })

/** With a clock of its own that stands at noon. */
export const onHandClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(effect, Clock.Clock, handClock(noon)))
