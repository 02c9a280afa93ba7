import { assert, describe, it } from "@effect/vitest"
import { aTask } from "@proofline/kernel/testing"
import { begun, played } from "../support/play.ts"
import { cancel, end, start, verified } from "../support/words.ts"

const a = aTask("a")
const b = aTask("b", { depends_on: ["a"] })
const c = aTask("c", { depends_on: ["b"] })
const other = aTask("other")
const noRetries = { max_retries: 0 }

/** An attempt that fails, and one that is accepted. */
const fails = (id: string) => [start(id), end(id, 1, "ERROR")]
const passes = (id: string) => [start(id), end(id), verified(id)]

describe("a task that can never start", () => {
  it("is skipped with what it waited for, and so is everything behind it", () => {
    const then = begun([c, b, a, other], noRetries).after(start("other"), ...fails("a"))
    const reason = "dependency_not_completed"
    assert.deepStrictEqual(then.contents("TASK_SKIPPED"), [
      { task_id: "b", reason, waiting_for: ["a"] },
      { task_id: "c", reason, waiting_for: ["b"] }
    ])
  })

  it("is not skipped while what it depends on may still be completed", () => {
    assert.notInclude(begun([a, b]).after(...fails("a")).types, "TASK_SKIPPED")
  })

  it("is skipped once, though several of its dependencies fail", () => {
    const both = aTask("both", { depends_on: ["a", "other"] })
    const then = begun([a, other, both], noRetries).after(...fails("a"), ...fails("other"))
    assert.deepStrictEqual(then.types, ["ATTEMPT_ENDED", "CHECKLIST_REPORTED", "TASK_FAILED", "RUN_FAILED"])
  })

  it("is never skipped by hand", () => {
    for (const task_id of ["a", "b", "z"]) {
      assert.deepStrictEqual(begun([a, b]).when({ _tag: "SkipTask", task_id }).events, [])
    }
  })
})

describe("a run", () => {
  it("goes on to the tasks that waited when what they depend on is completed", () => {
    assert.deepStrictEqual(begun([a, b, c]).after(...passes("a")).orders, ["attempt/b/1"])
  })

  it("ends as incomplete when some tasks are completed and some are not", () => {
    const then = begun([a, b, other], noRetries).after(...passes("other"), ...fails("a"))
    const reason = "1 of 3 tasks are completed, 1 failed, 1 was skipped."
    assert.deepInclude(then.content("RUN_INCOMPLETE"), { total: 3, completed: 1, failed: 1, skipped: 1, reason })
    assert.strictEqual(then.run.status, "incomplete")
  })

  it("ends as failed when none is completed", () => {
    const then = begun([a, b], noRetries).after(...fails("a"))
    const counts = { total: 2, completed: 0, failed: 1, skipped: 1 }
    assert.deepInclude(then.content("RUN_FAILED"), { ...counts, reason: "failed" })
    assert.strictEqual(then.run.status, "failed")
  })

  it("does not end while a task is open, however often it is asked to", () => {
    const run = begun([a, b]).after(start("a"), end("a"))
    for (const now of [run, played(), run.after(cancel())]) {
      assert.deepStrictEqual(now.when({ _tag: "FinishRun" }).events, [])
    }
  })
})

describe("a run that stops at the first failure", () => {
  const failFast = { ...noRetries, fail_fast: true }

  it("cancels what runs, skips the rest and has failed", () => {
    const then = begun([a, b, other, aTask("free")], failFast).after(start("other"), ...fails("a"))
    assert.deepStrictEqual(then.types, [
      "ATTEMPT_ENDED",
      "CHECKLIST_REPORTED",
      "TASK_FAILED",
      "TASK_SKIPPED",
      "ATTEMPT_CANCELLED",
      "TASK_SKIPPED",
      "TASK_SKIPPED",
      "RUN_FAILED"
    ])
    assert.deepStrictEqual(then.content("ATTEMPT_CANCELLED"), { task_id: "other", attempt: 1, reason: "fail_fast" })
    assert.deepInclude(then.content("RUN_FAILED"), {
      total: 4,
      completed: 0,
      failed: 1,
      skipped: 3,
      reason: "fail_fast",
      message: "Task a failed, and the run stops at the first failure."
    })
    assert.deepStrictEqual(then.orders, [])
    assert.includeDeepMembers([...then.cancels], [{ item: "item of other 1" }, { key: "attempt/free/1" }])
  })

  it("has failed even when other tasks were completed", () => {
    const then = begun([a, other], failFast).after(...passes("other"), ...fails("a"))
    assert.deepInclude(then.content("RUN_FAILED"), { completed: 1, reason: "fail_fast" })
  })

  it("does not stop for an attempt that may be tried again", () => {
    assert.notInclude(begun([a, other], { fail_fast: true }).after(...fails("a")).types, "RUN_FAILED")
  })

  it("takes back the checks that are still being run", () => {
    const then = begun([a, other], failFast).after(start("other"), end("other"), ...fails("a"))
    assert.deepInclude(then.cancels, { key: "checks/other/1" })
    assert.deepStrictEqual(then.statuses("other"), ["skipped"])
  })
})

describe("cancelling a run", () => {
  it("cancels what runs, skips what is open, keeps what is completed and takes back all work", () => {
    const run = begun([a, b, c, other]).after(...passes("a"), start("b"), start("other"))
    const then = run.after(cancel("enough"))
    assert.deepStrictEqual(then.types, [
      "ATTEMPT_CANCELLED",
      "TASK_SKIPPED",
      "TASK_SKIPPED",
      "ATTEMPT_CANCELLED",
      "TASK_SKIPPED",
      "RUN_CANCELLED"
    ])
    assert.deepStrictEqual(then.content("RUN_CANCELLED"), { reason: "enough" })
    assert.deepStrictEqual([...then.statuses("a"), then.state.tasks.open_count], ["completed", 0])
    assert.includeDeepMembers([...then.cancels], [{ item: "item of b 1" }, { item: "item of other 1" }])
  })

  it("takes back a retry that still waits for its time", () => {
    assert.deepInclude(begun([a]).after(...fails("a"), cancel()).cancels, { key: "attempt/a/2" })
  })

  it("is refused when the run is over or unknown", () => {
    for (const run of [played(), begun([a]).after(...passes("a")), begun([a]).after(cancel())]) {
      assert.strictEqual(run.when(cancel()).code, "run_not_running")
    }
  })
})

describe("a graph in which every task waits for all before it", () => {
  it("ends when the first fails: each of the others is skipped once", () => {
    const ids = Array.from({ length: 600 }, (_, i) => `t${i}`)
    const tasks = ids.map((id, i) => aTask(id, { depends_on: ids.slice(0, i) }))
    const then = begun(tasks, noRetries).after(...fails("t0"))
    assert.lengthOf(then.contents("TASK_SKIPPED"), 599)
    assert.strictEqual(then.types.at(-1), "RUN_FAILED")
  })
})
