import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { EventLog, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { present, start } from "@proofline/plugins/adapters/private-postgres"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import pg from "pg"
import { events, item } from "../plugins/postgres-log/words.ts"

/** So many a second, and how long the slowest of a hundred took; ms. */
export interface Pace {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export interface PostgresFigures {
  /** One insert of the same row by the driver alone, one commit each, over as many connections as the server has processors. */
  readonly raw: Pace
  readonly oneWriter: Pace
  readonly manyWriters: Pace
  /** From the append that dispatches an item to the claim of a taker, 50 a second. */
  readonly dispatch: Pace
  /** Items that do nothing: claimed, reported under the lease and settled, in `slots` slots. */
  readonly drained: number
}

export const items = 10_000
export const slots = 20
const appends = 20_000
const dispatches = 250
const connections = 2

/** Null: there is no Postgres on this machine. */
export const measurePostgres = (directory: string): Promise<PostgresFigures | null> =>
  Effect.gen(function* () {
    const at = join(directory, "postgres")
    mkdirSync(at, { mode: 0o711 })
    const { url } = yield* start({ directory: at })
    const raw = yield* Effect.promise(() => inserts(url))
    const on = postgresLog({ url }).pipe(Layer.provide(nodeDigest))
    const ours = yield* Effect.provide(
      Effect.all({
        oneWriter: appending("one", 1, appends / 10),
        manyWriters: appending("many", 64, appends),
        dispatch: dispatching,
        drained: draining(items)
      }),
      on
    )
    return { raw, ...ours }
  }).pipe(
    Effect.scoped,
    (measure) => Effect.matchEffect(present, { onFailure: () => Effect.succeed(null), onSuccess: () => measure }),
    Effect.runPromise
  )

const paceOf = (took: ReadonlyArray<number>, startedAt: number): Pace => {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { perSecond: (took.length / (performance.now() - startedAt)) * 1_000, p50: at(0.5), p99: at(0.99) }
}

const inserts = async (url: string): Promise<Pace> => {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  await clients[0]?.query(
    "create table raw (n int, position bigserial primary key, content text, unique (n, position))"
  )
  const took: Array<number> = []
  const startedAt = performance.now()
  const text = "insert into raw (n, content) values ($1, $2)"
  const insert = async (client: pg.Client, n: number) => {
    for (let i = 0; i < appends / 10 / connections; i++) {
      const askedAt = performance.now()
      await client.query({ name: "insert", text, values: [n, JSON.stringify(events(`raw_${i}`)[0])] })
      took.push(performance.now() - askedAt)
    }
  }
  await Promise.all(clients.map(insert))
  const pace = paceOf(took, startedAt)
  await Promise.all(clients.map((client) => client.end()))
  return pace
}

/** Each writer appends to a stream of its own, one event after the other. */
export const appending = (name: string, count: number, total: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const took: Array<number> = []
    const startedAt = performance.now()
    const write = (writer: number) =>
      Effect.gen(function* () {
        for (let i = 0; i < total / count; i++) {
          const askedAt = performance.now()
          yield* log.append(`${name}_${writer}`, i, events(`${name}_${writer}_${i}`))
          took.push(performance.now() - askedAt)
        }
      })
    yield* Effect.all(
      Array.from({ length: count }, (_, writer) => write(writer)),
      { concurrency: "unbounded", discard: true }
    )
    return paceOf(took, startedAt)
  })

const dispatching = Effect.gen(function* () {
  const log = yield* EventLog
  const queue = yield* WorkQueue
  const took: Array<number> = []
  const askedAt = new Map<string, number>()
  const all = yield* Deferred.make<void>()
  const taking = yield* Effect.forkChild(
    queue.take(slots, []).pipe(
      Stream.mapEffect(
        (claim) => {
          took.push(performance.now() - (askedAt.get(claim.item.id) ?? 0))
          if (took.length === dispatches) Deferred.doneUnsafe(all, Effect.void)
          return queue.settle(claim)
        },
        { concurrency: "unbounded", unordered: true }
      ),
      Stream.runDrain
    )
  )
  const startedAt = performance.now()
  for (let i = 0; i < dispatches; i++) {
    const id = `dispatch_${i}`
    askedAt.set(id, performance.now())
    yield* Effect.forkChild(log.append(id, 0, events(id), { dispatch: [item(id)] }))
    yield* Effect.sleep(20)
  }
  yield* Deferred.await(all)
  yield* Fiber.interrupt(taking)
  return paceOf(took, startedAt)
})

/** So many items at once; how many a second. */
export const draining = (count: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const queue = yield* WorkQueue
    for (let i = 0; i < count; i += 1_000) {
      const dispatch = Array.from({ length: 1_000 }, (_, n) => item(`item_${i + n}`))
      yield* log.append("items", i / 1_000, events(`items_${i}`), { dispatch })
    }
    const startedAt = performance.now()
    yield* queue.take(slots, []).pipe(
      Stream.mapEffect(
        (claim) => {
          const { id } = claim.item
          return Effect.andThen(
            log.append(`of_${id}`, 0, events(`of_${id}`), { lease: claim.lease }),
            queue.settle(claim)
          )
        },
        { concurrency: "unbounded", unordered: true }
      ),
      Stream.take(count),
      Stream.runDrain
    )
    return (count / (performance.now() - startedAt)) * 1_000
  })
