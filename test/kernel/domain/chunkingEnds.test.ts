import { assert, describe, it } from "@effect/vitest"
import { type AnyCommand, chunkOf, isOver, type RunConfig, tasksOf, workKey } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import {
  aggregated,
  anAnalysis,
  analysed,
  aPart,
  aSplit,
  bothPass,
  chunking,
  givenSplit,
  measured,
  parts,
  passes
} from "../support/chunks.ts"
import { type Played, played } from "../support/play.ts"
import { activityFailed, cancel, check, end, judged, resume, start, verified } from "../support/words.ts"

const critic: Partial<RunConfig> = { reviewer: "critic" }
/** What fails has failed for good. */
const noRetries = (over: Parameters<typeof chunking>[0] = {}): Partial<RunConfig> => ({
  ...critic,
  ...chunking({ ...over, retry: { max_retries: 0 } })
})

const fails = (id: string, attempt = 1): ReadonlyArray<AnyCommand> => [start(id, attempt), end(id, attempt, "ERROR")]
const conflicts = [{ file: "src/a.ts", sources: ["p-sub-1", "p-sub-2"] }]

const chunkIn = (play: Played) => chunkOf(play.state, play.task("p"))

describe("given a part has failed, and the task does not fail fast", () => {
  const run = givenSplit(parts(3), noRetries()).after(...fails("p-sub-1"))

  it("the others go on", () => {
    const { statusById } = run.after(start("p-sub-2"), start("p-sub-3"))
    assert.deepInclude(statusById, { p: "in_progress", "p-sub-1": "failed", "p-sub-2": "in_progress" })
  })

  it("what the completed ones did is put together and kept, and the task is not complete", () => {
    const one = run.after(...fails("p-sub-2"), ...passes("p-sub-3"))
    assert.deepStrictEqual(one.orders, ["aggregation/p/0"])
    const then = one.after(aggregated({ files_modified: ["a.ts"] }))
    assert.deepStrictEqual(then.types, ["CHUNKING_AGGREGATION", "TASK_FAILED", "RUN_INCOMPLETE"])
    const { message, reason, verdict } = then.content("TASK_FAILED")
    assert.deepStrictEqual([reason, verdict], ["subtasks_incomplete", "refuted"])
    assert.include(message, "1 of 3")
    assert.include(message, "p-sub-1, p-sub-2")
    assert.deepStrictEqual(then.statuses("p-sub-3"), ["completed"])
  })

  it("and none is completed, the task has failed and nothing is put together", () => {
    const then = run.after(...fails("p-sub-2"), ...fails("p-sub-3"))
    assert.deepInclude(then.content("TASK_FAILED"), { reason: "subtasks_failed" })
    assert.deepInclude(then.content("RUN_FAILED"), { reason: "failed", failed: 1, total: 1 })
    assert.deepStrictEqual(then.orders, [])
  })

  it("whoever depends on the task is skipped, and the run ends as incomplete", () => {
    const others = [aTask("q", { depends_on: ["p"] }), aTask("x")]
    const both = givenSplit(parts(2), noRetries(), {}, others).after(start("x"), end("x"), verified("x"))
    const then = both.after(...fails("p-sub-1"), ...passes("p-sub-2"), aggregated())
    assert.deepInclude(then.content("TASK_SKIPPED"), { task_id: "q", waiting_for: ["p"] })
    assert.deepInclude(then.content("RUN_INCOMPLETE"), { total: 3, completed: 1, failed: 1, skipped: 1 })
  })
})

