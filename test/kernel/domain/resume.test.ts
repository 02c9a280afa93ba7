import { assert, describe, it } from "@effect/vitest"
import { defaultRunConfig, definePlugin, plugin, reject, StartAttempt, Tasks } from "@proofline/kernel"
import { acceptsWeak, aRun, aTask, type Given, given } from "@proofline/kernel/testing"
import { judge } from "../support/judge.ts"
import {
  activityFailed,
  cancel,
  cancelsOf,
  contentOf,
  done,
  end,
  endReporting,
  endTerminal,
  evidence,
  judged,
  resume,
  start,
  stateOf,
  task,
  typesOf,
  verified
} from "../support/words.ts"

const a = aTask("a")
const b = aTask("b", { depends_on: ["a"] })
const keysOf = (then: ReturnType<Given["when"]>) => then.step?.starts.map(({ key }) => key)

describe("resuming a run", () => {
  it("is refused when there is none, and when it is completed", () => {
    assert.strictEqual(given().when(resume()).rejected?.code, "run_unknown")
    const completed = given().after(aRun([a]), start("a"), end("a"), verified("a"))
    assert.strictEqual(completed.when(resume()).rejected?.code, "run_completed")
  })

  it("takes an attempt that was running as lost, and tries again at once without spending a retry", () => {
    const then = given()
      .after(aRun([a, b]), start("a"))
      .when(resume())
    assert.deepStrictEqual(typesOf(then.events), ["RUN_RESUMED", "ATTEMPT_ENDED", "TASK_STATUS_CHANGED"])
    assert.strictEqual(contentOf(then.events, "ATTEMPT_ENDED").outcome, "LOST")
    assert.deepStrictEqual(contentOf(then.events, "RUN_RESUMED").reopened, [])
    assert.strictEqual(task(then.step?.after.state, "a").retry_count, 0)
    assert.deepStrictEqual(keysOf(then), ["attempt/a/2/1"])
    assert.deepInclude(cancelsOf(then.step), { item: "item of a 1" })
  })

  it("fails a task that was lost too often, also by resuming", () => {
    const then = given()
      .after(aRun([a], { max_lost_attempts: 0 }), start("a"))
      .when(resume())
    assert.strictEqual(contentOf(then.events, "TASK_FAILED").reason, "attempt_lost")
  })

  it("gives a task that was lost too often a new budget of losses too", () => {
    const failed = given().after(
      aRun([a], { max_lost_attempts: 1 }),
      start("a"),
      end("a", 1, "LOST"),
      start("a", 2),
      end("a", 2, "LOST")
    )
    assert.strictEqual(task(failed.when(resume()).step?.after.state, "a").status, "pending")
    const { events } = failed.after(resume(), start("a", 3)).when(end("a", 3, "LOST"))
    assert.strictEqual(contentOf(events, "TASK_STATUS_CHANGED").to, "retrying")
  })

  it("asks again, under a new name, for work that had been ordered and not begun", () => {
    const then = given()
      .after(aRun([a, aTask("c")]))
      .when(resume())
    assert.deepStrictEqual(keysOf(then), ["attempt/a/1/1", "attempt/c/1/1"])
    assert.deepInclude(cancelsOf(then.step), { key: "attempt/a/1" })
    const retrying = given()
      .after(aRun([a]), start("a"), end("a", 1, "ERROR"))
      .when(resume())
    assert.deepStrictEqual(
      retrying.step?.starts.map(({ delay_ms, key }) => [key, delay_ms]),
      [["attempt/a/2/1", 2_000]]
    )
    assert.deepInclude(cancelsOf(retrying.step), { key: "attempt/a/2" })
  })

  it("asks again only for the judging that was left of an attempt", () => {
    const run = given([], [judge]).after(
      aRun([aTask("a", { checklist: [{ item: "one" }], validation: ["good"] })], { reviewer: "critic" }),
      start("a"),
      endReporting("a", 1, [done("one")])
    )
    assert.deepStrictEqual(keysOf(run.when(resume())), ["evidence/a/1/1"])
    const shown = run.after(evidence("a", 1, 0))
    assert.deepStrictEqual(keysOf(shown.when(resume())), ["checks/a/1/1"])
    assert.deepStrictEqual(keysOf(shown.after(verified("a")).when(resume())), ["review/a/1/1"])
    const twice = shown.after(resume()).when(resume())
    assert.deepStrictEqual(keysOf(twice), ["checks/a/1/2"])
    assert.deepInclude(cancelsOf(twice.step), { key: "checks/a/1/1" })
  })

  it("reopens what failed and what was skipped with a new budget of attempts, and keeps what is completed", () => {
    const run = given().after(
      aRun([a, b, aTask("c")], { max_retries: 1 }),
      start("c"),
      end("c"),
      verified("c"),
      start("a"),
      end("a", 1, "ERROR"),
      start("a", 2),
      end("a", 2, "ERROR")
    )
    const then = run.when(resume())
    assert.deepStrictEqual(typesOf(then.events), ["RUN_RESUMED"])
    assert.deepStrictEqual(contentOf(then.events, "RUN_RESUMED").reopened, [
      { task_id: "a", from: "start" },
      { task_id: "b", from: "start" }
    ])
    assert.deepStrictEqual(keysOf(then), ["attempt/a/3/1"])
    const resumed = run.after(resume(), start("a", 3))
    assert.strictEqual(contentOf(resumed.when(end("a", 3, "ERROR")).events, "TASK_STATUS_CHANGED").retry_count, 1)
    const finished = resumed.after(end("a", 3), verified("a", 3), start("b"), end("b")).when(verified("b"))
    assert.strictEqual(contentOf(finished.events, "RUN_COMPLETED").completed, 3)
    assert.strictEqual(contentOf(finished.events, "TASK_COMPLETED").attempts, 1)
  })

  it("still knows what was refused before, for the next attempt to be told", () => {
    const { step } = given()
      .after(aRun([a], { max_retries: 0 }), start("a"), end("a", 1, "ERROR"))
      .when(resume())
    assert.strictEqual(task(step?.after.state, "a").refused?.error?.code, "agent_failed")
  })

  it("reopens what a cancellation or the first failure had skipped", () => {
    const cancelled = given().after(aRun([a, aTask("c")]), start("a"), cancel())
    assert.deepStrictEqual(keysOf(cancelled.when(resume())), ["attempt/a/2/1", "attempt/c/1/1"])
    const stopped = given().after(
      aRun([a, aTask("c")], { fail_fast: true, max_retries: 0 }),
      start("a"),
      start("c"),
      end("a", 1, "ERROR")
    )
    assert.deepStrictEqual(keysOf(stopped.when(resume())), ["attempt/a/2/1", "attempt/c/2/1"])
  })

  it("closes the breaker: the held task gets its attempt", () => {
    const held = given().after(aRun([a]), start("a"), endTerminal("a"))
    const then = held.when(resume())
    assert.deepStrictEqual(keysOf(then), ["attempt/a/2/1"])
    const completed = held.after(resume(), start("a", 2), end("a", 2)).when(verified("a", 2))
    assert.include(typesOf(completed.events), "RUN_COMPLETED")
  })

  it("opens the breaker again when the agent still cannot work", () => {
    const then = given()
      .after(aRun([a]), start("a"), endTerminal("a"), resume(), start("a", 2))
      .when(endTerminal("a", 2))
    assert.strictEqual(contentOf(then.events, "RUN_FAILED").reason, "breaker")
  })

  it("runs under the new settings when some are given, else under those of before", () => {
    const held = given().after(aRun([a], { agent: "one" }), start("a", 1, { agent: "one" }), endTerminal("a"))
    const { step } = held.when(resume({ ...defaultRunConfig, agent: "two" }))
    assert.strictEqual(stateOf(step?.after).run.config.agent, "two")
    assert.strictEqual(stateOf(held.when(resume()).step?.after).run.config.agent, "one")
  })

  it("goes on with the judging of an attempt that went well when its run was held", () => {
    const run = given().after(
      aRun([a, aTask("c", { checks: [], validation: ["good"] })], { reviewer: "command" }),
      start("a"),
      start("c"),
      endTerminal("a"),
      end("c")
    )
    assert.include(keysOf(run.when(resume()))?.join(" "), "review/c/1/1")
  })
})

