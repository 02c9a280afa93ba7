import { assert, describe, it } from "@effect/vitest"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { cancel, cancelsOf, contentOf, end, start, stateOf, task, typesOf, verified } from "../support/words.ts"

const a = aTask("a")
const b = aTask("b", { depends_on: ["a"] })
const c = aTask("c", { depends_on: ["b"] })
const other = aTask("other")
const noRetries = { max_retries: 0 }

describe("a task that can never start", () => {
  it("is skipped with what it waited for, and so is everything behind it", () => {
    const { events } = given()
      .after(aRun([c, b, a, other], noRetries), start("a"), start("other"))
      .when(end("a", 1, "ERROR"))
    const skipped = events.filter(({ type }) => type === "TASK_SKIPPED").map(({ content }) => content)
    assert.deepStrictEqual(skipped as ReadonlyArray<unknown>, [
      { task_id: "b", reason: "dependency_not_completed", waiting_for: ["a"] },
      { task_id: "c", reason: "dependency_not_completed", waiting_for: ["b"] }
    ])
  })

  it("is not skipped while what it depends on may still be completed", () => {
    const { events } = given()
      .after(aRun([a, b]), start("a"))
      .when(end("a", 1, "ERROR"))
    assert.notInclude(typesOf(events), "TASK_SKIPPED")
  })

  it("is skipped once, though several of its dependencies fail", () => {
    const both = aTask("both", { depends_on: ["a", "other"] })
    const run = given().after(aRun([a, other, both], noRetries), start("a"), start("other"), end("a", 1, "ERROR"))
    const { events } = run.when(end("other", 1, "ERROR"))
    assert.deepStrictEqual(typesOf(events), ["ATTEMPT_ENDED", "CHECKLIST_REPORTED", "TASK_FAILED", "RUN_FAILED"])
  })

  it("is never skipped by hand", () => {
    const run = given().after(aRun([a, b]))
    for (const task_id of ["a", "b", "z"]) assert.deepStrictEqual(run.when({ _tag: "SkipTask", task_id }).events, [])
  })
})

describe("a run", () => {
  it("goes on to the tasks that waited when what they depend on is completed", () => {
    const { step } = given()
      .after(aRun([a, b, c]), start("a"), end("a"))
      .when(verified("a"))
    assert.deepStrictEqual(
      step?.starts.map(({ key }) => key),
      ["attempt/b/1"]
    )
  })

  it("ends as incomplete when some tasks are completed and some are not", () => {
    const { events, step } = given()
      .after(aRun([a, b, other], noRetries), start("other"), end("other"), verified("other"), start("a"))
      .when(end("a", 1, "ERROR"))
    assert.deepInclude(contentOf(events, "RUN_INCOMPLETE"), {
      total: 3,
      completed: 1,
      failed: 1,
      skipped: 1,
      reason: "1 of 3 tasks are completed, 1 failed, 1 were skipped."
    })
    assert.strictEqual(stateOf(step?.after).run.status, "incomplete")
  })

  it("ends as failed when none is completed", () => {
    const { events, step } = given()
      .after(aRun([a, b], noRetries), start("a"))
      .when(end("a", 1, "ERROR"))
    const { completed, failed, reason, skipped, total } = contentOf(events, "RUN_FAILED")
    assert.deepStrictEqual([total, completed, failed, skipped, reason], [2, 0, 1, 1, "failed"])
    assert.strictEqual(stateOf(step?.after).run.status, "failed")
  })

  it("does not end while a task is open, however often it is asked to", () => {
    const run = given().after(aRun([a, b]), start("a"), end("a"))
    assert.deepStrictEqual(run.when({ _tag: "FinishRun" }).events, [])
    assert.deepStrictEqual(given().when({ _tag: "FinishRun" }).events, [])
    const over = run.after(cancel())
    assert.deepStrictEqual(over.when({ _tag: "FinishRun" }).events, [])
  })
})

