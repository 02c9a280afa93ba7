import { assert, describe, it } from "@effect/vitest"
import { chunkOf, proofOf, type RunConfig, type TaskSpec } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { aggregated, chunking } from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { type Played, played } from "../support/play.ts"
import {
  answered,
  cancel,
  done,
  end,
  endReporting,
  evidence,
  impossible,
  judged,
  resume,
  resumeFor,
  revisited,
  start
} from "../support/words.ts"

const item = "add adds"
const config: Partial<RunConfig> = {
  attempts: 3,
  max_retries: 0,
  reviewer: "critic",
  reviewer_named: true,
  ...chunking({ review_loop_per_subtask: false })
}

/** A run in a repository with a commit. */
const raced = (
  spec: Partial<TaskSpec> = {},
  over: Partial<RunConfig> = {},
  ...others: ReadonlyArray<TaskSpec>
): Played => {
  const task = aTask("a", { checks: [], checklist: [{ item }], ...spec })
  const begun = aRun([task, ...others], { ...config, ...over })
  const base = { commit: "c".repeat(40), snapshot: { sha256: "0".repeat(64), bytes: 2 } }
  return played(judge).after({ ...begun, base })
}

const tries = ["a-try-1", "a-try-2", "a-try-3"]
const proves = (id: string, attempt = 1) => [
  start(id, attempt),
  endReporting(id, attempt, [done(item)]),
  evidence(id, attempt, 0)
]
const fails = (id: string) => [start(id), end(id, 1, "ERROR")]
const wholeProven = [aggregated({ files_modified: ["a.ts"] }, { task_id: "a" }), evidence("a", 1, 0)]

