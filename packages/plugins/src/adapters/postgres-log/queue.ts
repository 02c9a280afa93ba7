import { randomUUID } from "node:crypto"
import { type Claim, type Lease, type LogUnavailable, WorkQueue } from "@proofline/kernel"
import { Effect, Exit, Fiber, type Latch, Schedule, Scope, Stream } from "effect"
import { makeBatches } from "./batches.ts"
import { type Asked, retryDelay } from "./database.ts"
import { closed, lost, toUnavailable } from "./failure.ts"
import { supervise } from "./migrations.ts"
import type { Process } from "./process.ts"
import { isMomentary } from "./reasons.ts"
import type { Session } from "./session.ts"
import { pause } from "./waiting.ts"

/** How often a waiting taker looks although nothing told it to, ms. */
const pollMs = 2_000

type Rows = ReadonlyArray<ReadonlyArray<unknown>>

export const makeQueue = (session: Session, own: Process): Effect.Effect<WorkQueue["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const { database, notifier } = session
    const settling = yield* makeBatches<Lease, void>({
      carryOut: (unordered) => {
        const leases = ordered(unordered)
        const statement = database.function("settle", [items(leases), numbers(leases)])
        return Effect.as(
          forever(session, () => statement),
          leases.map(() => Exit.void)
        )
      },
      closed: closed(database.place)
    })
    const scope = yield* Effect.scope
    let isSupervised = false
    /** From the first taker on, in the background: nothing waits for it, and a database that is away is tried again. */
    const supervised = Effect.suspend(() => {
      if (isSupervised) return Effect.void
      isSupervised = true
      const trying = Effect.retry(supervise(database), Schedule.spaced("5 seconds"))
      return Effect.asVoid(Effect.forkIn(Scope.provide(Effect.ignore(trying), scope), scope))
    })
    return WorkQueue.of({
      take: (slots, labels) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const latch = yield* notifier.subscribe(["work", "queue"])
            yield* own.taking(slots, labels)
            yield* supervised
            const taker = makeTaker(session, own, latch, scope, slots, labels)
            yield* Effect.addFinalizer(() => Effect.asVoid(Effect.forkIn(taker.leave, scope)))
            return Stream.fromEffectRepeat(taker.next)
          })
        ),
      keep: (claims) =>
        claims.length === 0
          ? Effect.succeed([])
          : Effect.raceFirst(
              keepAll(session, own, claims),
              // others may have them by now: what works on them must end
              Effect.as(own.fenced, claims)
            ),
      settle: ({ lease }) =>
        Effect.andThen(
          settling.submit(lease),
          // a slot is free
          Effect.sync(() => notifier.notify("queue", "ours"))
        ),
      decline: ({ lease }) =>
        Effect.map(
          forever(session, () => database.function("decline", [[lease.item], [lease.number]])),
          () => notifier.notify("queue", "ours")
        )
    })
  })

/** All in one order, so that no two statements wait for each other. */
const ordered = (leases: ReadonlyArray<Lease>): ReadonlyArray<Lease> =>
  leases.toSorted((a, b) => (a.item < b.item ? -1 : 1))

const items = (leases: ReadonlyArray<Lease>) => leases.map(({ item }) => item)
const numbers = (leases: ReadonlyArray<Lease>) => leases.map(({ number }) => number)

const keepAll = (
  session: Session,
  own: Process,
  claims: ReadonlyArray<Claim>
): Effect.Effect<ReadonlyArray<Claim>, LogUnavailable> =>
  Effect.suspend(() => {
    const leases = ordered(claims.map(({ lease }) => lease))
    const { name } = own.worker()
    const statement = session.database.function("keep", [name, items(leases), numbers(leases)])
    return Effect.map(
      forever(session, () => statement),
      ([row]) => {
        const [numbers] = row as readonly [ReadonlyArray<number>]
        const kept = new Set(numbers.map((n) => leases[n - 1]))
        return claims.filter(({ lease }) => !kept.has(lease))
      }
    )
  })

