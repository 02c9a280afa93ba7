import { assert, describe } from "@effect/vitest"
import {
  type AnyEvent,
  composePlugins,
  type Location,
  type LocationRefused,
  LogUnavailable,
  type Plugin,
  type Recorded,
  Run
} from "@proofline/kernel"
import { aRun, aTask, type Script } from "@proofline/kernel/testing"
import { checkouts, RecordTree, treeMoved } from "@proofline/plugins/policies/checkouts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { withActivities } from "../support/activities.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { locatedAt, type Of, where } from "../support/located.ts"
import { recordedOf, replayOf } from "../support/recorded.ts"
import {
  all,
  aroundAppend,
  type Log,
  newLog,
  newProcess,
  plays,
  readRun,
  well,
  workerOptions
} from "../support/world.ts"

const tree = (onto: string | null, commit: string): ReturnType<typeof RecordTree> =>
  RecordTree({ onto, commit, prefix: "", refs: [], bundle: null, remote: null, by: null })

const commitsOf = (events: ReadonlyArray<Recorded>): ReadonlyArray<string> =>
  all(events, "TREE_RECORDED").map(({ commit }) => `${commit}`)

/** Each report goes with the next commit. */
const merging = (log: Log, run = "run_1"): Pick<Location, "report"> => ({
  report: (result) =>
    Effect.map(readRun(log, run), (events) => {
      const commits = commitsOf(events)
      return { result, also: tree(commits.at(-1) ?? null, `commit ${commits.length + 1}`) }
    })
})

const going: ReadonlyArray<Plugin> = [...plays(() => Effect.succeed(well)), checkouts]
const quick = { retry_delay_ms: 0 }

const replayed = (events: ReadonlyArray<Recorded>) => {
  return replayOf(composePlugins(going), events).divergence
}

describe("given work whose report goes with something", () => {
  const recorded = Effect.gen(function* () {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, going)
    yield* runner
      .drive("run_1", aRun([aTask("a"), aTask("b")], quick), workerOptions({ slots: 1 }))
      .pipe(locatedAt(where(merging(log))))
    return yield* readRun(log)
  })

  effect("then both are in one append, and a replay agrees", function* () {
    const events = yield* recorded
    const ended = events.filter(({ event_type }) => event_type === "ATTEMPT_ENDED")
    assert.strictEqual(ended.length, 2)
    for (const { command_id } of ended) {
      const together = events.filter((event) => event.command_id === command_id)
      assert.strictEqual(together.at(-1)?.event_type, "TREE_RECORDED")
    }
    assert.strictEqual(events.at(-1)?.event_type, "TREE_RECORDED")
    assert.isNull(replayed(events))
  })

  type Change = (batch: ReadonlyArray<AnyEvent>) => ReadonlyArray<AnyEvent>
  const rows: ReadonlyArray<readonly [what: string, change: Change, reason: string]> = [
    ["an event behind both", (batch) => [...batch, ...batch.slice(0, 1)], "surplus"],
    ["an event between them", (batch) => batch.toSpliced(-1, 0, ...batch.slice(0, 1)), "surplus"],
    ["the companion twice", (batch) => [...batch, ...batch.slice(-1)], "refused"],
    ["the companion in front", (batch) => [...batch.slice(-1), ...batch.slice(0, -1)], "surplus"],
    ["the companion alone", (batch) => batch.slice(-1), "refused"]
  ]
  for (const [what, change, reason] of rows) {
    effect(`when a log has ${what}, then a replay finds it`, function* () {
      const batches = [...Map.groupBy(yield* recorded, ({ command_id }) => command_id).values()].map((batch) =>
        batch.map(({ content, event_type }) => ({ type: event_type, content }))
      )
      const at = batches.findIndex((batch) => batch.some(({ type }) => type === "ATTEMPT_ENDED"))
      const changed = batches.map((batch, i) => (i === at ? change(batch) : batch))
      const divergence = replayed(recordedOf(composePlugins(going), changed))
      assert.strictEqual(divergence?.reason, reason, divergence?.message)
    })
  }

  effect("when what goes with it is refused, then neither is recorded, and the work has failed", function* () {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, going)
    let asked = 0
    const { run } = yield* runner.drive("run_1", aRun([aTask("a")], quick), workerOptions()).pipe(
      locatedAt(
        where({
          overtaken: new Set(),
          report: (result) => Effect.sync(() => (asked++ === 0 ? { result, also: tree("another", "1") } : { result }))
        })
      )
    )
    const events = yield* readRun(log)
    assert.deepStrictEqual(commitsOf(events), [])
    assert.strictEqual(all(events, "ACTIVITY_FAILED")[0]?.["code"], treeMoved)
    assert.strictEqual(run.status, "failed")
    assert.isNull(replayed(events))
  })

  effect("when what goes with it was overtaken, then it is asked for again, and recorded once", function* () {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, going)
    const asked: Array<string> = []
    const merges = merging(log)
    yield* runner.drive("run_1", aRun([aTask("a")], quick), workerOptions()).pipe(
      locatedAt(
        where({
          report: (result) => {
            asked.push(result?._tag ?? "nothing")
            const isFirst = asked.filter((tag) => tag === result?._tag).length === 1
            return isFirst ? Effect.succeed({ result, also: tree("overtaken", "x") }) : merges.report(result)
          }
        })
      )
    )
    const events = yield* readRun(log)
    assert.deepStrictEqual(asked.slice(0, 2), ["EndAttempt", "EndAttempt"])
    assert.strictEqual(asked.length, 2 * commitsOf(events).length)
    assert.strictEqual(all(events, "ATTEMPT_ENDED").length, 1)
    assert.strictEqual(all(events, "ACTIVITY_FAILED").length, 0)
  })

  effect("when the report cannot be made, then that is how the work failed", function* () {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, going)
    const { run } = yield* runner.drive("run_1", aRun([aTask("a")], quick), workerOptions()).pipe(
      locatedAt(
        where({
          report: () =>
            Effect.fail({ _tag: "ActivityFailure", code: "workplace_conflict", message: "Both changed a.txt." })
        })
      )
    )
    const events = yield* readRun(log)
    assert.deepStrictEqual(
      all(events, "ACTIVITY_FAILED").map(({ code, message }) => [code, message]),
      [["workplace_conflict", "Both changed a.txt."]]
    )
    assert.strictEqual(all(events, "ATTEMPT_ENDED").length, 0)
    assert.strictEqual(run.status, "failed")
  })

  effect("when the work has nothing to say, then what it leaves is recorded alone", function* () {
    const log = yield* newLog
    const silent = going.map((plugin) =>
      withActivities(plugin, (activity) => ({ ...activity, run: () => Effect.succeed(null) }))
    )
    const { engine, worker } = yield* newProcess(log, silent)
    yield* engine.execute("run_1", aRun([aTask("a")], quick))
    const working = yield* Effect.forkChild(worker.run(workerOptions()).pipe(locatedAt(where(merging(log)))))
    yield* letOthersGoOn
    yield* Fiber.interrupt(working)
    assert.deepStrictEqual(commitsOf(yield* readRun(log)), ["commit 1"])
  })
})