describe("resuming with what was unproven", () => {
  const unjudged = given().after(aRun([aTask("a", { validation: ["good"] })]), start("a"), end("a"), verified("a"))

  it("judges the attempt again once there is a reviewer, without another attempt", () => {
    const reviewed = unjudged.after(resume({ ...defaultRunConfig, proof: acceptsWeak, reviewer: "critic" }))
    const then = unjudged.when(resume({ ...defaultRunConfig, proof: acceptsWeak, reviewer: "critic" }))
    assert.deepStrictEqual(keysOf(then), ["checks/a/1/1"])
    assert.deepStrictEqual(keysOf(reviewed.when(verified("a"))), ["review/a/1/1"])
    const { events } = reviewed.after(verified("a")).when(judged("a"))
    assert.strictEqual(contentOf(events, "TASK_COMPLETED").attempts, 1)
  })

  it("looks at the evidence again: the work may have been changed since", () => {
    const run = given([], [judge]).after(
      aRun([aTask("a", { checks: [], checklist: [{ item: "one" }], validation: ["good"] })]),
      start("a"),
      endReporting("a", 1, [done("one")]),
      evidence("a", 1, 0)
    )
    const again = run.after(resume({ ...defaultRunConfig, proof: acceptsWeak, reviewer: "critic" }))
    assert.deepStrictEqual(keysOf(run.when(resume({ ...defaultRunConfig, proof: acceptsWeak, reviewer: "critic" }))), [
      "evidence/a/1/1"
    ])
    const { events } = again.when(evidence("a", 1))
    assert.strictEqual(contentOf(events, "TASK_STATUS_CHANGED").reason, "payload_mismatch")
  })

  it("is unproven again when there is still no reviewer", () => {
    const { events } = unjudged.after(resume()).when(verified("a"))
    assert.deepStrictEqual(typesOf(events), ["VERIFICATION_RUN", "TASK_FAILED", "RUN_FAILED"])
    assert.strictEqual(contentOf(events, "TASK_FAILED").reason, "no_reviewer")
  })

  it("asks again for the review that could not be carried out", () => {
    const run = given().after(
      aRun([aTask("a", { checks: [], validation: ["good"] })], { reviewer: "critic" }),
      start("a"),
      end("a"),
      activityFailed("a")
    )
    assert.deepStrictEqual(keysOf(run.when(resume())), ["review/a/1/1"])
  })

  it("does not ask for another opinion on an attempt that a review had rejected", () => {
    const run = given().after(
      aRun([aTask("a", { checks: [], validation: ["good"] })], { reviewer: "critic" }),
      start("a"),
      end("a"),
      judged("a", 1, "REJECT", "No."),
      activityFailed("a", 2, "attempt")
    )
    assert.deepStrictEqual(keysOf(run.when(resume())), ["attempt/a/2/1"])
  })

  it("spends nothing of the new budget on an attempt whose checks had failed", () => {
    const run = given().after(aRun([a]), start("a"), end("a"), verified("a", 1, []), activityFailed("a", 2, "attempt"))
    const then = run.when(resume())
    assert.deepStrictEqual(typesOf(then.events), ["RUN_RESUMED"])
    assert.deepStrictEqual(
      then.step?.starts.map(({ delay_ms, key }) => [key, delay_ms]),
      [["attempt/a/2/1", 0]]
    )
  })
})

