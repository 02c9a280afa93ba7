import { randomUUID } from "node:crypto"
import { type Driver, IsPresent, LockHeld, Locks, type LogUnavailable, Presence } from "@proofline/kernel"
import { Clock, Data, Effect, Fiber, Result, Scope } from "effect"
import { pause } from "../../log/pause.ts"
import type { Process } from "./process.ts"
import type { Session } from "./session.ts"

/** How often one that waits looks whether the process that holds the lock still lives, ms. */
const lookAfterHolderMs = 1_000

/** How long a process that lets go waits for the database to know, ms. */
const dropMaxMs = 2_000

/** A living process has it. */
class Taken extends Data.TaggedError("Taken")<{ readonly driver: Driver }> {}

type Take = (kind: string, name: string) => Effect.Effect<Driver, Taken | LogUnavailable, Scope.Scope>

/** Held until the scope closes or the process dies. */
export const makeTake =
  ({ database }: Session, own: Process, { host, pid }: Pick<Driver, "host" | "pid">, layerScope: Scope.Scope): Take =>
  (kind, name) =>
    Effect.gen(function* () {
      yield* own.present
      const token = randomUUID()
      const since = new Date(yield* Clock.currentTimeMillis).toISOString()
      const take = Effect.flatMap(
        database.ask(database.function("take_hold", [kind, name, own.name, token, since])),
        ([row]) => {
          const driver = row?.[0] as Driver | null
          return driver === null ? Effect.void : Effect.fail(new Taken({ driver }))
        }
      )
      const drop = Effect.ignore(database.ask(database.function("drop_hold", [kind, name, token])))
      yield* Effect.acquireRelease(take, () =>
        Effect.flatMap(Effect.forkIn(drop, layerScope), (dropping) =>
          Effect.raceFirst(Effect.asVoid(Fiber.await(dropping)), pause(dropMaxMs))
        )
      )
      return { pid, host, since }
    })

export const makePresence = (session: Session, take: Take): Presence["Service"] =>
  Presence.of({
    announce: (key) =>
      Effect.catchTag(take(key.kind, key.id), "Taken", ({ driver }) => Effect.fail(new IsPresent({ key, driver }))),
    of: ({ id, kind }) =>
      Effect.map(
        session.database.ask(session.database.function("hold_of", [kind, id])),
        ([row]) => (row?.[0] as Driver | null) ?? null
      )
  })

export const makeLocks = (session: Session, take: Take): Locks["Service"] =>
  Locks.of({
    acquire: Effect.fnUntraced(function* (name, waitMs) {
      const until = (yield* Clock.currentTimeMillis) + waitMs
      const scope = yield* Effect.scope
      yield* Effect.scoped(
        Effect.gen(function* () {
          const latch = yield* session.notifier.subscribe(["hold"])
          for (;;) {
            latch.closeUnsafe()
            const tried = yield* Effect.result(Scope.provide(take("lock", name), scope))
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
