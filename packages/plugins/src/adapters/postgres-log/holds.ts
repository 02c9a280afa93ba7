import { randomUUID } from "node:crypto"
import type { Driver, Locks, Presence } from "@proofline/kernel"
import { Clock, Effect, Fiber, type Scope } from "effect"
import { locksBy, presenceBy, type Take, Taken, untilDropped } from "../../log/holds.ts"
import { pause } from "../../log/pause.ts"
import type { Process } from "./process.ts"
import type { Session } from "./session.ts"

/** How long a process that lets go waits for the database to know, ms. */
const dropMaxMs = 2_000

type TakeOfKind = Take<[kind: string, name: string]>

export const makeTake =
  (
    { database }: Session,
    own: Process,
    { host, pid }: Pick<Driver, "host" | "pid">,
    layerScope: Scope.Scope
  ): TakeOfKind =>
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
      const drop = untilDropped(database.ask(database.function("drop_hold", [kind, name, token])))
      yield* Effect.acquireRelease(take, () =>
        Effect.flatMap(Effect.forkIn(drop, layerScope), (dropping) =>
          Effect.raceFirst(Effect.asVoid(Fiber.await(dropping)), pause(dropMaxMs))
        )
      )
      return { pid, host, since }
    })

export const makePresence = ({ database }: Session, take: TakeOfKind): Presence["Service"] =>
  presenceBy(take, (kind, id) =>
    Effect.map(database.ask(database.function("hold_of", [kind, id])), ([row]) => (row?.[0] as Driver | null) ?? null)
  )

export const makeLocks = ({ notifier }: Session, take: TakeOfKind): Locks["Service"] =>
  locksBy((name) => take("lock", name), notifier.subscribe(["hold"]))
