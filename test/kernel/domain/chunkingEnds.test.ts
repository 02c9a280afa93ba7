import { assert, describe, it } from "@effect/vitest"
import { type AnyCommand, chunkOf, isOver, type RunConfig, tasksOf, workKey } from "@proofline/kernel"
import { aTask, type Given, given } from "@proofline/kernel/testing"
import {
  aggregated,
  anAnalysis,
  analysed,
  aPart,
  aSplit,
  chunking,
  givenSplit,
  measured,
  parts,
  passes
} from "../support/chunks.ts"
import {
  activityFailed,
  cancel,
  cancelsOf,
  check,
  contentOf,
  end,
  judged,
  resume,
  start,
  stateOf as stateAfter,
  task,
  typesOf,
  verified
} from "../support/words.ts"

const critic: Partial<RunConfig> = { reviewer: "critic" }
/** What fails has failed for good. */
const noRetries = (over: Parameters<typeof chunking>[0] = {}): Partial<RunConfig> => ({
  ...critic,
  ...chunking({ ...over, retry: { max_retries: 0 } })
})

type Then = ReturnType<Given["when"]>

const keysOf = ({ step }: Then) => step?.starts.map(({ key }) => key)
const stateOf = ({ step }: Then) => stateAfter(step?.after)
const statusesOf = (then: Then) =>
  Object.fromEntries(tasksOf(stateOf(then)).map(({ spec, status }) => [spec.id, status]))
const contentsOf = ({ events }: Then, type: string) =>
  events.flatMap((event) => (event.type === type ? [event.content as Readonly<Record<string, unknown>>] : []))
const cancelled = (...keys: ReadonlyArray<string>) => keys.map((key) => ({ key }))

const fails = (id: string, attempt = 1): ReadonlyArray<AnyCommand> => [start(id, attempt), end(id, attempt, "ERROR")]
/** All of these but the last is given. */
const last = (run: Given, ...commands: ReadonlyArray<AnyCommand>): Then =>
  run.after(...commands.slice(0, -1)).when(commands.at(-1) as AnyCommand)

describe("given a part has failed, and the task does not fail fast", () => {
  const run = givenSplit(parts(3), noRetries()).after(...fails("p-sub-1"))

  it("the others go on", () => {
    const then = last(run.after(start("p-sub-2")), start("p-sub-3"))
    assert.isNull(then.rejected)
    assert.deepInclude(statusesOf(then), { p: "in_progress", "p-sub-1": "failed", "p-sub-2": "in_progress" })
  })

  it("what the completed ones did is put together and kept, and the task is not complete", () => {
    const one = run.after(...fails("p-sub-2"), ...passes("p-sub-3").slice(0, 3)).when(judged("p-sub-3"))
    assert.deepStrictEqual(keysOf(one), ["aggregation/p/0"])
    const then = last(run, ...fails("p-sub-2"), ...passes("p-sub-3"), aggregated({ files_modified: ["a.ts"] }))
    assert.deepStrictEqual(typesOf(then.events), ["CHUNKING_AGGREGATION", "TASK_FAILED", "RUN_INCOMPLETE"])
    const { message, reason, verdict } = contentOf(then.events, "TASK_FAILED")
    assert.deepStrictEqual([reason, verdict], ["subtasks_incomplete", "refuted"])
    assert.include(message, "1 of 3")
    assert.include(message, "p-sub-1, p-sub-2")
    assert.deepInclude(statusesOf(then), { "p-sub-3": "completed" })
  })

  it("and none is completed, the task has failed and nothing is put together", () => {
    const then = last(run, ...fails("p-sub-2"), ...fails("p-sub-3"))
    assert.deepInclude(contentOf(then.events, "TASK_FAILED"), { reason: "subtasks_failed" })
    assert.deepInclude(contentOf(then.events, "RUN_FAILED"), { reason: "failed", failed: 1, total: 1 })
    assert.deepStrictEqual(keysOf(then), [])
  })

  it("whoever depends on the task is skipped, and the run ends as incomplete", () => {
    const others = [aTask("q", { depends_on: ["p"] }), aTask("x")]
    const both = givenSplit(parts(2), noRetries(), {}, others).after(start("x"), end("x"), verified("x"))
    const then = last(both, ...fails("p-sub-1"), ...passes("p-sub-2"), aggregated())
    assert.deepInclude(contentOf(then.events, "TASK_SKIPPED"), { task_id: "q", waiting_for: ["p"] })
    assert.deepInclude(contentOf(then.events, "RUN_INCOMPLETE"), { total: 3, completed: 1, failed: 1, skipped: 1 })
  })
})

