import { type Driver, IsPresent, LockHeld, type Locks, type LogUnavailable, type Presence } from "@proofline/kernel"
import { Clock, Data, Effect, type Latch, Result, Scope } from "effect"
import { pause } from "./pause.ts"

/** How often one that waits looks whether the process that holds the lock still lives, ms. */
const lookAfterHolderMs = 1_000

/** After how long it is tried again to give up what could not be given up, ms. */
const dropAgainMs = 500

/**
 * Gives up what is held, again and again until that is written, for a full disk or a database that is away does not take it: what
 * stays would be held by a process that lives, and nobody else could have what nobody has.
 */
export const untilDropped = <A, E>(drop: Effect.Effect<A, E>): Effect.Effect<void> =>
  Effect.suspend(function again(): Effect.Effect<void> {
    return Effect.catch(Effect.asVoid(drop), () => Effect.flatMap(pause(dropAgainMs), again))
  })

/** A living process has it. */
export class Taken extends Data.TaggedError("Taken")<{ readonly driver: Driver }> {}

/** Held until the scope closes or the process dies. */
export type Take<Key extends ReadonlyArray<string>> = (
  ...key: Key
) => Effect.Effect<Driver, Taken | LogUnavailable, Scope.Scope>

/** Locks that are tried again whenever the latch is opened. */
export const locksBy = (
  take: Take<[name: string]>,
  subscribe: Effect.Effect<Latch.Latch, never, Scope.Scope>
): Locks["Service"] => ({
  acquire: Effect.fnUntraced(function* (name, waitMs) {
    const until = (yield* Clock.currentTimeMillis) + waitMs
    const scope = yield* Effect.scope
    yield* Effect.scoped(
      Effect.gen(function* () {
        const latch = yield* subscribe
        for (;;) {
          latch.closeUnsafe()
          const tried = yield* Effect.result(Scope.provide(take(name), scope))
          if (Result.isSuccess(tried)) return
          if (tried.failure._tag !== "Taken") return yield* tried.failure
          const left = until - (yield* Clock.currentTimeMillis)
          if (left <= 0) return yield* new LockHeld({ name, holder: tried.failure.driver, waited_ms: waitMs })
          yield* Effect.raceAllFirst([latch.await, Effect.sleep(left), pause(lookAfterHolderMs)])
        }
      })
    )
  })
})

export const presenceBy = (
  take: Take<[kind: string, id: string]>,
  holderOf: (kind: string, id: string) => Effect.Effect<Driver | null, LogUnavailable>
): Presence["Service"] => ({
  announce: (key) =>
    Effect.catchTag(take(key.kind, key.id), "Taken", ({ driver }) => Effect.fail(new IsPresent({ key, driver }))),
  of: ({ id, kind }) => holderOf(kind, id)
})
