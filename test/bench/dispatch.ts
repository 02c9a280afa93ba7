import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { EventLog, type WorkItem, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer, Stream } from "effect"

/** ms for one piece of work, from its dispatch to its end, every step durable. */
export interface DispatchFigures {
  /** One commit of the same row by the driver alone. */
  readonly rawMs: number
  /** One after the other, by how many others are ready: dispatched, claimed and settled, three commits. */
  readonly singly: ReadonlyArray<{ readonly ready: number; readonly ms: number }>
  /** `together` of them dispatched at once and done by as many slots: claimed, reported under the lease, settled. */
  readonly togetherMs: number
}

export const together = 1_000
const readies = [100, 1_000, 10_000]
const steps = 100
const run = "run_01890a5d-ac96-774b-bcce-000000000000"
const labels = [`run:${run}`]

/** Rounds of all kinds in turn, so that a slow moment of the machine hits all of them; the best of each. */
export const measureDispatch = async (directory: string, rounds: number): Promise<DispatchFigures> => {
  const best = { raw: Infinity, together: Infinity, singly: readies.map(() => Infinity) }
  for (let round = 0; round < rounds; round++) {
    const file = (what: string) => join(directory, `dispatch-${what}-${round}.sqlite`)
    for (const [i, ready] of readies.entries()) {
      best.singly[i] = Math.min(best.singly[i] as number, await within(file(`${ready}`), singly(ready)))
    }
    best.raw = Math.min(best.raw, raw(file("raw")))
    best.together = Math.min(best.together, await within(file("together"), allTogether))
  }
  return {
    rawMs: best.raw,
    singly: readies.map((ready, i) => ({ ready, ms: best.singly[i] as number })),
    togetherMs: best.together
  }
}

const within = (file: string, measure: Effect.Effect<number, unknown, EventLog | WorkQueue>): Promise<number> =>
  measure.pipe(Effect.provide(sqliteLog({ file }).pipe(Layer.provide(nodeDigest))), Effect.runPromise)

const item = (n: number, priority = 0): WorkItem => ({
  id: `01890a5d-ac96-5${(n >> 16).toString(16).padStart(3, "0")}-bcce-${n.toString(16).padStart(12, "0")}`,
  run,
  key: `attempt/task-${n}/1`,
  kind: "attempt",
  activity: "attempt",
  task_id: `task-${n}`,
  is_subtask: true,
  input: { attempt: 1, after: null },
  labels,
  priority,
  not_before: 0
})

const perItem = (n: number, startedAt: number): number => (performance.now() - startedAt) / n

/**
 * Every item comes in, overtakes those that are ready and is done, so that they stay as many as they are. More of them
 * leave a longer write-ahead log to be written over, which is quicker than making it longer.
 */
const singly = (ready: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const queue = yield* WorkQueue
    yield* log.append(run, 0, [], { dispatch: Array.from({ length: ready }, (_, n) => item(n)) })
    const startedAt = performance.now()
    let n = ready
    const next = Effect.suspend(() => log.append(run, 0, [], { dispatch: [item(n++, 1)] }))
    yield* next
    yield* queue.take(1, labels).pipe(
      Stream.take(steps),
      Stream.runForEach((claim) => Effect.andThen(queue.settle(claim), next))
    )
    return perItem(steps, startedAt)
  })

const allTogether = Effect.gen(function* () {
  const log = yield* EventLog
  const queue = yield* WorkQueue
  const startedAt = performance.now()
  yield* log.append(run, 0, [], { dispatch: Array.from({ length: together }, (_, n) => item(n)) })
  yield* queue.take(together, labels).pipe(
    Stream.take(together),
    Stream.mapEffect(
      (claim) =>
        Effect.andThen(log.append(`${run}/${claim.item.id}`, 0, [], { lease: claim.lease }), queue.settle(claim)),
      { concurrency: "unbounded", unordered: true }
    ),
    Stream.runDrain
  )
  return perItem(together, startedAt)
})

/** Rows like those of the queue, by the driver alone, one commit each. */
const raw = (path: string): number => {
  const db = new DatabaseSync(path)
  db.exec("pragma journal_mode = wal; pragma synchronous = full")
  db.exec("create table work (seq integer primary key, id text not null unique, item text not null) strict")
  const insert = db.prepare("insert into work (id, item) values (?, ?)")
  const startedAt = performance.now()
  for (let n = 0; n < steps; n++) insert.run(item(n).id, JSON.stringify(item(n)))
  const ms = perItem(steps, startedAt)
  db.close()
  return ms
}
