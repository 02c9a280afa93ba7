import { assert, describe, it } from "@effect/vitest"
import { aRun, aTask } from "@proofline/kernel/testing"
import { begun, type Played, played } from "../support/play.ts"
import {
  activityFailed,
  cancel,
  end,
  endTerminal,
  evidence,
  judged,
  resume,
  start,
  verified
} from "../support/words.ts"

const a = aTask("a")
const b = aTask("b", { depends_on: ["a"] })

const ofBoth = () => begun([a, b])
const started = () => ofBoth().after(start("a"))
const ended = () => started().after(end("a"))
const completed = () => ended().after(verified("a"))
const tried = () => started().after(end("a", 1, "ERROR"))
const cancelled = () => ofBoth().after(cancel())

describe("starting a run", () => {
  it("registers every task with its checklist and orders the first attempts of those that wait for nothing", () => {
    const checklist = [{ item: "one" }, { item: "two", check: "true" }]
    const then = begun([b, a, aTask("c", { checklist })])
    const [registered] = ["TASK_REGISTERED"]
    assert.deepStrictEqual(then.types, ["RUN_STARTED", registered, registered, registered, "CHECKLIST_REGISTERED"])
    assert.deepStrictEqual(then.content("CHECKLIST_REGISTERED"), { task_id: "c", items: checklist })
    assert.deepStrictEqual(
      then.starts.map(({ activity, delay_ms, key, priority }) => ({ activity, delay_ms, key, priority })),
      [
        { activity: "attempt", delay_ms: 0, key: "attempt/a/1", priority: 2 },
        { activity: "attempt", delay_ms: 0, key: "attempt/c/1", priority: 1 }
      ]
    )
    assert.strictEqual(then.run.status, "running")
    assert.strictEqual(then.task("c").items[1]?.check, "true")
  })

  it("counts tasks completed in an earlier run as done", () => {
    const then = played().after({ ...aRun([aTask("n", { depends_on: ["old"] })]), completed_task_ids: ["old"] })
    assert.deepStrictEqual(then.orders, ["attempt/n/1"])
  })

  it.each([
    ["task_id_duplicate", [a, aTask("a")]],
    ["task_dependency_unknown", [aTask("x", { depends_on: ["nowhere"] })]],
    ["task_dependency_cycle", [aTask("x", { depends_on: ["y"] }), aTask("y", { depends_on: ["x"] })]],
    ["run_empty", []]
  ])("is refused as %s", (code, tasks) => {
    assert.strictEqual(played().when(aRun(tasks)).code, code)
  })

  it("is refused when the run exists, whatever became of it", () => {
    for (const run of [ofBoth, cancelled, completed]) {
      assert.strictEqual(run().when(aRun([a])).code, "run_exists")
    }
  })

  it("never completes a run of any kind in which there is nothing to prove", () => {
    const then = played().after({ ...aRun([]), kind: "prompt" })
    assert.deepStrictEqual([...then.types, then.run.status], ["RUN_STARTED", "running"])
    assert.strictEqual(played().when({ ...aRun([]), kind: "unheard-of" }).code, "run_kind_unknown")
  })

  it("takes 20,000 tasks in one chain", () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => aTask(`t${i}`, { depends_on: i === 0 ? [] : [`t${i - 1}`] }))
    const then = begun(chain)
    assert.lengthOf(then.events, 20_001)
    assert.deepStrictEqual(
      then.starts.map(({ key, priority }) => [key, priority]),
      [["attempt/t0/1", 20_000]]
    )
  })
})

describe("starting an attempt", () => {
  it("starts the task with its first attempt, not with later ones", () => {
    assert.deepStrictEqual(started().types, ["TASK_STARTED", "ATTEMPT_STARTED"])
    const again = tried().after(start("a", 2))
    assert.deepStrictEqual([...again.types, again.task("a").attempts], ["ATTEMPT_STARTED", 2])
  })

  const failed = () => begun([a, b], { max_retries: 0 }).after(start("a"), end("a", 1, "ERROR"))
  const held = () => begun([a, aTask("c")]).after(start("a"), start("c"), endTerminal("a"))

  it.each([
    ["for a task that does not exist", ofBoth, start("z"), "task_unknown"],
    ["before its turn", ofBoth, start("a", 0), "task_not_ready"],
    ["after its turn", ofBoth, start("a", 2), "task_not_ready"],
    ["with a number below nothing", ofBoth, start("a", -1), "task_not_ready"],
    ["with half a number", ofBoth, start("a", 1.5), "arguments_invalid"],
    ["while it is running", started, start("a", 1), "task_not_ready"],
    ["while the one before it is running", started, start("a", 2), "task_not_ready"],
    ["while the one before it is being judged", ended, start("a", 2), "task_not_ready"],
    ["while a dependency is open", ofBoth, start("b"), "task_not_ready"],
    ["after a dependency failed", failed, start("b"), "task_not_ready"],
    ["when the task is completed", completed, start("a", 2), "task_not_ready"],
    ["when the run has ended", cancelled, start("a"), "task_not_ready"],
    ["while the agent's breaker is open", held, start("a", 2), "task_not_ready"]
  ])("is refused %s", (_, run, command, code) => {
    assert.strictEqual(run().when(command).code, code)
  })
})

