import { assert } from "@effect/vitest"
import { type Claim, EventLog, Locks, Presence, Workers, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { start } from "@proofline/plugins/adapters/private-postgres"
import { Context, Effect, Exit, Fiber, Layer, Option, Schedule, Scope, Stream } from "effect"
import { live } from "../../effects.ts"
import { describePostgres, serverDirectory } from "../../postgres.ts"
import { another, execute, useDatabase } from "./support.ts"
import { events, item } from "./words.ts"

const on = (url: string) => Layer.fresh(postgresLog({ url })).pipe(Layer.provide(nodeDigest))

const taken = (slots = 1) =>
  Effect.flatMap(WorkQueue, (queue) => Effect.map(Stream.runHead(queue.take(slots, [])), Option.getOrThrow))

describePostgres("a log in PostgreSQL with several processes", () => {
  const { newLog, url: database } = useDatabase()

  live("is made once by four that begin at the same moment, and has every position once", function* () {
    const { schema, url } = newLog()
    const writers = yield* Effect.all(
      ["p", "q", "r", "s"].map((name) => another("write", url, name, "100")),
      { concurrency: "unbounded" }
    )
    const answers = yield* Effect.all(
      writers.map(({ next }) => Effect.andThen(next, next)),
      { concurrency: "unbounded" }
    )
    const conflicts = (answers as ReadonlyArray<{ readonly conflicts: number }>).map((answer) => answer.conflicts)
    for (const of of conflicts) assert.isAtLeast(of, 40)
    const [found] = yield* Effect.promise(() =>
      execute(
        database(),
        `select count(*)::int as events, max(position)::int as last,
          (select position::int from ${schema}.log_head) as head,
          (select count(*)::int from (select stream from ${schema}.event group by stream
            having max(version) <> count(*)) s) as holes
        from ${schema}.event`
      )
    )
    assert.isAbove(Number(found?.["events"]), 400)
    assert.deepStrictEqual({ ...found, last: 0, head: 0, events: 0 }, { events: 0, last: 0, head: 0, holes: 0 })
    assert.strictEqual(found?.["last"], found?.["events"])
    assert.strictEqual(found?.["head"], found?.["events"])
  })

  live("gives the work, the locks and the presences of a killed process to others", function* () {
    const { url } = newLog()
    const process = yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("run_a", 0, events("a"), { dispatch: [item("x")] })
      const other = yield* another("work", url, "", "3")
      assert.deepStrictEqual(yield* other.next, { item: "x", number: 1 })
      const presence = yield* Presence
      assert.isNotNull(yield* presence.of({ kind: "run", id: "run_a" }))
      const [worker] = yield* (yield* Workers).list
      assert.deepInclude(worker, { slots: 3, holding: 1, labels: [] })
      assert.deepInclude(worker?.leases[0], { item: "x", run: "run_a", lease: 1 })
      const waiting = yield* Effect.forkScoped(taken())
      yield* other.kill
      assert.deepStrictEqual((yield* Fiber.join(waiting)).lease, { item: "x", number: 2 })
      yield* (yield* Locks).acquire("a", 10_000)
      assert.isNull(yield* presence.of({ kind: "run", id: "run_a" }))
    }).pipe(Effect.provide(on(url)))
    assert.isUndefined(process)
  })

  live("puts back what was claimed for a consumer that left before it saw it", function* () {
    const { url } = newLog()
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("run_a", 0, events("a"), { dispatch: ["x", "y", "z"].map(item) })
      const first = yield* taken(3)
      const rest = [yield* taken(1), yield* taken(1)]
      assert.deepStrictEqual([first, ...rest].map((claim) => claim.item.id).sort(), ["x", "y", "z"])
    }).pipe(Effect.provide(on(url)))
  })
})