describe("several attempts at a task beside each other", () => {
  it("given a task, then each of them is asked for all of it, in worktrees, and none waits for another", () => {
    const play = raced()
    assert.deepStrictEqual(play.orders, ["attempt/a-try-1/1", "attempt/a-try-2/1", "attempt/a-try-3/1"])
    assert.deepInclude(chunkOf(play.state, play.task("a")), { is_race: true, workspace: "worktree", total: 3, open: 3 })
    for (const id of tries) {
      assert.deepInclude(play.task(id), { alternative: true, carried: 1, parent_task_id: "a" })
      assert.deepStrictEqual(play.task(id).spec.checklist, [{ item }])
      assert.strictEqual(play.task(id).spec.instruction, play.task("a").spec.instruction)
    }
  })

  it("given that one is proven, then the others are ended, and it alone is what the task comes to", () => {
    const won = raced().after(start("a-try-1"), ...proves("a-try-2"))
    assert.deepStrictEqual(won.content("PARALLEL_ATTEMPT_WON"), { parent_task_id: "a", subtask_id: "a-try-2" })
    assert.deepStrictEqual(won.statuses(...tries), ["skipped", "completed", "skipped"])
    assert.deepStrictEqual(won.contents("ATTEMPT_CANCELLED"), [{ task_id: "a-try-1", attempt: 1, reason: "overtaken" }])
    assert.include(JSON.stringify(won.cancels), "attempt/a-try-3/1")
    assert.deepStrictEqual(won.orders, ["aggregation/a/0"])
    const over = won.after(...wholeProven, revisited())
    assert.strictEqual(over.run.status, "completed")
    assert.deepInclude(over.content("RUN_COMPLETED"), { total: 1, completed: 1, proven: 1 })
    assert.deepInclude(proofOf(over.state), { verdict: "proven" })
    assert.strictEqual(proofOf(over.state).counts.proven, 1)
  })

  it("given a report that comes too late, then it is dropped", () => {
    const won = raced().after(start("a-try-1"), ...proves("a-try-2"))
    assert.strictEqual(won.when(endReporting("a-try-1", 1, [done(item)])).code, "attempt_not_current")
  })

  it("given attempts that fail, then the others go on, also where the run stops at the first failure", () => {
    const two = raced({}, { fail_fast: true }).after(...fails("a-try-1"), ...fails("a-try-3"))
    assert.deepStrictEqual(
      [two.run.status, ...two.statuses("a", ...tries)],
      ["running", "in_progress", "failed", "pending", "failed"]
    )
    const over = two.after(...proves("a-try-2"), ...wholeProven, revisited())
    assert.strictEqual(over.run.status, "completed")
    assert.deepInclude(proofOf(over.state), { verdict: "proven" })
  })

  it("given that all of them fail, then the task has failed", () => {
    const over = raced().after(...tries.flatMap(fails))
    assert.deepInclude(over.content("TASK_FAILED"), { task_id: "a", reason: "subtasks_failed" })
    assert.strictEqual(over.run.status, "failed")
  })

  it("given a reviewer, then it judges who would win, and not the same once more", () => {
    const play = raced({ validation: ["short"] })
    const first = play.after(...proves("a-try-1"), judged("a-try-1", 1, "REJECT", "Longer."), ...proves("a-try-2"))
    assert.deepStrictEqual(first.statuses("a", ...tries), ["in_progress", "failed", "in_progress", "pending"])
    const won = first.after(judged("a-try-2"))
    assert.deepStrictEqual(won.statuses(...tries), ["failed", "completed", "skipped"])
    const over = won.after(...wholeProven, revisited())
    assert.strictEqual(over.run.status, "completed")
    assert.deepStrictEqual(proofOf(over.state).reviewers, ["critic"])
    assert.deepInclude(proofOf(over.state).counts, { proven: 1, reviewed: 1, unproven: 0, refuted: 0 })
  })

  it("given that the winner does not hold in the project, then the task is tried again there", () => {
    const retried = { max_retries: 1 }
    const won = raced({}, retried).after(...proves("a-try-2"))
    const lost = won.after(
      aggregated({ files_modified: ["a.ts"], evidence: [{ index: 0, evidence: null }] }, { task_id: "a" }),
      evidence("a", 1)
    )
    assert.deepStrictEqual(lost.statuses("a", ...tries), ["retrying", "skipped", "completed", "skipped"])
    assert.deepStrictEqual(lost.orders, ["attempt/a/2"])
  })

  it("given an attempt that asks a person, then it is no more asked once another is proven", () => {
    const asking = raced().after(
      start("a-try-1"),
      endReporting("a-try-1", 1, [impossible(item)]),
      evidence("a-try-1", 1, 0)
    )
    assert.strictEqual(asking.state.tasks.asking_count, 1)
    const over = asking.after(...proves("a-try-3"), ...wholeProven, revisited())
    assert.deepStrictEqual([over.run.status, over.state.tasks.asking_count], ["completed", 0])
    assert.strictEqual(over.when(answered("a-try-1", "waive")).code, "no_question")
  })

  it("given a resume, then what was overtaken is not tried again, and what was under way is", () => {
    const other = aTask("b", { checks: [], checklist: [{ item: "b" }], attempts: 1 })
    const failed = raced({}, {}, other).after(...proves("a-try-2"), ...wholeProven, ...fails("b"), revisited())
    assert.deepStrictEqual([failed.run.status, ...failed.statuses("a", "b")], ["incomplete", "completed", "failed"])
    const again = failed.after(resume())
    assert.deepStrictEqual(again.orders, ["attempt/b/2/1"])
    assert.deepStrictEqual(again.statuses(...tries), ["skipped", "completed", "skipped"])

    const stopped = raced().after(start("a-try-1"), start("a-try-2"), cancel())
    const resumed = stopped.after(resume())
    assert.sameMembers([...resumed.orders], ["attempt/a-try-1/2/1", "attempt/a-try-2/2/1", "attempt/a-try-3/1/1"])
  })

  it.each<{ name: string; spec: Partial<TaskSpec>; over: Partial<RunConfig>; orders: Array<string> }>([
    {
      name: "one task says so",
      spec: { attempts: 2 },
      over: { attempts: 1 },
      orders: ["attempt/a-try-1/1", "attempt/a-try-2/1"]
    },
    { name: "one task says that it is attempted once", spec: { attempts: 1 }, over: {}, orders: ["attempt/a/1"] },
    { name: "somebody asked that it is split", spec: { chunk: "asked" }, over: {}, orders: ["analyzer-heuristic/a/0"] }
  ])("given that $name, then that holds for it", ({ orders, over, spec }) => {
    assert.sameOrderedMembers([...raced(spec, over).orders], [...orders])
  })

  it("given no repository, or nothing that tells who wins, then it is attempted once, and said so", () => {
    const nowhere = played(judge).after(aRun([aTask("a", { checks: [], checklist: [{ item }] })], config))
    assert.deepInclude(nowhere.content("CHUNKING_SKIPPED"), { reason: "attempts_need_repository" })
    assert.deepStrictEqual(nowhere.orders, ["attempt/a/1"])
    const unjudged = raced({ checklist: [] })
    assert.deepInclude(unjudged.content("CHUNKING_SKIPPED"), { reason: "attempts_unjudged" })
    assert.deepStrictEqual(unjudged.orders, ["attempt/a/1"])
  })

  it("given a task with the id that one of them would get, then it is attempted once, and said so", () => {
    const play = raced({}, {}, aTask("a-try-2", { checks: [], checklist: [{ item: "b" }], attempts: 1 }))
    assert.deepInclude(play.content("CHUNKING_SKIPPED"), {
      parent_task_id: "a",
      reason: "attempts_ids_taken",
      message: "Tasks of the run have the ids that its attempts would get: a-try-2."
    })
    assert.sameMembers([...play.orders], ["attempt/a/1", "attempt/a-try-2/1"])
  })
})