describe("ending an attempt", () => {
  it("records output, end and report in this order, each only when there is one", () => {
    const output = { output_tail: "bye", stdout: null, stderr: null }
    const types = (over: Parameters<typeof end>[3]) => started().after(end("a", 1, "COMPLETE", over)).types
    assert.deepStrictEqual(types({ output }), ["ATTEMPT_OUTPUT_SUMMARIZED", "ATTEMPT_ENDED", "CHECKLIST_REPORTED"])
    assert.deepStrictEqual(types({ report: null }), ["ATTEMPT_ENDED"])
  })

  it.each([
    ["of nothing", started, end("z")],
    ["that was never begun", started, end("b")],
    ["that is not begun yet", started, end("a", 2)],
    ["that has ended", ended, end("a")],
    ["that was settled", tried, end("a")],
    ["behind which another runs", () => tried().after(start("a", 2)), end("a")],
    ["that was cancelled", () => started().after(cancel()), end("a")],
    ["that was lost", () => started().after(resume()), end("a")]
  ])("is refused about one %s", (_, run, command) => {
    assert.strictEqual(run().when(command).code, "attempt_not_current")
  })
})

describe("a report about an attempt", () => {
  it.each<[string, () => Played, task_id: string, attempt?: number]>([
    ["before the end", started, "a"],
    ["for another attempt", ended, "a", 2],
    ["for another task", started, "z"],
    ["after a cancellation", () => started().after(cancel()), "a"],
    ["after the end and a cancellation", () => ended().after(cancel()), "a"],
    ["late", completed, "a"]
  ])("is refused %s", (_, run, task_id, attempt) => {
    for (const report of [verified(task_id, attempt), judged(task_id, attempt)]) {
      assert.strictEqual(run().when(report).code, "attempt_not_current", report._tag)
    }
  })

  it("is refused when the checks were recorded before", () => {
    const checked = begun([aTask("a", { validation: ["good"] })], { reviewer: "critic" })
    const run = checked.after(start("a"), end("a"), verified("a"))
    assert.strictEqual(run.when(verified("a")).code, "attempt_not_current")
  })

  it("is refused when nobody judges evidence", () => {
    const run = played().after(aRun([a]))
    assert.strictEqual(run.when(evidence("a", 1, 0)).code, "command_unowned")
  })
})

describe("an activity without events of its own", () => {
  it("leaves its result in the log", () => {
    const content = { name: "x.look", key: "k", input: { n: 1 }, result: [2] }
    const then = ofBoth().after({ _tag: "RecordActivity", ...content })
    assert.deepStrictEqual(then.events, [{ type: "ACTIVITY_RESULT", content } as never])
  })

  it.each([
    ["about nothing in particular", ofBoth, { ...activityFailed("a"), input: null }],
    ["late, about an attempt that was tried again", () => tried().after(start("a", 2)), activityFailed("a", 1)],
    ["late, about a task that is completed", completed, activityFailed("a", 1)]
  ])("that fails %s changes nothing else", (_, run, failure) => {
    const then = run().after(failure)
    assert.deepStrictEqual(then.types, ["ACTIVITY_FAILED"])
    assert.strictEqual(then.state.tasks.open_count, run().state.tasks.open_count)
  })

  it("that fails after the run has ended is forgotten by a resume", () => {
    const then = begun([a]).after(start("a"), endTerminal("a"), activityFailed("a", 2), resume())
    assert.notInclude(then.types, "TASK_FAILED")
    assert.deepStrictEqual(then.orders, ["attempt/a/2/1"])
  })
})