describe("given a part has failed, whatever depends on it", () => {
  const chain = [aPart("a"), aPart("b", { dependencies: [1] }), aPart("c", { dependencies: [2] }), aPart("d")]

  it("ends with an event of its own, directly or not, and nothing of it is begun", () => {
    const then = last(givenSplit(chain, noRetries()), ...fails("p-sub-1"))
    assert.deepStrictEqual(typesOf(then.events).slice(-3), ["SUBTASK_FAILED", "SUBTASK_FAILED", "SUBTASK_FAILED"])
    const [failed, b, c] = contentsOf(then, "SUBTASK_FAILED")
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
    assert.include(c?.["message"] as string, "p-sub-2")
    assert.deepStrictEqual(contentsOf(then, "SUBTASK_START"), [])
    assert.deepStrictEqual(statusesOf(then), {
      p: "in_progress",
      "p-sub-1": "failed",
      "p-sub-2": "skipped",
      "p-sub-3": "skipped",
      "p-sub-4": "pending"
    })
  })

  it("the task ends when the last of them has, and says which are not completed", () => {
    const then = last(givenSplit(chain, noRetries()), ...passes("p-sub-4"), ...fails("p-sub-1"), aggregated())
    assert.deepInclude(contentOf(then.events, "TASK_FAILED"), { reason: "subtasks_incomplete" })
    assert.include(contentOf(then.events, "TASK_FAILED").message, "p-sub-1, p-sub-2, p-sub-3")
  })
})

