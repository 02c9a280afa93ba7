import { assert, describe, it } from "@effect/vitest"
import { EventLog, type Plugin, WorkQueue } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Clock, Context, Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { withActivities } from "../support/activities.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { locatedAt, type Of, where } from "../support/located.ts"
import { end, start, stateOf } from "../support/words.ts"
import {
  all,
  badly,
  type Log,
  newLog,
  newProcess,
  plays,
  readRun,
  well,
  workerOptions,
  works
} from "../support/world.ts"

describe("a task that is tried again", () => {
  effect("is begun only after 2,000 ms, then only after 3,000 ms more", function* () {
    const begunAt: Array<number> = []
    const log = yield* newLog
    const { runner } = yield* newProcess(
      log,
      plays((_, attempt) =>
        Effect.gen(function* () {
          begunAt.push(yield* Clock.currentTimeMillis)
          return attempt < 3 ? badly : well
        })
      )
    )
    const driving = yield* Effect.forkChild(runner.drive("run_1", aRun([aTask("a")]), workerOptions()))
    const timeline = [
      [0, 1],
      [1_999, 1],
      [1, 2],
      [2_999, 2],
      [1, 3]
    ] as const
    for (const [ms, attempts] of timeline) {
      yield* TestClock.adjust(ms)
      yield* letOthersGoOn
      assert.strictEqual(begunAt.length, attempts, `${begunAt}`)
    }
    assert.deepStrictEqual(begunAt, [0, 2_000, 5_000])
    assert.strictEqual((yield* Fiber.join(driving)).run.status, "completed")
  })

  effect("does not hold up other tasks while it waits", function* () {
    const begun: Array<string> = []
    const log = yield* newLog
    const { runner } = yield* newProcess(
      log,
      plays((id, attempt) => {
        begun.push(`${id}${attempt}`)
        return Effect.succeed(id === "a" && attempt === 1 ? badly : well)
      })
    )
    const tasks = [aTask("a"), aTask("b"), aTask("c", { depends_on: ["b"] })]
    const driving = yield* Effect.forkChild(runner.drive("run_1", aRun(tasks), workerOptions({ slots: 1 })))
    yield* letOthersGoOn
    assert.deepStrictEqual([...begun].sort(), ["a1", "b1", "c1"])
    yield* TestClock.adjust(2_000)
    yield* letOthersGoOn
    assert.deepStrictEqual(begun.at(-1), "a2")
    assert.strictEqual((yield* Fiber.join(driving)).run.status, "completed")
  })

  effect("has the times of its events from the clock", function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
    const log = yield* newLog
    const { runner } = yield* newProcess(log, works)
    yield* runner.drive("run_1", aRun([aTask("a")]), workerOptions())
    const times = new Set((yield* readRun(log)).map(({ timestamp }) => timestamp))
    assert.deepStrictEqual([...times], ["2026-01-02T03:04:05.678Z"])
  })
})

/** For a worker that gets no answer in time, until it is joined again: it must count on others having its work. */
const cutOffFrom = (log: Log, isAtOnce = true) => {
  const queue = Context.get(log, WorkQueue)
  let isCutOff = isAtOnce
  const keep: typeof queue.keep = (claims) =>
    Effect.suspend(() => (isCutOff ? Effect.succeed(claims) : queue.keep(claims)))
  return {
    cutOff: Context.add(log, WorkQueue, { ...queue, keep }),
    cut: () => {
      isCutOff = true
    },
    join: () => {
      isCutOff = false
    }
  }
}