describe("given a part has failed, whatever depends on it", () => {
  const chain = [aPart("a"), aPart("b", { dependencies: [1] }), aPart("c", { dependencies: [2] }), aPart("d")]

  it("ends with an event of its own, directly or not, and nothing of it is begun", () => {
    const then = givenSplit(chain, noRetries()).after(...fails("p-sub-1"))
    assert.deepStrictEqual(then.types.slice(-3), ["SUBTASK_FAILED", "SUBTASK_FAILED", "SUBTASK_FAILED"])
    const [failed, b, c] = then.contents("SUBTASK_FAILED")
    assert.deepInclude(failed, { subtask_id: "p-sub-1", failure_reason: "agent_failed", verdict: "refuted" })
    assert.deepInclude(b, {
      subtask_id: "p-sub-2",
      failure_reason: "dependency_failed",
      message: "It depends on what is not completed: p-sub-1.",
      retry_count: 0,
      attempts: 0,
      verdict: null
    })
    assert.deepInclude(c, { subtask_id: "p-sub-3", failure_reason: "dependency_failed" })
    assert.include(c?.message, "p-sub-2")
    assert.deepStrictEqual(then.contents("SUBTASK_START"), [])
    assert.deepStrictEqual(then.statusById, {
      p: "in_progress",
      "p-sub-1": "failed",
      "p-sub-2": "skipped",
      "p-sub-3": "skipped",
      "p-sub-4": "pending"
    })
  })

  it("the task ends when the last of them has, and says which are not completed", () => {
    const then = givenSplit(chain, noRetries()).after(...passes("p-sub-4"), ...fails("p-sub-1"), aggregated())
    const { message, reason } = then.content("TASK_FAILED")
    assert.strictEqual(reason, "subtasks_incomplete")
    assert.include(message, "p-sub-1, p-sub-2, p-sub-3")
  })
})