describe("given a part has failed, and the task fails fast", () => {
  const run = givenSplit([...parts(3), aPart("d", { dependencies: [1] }), aPart("e")], noRetries({ fail_fast: true }))
  const working = run.after(...passes("p-sub-5"), start("p-sub-1"), start("p-sub-2", 1, { item_id: "item 2" }))
  const then = working.when(end("p-sub-1", 1, "ERROR"))

  it("everything that runs is cancelled, every part ends, and the task has failed", () => {
    assert.deepStrictEqual(typesOf(then.events).slice(-8), [
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
      contentsOf(then, "SUBTASK_FAILED").map(({ failure_reason, subtask_id }) => [subtask_id, failure_reason]),
      [
        ["p-sub-1", "agent_failed"],
        ["p-sub-4", "dependency_failed"],
        ["p-sub-2", "fail_fast"],
        ["p-sub-3", "fail_fast"]
      ]
    )
    assert.deepStrictEqual(contentsOf(then, "ATTEMPT_CANCELLED"), [
      { task_id: "p-sub-2", attempt: 1, reason: "fail_fast" }
    ])
    assert.deepInclude(contentOf(then.events, "TASK_FAILED"), { task_id: "p", reason: "fail_fast", verdict: "refuted" })
    assert.include(contentOf(then.events, "TASK_FAILED").message, "p-sub-1")
    assert.isTrue(tasksOf(stateOf(then)).every(isOver))
    assert.strictEqual(statusesOf(then)["p-sub-5"], "completed", "what was completed is kept")
  })

  it("the work of the others is taken back, also what only lies in the queue", () => {
    assert.deepInclude(cancelsOf(then.step), { item: "item 2" })
    for (const dropped of cancelled("attempt/p-sub-3/1", "attempt/p-sub-4/1"))
      assert.deepInclude(cancelsOf(then.step), dropped)
    assert.deepStrictEqual(keysOf(then), [])
  })

  it("nothing is put together, and no late report is taken", () => {
    const ended = working.after(end("p-sub-1", 1, "ERROR"))
    for (const late of [end("p-sub-2"), start("p-sub-3"), aggregated()]) assert.isNotNull(ended.when(late).rejected)
  })

  it("also when only the run was told to fail fast", () => {
    const all = givenSplit(parts(2), { ...noRetries(), fail_fast: true }, {}, [aTask("x")]).after(start("x"))
    const failed = last(all, ...fails("p-sub-1"))
    assert.deepInclude(contentOf(failed.events, "TASK_FAILED"), { task_id: "p", reason: "fail_fast" })
    assert.deepInclude(contentOf(failed.events, "RUN_FAILED"), { reason: "fail_fast", total: 2, failed: 1, skipped: 1 })
    assert.isTrue(tasksOf(stateOf(failed)).every(isOver))
  })

  it("other tasks of the run go on, split or not", () => {
    const others = [aTask("x"), aTask("q", { chunk: "asked", checks: [] })]
    const all = givenSplit(parts(2), noRetries({ fail_fast: true }), {}, others).after(
      analysed(anAnalysis(parts(2)), { task_id: "q" }),
      start("x"),
      start("q-sub-1")
    )
    const failed = last(all, ...fails("p-sub-1"))
    assert.deepInclude(cancelsOf(failed.step), { key: "attempt/p-sub-2/1" })
    assert.notDeepInclude(cancelsOf(failed.step), { key: "attempt/q-sub-2/1" })
    assert.deepStrictEqual(statusesOf(failed), {
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
    const retried = givenSplit(parts(2), { ...critic, ...chunking({ fail_fast: true }) })
    const { events } = last(retried, ...fails("p-sub-1"))
    assert.include(typesOf(events), "SUBTASK_RETRY")
    assert.notInclude(typesOf(events), "TASK_FAILED")
  })
})

describe("given another task of a run that fails fast has failed", () => {
  it("the parts at work are cancelled and every part and the task are given up", () => {
    const config = { ...noRetries(), fail_fast: true, max_retries: 0 }
    const run = givenSplit(parts(2), config, {}, [aTask("x")]).after(start("p-sub-1"))
    const then = last(run, ...fails("x"))
    assert.deepStrictEqual(
      contentsOf(then, "SUBTASK_FAILED").map(({ failure_reason, verdict }) => [failure_reason, verdict]),
      [
        ["fail_fast", null],
        ["fail_fast", null]
      ]
    )
    assert.deepInclude(contentOf(then.events, "ATTEMPT_CANCELLED"), { task_id: "p-sub-1" })
    assert.deepInclude(contentOf(then.events, "TASK_SKIPPED"), { task_id: "p", reason: "fail_fast" })
  })
})

describe("cancelling a run", () => {
  it("while a task is analysed takes the analysis back", () => {
    const run = given().after(aSplit())
    const then = run.when(cancel())
    assert.deepStrictEqual(typesOf(then.events), ["TASK_SKIPPED", "RUN_CANCELLED"])
    assert.deepInclude(cancelsOf(then.step), { key: "analyzer-heuristic/p/0" })
    const again = run.after(cancel()).when(resume())
    assert.deepStrictEqual(typesOf(again.events), ["RUN_RESUMED", "TASK_STARTED", "CHUNKING_START"])
    assert.deepStrictEqual(keysOf(again), ["analyzer-heuristic/p/0/1"])
  })

  it("while parts are at work cancels them and ends every part before the task", () => {
    const run = givenSplit(parts(3), critic).after(...passes("p-sub-1"), start("p-sub-2"))
    const then = run.when(cancel())
    assert.deepStrictEqual(typesOf(then.events), [
      "ATTEMPT_CANCELLED",
      "REVIEW_LOOP_END",
      "SUBTASK_FAILED",
      "SUBTASK_FAILED",
      "TASK_SKIPPED",
      "RUN_CANCELLED"
    ])
    for (const content of contentsOf(then, "SUBTASK_FAILED"))
      assert.deepInclude(content, { failure_reason: "run_cancelled", verdict: null })
    assert.deepInclude(cancelsOf(then.step), { item: "item of p-sub-2 1" })
    assert.deepInclude(cancelsOf(then.step), { key: "attempt/p-sub-3/1" })
  })

  it("can be taken back: what was completed stays, and the rest is begun again", () => {
    const then = givenSplit(parts(3), critic)
      .after(...passes("p-sub-1"), start("p-sub-2"), cancel())
      .when(resume())
    assert.deepStrictEqual(statusesOf(then), {
      p: "in_progress",
      "p-sub-1": "completed",
      "p-sub-2": "pending",
      "p-sub-3": "pending"
    })
    assert.deepStrictEqual(keysOf(then), ["attempt/p-sub-2/2/1", "attempt/p-sub-3/1/1"])
    assert.deepInclude(chunkOf(stateOf(then), task(stateOf(then), "p")), { stage: "executing", open: 2, failed: 0 })
  })

  it("while the parts are put together takes that back", () => {
    const run = givenSplit(parts(2), critic).after(...passes("p-sub-1"), ...passes("p-sub-2"))
    const then = run.when(cancel())
    assert.deepInclude(cancelsOf(then.step), { key: "aggregation/p/0" })
    assert.deepStrictEqual(keysOf(run.after(cancel()).when(resume())), ["aggregation/p/0/1"])
  })
})

describe("resuming a run after a crash", () => {
  it("while a task is analysed orders the analysis again, and no second start is recorded", () => {
    const then = given().after(aSplit()).when(resume())
    assert.deepStrictEqual(typesOf(then.events), ["RUN_RESUMED"])
    assert.deepStrictEqual(keysOf(then), ["analyzer-heuristic/p/0/1"])
  })

  it("while parts are at work takes their attempts as lost, and starts them again without counting", () => {
    const then = givenSplit(parts(3), critic)
      .after(...passes("p-sub-1"), start("p-sub-2"))
      .when(resume())
    assert.deepStrictEqual(typesOf(then.events), ["RUN_RESUMED", "ATTEMPT_ENDED", "TASK_STATUS_CHANGED"])
    assert.deepInclude(contentOf(then.events, "TASK_STATUS_CHANGED"), { reason: "attempt_lost", retry_count: 0 })
    assert.sameMembers([...(keysOf(then) ?? [])], ["attempt/p-sub-2/2/1", "attempt/p-sub-3/1/1"])
    assert.strictEqual(statusesOf(then)["p-sub-1"], "completed")
  })

  it("one after the other: only the one whose turn it is", () => {
    const config = { ...critic, ...chunking({ execution_mode: "sequential" }) }
    const then = givenSplit(parts(3), config).after(start("p-sub-1")).when(resume())
    assert.deepStrictEqual(keysOf(then), ["attempt/p-sub-1/2/1"])
  })

  it("one after the other: what is at work is finished before an earlier one has another chance", () => {
    const config = noRetries({ execution_mode: "sequential" })
    const run = givenSplit(parts(3), config).after(...fails("p-sub-1"), start("p-sub-2"), end("p-sub-2"), resume())
    assert.strictEqual(run.when(start("p-sub-1", 2)).rejected?.code, "task_not_ready")
    const then = run.after(measured("p-sub-2")).when(judged("p-sub-2"))
    assert.deepStrictEqual(keysOf(then), ["attempt/p-sub-1/2/1"])
  })

  it("while an attempt is judged orders that again and not the attempt", () => {
    const run = givenSplit(parts(2), critic).after(start("p-sub-1"), end("p-sub-1"), measured("p-sub-1"))
    assert.sameMembers([...(keysOf(run.when(resume())) ?? [])], ["review/p-sub-1/1/1", "attempt/p-sub-2/1/1"])
  })

  it("while the whole is checked orders the checks again and nothing of the parts", () => {
    const run = givenSplit(parts(2), critic, { checks: ["true"] }).after(
      ...passes("p-sub-1"),
      ...passes("p-sub-2"),
      aggregated()
    )
    assert.deepStrictEqual(keysOf(run.when(resume())), ["checks/p/1/1"])
  })
})

describe("resuming a run that ended without completing a task that was split", () => {
  it("given parts failed: they get a new budget, those that were given up another chance, the completed stay", () => {
    const run = givenSplit([aPart("a"), aPart("b"), aPart("c", { dependencies: [1] })], noRetries())
    const ended = run.after(...fails("p-sub-1"), ...passes("p-sub-2"), aggregated())
    const then = ended.when(resume())
    assert.sameDeepMembers(
      [...contentOf(then.events, "RUN_RESUMED").reopened],
      [
        { task_id: "p", from: "parts" },
        { task_id: "p-sub-1", from: "start" },
        { task_id: "p-sub-3", from: "start" }
      ]
    )
    assert.deepStrictEqual(keysOf(then), [workKey("attempt", "p-sub-1", 2, 1)])
    assert.deepInclude(chunkOf(stateOf(then), task(stateOf(then), "p")), {
      stage: "executing",
      open: 2,
      failed: 0,
      outcome: null
    })
    assert.deepInclude(task(stateOf(then), "p-sub-1"), { status: "pending", retry_count: 0 })
    // it can be completed now, and is put together once more
    const again = ended.after(resume(), ...passes("p-sub-1", 2), ...passes("p-sub-3").slice(0, 3))
    assert.deepStrictEqual(keysOf(again.when(judged("p-sub-3"))), ["aggregation/p/0/1"])
    const { events } = again.after(judged("p-sub-3")).when(aggregated())
    assert.deepInclude(contentOf(events, "CHUNKING_COMPLETE"), { completed_subtasks: 3, failed_subtasks: 0 })
    assert.include(typesOf(events), "RUN_COMPLETED")
  })

  it("given it failed fast: the siblings that were given up are begun too", () => {
    const run = givenSplit(parts(3), noRetries({ fail_fast: true })).after(...passes("p-sub-3"), start("p-sub-2"))
    const then = run.after(...fails("p-sub-1")).when(resume())
    assert.deepStrictEqual(keysOf(then), ["attempt/p-sub-1/2/1", "attempt/p-sub-2/2/1"])
    assert.strictEqual(statusesOf(then)["p-sub-3"], "completed")
  })

  it("given the changes could not be had together: they are put together again", () => {
    const all = givenSplit(parts(2), critic).after(...passes("p-sub-1"), ...passes("p-sub-2"))
    const conflicts = [{ file: "src/a.ts", sources: ["p-sub-1", "p-sub-2"] }]
    for (const outcome of ["conflict", "needs_person"] as const) {
      const command = aggregated({ outcome, conflicts, message: "Run `git merge p-sub-2`." })
      const untold = all.when(aggregated({ outcome, conflicts }))
      assert.include(contentOf(untold.events, "TASK_FAILED").message, "src/a.ts (p-sub-1, p-sub-2)")
      const then = all.when(command)
      assert.deepStrictEqual(typesOf(then.events), ["CHUNKING_AGGREGATION", "TASK_FAILED", "RUN_INCOMPLETE"])
      assert.isTrue(contentOf(then.events, "CHUNKING_AGGREGATION").aggregation_result.conflicts_detected)
      const { message, reason } = contentOf(then.events, "TASK_FAILED")
      assert.strictEqual(reason, outcome)
      assert.include(message, "Run `git merge p-sub-2`.")
      const again = all.after(command).when(resume())
      assert.deepStrictEqual(keysOf(again), ["aggregation/p/0/1"])
      assert.include(typesOf(all.after(command, resume()).when(aggregated()).events), "RUN_COMPLETED")
    }
  })

  it("given nobody could put it together: it is unproven, and put together again", () => {
    const all = givenSplit(parts(2), critic).after(...passes("p-sub-1"), ...passes("p-sub-2"))
    const failed = activityFailed("p", 0, "aggregation")
    const { events } = all.when(failed)
    assert.deepInclude(contentOf(events, "TASK_FAILED"), { verdict: "unproven", reason: "aggregation_failed" })
    assert.deepStrictEqual(keysOf(all.after(failed).when(resume())), ["aggregation/p/0/1"])
    // what concerns nobody any more changes nothing
    const early = givenSplit(parts(2), critic).when(failed)
    assert.deepStrictEqual(typesOf(early.events), ["ACTIVITY_FAILED"])
  })

  it("given the whole did not pass its checks: an attempt at the whole mends it, or a resume puts it together again", () => {
    const whole = (max_retries: number) =>
      givenSplit(parts(2), { ...critic, max_retries }, { checks: ["true"] }).after(
        ...passes("p-sub-1"),
        ...passes("p-sub-2"),
        aggregated()
      )
    const wrong = verified("p", 1, [check(1)])
    const mended = whole(1).when(wrong)
    assert.deepInclude(contentOf(mended.events, "TASK_STATUS_CHANGED"), { reason: "checks_failed", retry_count: 1 })
    assert.deepStrictEqual(keysOf(mended), ["attempt/p/2"])
    assert.deepStrictEqual(typesOf(whole(1).after(wrong).when(start("p", 2)).events), ["ATTEMPT_STARTED"])
    const passed = whole(1).after(wrong, start("p", 2), end("p", 2)).when(verified("p", 2))
    assert.deepStrictEqual(typesOf(passed.events), [
      "VERIFICATION_RUN",
      "CHUNKING_COMPLETE",
      "TASK_COMPLETED",
      "RUN_COMPLETED"
    ])
    assert.deepInclude(contentOf(whole(0).when(wrong).events, "TASK_FAILED"), { reason: "checks_failed" })
    const again = whole(0).after(wrong).when(resume())
    assert.deepStrictEqual(keysOf(again), ["aggregation/p/1/1"])
    assert.deepStrictEqual(keysOf(whole(0).after(wrong, resume()).when(aggregated())), ["checks/p/2/1"])
  })

  it("given a part that nobody could judge: only the judging is done again", () => {
    const run = givenSplit(parts(2), critic).after(start("p-sub-1"), end("p-sub-1"), measured("p-sub-1"))
    const failed = activityFailed("p-sub-1", 1, "review")
    const { events } = run.when(failed)
    assert.deepInclude(contentOf(events, "SUBTASK_FAILED"), { verdict: "unproven", failure_reason: "review_failed" })
    const ended = run.after(failed, ...passes("p-sub-2"), aggregated())
    assert.deepStrictEqual(keysOf(ended.when(resume())), ["criteria/p-sub-1/1/1"])
  })
})

describe("two tasks that are split, one behind the other", () => {
  const others = [aTask("q", { depends_on: ["p"], chunk: "asked", checks: [] })]
  const run = givenSplit(parts(2), critic, {}, others).after(...passes("p-sub-1"), ...passes("p-sub-2"))

  it("the second is analysed when all of the first is completed, and not before", () => {
    const plan = analysed(anAnalysis(parts(2)), { task_id: "q" })
    assert.strictEqual(run.when(plan).rejected?.code, "task_not_ready")
    const then = run.when(aggregated())
    assert.deepStrictEqual(typesOf(then.events).slice(-3), ["TASK_COMPLETED", "TASK_STARTED", "CHUNKING_START"])
    assert.deepStrictEqual(keysOf(then), ["analyzer-heuristic/q/0"])
    assert.deepStrictEqual(keysOf(run.after(aggregated()).when(plan)), ["attempt/q-sub-1/1", "attempt/q-sub-2/1"])
  })

  it("the second is skipped when the first is not completed", () => {
    const failed = run.when(aggregated({ outcome: "conflict", conflicts: [{ file: "a", sources: ["b"] }] }))
    assert.deepInclude(contentOf(failed.events, "TASK_SKIPPED"), { task_id: "q", waiting_for: ["p"] })
    assert.deepInclude(contentOf(failed.events, "RUN_INCOMPLETE"), { total: 2, failed: 1, skipped: 1 })
  })
})
