import { assert, describe } from "@effect/vitest"
import { type AnyCommand, composePlugins, type KernelState } from "@proofline/kernel"
import { aRun, aTask, type Script } from "@proofline/kernel/testing"
import { Deferred, Effect, Fiber, Option } from "effect"
import { effect } from "../../effects.ts"
import { inTurn } from "../../often.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { replayOf } from "../support/recorded.ts"
import { done, resume, stateOf } from "../support/words.ts"
import {
  all,
  aroundAppend,
  type Log,
  newLog,
  newProcess,
  plays,
  readRun,
  statusesOf,
  workerOptions
} from "../support/world.ts"

/** Everything that can become of a task: at once, at the second try, never, behind one that never is. */
const tasks = [
  aTask("good"),
  aTask("second", { checklist: [{ item: "one" }], checks: [] }),
  aTask("never", { depends_on: ["good"] }),
  aTask("behind", { depends_on: ["never"] }),
  aTask("reviewed", { depends_on: ["good", "second"], validation: ["good"] }),
  aTask("unchecked", { checks: ["false"] })
]
const run = aRun(tasks, { retry_delay_ms: 0, max_retries: 1, reviewer: "critic" })
const expected = {
  good: "completed",
  second: "completed",
  never: "failed",
  behind: "skipped",
  reviewed: "completed",
  unchecked: "failed"
}

const script: Script = (id, attempt) =>
  Effect.as(Effect.yieldNow, {
    outcome: id === "never" || (id === "second" && attempt === 1) ? "ERROR" : "COMPLETE",
    ...(id === "second" ? { checklist: { summary: "", checklist: [done("one")], problems: [] } } : {})
  })
const plugins = plays(script)

/** A process that dies at its append number `n` + 1: what was written before is there, nothing after it is. */
const processThatDies = Effect.fnUntraced(function* (log: Log, n: number, command: AnyCommand, name = "first") {
  const dead = yield* Deferred.make<void>()
  let appends = 0
  const mortal = aroundAppend(log, (append) =>
    appends++ < n ? append : Effect.andThen(Deferred.succeed(dead, undefined), Effect.never)
  )
  const { runner } = yield* newProcess(mortal, plugins, name)
  return yield* Effect.raceFirst(
    Effect.asSome(runner.drive("run_1", command, workerOptions({ slots: 2 }))),
    Effect.as(Deferred.await(dead), Option.none<KernelState>())
  ).pipe(Effect.scoped)
})

const resumed = Effect.fnUntraced(function* (log: Log) {
  const { runner } = yield* newProcess(log, plugins, "last")
  return yield* runner.drive("run_1", resume(), workerOptions({ slots: 2 }))
})

const nothingDoneTwice = Effect.fnUntraced(function* (log: Log, where: string) {
  const events = yield* readRun(log)
  const completed = new Set<unknown>()
  for (const { content, event_type } of events) {
    const { task_id } = content as { readonly task_id?: string }
    if (event_type === "ATTEMPT_STARTED")
      assert.isFalse(completed.has(task_id), `${where}: ${task_id} was done already`)
    if (event_type !== "TASK_COMPLETED") continue
    assert.isFalse(completed.has(task_id), `${where}: ${task_id} was completed twice`)
    completed.add(task_id)
  }
  assert.isNull(replayOf(composePlugins(plugins), events).divergence, where)
  return events
})

describe("a process that dies", () => {
  effect("at any append leaves a run that a resume brings to the same end, doing nothing twice", function* () {
    let losses = 0
    let n = 1
    for (; ; n++) {
      const log = yield* newLog
      const survived = yield* processThatDies(log, n, run)
      if (Option.isSome(survived)) {
        assert.deepStrictEqual(statusesOf(survived.value), expected)
        break
      }
      const before = yield* readRun(log)
      const state = yield* resumed(log)
      const where = `after ${n} appends`
      assert.deepStrictEqual(statusesOf(state), expected, where)
      assert.strictEqual(state.run.status, "incomplete", where)
      const events = yield* nothingDoneTwice(log, where)
      assert.deepStrictEqual(events.slice(0, before.length), before, `${where}: what was written stands`)
      losses += all(events, "ATTEMPT_ENDED").filter(({ outcome }) => outcome === "LOST").length
    }
    assert.isAbove(n, 20)
    assert.isAbove(losses, 5)
  })

  effect("again and again leaves a run that can still be brought to the same end", function* () {
    for (let first = 1; first <= 25; first += 2) {
      for (const second of inTurn([1, 2, 3, 5, 8], first >> 1)) {
        const log = yield* newLog
        if (Option.isSome(yield* processThatDies(log, first, run))) continue
        const again = yield* processThatDies(log, second, resume(), "second")
        const where = `after ${first} and ${second} appends`
        const state = Option.isSome(again) ? again.value : yield* resumed(log)
        assert.deepStrictEqual(statusesOf(state), expected, where)
        yield* nothingDoneTwice(log, where)
      }
    }
  })

  effect("before its first append leaves nothing", function* () {
    const log = yield* newLog
    assert.isTrue(Option.isNone(yield* processThatDies(log, 0, run)))
    assert.deepStrictEqual(yield* readRun(log), [])
    const { engine } = yield* newProcess(log, plugins)
    const refused = yield* Effect.flip(engine.execute("run_1", resume()))
    assert.deepInclude(refused, { code: "run_unknown" })
  })

  effect("together with a task more often than allowed makes the task fail", function* () {
    const log = yield* newLog
    const outcomes: Array<string> = []
    const begun: Array<number> = []
    const killing = plays((_, attempt) =>
      Effect.andThen(
        Effect.sync(() => begun.push(attempt)),
        Effect.never
      )
    )
    const commands = [aRun([aTask("a")], { max_lost_attempts: 2 }), resume(), resume(), resume()]
    for (const [i, command] of commands.entries()) {
      const { runner } = yield* newProcess(log, killing, `${i}-`)
      const driving = yield* Effect.forkChild(runner.drive("run_1", command, workerOptions()))
      yield* letOthersGoOn
      yield* Fiber.interrupt(driving)
      const { engine } = yield* newProcess(log, killing, `look${i}-`)
      outcomes.push(statusesOf(stateOf(yield* engine.load("run_1")))["a"] ?? "")
    }
    assert.deepStrictEqual(begun, [1, 2, 3])
    assert.deepStrictEqual(outcomes, ["in_progress", "in_progress", "in_progress", "failed"])
    assert.strictEqual(all(yield* readRun(log), "TASK_FAILED")[0]?.["reason"], "attempt_lost")
  })
})
