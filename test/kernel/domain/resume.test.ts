import { assert, describe, it } from "@effect/vitest"
import { defaultRunConfig, definePlugin, plugin, reject, StartAttempt, Tasks } from "@proofline/kernel"
import { acceptsWeak, aRun, aTask } from "@proofline/kernel/testing"
import { begun, played } from "../support/play.ts"
import {
  activityFailed,
  cancel,
  done,
  end,
  endReporting,
  endTerminal,
  evidence,
  judged,
  resume,
  start,
  verified
} from "../support/words.ts"

const a = aTask("a")
const b = aTask("b", { depends_on: ["a"] })
const c = aTask("c")
const reviewed = { checks: [], validation: ["good"] }
const resumeReviewed = resume({ ...defaultRunConfig, proof: acceptsWeak, reviewer: "critic" })

describe("resuming a run", () => {
  it("is refused when there is none, and when it is completed", () => {
    assert.strictEqual(played().when(resume()).code, "run_unknown")
    const completed = begun([a]).after(start("a"), end("a"), verified("a"))
    assert.strictEqual(completed.when(resume()).code, "run_completed")
  })

  it("takes an attempt that was running as lost, and tries again at once without spending a retry", () => {
    const then = begun([a, b]).after(start("a"), resume())
    assert.deepStrictEqual(then.types, ["RUN_RESUMED", "ATTEMPT_ENDED", "TASK_STATUS_CHANGED"])
    assert.strictEqual(then.content("ATTEMPT_ENDED").outcome, "LOST")
    assert.deepStrictEqual(then.content("RUN_RESUMED").reopened, [])
    assert.strictEqual(then.task("a").retry_count, 0)
    assert.deepStrictEqual(then.orders, ["attempt/a/2/1"])
    assert.deepInclude(then.cancels, { item: "item of a 1" })
  })

  it("fails a task that was lost too often, also by resuming", () => {
    const then = begun([a], { max_lost_attempts: 0 }).after(start("a"), resume())
    assert.strictEqual(then.content("TASK_FAILED").reason, "attempt_lost")
  })

  it("gives a task that was lost too often a new budget of losses too", () => {
    const lost = [start("a"), end("a", 1, "LOST"), start("a", 2), end("a", 2, "LOST")]
    const then = begun([a], { max_lost_attempts: 1 }).after(...lost, resume())
    assert.deepStrictEqual(then.statuses("a"), ["pending"])
    const again = then.after(start("a", 3), end("a", 3, "LOST"))
    assert.strictEqual(again.content("TASK_STATUS_CHANGED").to, "retrying")
  })

  it("asks again, under a new name, for work that had been ordered and not begun", () => {
    const then = begun([a, c]).after(resume())
    assert.deepStrictEqual(then.orders, ["attempt/a/1/1", "attempt/c/1/1"])
    assert.deepInclude(then.cancels, { key: "attempt/a/1" })
    const retrying = begun([a]).after(start("a"), end("a", 1, "ERROR"), resume())
    assert.deepStrictEqual(retrying.delays, [["attempt/a/2/1", 2_000]])
    assert.deepInclude(retrying.cancels, { key: "attempt/a/2" })
  })

  it("asks again only for the judging that was left of an attempt", () => {
    const tasks = [aTask("a", { checklist: [{ item: "one" }], validation: ["good"] })]
    const run = begun(tasks, { reviewer: "critic" }).after(start("a"), endReporting("a", 1, [done("one")]))
    const shown = run.after(evidence("a", 1, 0))
    const twice = shown.after(resume(), resume())
    assert.deepStrictEqual(
      [run.after(resume()), shown.after(resume()), shown.after(verified("a"), resume()), twice].map(
        (one) => one.orders
      ),
      [["evidence/a/1/1"], ["checks/a/1/1"], ["review/a/1/1"], ["checks/a/1/2"]]
    )
    assert.deepInclude(twice.cancels, { key: "checks/a/1/1" })
  })

  it("reopens what failed and what was skipped with a new budget of attempts, and keeps what is completed", () => {
    const fails = [start("a"), end("a", 1, "ERROR"), start("a", 2), end("a", 2, "ERROR")]
    const then = begun([a, b, c], { max_retries: 1 }).after(start("c"), end("c"), verified("c"), ...fails, resume())
    assert.deepStrictEqual(then.types, ["RUN_RESUMED"])
    assert.deepStrictEqual(then.content("RUN_RESUMED").reopened, [
      { task_id: "a", from: "start" },
      { task_id: "b", from: "start" }
    ])
    assert.deepStrictEqual(then.orders, ["attempt/a/3/1"])
    const resumed = then.after(start("a", 3))
    assert.strictEqual(resumed.after(end("a", 3, "ERROR")).content("TASK_STATUS_CHANGED").retry_count, 1)
    const finished = resumed.after(end("a", 3), verified("a", 3), start("b"), end("b"), verified("b"))
    assert.strictEqual(finished.content("RUN_COMPLETED").completed, 3)
    assert.strictEqual(finished.content("TASK_COMPLETED").attempts, 1)
  })

  it("still knows what was refused before, for the next attempt to be told", () => {
    const then = begun([a], { max_retries: 0 }).after(start("a"), end("a", 1, "ERROR"), resume())
    assert.strictEqual(then.task("a").refused?.error?.code, "agent_failed")
  })

  it("reopens what a cancellation or the first failure had skipped", () => {
    const cancelled = begun([a, c]).after(start("a"), cancel(), resume())
    assert.deepStrictEqual(cancelled.orders, ["attempt/a/2/1", "attempt/c/1/1"])
    const stopped = begun([a, c], { fail_fast: true, max_retries: 0 }).after(start("a"), start("c"))
    assert.deepStrictEqual(stopped.after(end("a", 1, "ERROR"), resume()).orders, ["attempt/a/2/1", "attempt/c/2/1"])
  })

  it("closes the breaker: the held task gets its attempt", () => {
    const then = begun([a]).after(start("a"), endTerminal("a"), resume())
    assert.deepStrictEqual(then.orders, ["attempt/a/2/1"])
    assert.include(then.after(start("a", 2), end("a", 2), verified("a", 2)).types, "RUN_COMPLETED")
    // and it opens again when the agent still cannot work
    const held = then.after(start("a", 2), endTerminal("a", 2))
    assert.strictEqual(held.content("RUN_FAILED").reason, "breaker")
  })

  it("runs under the new settings when some are given, else under those of before", () => {
    const held = begun([a], { agent: "one" }).after(start("a", 1, { agent: "one" }), endTerminal("a"))
    assert.strictEqual(held.after(resume({ ...defaultRunConfig, agent: "two" })).run.config.agent, "two")
    assert.strictEqual(held.after(resume()).run.config.agent, "one")
  })

  it("goes on with the judging of an attempt that went well when its run was held", () => {
    const run = begun([a, aTask("c", reviewed)], { reviewer: "command" })
    const then = run.after(start("a"), start("c"), endTerminal("a"), end("c"), resume())
    assert.include(then.orders, "review/c/1/1")
  })
})