describePostgres("a log in a PostgreSQL that ends without warning", () => {
  live("goes on when it is back: nothing is lost or written twice, and claims are given up meanwhile", function* () {
    const at = yield* serverDirectory
    const server = start({ directory: at })
    const life = yield* Scope.make()
    const first = yield* Scope.provide(server, life)
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      const queue = yield* WorkQueue
      yield* log.append("run_work", 0, events("w"), { dispatch: [item("x")] })
      const claims = queue.take(1, [])
      const seen: Array<Claim> = []
      yield* Effect.forkScoped(Stream.runForEach(claims, (claim) => Effect.sync(() => void seen.push(claim))))
      yield* Effect.repeat(Effect.void, { until: () => seen.length > 0, schedule: Schedule.spaced("20 millis") })
      assert.deepStrictEqual(yield* queue.keep(seen), [])
      let written = 0
      const writer = (own: string) =>
        Effect.gen(function* () {
          for (let i = 0; i < 300; i++) {
            yield* log.append(own, i, events(`${own}_${i}`))
            written++
          }
        })
      const writing = yield* Effect.forkScoped(
        Effect.all(
          Array.from({ length: 8 }, (_, i) => writer(`run_${i}`)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.repeat(Effect.void, { until: () => written > 200, schedule: Schedule.spaced("5 millis") })
      process.kill(first.pid, "SIGQUIT")
      yield* first.ended
      yield* Scope.close(life, Exit.void)
      assert.deepStrictEqual(yield* queue.keep(seen), seen)
      yield* server
      yield* Fiber.join(writing)
      const positions = Array.from(yield* Stream.runCollect(log.readAll()), ({ position }) => position)
      assert.deepStrictEqual(
        positions,
        Array.from({ length: 8 * 300 + 1 }, (_, i) => i + 1)
      )
      yield* Effect.repeat(Effect.void, { until: () => seen.length > 1, schedule: Schedule.spaced("20 millis") })
      assert.deepStrictEqual(seen[1]?.lease, { item: "x", number: 2 })
      assert.deepStrictEqual(yield* queue.keep(seen.slice(0, 1)), seen.slice(0, 1))
      // whoever stands still for long gives up all of it once more, and has it back after that
      yield* Effect.repeat(
        Effect.suspend(() => queue.keep(seen.slice(-1))),
        { until: (lost) => lost.length === 0, schedule: Schedule.spaced("20 millis") }
      )
    }).pipe(Effect.provide(on(first.url)))
  })

  live(
    "lets a worker that has a result hand it in, however long it was away, and whoever waits for its work",
    function* () {
      const at = yield* serverDirectory
      const server = start({ directory: at })
      const life = yield* Scope.make()
      const first = yield* Scope.provide(server, life)
      const services = (awayMs: number) =>
        Layer.build(Layer.fresh(postgresLog({ url: first.url, awayMs })).pipe(Layer.provide(nodeDigest)))
      const [patient, hasty] = [yield* services(Number.POSITIVE_INFINITY), yield* services(1)]
      const [log, queue] = yield* Effect.provide(Effect.all([EventLog, WorkQueue]), patient)
      yield* log.append("run_work", 0, events("w"), { dispatch: [item("x")] })
      const claim = yield* Effect.provide(taken(), patient)
      const others: Array<Claim> = []
      for (const services of [patient, hasty]) {
        yield* Effect.forkScoped(
          Stream.runForEach(Context.get(services, WorkQueue).take(1, []), (one) =>
            Effect.sync(() => void others.push(one))
          )
        )
      }
      process.kill(first.pid, "SIGQUIT")
      yield* first.ended
      yield* Scope.close(life, Exit.void)
      const report = events("r")
      const options = { lease: claim.lease, settles: true }
      const failed = yield* Effect.flip(Context.get(hasty, EventLog).append("run_work", 1, report, options))
      assert.strictEqual(failed._tag, "LogUnavailable")
      const reporting = yield* Effect.forkScoped(log.append("run_work", 1, report, options))
      // nobody can say whether it is still held; whoever hands it in goes on keeping it
      for (let i = 0; i < 3; i++) assert.deepStrictEqual(yield* queue.keep([claim]), [claim])
      const leaving = yield* Effect.forkScoped(log.append("run_other", 0, report))
      yield* Fiber.interrupt(leaving)
      yield* server
      assert.strictEqual((yield* Fiber.join(reporting)).repeated, false)
      yield* log.append("run_work", 2, events("z"), { dispatch: [item("z")] })
      yield* Effect.repeat(Effect.void, { until: () => others.length > 0, schedule: Schedule.spaced("20 millis") })
      assert.deepStrictEqual(
        others.map(({ lease }) => lease),
        [{ item: "z", number: 1 }]
      )
    }
  )
})
