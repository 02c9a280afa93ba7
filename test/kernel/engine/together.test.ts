import { assert, describe } from "@effect/vitest"
import { composePlugins, EventLog, tasksOf, verifyChain } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Context, Deferred, Effect, Fiber, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { often } from "../../often.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { randomFrom, randomTasks } from "../support/random.ts"
import { digest, replayOf } from "../support/recorded.ts"
import { start, stateOf } from "../support/words.ts"
import {
  all,
  aroundAppend,
  badly,
  newLog,
  newProcess,
  plays,
  readRun,
  statusesOf,
  well,
  workerOptions,
  works
} from "../support/world.ts"

describe("two processes on one log", () => {
  effect("drive one run together: nothing is done twice, and conflicts are decided again", function* () {
    let conflicts = 0
    const shared = new Map<string, number>()
    for (let seed = 1; seed <= often(40); seed++) {
      const log = yield* newLog
      // every append lets the other go first, as a disk would
      const slow = aroundAppend(log, (append) =>
        Effect.andThen(Effect.yieldNow, append).pipe(
          Effect.tapErrorTag("Conflict", () => Effect.sync(() => conflicts++))
        )
      )
      const done = new Map<string, number>()
      const plugins = plays((id, attempt) =>
        Effect.gen(function* () {
          done.set(`${id}/${attempt}`, (done.get(`${id}/${attempt}`) ?? 0) + 1)
          yield* Effect.yieldNow
          return attempt === 1 && id.endsWith("3") ? badly : well
        })
      )
      const one = yield* newProcess(slow, plugins, "a")
      const two = yield* newProcess(slow, plugins, "b")
      const tasks = randomTasks(randomFrom(seed), 15)
      const helping = yield* Effect.forkChild(two.worker.run(workerOptions({ workerId: "two", slots: 2 })))
      const driving = yield* Effect.forkChild(
        one.runner.drive("run_1", aRun(tasks, { retry_delay_ms: 0 }), workerOptions({ workerId: "one", slots: 2 }))
      )
      // whoever writes the end, the driver learns of it
      while (driving.pollUnsafe() === undefined) {
        yield* letOthersGoOn
        yield* TestClock.adjust(2_000)
      }
      const state = yield* Fiber.join(driving)
      yield* Fiber.interrupt(helping)
      assert.strictEqual(state.run.status, "completed", `seed ${seed}`)
      for (const [what, times] of done) assert.strictEqual(times, 1, `seed ${seed}: ${what}`)
      const events = yield* readRun(log)
      const ofTasks = (type: string) => all(events, type).map(({ task_id }) => task_id)
      assert.sameMembers(ofTasks("TASK_COMPLETED"), Object.keys(statusesOf(state)))
      assert.strictEqual(all(events, "RUN_COMPLETED").length, 1)
      assert.strictEqual(all(events, "ATTEMPT_STARTED").length, done.size)
      for (const { worker_id } of all(events, "ATTEMPT_STARTED")) {
        const [worker = ""] = `${worker_id}`.split("/")
        shared.set(worker, (shared.get(worker) ?? 0) + 1)
      }
      assert.isTrue(Result.isSuccess(verifyChain(events, digest.sha256)))
      assert.isNull(replayOf(composePlugins(plugins), events).divergence)
    }
    assert.isAbove(conflicts, often(20))
    for (const worker of ["one", "two"]) assert.isAbove(shared.get(worker) ?? 0, often(20), worker)
  })

  effect(
    "decide again what was decided behind a write that the other got ahead of, also where versions agree",
    function* () {
      const log = yield* newLog
      const [first, again] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let appends = 0
      const holding = aroundAppend(log, (append) => {
        if (++appends === 1) return append
        return Effect.andThen(Deferred.await(appends <= 3 ? first : again), append)
      })
      const { engine: one } = yield* newProcess(holding, works, "a")
      const { engine: two } = yield* newProcess(log, works, "b")
      yield* one.execute("run_1", aRun([aTask("a"), aTask("b"), aTask("c")]))
      const waiting = yield* Effect.forEach(["a", "b"], (task) => Effect.forkChild(one.execute("run_1", start(task))))
      yield* letOthersGoOn
      // both are on their way, the second decided behind the first
      assert.strictEqual(appends, 3)
      yield* two.execute("run_1", start("c"))
      yield* Deferred.succeed(first, undefined)
      yield* letOthersGoOn
      assert.strictEqual(appends, 5)
      yield* Deferred.succeed(again, undefined)
      yield* Effect.forEach(waiting, Fiber.join)
      const events = yield* readRun(log)
      assert.deepStrictEqual(
        all(events, "ATTEMPT_STARTED").map(({ task_id }) => task_id),
        ["c", "a", "b"]
      )
      const [ofOne, ofTwo] = [yield* one.load("run_1"), yield* two.load("run_1")].map((run) => tasksOf(stateOf(run)))
      assert.deepStrictEqual(ofOne, ofTwo)
    }
  )

  effect("write what many report at the same moment one behind the other, without reading the run again", function* () {
    const log = yield* newLog
    let reads = 0
    const inner = Context.get(log, EventLog)
    const counting = Context.add(log, EventLog, {
      ...inner,
      read: (stream, from) =>
        Stream.unwrap(
          Effect.as(
            Effect.andThen(
              Effect.sync(() => reads++),
              Effect.yieldNow
            ),
            inner.read(stream, from)
          )
        )
    })
    const slow = aroundAppend(counting, (append) => Effect.andThen(Effect.yieldNow, append))
    const { engine } = yield* newProcess(slow, works)
    const names = Array.from({ length: 20 }, (_, i) => `t${i}`)
    yield* engine.execute("run_1", aRun(names.map((name) => aTask(name))))
    reads = 0
    yield* Effect.forEach(names, (name) => engine.execute("run_1", start(name)), { concurrency: "unbounded" })
    assert.strictEqual(reads, 0)
    const begun = all(yield* readRun(log), "ATTEMPT_STARTED").map(({ task_id }) => task_id)
    assert.deepStrictEqual(begun, names)
    // one reads at once, and all that ask meanwhile share the next
    const loaded = yield* Effect.forEach(names, () => engine.load("run_1"), { concurrency: "unbounded" })
    assert.isAtMost(reads, 2)
    assert.deepStrictEqual([...new Set(loaded.map(({ version }) => version))], [(yield* readRun(log)).length])
  })

  effect("read the run for those who wait, where who reads it is interrupted", function* () {
    const log = yield* newLog
    const inner = Context.get(log, EventLog)
    const gate = yield* Deferred.make<void>()
    let reads = 0
    const slow = Context.add(log, EventLog, {
      ...inner,
      read: (stream, from) =>
        Stream.unwrap(
          Effect.suspend(() => Effect.as(++reads === 1 ? Deferred.await(gate) : Effect.void, inner.read(stream, from)))
        )
    })
    const writing = yield* newProcess(log, works, "writing")
    yield* writing.engine.execute("run_1", aRun([aTask("a")]))
    const { engine } = yield* newProcess(slow, works, "reading")
    const first = yield* Effect.forkChild(engine.load("run_1"))
    yield* letOthersGoOn
    // these share the next reading, which waits for the first
    const others = yield* Effect.forEach([1, 2], () => Effect.forkChild(engine.load("run_1")))
    yield* letOthersGoOn
    assert.strictEqual(reads, 1)
    yield* Fiber.interrupt(first)
    yield* letOthersGoOn
    assert.deepStrictEqual(
      others.map((one) => one.pollUnsafe() !== undefined),
      [true, true]
    )
    const [run] = yield* Effect.forEach(others, Fiber.join)
    assert.strictEqual(run?.version, (yield* readRun(log)).length)
  })

  effect("write nothing that was decided behind what never came to be, also where that is decided again", function* () {
    const shared = yield* newLog
    const other = yield* newProcess(shared, works, "other")
    yield* other.engine.execute("run_1", aRun(["a", "b", "c", "d"].map((id) => aTask(id))))
    const log = Context.get(shared, EventLog)
    /** Opened for an append by its command. */
    const gates = new Map(["a", "b", "c"].map((id) => [id, Deferred.makeUnsafe<void>()]))
    const late = Context.add(shared, EventLog, {
      ...log,
      append: (...args: Parameters<typeof log.append>) => {
        const gate = gates.get(args[2][0]?.command_id ?? "")
        return Effect.andThen(gate === undefined ? Effect.void : Deferred.await(gate), log.append(...args))
      }
    })
    const { engine } = yield* newProcess(late, works, "late")
    const begun = []
    for (const id of gates.keys()) {
      begun.push(yield* Effect.forkChild(engine.execute("run_1", start(id), { commandId: id })))
      yield* letOthersGoOn
    }
    // somebody else comes first, and these in another order than they were decided in
    yield* other.engine.execute("run_1", start("d"))
    for (const id of ["b", "c", "a"]) {
      yield* Deferred.succeed(gates.get(id) as Deferred.Deferred<void>, undefined)
      yield* letOthersGoOn
    }
    for (const fiber of begun) yield* Fiber.join(fiber)
    const anew = yield* newProcess(shared, works, "anew")
    const known = statusesOf(stateOf(yield* engine.load("run_1")))
    assert.deepStrictEqual(known, statusesOf(stateOf(yield* anew.engine.load("run_1"))))
    const ids = all(yield* readRun(shared), "ATTEMPT_STARTED").map(({ task_id }) => String(task_id))
    assert.deepStrictEqual(ids.toSorted(), ["a", "b", "c", "d"])
  })

  effect("end the drive of the one as soon as the other has done everything", function* () {
    const log = yield* newLog
    const plugins = works
    const one = yield* newProcess(log, plugins, "a")
    const two = yield* newProcess(log, plugins, "b")
    const helping = yield* Effect.forkChild(two.worker.run(workerOptions({ labels: ["gpu"] })))
    const driving = yield* Effect.forkChild(
      one.runner.drive("run_1", aRun([aTask("a")], { labels: ["gpu"] }), workerOptions())
    )
    yield* letOthersGoOn
    assert.isDefined(driving.pollUnsafe())
    assert.strictEqual((yield* Fiber.join(driving)).run.status, "completed")
    yield* Fiber.interrupt(helping)
  })

  effect(
    "drive two runs apart, each with its own versions and its own worker, kept apart by their labels",
    function* () {
      const tasks = [aTask("a"), aTask("b", { depends_on: ["a"] })]
      const log = yield* newLog
      const plugins = works
      const one = yield* newProcess(log, plugins, "a")
      const two = yield* newProcess(log, plugins, "b")
      yield* Effect.all(
        [
          one.runner.drive("run_1", aRun(tasks, { labels: ["one"] }), workerOptions({ labels: ["one"] })),
          two.runner.drive("run_2", aRun(tasks, { labels: ["two"] }, "run_2"), workerOptions({ labels: ["two"] }))
        ],
        { concurrency: "unbounded" }
      )
      for (const run of ["run_1", "run_2"]) {
        const events = yield* readRun(log, run)
        assert.deepStrictEqual(
          events.map(({ version }) => version),
          events.map((_, i) => i + 1)
        )
        assert.strictEqual(events.at(-1)?.event_type, "RUN_COMPLETED")
        assert.strictEqual(new Set(all(events, "ATTEMPT_STARTED").map(({ item_id }) => item_id)).size, 2)
      }
    }
  )
})