describe("a run that stops at the first failure", () => {
  const failFast = { ...noRetries, fail_fast: true }

  it("cancels what runs, skips the rest and has failed", () => {
    const run = given().after(aRun([a, b, other, aTask("free")], failFast), start("a"), start("other"))
    const { events, step } = run.when(end("a", 1, "ERROR"))
    assert.deepStrictEqual(typesOf(events), [
      "ATTEMPT_ENDED",
      "CHECKLIST_REPORTED",
      "TASK_FAILED",
      "TASK_SKIPPED",
      "ATTEMPT_CANCELLED",
      "TASK_SKIPPED",
      "TASK_SKIPPED",
      "RUN_FAILED"
    ])
    assert.deepStrictEqual(contentOf(events, "ATTEMPT_CANCELLED"), {
      task_id: "other",
      attempt: 1,
      reason: "fail_fast"
    })
    assert.deepInclude(contentOf(events, "RUN_FAILED"), {
      total: 4,
      completed: 0,
      failed: 1,
      skipped: 3,
      reason: "fail_fast",
      message: "Task a failed, and the run stops at the first failure."
    })
    assert.deepStrictEqual(step?.starts, [])
    assert.deepInclude(cancelsOf(step), { item: "item of other 1" })
    assert.deepInclude(cancelsOf(step), { key: "attempt/free/1" })
  })

  it("has failed even when other tasks were completed", () => {
    const { events } = given()
      .after(aRun([a, other], failFast), start("other"), end("other"), verified("other"), start("a"))
      .when(end("a", 1, "ERROR"))
    const { completed, reason } = contentOf(events, "RUN_FAILED")
    assert.deepStrictEqual([completed, reason], [1, "fail_fast"])
  })

  it("does not stop for an attempt that may be tried again", () => {
    const { events } = given()
      .after(aRun([a, other], { fail_fast: true }), start("a"))
      .when(end("a", 1, "ERROR"))
    assert.notInclude(typesOf(events), "RUN_FAILED")
  })

  it("takes back the checks that are still being run", () => {
    const { step } = given()
      .after(aRun([a, other], failFast), start("a"), start("other"), end("other"))
      .when(end("a", 1, "ERROR"))
    assert.deepInclude(cancelsOf(step), { key: "checks/other/1" })
    assert.strictEqual(task(step?.after.state, "other").status, "skipped")
  })
})

describe("cancelling a run", () => {
  it("cancels what runs, skips what is open, keeps what is completed and takes back all work", () => {
    const run = given().after(aRun([a, b, c, other]), start("a"), end("a"), verified("a"), start("b"), start("other"))
    const { events, step } = run.when(cancel("enough"))
    assert.deepStrictEqual(typesOf(events), [
      "ATTEMPT_CANCELLED",
      "TASK_SKIPPED",
      "TASK_SKIPPED",
      "ATTEMPT_CANCELLED",
      "TASK_SKIPPED",
      "RUN_CANCELLED"
    ])
    assert.deepStrictEqual(contentOf(events, "RUN_CANCELLED"), { reason: "enough" })
    assert.strictEqual(task(step?.after.state, "a").status, "completed")
    assert.strictEqual(stateOf(step?.after).tasks.open_count, 0)
    assert.deepInclude(cancelsOf(step), { item: "item of b 1" })
    assert.deepInclude(cancelsOf(step), { item: "item of other 1" })
  })

  it("takes back a retry that still waits for its time", () => {
    const { step } = given()
      .after(aRun([a]), start("a"), end("a", 1, "ERROR"))
      .when(cancel())
    assert.deepInclude(cancelsOf(step), { key: "attempt/a/2" })
  })

  it("is refused when the run is over or unknown", () => {
    assert.strictEqual(given().when(cancel()).rejected?.code, "run_not_running")
    const run = given().after(aRun([a]), start("a"), end("a"), verified("a"))
    assert.strictEqual(run.when(cancel()).rejected?.code, "run_not_running")
    assert.strictEqual(
      given()
        .after(aRun([a]), cancel())
        .when(cancel()).rejected?.code,
      "run_not_running"
    )
  })
})