/** However long the database is away: whoever waits for work or works goes on when it is back. */
const forever = (
  { database: { lose, once, place } }: Session,
  next: (isRepeated: boolean) => Asked
): Effect.Effect<Rows, LogUnavailable> => {
  const attempt = (isRepeated: boolean): Effect.Effect<Rows, LogUnavailable> =>
    Effect.catch(Effect.tryPromise({ try: () => once(next(isRepeated)), catch: (error) => error }), (error) => {
      if (isMomentary(error)) return Effect.flatMap(retryDelay, () => attempt(true))
      const failure = toUnavailable(place, error)
      return Effect.fail(failure.code === "log_lost" ? lose(failure) : failure)
    })
  return Effect.suspend(() => attempt(false))
}

interface ClaimAnswer {
  readonly claims: ReadonlyArray<{ readonly item: string; readonly lease: number }>
  /** When the next item is due, ms from now. */
  readonly next: number | null
  /** What of the events that this process knows is gone. */
  readonly lost: string | null
}

interface Given {
  readonly claims: ReadonlyArray<Claim>
  /** The worker they were claimed as. */
  readonly worker: string
  readonly nextMs: number
}

/**
 * One consumer of `take`. It claims for all of its free slots at once and hands out one claim after the other; what it
 * has not handed out when it leaves is put back.
 */
const makeTaker = (
  session: Session,
  own: Process,
  latch: Latch.Latch,
  scope: Scope.Scope,
  slots: number,
  labels: ReadonlyArray<string>
) => {
  const { database, known } = session
  const id = randomUUID()
  let asks = 0
  let asking: Fiber.Fiber<Given, LogUnavailable> | null = null
  let buffer: Array<Claim> = []
  let bufferOf = ""

  const ask = Effect.suspend(() => {
    let worker = own.worker()
    let number = ++asks
    const statement = (isRepeated: boolean): Asked => {
      const now = own.worker()
      // what was claimed under a name that was given up is not asked for again
      if (now.name !== worker.name) number = ++asks
      worker = now
      return database.function("claim", [JSON.stringify(worker), id, number, isRepeated, slots, labels, known.json()])
    }
    return Effect.flatMap(forever(session, statement), ([row]): Effect.Effect<Given, LogUnavailable> => {
      const [{ claims, lost: why, next }] = row as readonly [ClaimAnswer]
      if (why !== null) return Effect.fail(session.lose(lost(database.place, why)))
      const nextMs = Math.min(pollMs, Math.max(1, next ?? pollMs))
      return Effect.succeed({ claims: claims.map(toClaim), worker: worker.name, nextMs })
    })
  })
  const next: Effect.Effect<Claim, LogUnavailable> = Effect.gen(function* () {
    for (;;) {
      // what was claimed under a name that was given up belongs to others
      if (bufferOf !== own.worker().name) buffer = []
      const claim = buffer.shift()
      if (claim !== undefined) return claim
      latch.closeUnsafe()
      // goes on when the consumer leaves meanwhile, so that what it claims can be put back
      asking = yield* Effect.forkIn(ask, scope)
      const { claims, nextMs, worker } = yield* Fiber.join(asking)
      asking = null
      buffer = [...claims]
      bufferOf = worker
      if (claims.length > 0) continue
      yield* Effect.raceFirst(latch.await, pause(nextMs))
    }
  })
  const leave = Effect.gen(function* () {
    const late = asking === null ? [] : (yield* Fiber.join(asking)).claims
    const leases = ordered([...buffer, ...late].map(({ lease }) => lease))
    if (leases.length === 0) return
    yield* forever(session, () => database.function("release", [items(leases), numbers(leases)]))
  })
  return { next, leave: Effect.ignore(leave) }
}

const toClaim = ({ item, lease }: ClaimAnswer["claims"][number]): Claim => {
  const parsed = JSON.parse(item)
  return { item: parsed, lease: { item: parsed.id, number: lease } }
}