describe("work whose holder went silent", () => {
  effect("is handed out again under a higher lease, and what the first holder reports then is dropped", function* () {
    const log = yield* newLog
    const queue = Context.get(log, WorkQueue)
    const { engine } = yield* newProcess(log, works)
    const claimOne = queue.take(1, []).pipe(Stream.take(1), Stream.runCollect)
    yield* engine.execute("run_1", aRun([aTask("a")]))
    const [mine] = yield* claimOne
    assert.strictEqual(mine?.lease.number, 1)
    const { item, lease } = mine as NonNullable<typeof mine>
    yield* engine.execute("run_1", start("a", 1, { item_id: item.id, lease: 1 }), { lease })
    yield* TestClock.adjust(10_001)
    const [theirs] = yield* claimOne
    assert.strictEqual(theirs?.item.id, item.id)
    assert.strictEqual(theirs?.lease.number, 2)
    const before = yield* readRun(log)
    const late = yield* Effect.flip(engine.execute("run_1", end("a"), { lease }))
    assert.strictEqual(late._tag, "LeaseLost")
    assert.deepStrictEqual(yield* readRun(log), before)
    const lost = end("a", 1, "LOST", { report: null })
    yield* engine.execute("run_1", lost, { lease: (theirs as NonNullable<typeof theirs>).lease })
    assert.strictEqual(all(yield* readRun(log), "ATTEMPT_ENDED")[0]?.["outcome"], "LOST")
  })

  effect("is handed to one of those that wait for it, however many do", function* () {
    const log = yield* newLog
    const queue = Context.get(log, WorkQueue)
    const { engine } = yield* newProcess(log, works)
    yield* engine.execute("run_1", aRun([aTask("a")]))
    const leases: Array<number> = []
    const take = queue.take(1, []).pipe(Stream.runForEach(({ lease }) => Effect.sync(() => leases.push(lease.number))))
    for (let i = 0; i < 3; i++) yield* Effect.forkChild(take)
    yield* letOthersGoOn
    assert.deepStrictEqual(leases, [1])
    yield* TestClock.adjust(10_001)
    yield* letOthersGoOn
    assert.deepStrictEqual(leases, [1, 2])
  })

  effect("is taken as lost by the worker that gets it, and tried again", function* () {
    const log = yield* newLog
    const queue = Context.get(log, WorkQueue)
    const attempts: Array<number> = []
    const { engine, worker } = yield* newProcess(
      log,
      plays((_, attempt) => {
        attempts.push(attempt)
        return Effect.succeed(well)
      })
    )
    yield* engine.execute("run_1", aRun([aTask("a")]))
    const [mine] = yield* queue.take(1, []).pipe(Stream.take(1), Stream.runCollect)
    const { item, lease } = mine as NonNullable<typeof mine>
    yield* engine.execute("run_1", start("a", 1, { item_id: item.id, lease: 1 }), { lease })
    const working = yield* Effect.forkChild(worker.run(workerOptions()))
    yield* letOthersGoOn
    assert.deepStrictEqual(attempts, [])
    yield* TestClock.adjust(10_001)
    yield* letOthersGoOn
    assert.deepStrictEqual(attempts, [2])
    assert.strictEqual(stateOf(yield* engine.load("run_1")).run.status, "completed")
    yield* Fiber.interrupt(working)
  })

  effect("that its worker gives up while nobody else has it is done later", function* () {
    const { cutOff, join } = cutOffFrom(yield* newLog)
    const attempts: Array<number> = []
    const { engine, worker } = yield* newProcess(
      cutOff,
      plays((_, attempt) => {
        attempts.push(attempt)
        return attempt === 1 ? Effect.never : Effect.succeed(well)
      })
    )
    yield* engine.execute("run_1", aRun([aTask("a")]))
    const working = yield* Effect.forkChild(worker.run(workerOptions()))
    yield* letOthersGoOn
    assert.deepStrictEqual(attempts, [1])
    yield* TestClock.adjust(2_000)
    join()
    yield* TestClock.adjust(10_001)
    yield* letOthersGoOn
    assert.deepStrictEqual(attempts, [1, 2])
    assert.strictEqual(stateOf(yield* engine.load("run_1")).run.status, "completed")
    yield* Fiber.interrupt(working)
  })

  type Waits = (on: Deferred.Deferred<void>) => { readonly plugins: ReadonlyArray<Plugin>; readonly of: Of }
  const handingIn: ReadonlyArray<readonly [what: string, Waits]> = [
    [
      "its activity has said so",
      (goOn) => ({
        plugins: works.map((plugin) =>
          withActivities(plugin, (activity) => ({
            ...activity,
            run: (input, context) =>
              Effect.flatMap(activity.run(input, context), (result) =>
                Effect.andThen(context.handsIn, Effect.as(Deferred.await(goOn), result))
              )
          }))
        ),
        of: where({})
      })
    ],
    [
      "its activity has ended",
      (goOn) => ({
        plugins: works,
        of: where({ report: (result) => Effect.as(Deferred.await(goOn), { result }) })
      })
    ]
  ]
  for (const [what, waits] of handingIn) {
    for (const isEnded of [false, true]) {
      effect(
        `once ${what} ${isEnded ? "ends with its worker" : "is handed in, although its heartbeats are not heard meanwhile"}`,
        function* () {
          const { cut, cutOff, join } = cutOffFrom(yield* newLog, false)
          const goOn = yield* Deferred.make<void>()
          const { of, plugins } = waits(goOn)
          const { engine, worker } = yield* newProcess(cutOff, plugins)
          yield* engine.execute("run_1", aRun([aTask("a")], { retry_delay_ms: 0 }))
          const working = yield* Effect.forkChild(worker.run(workerOptions()).pipe(locatedAt(of)))
          yield* letOthersGoOn
          cut()
          yield* TestClock.adjust(8_000)
          if (isEnded) return yield* Fiber.interrupt(working)
          join()
          yield* Deferred.succeed(goOn, undefined)
          for (let i = 0; i < 5; i++) yield* letOthersGoOn
          assert.strictEqual(stateOf(yield* engine.load("run_1")).run.status, "completed")
          assert.deepStrictEqual(
            all(yield* readRun(cutOff), "ATTEMPT_STARTED").map(({ lease }) => lease),
            [1]
          )
          yield* Fiber.interrupt(working)
        }
      )
    }
  }

  effect("is begun anew where its worker is handed it again before it could end it", function* () {
    const { cutOff, join } = cutOffFrom(yield* newLog)
    const attempts: Array<number> = []
    const ended = yield* Deferred.make<void>()
    const { engine, worker } = yield* newProcess(
      cutOff,
      plays((_, attempt) => {
        attempts.push(attempt)
        return attempt === 1 ? Effect.onInterrupt(Effect.never, () => Deferred.await(ended)) : Effect.succeed(well)
      })
    )
    yield* engine.execute("run_1", aRun([aTask("a")]))
    const working = yield* Effect.forkChild(worker.run(workerOptions()))
    yield* letOthersGoOn
    yield* TestClock.adjust(2_000)
    join()
    yield* TestClock.adjust(30_000)
    assert.deepStrictEqual(attempts, [1])
    yield* Deferred.succeed(ended, undefined)
    yield* letOthersGoOn
    assert.deepStrictEqual(attempts, [1, 2])
    assert.strictEqual(stateOf(yield* engine.load("run_1")).run.status, "completed")
    yield* Fiber.interrupt(working)
  })

  it.effect.each(["ATTEMPT_STARTED", "ATTEMPT_ENDED"])(
    "is begun anew where its worker is handed it again while %s is refused under the lease before",
    (type) =>
      Effect.gen(function* () {
        const log = yield* newLog
        const writes = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const inner = Context.get(log, EventLog)
        // its heartbeats are not heard, and it learns nothing of that
        const silent = Context.add(log, WorkQueue, { ...Context.get(log, WorkQueue), keep: () => Effect.succeed([]) })
        const slow = Context.add(silent, EventLog, {
          ...inner,
          append: (stream, expected, events, options) =>
            Effect.suspend(() => {
              const appended = inner.append(stream, expected, events, options)
              if (!events.some(({ event_type }) => event_type === type)) return appended
              return Effect.andThen(Deferred.succeed(writes, undefined), Deferred.await(goOn)).pipe(
                Effect.andThen(appended)
              )
            })
        })
        const { engine, worker } = yield* newProcess(slow, works)
        yield* engine.execute("run_1", aRun([aTask("a")], { retry_delay_ms: 0 }))
        const working = yield* Effect.forkChild(worker.run(workerOptions()))
        yield* Deferred.await(writes)
        yield* TestClock.adjust(10_001)
        yield* letOthersGoOn
        yield* Deferred.succeed(goOn, undefined)
        yield* letOthersGoOn
        assert.strictEqual(stateOf(yield* engine.load("run_1")).run.status, "completed")
        const leases = all(yield* readRun(slow), "ATTEMPT_STARTED").map(({ lease }) => lease)
        assert.deepStrictEqual(leases, type === "ATTEMPT_STARTED" ? [2] : [1, 1])
        yield* Fiber.interrupt(working)
      })
  )

  effect("is not handed out again while its worker says that it lives", function* () {
    const log = yield* newLog
    let begun = 0
    const plugins = plays(() =>
      Effect.andThen(
        Effect.sync(() => begun++),
        Effect.never
      )
    )
    const one = yield* newProcess(log, plugins, "a")
    const two = yield* newProcess(log, plugins, "b")
    yield* one.engine.execute("run_1", aRun([aTask("a")]))
    const working = yield* Effect.forkChild(one.worker.run(workerOptions({ workerId: "one" })))
    yield* letOthersGoOn
    const waiting = yield* Effect.forkChild(two.worker.run(workerOptions({ workerId: "two" })))
    for (let i = 0; i < 30; i++) yield* TestClock.adjust(1_000)
    assert.strictEqual(begun, 1)
    assert.deepStrictEqual(all(yield* readRun(log), "ATTEMPT_ENDED"), [])
    yield* Fiber.interrupt(working)
    yield* Fiber.interrupt(waiting)
  })
})
