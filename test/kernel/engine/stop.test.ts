import { assert, describe, it } from "@effect/vitest"
import { EndAttempt, type Plugin, RecordVerification, reject, StartAttempt } from "@proofline/kernel"
import { aRun, aTask, type ScriptedAttempt, scripted } from "@proofline/kernel/testing"
import { Effect, Fiber, Latch, References } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { judge } from "../support/judge.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { refusing } from "../support/refusing.ts"
import { cancel, resume } from "../support/words.ts"
import {
  all,
  newLog,
  newProcess,
  plays,
  readRun,
  runOf,
  statusesOf,
  well,
  workerOptions,
  works
} from "../support/world.ts"

/** A script whose attempts never end by themselves, and who says which of them were interrupted. */
const endless = () => {
  const begun: Array<string> = []
  const interrupted: Array<string> = []
  const enough = Latch.makeUnsafe(false)
  const script = (id: string): Effect.Effect<ScriptedAttempt> =>
    Effect.gen(function* () {
      begun.push(id)
      if (begun.length === 2) yield* enough.open
      return yield* Effect.never
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted.push(id))))
  return { begun, interrupted, script, twoRun: enough.await }
}

const three = [aTask("a"), aTask("b"), aTask("c")]

describe("cancelling a run", () => {
  effect("interrupts what runs here and ends the drive", function* () {
    const { begun, interrupted, script, twoRun } = endless()
    const log = yield* newLog
    const { engine, runner } = yield* newProcess(log, plays(script))
    const driving = yield* Effect.forkChild(runner.drive("run_1", aRun(three), workerOptions({ slots: 2 })))
    yield* twoRun
    yield* engine.execute("run_1", cancel("enough"))
    const state = yield* Fiber.join(driving)
    assert.strictEqual(state.run.status, "cancelled")
    assert.deepStrictEqual(interrupted.toSorted(), begun.toSorted())
    assert.strictEqual(begun.length, 2)
    assert.strictEqual(all(yield* readRun(log), "ATTEMPT_CANCELLED").length, 2)
  })

  effect(
    "by another process interrupts what runs here with the next heartbeat, and nothing of it is reported",
    function* () {
      const { begun, interrupted, script, twoRun } = endless()
      const log = yield* newLog
      const here = yield* newProcess(log, plays(script), "a")
      const there = yield* newProcess(log, plays(script), "b")
      yield* here.engine.execute("run_1", aRun(three))
      const working = yield* Effect.forkChild(here.worker.run(workerOptions({ slots: 2 })))
      yield* twoRun
      yield* there.engine.execute("run_1", cancel())
      const after = yield* readRun(log)
      assert.deepStrictEqual(interrupted, [])
      yield* TestClock.adjust(2_000)
      yield* letOthersGoOn
      assert.deepStrictEqual(interrupted.toSorted(), begun.toSorted())
      assert.deepStrictEqual(yield* readRun(log), after)
      yield* Fiber.interrupt(working)
    }
  )

  effect("by another process ends the drive here, and no time has to pass", function* () {
    const { interrupted, script, twoRun } = endless()
    const log = yield* newLog
    const here = yield* newProcess(log, plays(script), "a")
    const there = yield* newProcess(log, plays(script), "b")
    const driving = yield* Effect.forkChild(here.runner.drive("run_1", aRun(three), workerOptions({ slots: 2 })))
    yield* twoRun
    yield* there.engine.execute("run_1", cancel())
    yield* letOthersGoOn
    assert.isDefined(driving.pollUnsafe())
    const state = yield* Fiber.join(driving)
    assert.strictEqual(state.run.status, "cancelled")
    assert.strictEqual(interrupted.length, 2)
  })

  effect("can be taken back by resuming: everything is tried again", function* () {
    const { script, twoRun } = endless()
    const log = yield* newLog
    const first = yield* newProcess(log, plays(script), "a")
    const driving = yield* Effect.forkChild(first.runner.drive("run_1", aRun(three), workerOptions({ slots: 2 })))
    yield* twoRun
    yield* first.engine.execute("run_1", cancel())
    yield* Fiber.join(driving)
    const second = yield* newProcess(log, works, "b")
    const state = yield* second.runner.drive("run_1", resume(), workerOptions())
    assert.strictEqual(state.run.status, "completed")
  })
})