describe("given attempts whose report is refused, and two retries", () => {
  const refused = (id: string, attempt: number) => [
    start(id, attempt),
    endReporting(id, attempt, [done(item)]),
    evidence(id, attempt)
  ]
  const over = { attempts: 2, max_retries: 2, retry_delay_ms: 0, ...chunking() }
  const plain = { ...over, attempts_looped: false }

  it("then each is tried again by itself, as often as max_retries says", () => {
    const ids = ["a-try-1", "a-try-2"]
    const play = raced({}, plain).after(...ids.flatMap((id) => [1, 2, 3].flatMap((attempt) => refused(id, attempt))))
    assert.deepStrictEqual(play.statuses("a", ...ids), ["failed", "failed", "failed"])
  })

  it("when the task is attempted once, then that is tried again as often, and waits as long, as without them", () => {
    const nowhere = played(judge).after(
      aRun([aTask("a", { checks: [], checklist: [{ item }] })], { ...config, ...plain, retry_delay_ms: 70 })
    )
    const again = nowhere.after(...refused("a", 1))
    assert.deepInclude(again.content("TASK_STATUS_CHANGED"), { retry_count: 1, delay_ms: 70 })
    assert.deepStrictEqual(again.after(...refused("a", 2), ...refused("a", 3)).statuses("a"), ["failed"])
  })

  it("when a log of before says nothing of that, then they are in a review loop, as they were", () => {
    const begun = raced({}, over).after(start("a-try-1"))
    assert.deepInclude(begun.content("REVIEW_LOOP_START"), { task_id: "a-try-1" })
    const again = begun.after(...refused("a-try-1", 1).slice(1)).task("a-try-1")
    assert.deepInclude(again, { status: "retrying", retry_count: 0 })
  })
})

describe("given one of several attempts is proven and cannot be put in", () => {
  const stuck = raced().after(
    ...proves("a-try-2"),
    aggregated({ outcome: "conflict", conflicts: [{ file: "a.ts", sources: ["a-try-2"] }] }, { task_id: "a" })
  )

  it("then no other one is taken up by itself, and of the whole the proven one is put in again", () => {
    assert.strictEqual(stuck.task("a").status, "failed")
    assert.strictEqual(stuck.when(resumeFor(["a-try-1"])).code, "task_overtaken")
    const again = stuck.after(resumeFor(["a"]))
    assert.deepStrictEqual(again.orders, ["aggregation/a/0/1"])
    assert.deepStrictEqual(
      again.content("RUN_RESUMED").reopened.map(({ task_id }) => task_id),
      ["a"]
    )
  })

  it("then all of them are taken up again where none was proven", () => {
    const lost = raced().after(...tries.flatMap(fails))
    assert.sameMembers(
      [...lost.after(resumeFor(["a"])).orders],
      tries.map((id) => `attempt/${id}/2/1`)
    )
    assert.deepStrictEqual(lost.after(resumeFor(["a-try-3"])).orders, ["attempt/a-try-3/2/1"])
  })
})