describe("given a location that is not where the run was begun", () => {
  effect("then activities see its root there, and no event says so", function* () {
    const log = yield* newLog
    const roots: Array<string> = []
    const looking = going.map((plugin) =>
      withActivities(plugin, (activity) => ({
        ...activity,
        run: (input, context) => {
          roots.push(context.state[Run.name].root)
          return activity.run(input, context)
        }
      }))
    )
    const { runner } = yield* newProcess(log, looking)
    const state = yield* runner
      .drive("run_1", aRun([aTask("a")], quick), workerOptions())
      .pipe(locatedAt(where({ root: "/elsewhere/project" })))
    assert.deepStrictEqual([...new Set(roots)], ["/elsewhere/project"])
    assert.notStrictEqual(state.run.root, "/elsewhere/project")
    assert.notInclude(JSON.stringify(yield* readRun(log)), "/elsewhere")
  })

  effect(
    "when it refuses the work, then it is offered again five seconds later, and another worker takes it",
    function* () {
      const log = yield* newLog
      const busy = yield* Deferred.make<void>()
      const able = yield* newProcess(log, going, "a")
      const unable = yield* newProcess(log, going, "b")
      const refused: Array<string> = []
      yield* able.engine.execute("run_0", aRun([aTask("other")], quick, "run_0"))
      const working = yield* Effect.forkChild(
        able.worker
          .run(workerOptions({ workerId: "able", slots: 1 }))
          .pipe(locatedAt((claim, engine) => Effect.andThen(Deferred.await(busy), where({})(claim, engine))))
      )
      yield* letOthersGoOn
      yield* able.engine.execute("run_1", aRun([aTask("a")], quick))
      const refusal: LocationRefused = { _tag: "LocationRefused", message: "There is no git here." }
      const refusing = yield* Effect.forkChild(
        unable.worker.run(workerOptions({ workerId: "unable", slots: 1 })).pipe(
          locatedAt(({ item, lease }) => {
            refused.push(`${item.run} ${item.key} ${lease.number}`)
            return Effect.fail(refusal)
          })
        )
      )
      yield* letOthersGoOn
      yield* able.engine.execute("run_2", aRun([aTask("b")], quick, "run_2"))
      yield* letOthersGoOn
      // its slot is free for what else there is
      assert.deepStrictEqual(refused, ["run_1 attempt/a/1 1", "run_2 attempt/b/1 1"])
      yield* Deferred.succeed(busy, undefined)
      const before = yield* readRun(log)
      for (const waited of [0, 4_999]) {
        yield* TestClock.adjust(waited)
        yield* letOthersGoOn
        assert.deepStrictEqual(yield* readRun(log), before, `${waited} ms`)
      }
      yield* Fiber.interrupt(refusing)
      yield* TestClock.adjust(1)
      for (let i = 0; i < 5; i++) yield* letOthersGoOn
      assert.deepStrictEqual(
        all(yield* readRun(log), "ATTEMPT_STARTED").map(({ lease, worker_id }) => [lease, worker_id]),
        [[2, "able/1"]]
      )
      yield* Fiber.interrupt(working)
    }
  )

  effect("when it cannot be made, then that is how the work failed", function* () {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, going)
    const failure = { _tag: "ActivityFailure", code: "checkout_bundle_missing", message: "Not there." } as const
    const { run } = yield* runner
      .drive("run_1", aRun([aTask("a")], quick), workerOptions())
      .pipe(locatedAt(() => Effect.fail(failure)))
    assert.deepStrictEqual(
      all(yield* readRun(log), "ACTIVITY_FAILED").map(({ code }) => code),
      ["checkout_bundle_missing"]
    )
    assert.strictEqual(run.status, "failed")
  })
})