describe("interrupting the driver", () => {
  effect("interrupts all running work and leaves the run to be resumed", function* () {
    const { begun, interrupted, script, twoRun } = endless()
    const log = yield* newLog
    const first = yield* newProcess(log, plays(script), "a")
    const driving = yield* Effect.forkChild(first.runner.drive("run_1", aRun(three), workerOptions({ slots: 2 })))
    yield* twoRun
    const before = yield* readRun(log)
    yield* Fiber.interrupt(driving)
    assert.deepStrictEqual(interrupted.toSorted(), begun.toSorted())
    assert.deepStrictEqual(yield* readRun(log), before)
    const second = yield* newProcess(log, works, "b")
    const state = yield* second.runner.drive("run_1", resume(), workerOptions())
    assert.strictEqual(state.run.status, "completed")
    const outcomes = all(yield* readRun(log), "ATTEMPT_ENDED").map(({ outcome }) => outcome)
    assert.deepStrictEqual(outcomes.toSorted(), ["COMPLETE", "COMPLETE", "COMPLETE", "LOST", "LOST"])
  })
})

describe("an agent that cannot work at all", () => {
  const quota: ScriptedAttempt = { outcome: "ERROR", terminal: true }

  effect("is not started again: the run stops, and a resume goes on where it stood", function* () {
    const log = yield* newLog
    const begun: Array<string> = []
    let empty = true
    const process = yield* newProcess(
      log,
      plays((id, attempt) => {
        begun.push(`${id}${attempt}`)
        return Effect.succeed(id === "b" && empty ? quota : well)
      })
    )
    const tasks = [
      aTask("a"),
      aTask("b", { depends_on: ["a"] }),
      aTask("c", { depends_on: ["b"] }),
      aTask("d", { depends_on: ["b"] })
    ]
    const stopped = yield* process.runner.drive("run_1", aRun(tasks), workerOptions())
    assert.strictEqual(stopped.run.status, "failed")
    assert.deepStrictEqual(begun, ["a1", "b1"])
    assert.deepStrictEqual(statusesOf(stopped), { a: "completed", b: "pending", c: "pending", d: "pending" })
    empty = false
    const state = yield* process.runner.drive("run_1", resume(), workerOptions())
    assert.strictEqual(state.run.status, "completed")
    assert.deepStrictEqual(begun.slice(0, 3), ["a1", "b1", "b2"])
    assert.strictEqual(begun.length, 5)
  })

  effect("stops the run also when other attempts end badly behind the breaker", function* () {
    const tripped = Latch.makeUnsafe(false)
    const bothRun = Latch.makeUnsafe(false)
    const { events, state } = yield* runOf(
      [aTask("a"), aTask("b")],
      (id) =>
        Effect.gen(function* () {
          if (id === "a") {
            yield* bothRun.await
            yield* Effect.forkDetach(Effect.andThen(letOthersGoOn, tripped.open))
            return quota
          }
          yield* bothRun.open
          yield* tripped.await
          return { outcome: "ERROR" } as const
        }),
      {},
      2
    )
    assert.strictEqual(state.run.status, "failed")
    assert.strictEqual(all(events, "RUN_FAILED")[0]?.["reason"], "breaker")
    assert.strictEqual(all(events, "ATTEMPT_STARTED").length, 2)
  })
})

describe("work that cannot be carried out", () => {
  const verdictOf = Effect.fnUntraced(function* (plugins: ReadonlyArray<Plugin>, tasks = [aTask("a")]) {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, plugins)
    const state = yield* runner.drive("run_1", aRun(tasks), workerOptions())
    assert.notStrictEqual(state.run.status, "running")
    const [failed] = all(yield* readRun(log), "TASK_FAILED")
    return [failed?.["verdict"], failed?.["reason"]]
  })

  it.effect("because the activity breaks leaves its task unproven", () =>
    Effect.gen(function* () {
      const broken = plays(() => Effect.die(new Error("boom")))
      assert.deepStrictEqual(yield* verdictOf(broken), ["unproven", "activity_broken"])
    }).pipe(Effect.provideService(References.CurrentLoggers, new Set()))
  )

  effect("because nobody offers the activity leaves its task unproven", function* () {
    const unequipped = [scripted(() => Effect.succeed(well))]
    const tasks = [aTask("a", { checklist: [{ item: "one" }] })]
    assert.deepStrictEqual(yield* verdictOf(unequipped, tasks), ["unproven", "activity_unknown"])
    assert.deepStrictEqual(yield* verdictOf([judge]), ["unproven", "activity_unknown"])
  })

  const notToday = reject("not_today", "Not today.", "")
  const guards = {
    StartAttempt: refusing(StartAttempt, notToday),
    EndAttempt: refusing(EndAttempt, notToday),
    RecordVerification: refusing(RecordVerification, notToday)
  }
  for (const [tag, guarded] of Object.entries(guards)) {
    effect(`because a guard refuses ${tag} leaves its task unproven, with what the guard says`, function* () {
      assert.deepStrictEqual(yield* verdictOf([...works, guarded]), ["unproven", "not_today"])
    })
  }
})
