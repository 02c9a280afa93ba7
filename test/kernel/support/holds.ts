import { type Driver, IsPresent, LockHeld, Locks, Presence } from "@proofline/kernel"
import { Clock, Effect, Latch, Layer, Scope } from "effect"

/** What the processes of a project hold, in memory: each what it was given until its scope closes. */
export interface Holds {
  readonly locks: Map<string, Driver>
  readonly presences: Map<string, Driver>
  /** Those who wait for a lock; opened when one is free. */
  readonly waiting: Set<Latch.Latch>
}

export const newHolds = (): Holds => ({ locks: new Map(), presences: new Map(), waiting: new Set() })

/** The locks and presences of one process; `host` tells it from the others. */
export const holdsOf = (holds: Holds, host: string): Layer.Layer<Locks | Presence> =>
  Layer.merge(Layer.succeed(Locks, locksOf(holds, host)), Layer.succeed(Presence, presenceOf(holds, host)))

const driverNow = (host: string) =>
  Effect.map(Clock.currentTimeMillis, (ms): Driver => ({ pid: 1, host, since: new Date(ms).toISOString() }))

const locksOf = ({ locks, waiting }: Holds, host: string): Locks["Service"] => {
  /** Who holds it; null: it is held here now, until the scope closes. */
  const take = (name: string) =>
    Effect.acquireRelease(
      Effect.map(driverNow(host), (driver) => {
        const other = locks.get(name) ?? null
        if (other === null) locks.set(name, driver)
        return other
      }),
      (other) =>
        Effect.sync(() => {
          if (other !== null) return
          locks.delete(name)
          for (const latch of waiting) latch.openUnsafe()
        })
    )
  const listen = Effect.acquireRelease(
    Effect.sync(() => {
      const latch = Latch.makeUnsafe(false)
      waiting.add(latch)
      return latch
    }),
    (latch) => Effect.sync(() => waiting.delete(latch))
  )
  return {
    acquire: Effect.fnUntraced(function* (name, waitMs) {
      const until = (yield* Clock.currentTimeMillis) + waitMs
      const scope = yield* Effect.scope
      yield* Effect.scoped(
        Effect.gen(function* () {
          const latch = yield* listen
          for (;;) {
            latch.closeUnsafe()
            const other = yield* Scope.provide(take(name), scope)
            if (other === null) return
            const left = until - (yield* Clock.currentTimeMillis)
            if (left <= 0) return yield* new LockHeld({ name, holder: other, waited_ms: waitMs })
            yield* Effect.raceFirst(latch.await, Effect.sleep(left))
          }
        })
      )
    })
  }
}

const presenceOf = ({ presences }: Holds, host: string): Presence["Service"] => ({
  announce: (key) => {
    const name = JSON.stringify([key.kind, key.id])
    return Effect.acquireRelease(
      Effect.flatMap(driverNow(host), (driver) => {
        const other = presences.get(name)
        if (other !== undefined) return Effect.fail(new IsPresent({ key, driver: other }))
        presences.set(name, driver)
        return Effect.succeed(driver)
      }),
      () => Effect.sync(() => presences.delete(name))
    )
  },
  of: ({ id, kind }) => Effect.sync(() => presences.get(JSON.stringify([kind, id])) ?? null)
})