describe("given a part has failed, and the task fails fast", () => {
  const run = givenSplit([...parts(3), aPart("d", { dependencies: [1] }), aPart("e")], noRetries({ fail_fast: true }))
  const working = run.after(...passes("p-sub-5"), start("p-sub-1"), start("p-sub-2", 1, { item_id: "item 2" }))
  const ended = () => working.after(end("p-sub-1", 1, "ERROR"))

  it("everything that runs is cancelled, every part ends, and the task has failed", () => {
    const then = ended()
    assert.deepStrictEqual(then.types.slice(-8), [
      "SUBTASK_FAILED",
      "SUBTASK_FAILED",
      "ATTEMPT_CANCELLED",
      "REVIEW_LOOP_END",
      "SUBTASK_FAILED",
      "SUBTASK_FAILED",
      "TASK_FAILED",
      "RUN_FAILED"
    ])
    assert.deepStrictEqual(
      then.contents("SUBTASK_FAILED").map(({ failure_reason, subtask_id }) => [subtask_id, failure_reason]),
      [
        ["p-sub-1", "agent_failed"],
        ["p-sub-4", "dependency_failed"],
        ["p-sub-2", "fail_fast"],
        ["p-sub-3", "fail_fast"]
      ]
    )
    const cancelled = { task_id: "p-sub-2", attempt: 1, reason: "fail_fast" }
    assert.deepStrictEqual(then.contents("ATTEMPT_CANCELLED"), [cancelled])
    assert.deepInclude(then.content("TASK_FAILED"), { task_id: "p", reason: "fail_fast", verdict: "refuted" })
    assert.include(then.content("TASK_FAILED").message, "p-sub-1")
    assert.isTrue(tasksOf(then.state).every(isOver))
    assert.deepStrictEqual(then.statuses("p-sub-5"), ["completed"], "what was completed is kept")
  })

  it("the work of the others is taken back, also what only lies in the queue", () => {
    const then = ended()
    const queued = [{ key: "attempt/p-sub-3/1" }, { key: "attempt/p-sub-4/1" }]
    assert.includeDeepMembers([...then.cancels], [{ item: "item 2" }, ...queued])
    assert.deepStrictEqual(then.orders, [])
  })

  it("nothing is put together, and no late report is taken", () => {
    for (const late of [end("p-sub-2"), start("p-sub-3"), aggregated()]) assert.isNotNull(ended().when(late).rejected)
  })

  it("also when only the run was told to fail fast", () => {
    const all = givenSplit(parts(2), { ...noRetries(), fail_fast: true }, {}, [aTask("x")]).after(start("x"))
    const failed = all.after(...fails("p-sub-1"))
    assert.deepInclude(failed.content("TASK_FAILED"), { task_id: "p", reason: "fail_fast" })
    assert.deepInclude(failed.content("RUN_FAILED"), { reason: "fail_fast", total: 2, failed: 1, skipped: 1 })
    assert.isTrue(tasksOf(failed.state).every(isOver))
  })

  it("not where it is said apart that parts go on: the run stops at the task, when its parts are over", () => {
    const apart = noRetries({ fail_fast: false, fail_fast_apart: true })
    const all = givenSplit(parts(2), { ...apart, fail_fast: true }, {}, [aTask("x")]).after(start("x"))
    const failed = all.after(start("p-sub-2"), ...fails("p-sub-1"))
    assert.notInclude(failed.types, "TASK_FAILED")
    const over = failed.after(...passes("p-sub-2").slice(1), aggregated())
    assert.deepInclude(over.content("TASK_FAILED"), { task_id: "p", reason: "subtasks_incomplete" })
    assert.deepInclude(over.content("RUN_FAILED"), { reason: "fail_fast" })
    const both = givenSplit(parts(2), noRetries({ fail_fast: true, fail_fast_apart: true })).after(...fails("p-sub-1"))
    assert.deepInclude(both.content("TASK_FAILED"), { reason: "fail_fast" })
  })

  it("other tasks of the run go on, split or not", () => {
    const others = [aTask("x"), aTask("q", { chunk: "asked", checks: [] })]
    const all = givenSplit(parts(2), noRetries({ fail_fast: true }), {}, others).after(
      analysed(anAnalysis(parts(2)), { task_id: "q" }),
      start("x"),
      start("q-sub-1")
    )
    const failed = all.after(...fails("p-sub-1"))
    assert.deepInclude(failed.cancels, { key: "attempt/p-sub-2/1" })
    assert.notDeepInclude(failed.cancels, { key: "attempt/q-sub-2/1" })
    assert.deepStrictEqual(failed.statusById, {
      p: "failed",
      "p-sub-1": "failed",
      "p-sub-2": "skipped",
      q: "in_progress",
      "q-sub-1": "in_progress",
      "q-sub-2": "pending",
      x: "in_progress"
    })
  })

  it("a retry comes first: only a part that has failed for good ends the task", () => {
    const { types } = givenSplit(parts(2), { ...critic, ...chunking({ fail_fast: true }) }).after(...fails("p-sub-1"))
    assert.include(types, "SUBTASK_RETRY")
    assert.notInclude(types, "TASK_FAILED")
  })
})

describe("given another task of a run that fails fast has failed", () => {
  it("the parts at work are cancelled and every part and the task are given up", () => {
    const config = { ...noRetries(), fail_fast: true, max_retries: 0 }
    const then = givenSplit(parts(2), config, {}, [aTask("x")]).after(start("p-sub-1"), ...fails("x"))
    const ended = then.contents("SUBTASK_FAILED")
    assert.lengthOf(ended, 2)
    for (const content of ended) assert.deepInclude(content, { failure_reason: "fail_fast", verdict: null })
    assert.deepInclude(then.content("ATTEMPT_CANCELLED"), { task_id: "p-sub-1" })
    assert.deepInclude(then.content("TASK_SKIPPED"), { task_id: "p", reason: "fail_fast" })
  })
})