describe("work that may not be begun", () => {
  const Frozen = plugin("frozen", { state: null, after: [Tasks] })
  const frozen = given(
    [],
    [
      definePlugin(Frozen, {
        version: "1",
        parts: [Frozen.guard(StartAttempt, () => reject("no", "Nobody starts anything.", "Wait."))]
      })
    ]
  )

  it("leaves its task unproven, with the reason of who could not carry it out", () => {
    const run = frozen.after(aRun([a, b]))
    assert.strictEqual(run.when(start("a")).rejected?.code, "no")
    const { events } = run.when(activityFailed("a", 1, "attempt"))
    assert.deepStrictEqual(typesOf(events), ["ACTIVITY_FAILED", "TASK_FAILED", "TASK_SKIPPED", "RUN_FAILED"])
    const { attempts, reason, verdict } = contentOf(events, "TASK_FAILED")
    assert.deepStrictEqual([attempts, reason, verdict], [0, "attempt_failed", "unproven"])
  })

  it("takes back whatever else of the task is under way", () => {
    const run = given().after(aRun([a, aTask("c")]), start("a"))
    const { step } = run.when(activityFailed("a", 1, "attempt"))
    assert.strictEqual(task(step?.after.state, "a").status, "failed")
    assert.deepInclude(cancelsOf(step), { item: "item of a 1" })
    const checking = run.after(end("a")).when(activityFailed("a", 1, "checks"))
    assert.deepInclude(cancelsOf(checking.step), { key: "checks/a/1" })
  })
})

describe("the names of work", () => {
  it("do not clash, however the tasks are called", () => {
    const run = given().after(aRun([aTask("a"), aTask("a/1"), aTask("a/1/1"), aTask("a%2F1")]))
    const first = given().when(aRun([aTask("a"), aTask("a/1"), aTask("a/1/1"), aTask("a%2F1")])).step?.starts ?? []
    const second = run.when(resume()).step?.starts ?? []
    const third = run.after(resume()).when(resume()).step?.starts ?? []
    const keys = [...first, ...second, ...third].map(({ key }) => key)
    assert.strictEqual(new Set(keys).size, 12, keys.join(" "))
  })
})