/** Work of the task `waits` waits until another run has ended, which is begun with this. */
const waiting = (script: Script, child: string, begin: () => ReturnType<typeof aRun> | null): ReadonlyArray<Plugin> =>
  [...plays(script), checkouts].map((plugin) =>
    withActivities(plugin, (activity) => ({
      ...activity,
      run: (input, context) =>
        activity.name === "attempt" && input.task_id === "waits"
          ? Effect.andThen(context.drive(child, begin as never), activity.run(input, context))
          : activity.run(input, context)
    }))
  )

describe("given work that drives another run", () => {
  const always: Script = () => Effect.succeed(well)
  const own = { ...quick, labels: ["own"] }
  const parent = aRun([aTask("waits")], own)
  const childTasks = [aTask("x"), aTask("y"), aTask("z", { depends_on: ["x"] })]

  effect("when the worker has one slot, then both are done, and nothing at the same time", function* () {
    const log = yield* newLog
    const plugins = waiting(always, "run_2", () => aRun(childTasks, quick, "run_2"))
    const { runner } = yield* newProcess(log, plugins)
    const atWork = new Set<string>()
    const most: Array<number> = []
    const counted: Of = (claim, engine) =>
      Effect.acquireRelease(where({})(claim, engine), () => Effect.sync(() => atWork.delete(claim.item.id))).pipe(
        Effect.tap(() => {
          atWork.add(claim.item.id)
          most.push(atWork.size)
          return letOthersGoOn
        })
      )
    const { run } = yield* runner
      .drive("run_1", parent, workerOptions({ slots: 1, labels: ["own"] }))
      .pipe(locatedAt(counted))
    assert.strictEqual(run.status, "completed")
    assert.strictEqual((yield* readRun(log, "run_2")).at(-1)?.event_type, "RUN_COMPLETED")
    // the one that waits, and one more
    assert.strictEqual(Math.max(...most), 2)
  })

  effect("when several do, then never more is begun than there are slots, beside what has waited", function* () {
    const log = yield* newLog
    /** Whether it has waited, by item. */
    const atWork = new Map<string, boolean>()
    const most: Array<number> = []
    const plugins = [...plays(() => Effect.as(letOthersGoOn, well)), checkouts].map((plugin) =>
      withActivities(plugin, (activity) => ({
        ...activity,
        run: (input, context) => {
          const work = activity.run(input, context)
          if (activity.name !== "attempt" || input.task_id !== "waits") return work
          const child = `${context.item.run}-child`
          const driven = (child: string) => context.drive(child, (() => aRun(childTasks, quick, child)) as never)
          atWork.set(context.item.id, true)
          return Effect.andThen(driven(`${child}-1`), Effect.andThen(driven(`${child}-2`), work))
        }
      }))
    )
    const { engine, worker } = yield* newProcess(log, plugins)
    const counted: Of = (claim, engine) =>
      Effect.tap(where({})(claim, engine), () =>
        Effect.acquireRelease(
          Effect.sync(() => {
            atWork.set(claim.item.id, false)
            most.push([...atWork.values()].filter((hasWaited) => !hasWaited).length)
          }),
          () => Effect.sync(() => atWork.delete(claim.item.id))
        )
      )
    const runs = ["run_1", "run_2", "run_3"]
    for (const run of runs) yield* engine.execute(run, aRun([aTask("waits"), aTask("b")], quick, run))
    const working = yield* Effect.forkChild(worker.run(workerOptions({ slots: 2 })).pipe(locatedAt(counted)))
    for (let i = 0; i < 150; i++) yield* letOthersGoOn
    for (const run of runs) assert.strictEqual((yield* readRun(log, run)).at(-1)?.event_type, "RUN_COMPLETED", run)
    assert.strictEqual(Math.max(...most), 2)
    assert.strictEqual(atWork.size, 0)
    yield* Fiber.interrupt(working)
  })

  effect("then what goes with its beginning is in the append that begins it, and its end is told once", function* () {
    const log = yield* newLog
    const plugins = waiting(always, "run_2", () => aRun(childTasks, quick, "run_2"))
    const { runner } = yield* newProcess(log, plugins)
    const ended: Array<string> = []
    const { run } = yield* runner.drive("run_1", parent, workerOptions({ slots: 1, labels: ["own"] })).pipe(
      locatedAt(
        where({
          begins: (child) => Effect.succeed(tree(null, `of ${child}`)),
          ended: (child) => Effect.sync(() => void ended.push(child))
        })
      )
    )
    assert.strictEqual(run.status, "completed")
    const [first, ...rest] = yield* readRun(log, "run_2")
    const with_ = rest.find(({ event_type }) => event_type === "TREE_RECORDED")
    assert.deepStrictEqual(commitsOf(rest), ["of run_2"])
    assert.strictEqual(with_?.command_id, first?.command_id)
    assert.deepStrictEqual(ended, ["run_2"])
    assert.isNull(replayed(yield* readRun(log, "run_2")))
  })

  effect("when work of others was begun meanwhile, then it goes on, and its slot is used once", function* () {
    const log = yield* newLog
    const gates = new Map<string, Deferred.Deferred<void>>()
    const begun: Array<string> = []
    const over: Array<string> = []
    for (const id of ["long", "next"]) gates.set(id, yield* Deferred.make<void>())
    const script: Script = (id) =>
      Effect.gen(function* () {
        begun.push(id)
        const gate = gates.get(id)
        if (gate !== undefined) yield* Deferred.await(gate)
        over.push(id)
        return well
      })
    const plugins = waiting(script, "run_2", () => null)
    const { engine, worker } = yield* newProcess(log, plugins, "a")
    const other = yield* newProcess(log, plugins, "b")
    yield* engine.execute("run_2", aRun([aTask("x")], { ...quick, labels: ["other"] }, "run_2"))
    yield* engine.execute("run_1", parent)
    const working = yield* Effect.forkChild(worker.run(workerOptions({ slots: 1, labels: ["own"] })))
    yield* letOthersGoOn
    for (const id of ["long", "next"]) yield* engine.execute(`run_${id}`, aRun([aTask(id)], own, `run_${id}`))
    yield* letOthersGoOn
    assert.deepStrictEqual(begun, ["long"])
    const helping = yield* Effect.forkChild(other.worker.run(workerOptions({ labels: ["other"], slots: 1 })))
    yield* letOthersGoOn
    assert.deepStrictEqual(begun, ["long", "x", "waits"])
    assert.include(over, "waits")
    // its result is in the log, and it is not handed out again
    yield* Fiber.interrupt(helping)
    for (let i = 0; i < 8; i++) {
      yield* TestClock.adjust(2_000)
      yield* letOthersGoOn
    }
    assert.deepStrictEqual(begun, ["long", "x", "waits"])
    yield* Deferred.succeed(gates.get("long") as Deferred.Deferred<void>, undefined)
    yield* letOthersGoOn
    assert.deepStrictEqual(begun, ["long", "x", "waits", "next"])
    yield* Fiber.interrupt(working)
  })
})

describe("given a log that fails", () => {
  effect("when work is reported, then the worker ends with that, and all of its work is interrupted", function* () {
    const log = yield* newLog
    const gone = new LogUnavailable({ code: "log_disk_full", message: "The disk is full.", hint: "Free some." })
    let failing = false
    const full = aroundAppend(log, (append) => Effect.suspend(() => (failing ? Effect.fail(gone) : append)))
    const reports = yield* Deferred.make<void>()
    const interrupted: Array<string> = []
    const script: Script = (id) =>
      id === "reports"
        ? Effect.as(Deferred.await(reports), well)
        : Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted.push(id)))
    const { engine, worker } = yield* newProcess(full, plays(script))
    yield* engine.execute("run_1", aRun([aTask("a"), aTask("reports"), aTask("b")], quick))
    const working = yield* Effect.forkChild(Effect.flip(worker.run(workerOptions())))
    yield* letOthersGoOn
    failing = true
    yield* Deferred.succeed(reports, undefined)
    assert.strictEqual(yield* Fiber.join(working), gone)
    assert.sameMembers(interrupted, ["a", "b"])
  })
})