describe("cancelling a run", () => {
  it("while a task is analysed takes the analysis back", () => {
    const then = played().after(aSplit(), cancel())
    assert.deepStrictEqual(then.types, ["TASK_SKIPPED", "RUN_CANCELLED"])
    assert.deepInclude(then.cancels, { key: "analyzer-heuristic/p/0" })
    const again = then.after(resume())
    assert.deepStrictEqual(again.types, ["RUN_RESUMED", "TASK_STARTED", "CHUNKING_START"])
    assert.deepStrictEqual(again.orders, ["analyzer-heuristic/p/0/1"])
  })

  it("while parts are at work cancels them and ends every part before the task; a resume begins the rest again", () => {
    const then = givenSplit(parts(3), critic).after(...passes("p-sub-1"), start("p-sub-2"), cancel())
    assert.deepStrictEqual(then.types, [
      "ATTEMPT_CANCELLED",
      "REVIEW_LOOP_END",
      "SUBTASK_FAILED",
      "SUBTASK_FAILED",
      "TASK_SKIPPED",
      "RUN_CANCELLED"
    ])
    for (const content of then.contents("SUBTASK_FAILED")) {
      assert.deepInclude(content, { failure_reason: "run_cancelled", verdict: null })
    }
    assert.includeDeepMembers([...then.cancels], [{ item: "item of p-sub-2 1" }, { key: "attempt/p-sub-3/1" }])
    const again = then.after(resume())
    const expected = ["in_progress", "completed", "pending", "pending"]
    assert.deepStrictEqual(again.statuses("p", "p-sub-1", "p-sub-2", "p-sub-3"), expected)
    assert.deepStrictEqual(again.orders, ["attempt/p-sub-2/2/1", "attempt/p-sub-3/1/1"])
    assert.deepInclude(chunkIn(again), { stage: "executing", open: 2, failed: 0 })
  })

  it("while the parts are put together takes that back", () => {
    const then = givenSplit(parts(2), critic).after(...bothPass, cancel())
    assert.deepInclude(then.cancels, { key: "aggregation/p/0" })
    assert.deepStrictEqual(then.after(resume()).orders, ["aggregation/p/0/1"])
  })
})

describe("resuming a run after a crash", () => {
  it("while a task is analysed orders the analysis again, and no second start is recorded", () => {
    const then = played().after(aSplit(), resume())
    assert.deepStrictEqual(then.types, ["RUN_RESUMED"])
    assert.deepStrictEqual(then.orders, ["analyzer-heuristic/p/0/1"])
  })

  it("while parts are at work takes their attempts as lost, and starts them again without counting", () => {
    const then = givenSplit(parts(3), critic).after(...passes("p-sub-1"), start("p-sub-2"), resume())
    assert.deepStrictEqual(then.types, ["RUN_RESUMED", "ATTEMPT_ENDED", "TASK_STATUS_CHANGED"])
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), { reason: "attempt_lost", retry_count: 0 })
    assert.sameMembers([...then.orders], ["attempt/p-sub-2/2/1", "attempt/p-sub-3/1/1"])
    assert.deepStrictEqual(then.statuses("p-sub-1"), ["completed"])
  })

  it("one after the other: only the one whose turn it is", () => {
    const config = { ...critic, ...chunking({ execution_mode: "sequential" }) }
    assert.deepStrictEqual(givenSplit(parts(3), config).after(start("p-sub-1"), resume()).orders, [
      "attempt/p-sub-1/2/1"
    ])
  })

  it("one after the other: what is at work is finished before an earlier one has another chance", () => {
    const config = noRetries({ execution_mode: "sequential" })
    const run = givenSplit(parts(3), config).after(...fails("p-sub-1"), start("p-sub-2"), end("p-sub-2"), resume())
    assert.strictEqual(run.when(start("p-sub-1", 2)).code, "task_not_ready")
    assert.deepStrictEqual(run.after(measured("p-sub-2"), judged("p-sub-2")).orders, ["attempt/p-sub-1/2/1"])
  })

  it("while an attempt is judged orders that again and not the attempt", () => {
    const judging = givenSplit(parts(2), critic).after(start("p-sub-1"), end("p-sub-1"), measured("p-sub-1"))
    assert.sameMembers([...judging.after(resume()).orders], ["review/p-sub-1/1/1", "attempt/p-sub-2/1/1"])
  })

  it("while the whole is checked orders the checks again and nothing of the parts", () => {
    const run = givenSplit(parts(2), critic, { checks: ["true"] }).after(...bothPass, aggregated(), resume())
    assert.deepStrictEqual(run.orders, ["checks/p/1/1"])
  })
})