describe("resuming with what was unproven", () => {
  const unjudged = begun([aTask("a", { validation: ["good"] })]).after(start("a"), end("a"), verified("a"))

  it("judges the attempt again once there is a reviewer, without another attempt", () => {
    const then = unjudged.after(resumeReviewed)
    const checked = then.after(verified("a"))
    assert.deepStrictEqual([then.orders, checked.orders], [["checks/a/1/1"], ["review/a/1/1"]])
    assert.strictEqual(checked.after(judged("a")).content("TASK_COMPLETED").attempts, 1)
  })

  it("looks at the evidence again: the work may have been changed since", () => {
    const run = begun([aTask("a", { ...reviewed, checklist: [{ item: "one" }] })])
    const shown = [start("a"), endReporting("a", 1, [done("one")]), evidence("a", 1, 0)]
    const then = run.after(...shown, resumeReviewed)
    assert.deepStrictEqual(then.orders, ["evidence/a/1/1"])
    assert.strictEqual(then.after(evidence("a", 1)).content("TASK_STATUS_CHANGED").reason, "payload_mismatch")
  })

  it("is unproven again when there is still no reviewer", () => {
    const then = unjudged.after(resume(), verified("a"))
    assert.deepStrictEqual(then.types, ["VERIFICATION_RUN", "TASK_FAILED", "RUN_INCOMPLETE"])
    assert.strictEqual(then.content("TASK_FAILED").reason, "no_reviewer")
  })

  const judging = begun([aTask("a", reviewed)], { reviewer: "critic" }).after(start("a"), end("a"))

  it("asks again for the review that could not be carried out", () => {
    assert.deepStrictEqual(judging.after(activityFailed("a"), resume()).orders, ["review/a/1/1"])
  })

  it("does not ask for another opinion on an attempt that a review had rejected", () => {
    const rejected = judging.after(judged("a", 1, "REJECT", "No."), activityFailed("a", 2, "attempt"))
    assert.deepStrictEqual(rejected.after(resume()).orders, ["attempt/a/2/1"])
  })

  it("spends nothing of the new budget on an attempt whose checks had failed", () => {
    const failed = [verified("a", 1, []), activityFailed("a", 2, "attempt")]
    const then = begun([a]).after(start("a"), end("a"), ...failed, resume())
    assert.deepStrictEqual(then.types, ["RUN_RESUMED"])
    assert.deepStrictEqual(then.delays, [["attempt/a/2/1", 0]])
  })
})

describe("work that may not be begun", () => {
  const Frozen = plugin("frozen", { state: null, after: [Tasks] })
  const frozen = definePlugin(Frozen, {
    version: "1",
    parts: [Frozen.guard(StartAttempt, () => reject("no", "Nobody starts anything.", "Wait."))]
  })

  it("leaves its task unproven, with the reason of who could not carry it out", () => {
    const run = played(frozen).after(aRun([a, b]))
    assert.strictEqual(run.when(start("a")).code, "no")
    const then = run.after(activityFailed("a", 1, "attempt"))
    assert.deepStrictEqual(then.types, ["ACTIVITY_FAILED", "TASK_FAILED", "TASK_SKIPPED", "RUN_FAILED"])
    const unproven = { attempts: 0, reason: "attempt_failed", verdict: "unproven" } as const
    assert.deepInclude(then.content("TASK_FAILED"), unproven)
  })

  it("takes back whatever else of the task is under way", () => {
    const run = begun([a, c]).after(start("a"))
    const then = run.after(activityFailed("a", 1, "attempt"))
    assert.deepStrictEqual(then.statuses("a"), ["failed"])
    assert.deepInclude(then.cancels, { item: "item of a 1" })
    assert.deepInclude(run.after(end("a"), activityFailed("a", 1, "checks")).cancels, { key: "checks/a/1" })
  })
})

describe("the names of work", () => {
  it("do not clash, however the tasks are called", () => {
    const first = begun(["a", "a/1", "a/1/1", "a%2F1"].map((id) => aTask(id)))
    const second = first.after(resume())
    const keys = [first, second, second.after(resume())].flatMap(({ orders }) => orders)
    assert.strictEqual(new Set(keys).size, 12, keys.join(" "))
  })
})