describe("resuming a run that ended without completing a task that was split", () => {
  it("given parts failed: they get a new budget, those that were given up another chance, the completed stay", () => {
    const run = givenSplit([aPart("a"), aPart("b"), aPart("c", { dependencies: [1] })], noRetries())
    const then = run.after(...fails("p-sub-1"), ...passes("p-sub-2"), aggregated(), resume())
    assert.sameDeepMembers(
      [...then.content("RUN_RESUMED").reopened],
      [
        { task_id: "p", from: "parts" },
        { task_id: "p-sub-1", from: "start" },
        { task_id: "p-sub-3", from: "start" }
      ]
    )
    assert.deepStrictEqual(then.orders, [workKey("attempt", "p-sub-1", 2, 1)])
    assert.deepInclude(chunkIn(then), { stage: "executing", open: 2, failed: 0, outcome: null })
    assert.deepInclude(then.task("p-sub-1"), { status: "pending", retry_count: 0 })
    // it can be completed now, and is put together once more
    const again = then.after(...passes("p-sub-1", 2), ...passes("p-sub-3"))
    assert.deepStrictEqual(again.orders, ["aggregation/p/0/1"])
    const ended = again.after(aggregated())
    assert.deepInclude(ended.content("CHUNKING_COMPLETE"), { completed_subtasks: 3, failed_subtasks: 0 })
    assert.include(ended.types, "RUN_COMPLETED")
  })

  it("given it failed fast: the siblings that were given up are begun too", () => {
    const run = givenSplit(parts(3), noRetries({ fail_fast: true })).after(...passes("p-sub-3"), start("p-sub-2"))
    const then = run.after(...fails("p-sub-1"), resume())
    assert.deepStrictEqual(then.orders, ["attempt/p-sub-1/2/1", "attempt/p-sub-2/2/1"])
    assert.deepStrictEqual(then.statuses("p-sub-3"), ["completed"])
  })

  it.each(["conflict", "needs_person"] as const)(
    "given the changes came to %s: they are put together again",
    (outcome) => {
      const all = givenSplit(parts(2), critic).after(...bothPass)
      const untold = all.after(aggregated({ outcome, conflicts }))
      assert.include(untold.content("TASK_FAILED").message, "src/a.ts (p-sub-1, p-sub-2)")
      const then = all.after(aggregated({ outcome, conflicts, message: "Run `git merge p-sub-2`." }))
      assert.deepStrictEqual(then.types, ["CHUNKING_AGGREGATION", "TASK_FAILED", "RUN_INCOMPLETE"])
      assert.isTrue(then.content("CHUNKING_AGGREGATION").aggregation_result.conflicts_detected)
      assert.strictEqual(then.content("TASK_FAILED").reason, outcome)
      assert.include(then.content("TASK_FAILED").message, "Run `git merge p-sub-2`.")
      const again = then.after(resume())
      assert.deepStrictEqual(again.orders, ["aggregation/p/0/1"])
      assert.include(again.after(aggregated()).types, "RUN_COMPLETED")
    }
  )

  it("given nobody could put it together: it is unproven, and put together again", () => {
    const failed = activityFailed("p", 0, "aggregation")
    const then = givenSplit(parts(2), critic).after(...bothPass, failed)
    assert.deepInclude(then.content("TASK_FAILED"), { verdict: "unproven", reason: "aggregation_failed" })
    assert.deepStrictEqual(then.after(resume()).orders, ["aggregation/p/0/1"])
    // what concerns nobody any more changes nothing
    assert.deepStrictEqual(givenSplit(parts(2), critic).after(failed).types, ["ACTIVITY_FAILED"])
  })

  const wrong = (max_retries: number) =>
    givenSplit(parts(2), { ...critic, max_retries }, { checks: ["true"] }).after(
      ...bothPass,
      aggregated(),
      verified("p", 1, [check(1)])
    )

  it("given the whole did not pass its checks: an attempt at the whole mends it", () => {
    const then = wrong(1)
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), { reason: "checks_failed", retry_count: 1 })
    assert.deepStrictEqual(then.orders, ["attempt/p/2"])
    const again = then.after(start("p", 2))
    assert.deepStrictEqual(again.types, ["ATTEMPT_STARTED"])
    const completed = ["VERIFICATION_RUN", "CHUNKING_COMPLETE", "TASK_COMPLETED", "RUN_COMPLETED"]
    assert.deepStrictEqual(again.after(end("p", 2), verified("p", 2)).types, completed)
  })

  it("given the whole was tried again: its retry and its attempts count with those of the parts", () => {
    const mended = wrong(1).after(start("p", 2), end("p", 2, "COMPLETE", { duration_ms: 7_000 }), verified("p", 2))
    const once = givenSplit(parts(2), critic, { checks: ["true"] }).after(...bothPass, aggregated(), verified("p", 1))
    const { total_duration_ms } = once.content("CHUNKING_COMPLETE")
    const { delay_ms } = wrong(1).content("TASK_STATUS_CHANGED")
    assert.isAbove(delay_ms, 0)
    assert.deepInclude(mended.content("CHUNKING_COMPLETE"), {
      total_retries: 1,
      total_duration_ms: total_duration_ms + delay_ms + 7_000
    })
    assert.deepInclude(once.content("CHUNKING_COMPLETE"), { total_retries: 0 })
  })

  it("given it did not and no retry is left: a resume puts it together again", () => {
    assert.deepInclude(wrong(0).content("TASK_FAILED"), { reason: "checks_failed" })
    const again = wrong(0).after(resume())
    assert.deepStrictEqual(again.orders, ["aggregation/p/1/1"])
    assert.deepStrictEqual(again.after(aggregated()).orders, ["checks/p/2/1"])
  })

  it("given a part that nobody could judge: only the judging is done again", () => {
    const judging = givenSplit(parts(2), critic).after(start("p-sub-1"), end("p-sub-1"), measured("p-sub-1"))
    const then = judging.after(activityFailed("p-sub-1", 1, "review"))
    assert.deepInclude(then.content("SUBTASK_FAILED"), { verdict: "unproven", failure_reason: "review_failed" })
    assert.deepStrictEqual(then.after(...passes("p-sub-2"), aggregated(), resume()).orders, ["criteria/p-sub-1/1/1"])
  })
})

describe("two tasks that are split, one behind the other", () => {
  const others = [aTask("q", { depends_on: ["p"], chunk: "asked", checks: [] })]
  const run = givenSplit(parts(2), critic, {}, others).after(...bothPass)

  it("the second is analysed when all of the first is completed, and not before", () => {
    const plan = analysed(anAnalysis(parts(2)), { task_id: "q" })
    assert.strictEqual(run.when(plan).code, "task_not_ready")
    const then = run.after(aggregated())
    assert.deepStrictEqual(then.types.slice(-3), ["TASK_COMPLETED", "TASK_STARTED", "CHUNKING_START"])
    assert.deepStrictEqual(then.orders, ["analyzer-heuristic/q/0"])
    assert.deepStrictEqual(then.after(plan).orders, ["attempt/q-sub-1/1", "attempt/q-sub-2/1"])
  })

  it("the second is skipped when the first is not completed", () => {
    const failed = run.after(aggregated({ outcome: "conflict", conflicts }))
    assert.deepInclude(failed.content("TASK_SKIPPED"), { task_id: "q", waiting_for: ["p"] })
    assert.deepInclude(failed.content("RUN_INCOMPLETE"), { total: 2, failed: 1, skipped: 1 })
  })
})
