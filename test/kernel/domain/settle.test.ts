import { assert, describe, it } from "@effect/vitest"
import { isLineFact, type RunConfig, type TaskSpec } from "@proofline/kernel"
import { aRun, aTask, type Given, given } from "@proofline/kernel/testing"
import { judge, judgeBy } from "../support/judge.ts"
import {
  activityFailed,
  check,
  contentOf,
  done,
  end,
  endReporting,
  endTerminal,
  evidence,
  judged,
  resume,
  revisited,
  start,
  task,
  typesOf,
  verified,
  waived
} from "../support/words.ts"

const aAlone = (spec: Partial<TaskSpec> = {}, config: Partial<RunConfig> = {}): Given =>
  given([], [judge]).after(aRun([aTask("a", spec)], config), start("a"))

const keysOf = (then: ReturnType<Given["when"]>) => then.step?.starts.map(({ key }) => key)

describe("an attempt that ended well", () => {
  it("is checked, and completes its task when every check passes", () => {
    const run = aAlone()
    assert.deepStrictEqual(keysOf(run.when(end("a"))), ["checks/a/1"])
    const { events } = run.after(end("a")).when(verified("a"))
    assert.deepStrictEqual(typesOf(events), ["VERIFICATION_RUN", "TASK_COMPLETED", "RUN_COMPLETED"])
    assert.deepStrictEqual(contentOf(events, "TASK_COMPLETED"), {
      task_id: "a",
      attempts: 1,
      proven: 0,
      waived: 0,
      verdict: "weak"
    })
    assert.deepInclude(contentOf(events, "RUN_COMPLETED"), {
      total: 1,
      completed: 1,
      failed: 0,
      skipped: 0,
      proven: 0,
      waived: 0
    })
  })

  it("goes from evidence to checks to review, one after the other", () => {
    const run = aAlone({ checklist: [{ item: "one" }], validation: ["good"] }, { reviewer: "critic" })
    const reported = run.after(endReporting("a", 1, [done("one")]))
    const shown = reported.after(evidence("a", 1, 0))
    const checked = shown.after(verified("a"))
    assert.deepStrictEqual(keysOf(run.when(endReporting("a", 1, [done("one")]))), ["evidence/a/1"])
    assert.deepStrictEqual(keysOf(reported.when(evidence("a", 1, 0))), ["checks/a/1"])
    assert.deepStrictEqual(keysOf(shown.when(verified("a"))), ["review/a/1"])
    const { events, step } = checked.when(judged("a"))
    assert.deepStrictEqual(typesOf(events), ["QUALITY_JUDGMENT", "TASK_COMPLETED", "RUN_ENDING"])
    assert.deepStrictEqual(
      step?.starts.map(({ key }) => key),
      ["evidence_again//0"]
    )
    const ended = checked.after(judged("a")).when(revisited()).events
    assert.deepStrictEqual(typesOf(ended), ["EVIDENCE_REVISITED", "RUN_COMPLETED"])
    assert.strictEqual(contentOf(ended, "RUN_COMPLETED").proven, 1)
  })

  it("does the work of judging before work not begun, whatever the chain lengths", () => {
    const chain = [aTask("x"), aTask("y", { depends_on: ["x"] }), aTask("z", { depends_on: ["y"] }), aTask("a")]
    const run = given().after(aRun(chain), start("a"))
    const [judging] = run.when(end("a")).step?.starts ?? []
    const attempt = given()
      .when(aRun(chain))
      .step?.starts.find(({ task_id }) => task_id === "x")
    assert.isAbove(judging?.priority ?? 0, attempt?.priority ?? 0)
  })

  it("is refused when an item is not shown: the task is tried again with what was wrong", () => {
    const run = aAlone({ checklist: [{ item: "one" }, { item: "two" }] }).after(
      endReporting("a", 1, [done("one"), done("two")])
    )
    const { events, step } = run.when(evidence("a", 1, 0))
    assert.deepStrictEqual(typesOf(events), [
      "EVIDENCE_CHECKED",
      "CHECKLIST_ITEM_ACCEPTED",
      "CHECKLIST_ITEM_REJECTED",
      "TASK_STATUS_CHANGED"
    ])
    assert.deepStrictEqual(contentOf(events, "TASK_STATUS_CHANGED"), {
      task_id: "a",
      from: "in_progress",
      to: "retrying",
      reason: "payload_mismatch",
      retry_count: 1,
      delay_ms: 2_000
    })
    assert.deepStrictEqual(
      task(step?.after.state, "a").refused?.failures.map(({ item }) => item),
      ["two"]
    )
    assert.deepStrictEqual(
      step?.starts.map(({ delay_ms, key }) => [key, delay_ms]),
      [["attempt/a/2", 2_000]]
    )
  })

  it("is refused when an item stays open although no failure was recorded for it", () => {
    const silent = judgeBy(() => ({ accepted: [], rejected: [] }))
    const run = given([], [silent]).after(
      aRun([aTask("a", { checklist: [{ item: "one" }] })]),
      start("a"),
      endReporting("a", 1, [done("one")])
    )
    assert.deepStrictEqual(keysOf(run.when(evidence("a", 1, 0))), ["checks/a/1"])
    const { events } = run.after(evidence("a", 1, 0)).when(verified("a"))
    assert.strictEqual(contentOf(events, "TASK_STATUS_CHANGED").reason, "checklist_item_pending")
  })

  it("forgets what an earlier attempt had shown, also when nothing is said about it", () => {
    const brief = judgeBy((_, facts) => ({
      accepted: facts.filter(isLineFact).map(({ evidence, index, receipt }) => ({
        index,
        item: "one",
        status: "done",
        verdict: "proven",
        evidence,
        reason: null,
        receipt,
        weak: []
      })),
      rejected: []
    }))
    const run = given([], [brief]).after(
      aRun([aTask("a", { checklist: [{ item: "one" }] })]),
      start("a"),
      endReporting("a", 1, [done("one")]),
      evidence("a", 1, 0),
      verified("a", 1, [check(1)]),
      start("a", 2),
      endReporting("a", 2, [done("one")]),
      evidence("a", 2)
    )
    assert.strictEqual(
      contentOf(run.when(verified("a", 2)).events, "TASK_STATUS_CHANGED").reason,
      "checklist_item_pending"
    )
  })

  it("judges items anew at every attempt: what an earlier one had shown does not count", () => {
    const run = aAlone({ checks: [], checklist: [{ item: "one" }, { item: "two" }] }).after(
      endReporting("a", 1, [done("one"), done("two")]),
      evidence("a", 1, 0),
      start("a", 2),
      endReporting("a", 2, [done("two")])
    )
    const { events, step } = run.when(evidence("a", 2, 1))
    assert.include(typesOf(events), "TASK_STATUS_CHANGED")
    assert.strictEqual(task(step?.after.state, "a").items[0]?.verdict, "refuted")
    assert.strictEqual(task(step?.after.state, "a").items[1]?.verdict, "proven")
  })

  it("completes with items waived, and says so", () => {
    const run = aAlone({ checks: [], checklist: [{ item: "one" }, { item: "two" }] }).after(
      endReporting("a", 1, [waived("one"), done("two")])
    )
    const { events, step } = run.when(evidence("a", 1, 1))
    assert.deepStrictEqual(contentOf(events, "TASK_COMPLETED"), { task_id: "a", attempts: 1, proven: 1, waived: 1 })
    assert.strictEqual(task(step?.after.state, "a").verdict, "proven")
    const ended = run.after(evidence("a", 1, 1)).when(revisited()).events
    assert.strictEqual(contentOf(ended, "RUN_COMPLETED").waived, 1)
  })

  it("is refused when a check fails, was killed, ran out of time or was not run at all", () => {
    const told = (checks: ReturnType<typeof verified>["checks"]) => {
      const { events } = aAlone({}, { max_retries: 0 })
        .after(end("a"))
        .when(verified("a", 1, checks))
      assert.isFalse(contentOf(events, "VERIFICATION_RUN").passed)
      const { message, reason, verdict } = contentOf(events, "TASK_FAILED")
      assert.deepStrictEqual([reason, verdict], ["checks_failed", "refuted"])
      return message
    }
    assert.strictEqual(told([check(), check(7)]), "Checks failed: `true` exited with 7.")
    assert.strictEqual(told([check(null, { signal: "SIGKILL" })]), "Checks failed: `true` was ended by SIGKILL.")
    assert.strictEqual(told([check(null, { timed_out: true })]), "Checks failed: `true` ran out of time.")
    assert.strictEqual(told([check(0, { timed_out: true })]), "Checks failed: `true` ran out of time.")
    assert.strictEqual(told([]), "Checks failed: `true` was not run.")
  })

  it("is refused when one of several checks was not run, of the task or of an item", () => {
    const checks = { checks: ["true", "test -f x"], checklist: [{ item: "one", check: "grep y" }] }
    const shown = aAlone(checks, { max_retries: 0 }).after(endReporting("a", 1, [done("one")]), evidence("a", 1, 0))
    const all = [check(), check(0, { command: "test -f x" }), check(0, { command: "grep y", item_index: 0 })]
    assert.include(typesOf(shown.when(verified("a", 1, all)).events), "TASK_COMPLETED")
    for (const left of all) {
      const { events } = shown.when(
        verified(
          "a",
          1,
          all.filter((run) => run !== left)
        )
      )
      assert.strictEqual(contentOf(events, "TASK_FAILED").message, `Checks failed: \`${left.command}\` was not run.`)
    }
  })

  it("is refused when the same command was run for the task and not for the item", () => {
    const run = aAlone({ checks: ["true"], checklist: [{ item: "one", check: "true" }] }, { max_retries: 0 })
    const shown = run.after(endReporting("a", 1, [done("one")]), evidence("a", 1, 0))
    const { events } = shown.when(verified("a", 1, [check(), check()]))
    assert.strictEqual(contentOf(events, "TASK_FAILED").message, "Checks failed: `true` was not run.")
  })

  it("has an item refuted by the item's own check, though its evidence held", () => {
    const run = aAlone({ checks: [], checklist: [{ item: "one", check: "grep y" }] }).after(
      endReporting("a", 1, [done("one")]),
      evidence("a", 1, 0)
    )
    const { events, step } = run.when(verified("a", 1, [check(1, { command: "grep y", item_index: 0 })]))
    assert.strictEqual(contentOf(events, "TASK_STATUS_CHANGED").reason, "checks_failed")
    assert.strictEqual(task(step?.after.state, "a").items[0]?.verdict, "refuted")
  })

  it("is refused by a review that rejects it, with what the reviewer wants, and by one that asks for a retry", () => {
    const asked = { checks: [], validation: ["good"] }
    const run = aAlone(asked, { reviewer: "critic", max_retries: 0 }).after(end("a"))
    const rejected = contentOf(run.when(judged("a", 1, "REJECT", "Name things better.")).events, "TASK_FAILED")
    assert.deepStrictEqual([rejected.reason, rejected.message], ["review_rejected", "Name things better."])
    const retried = contentOf(run.when(judged("a", 1, "RETRY")).events, "TASK_FAILED")
    assert.deepStrictEqual([retried.reason, retried.message], ["review_retry", "The reviewer critic answered RETRY."])
    const again = aAlone(asked, { reviewer: "critic" })
      .after(end("a"))
      .when(judged("a", 1, "REJECT"))
    assert.strictEqual(contentOf(again.events, "TASK_STATUS_CHANGED").to, "retrying")
  })

  it("is unproven when its validation has no reviewer, with no retry spent", () => {
    const { events } = aAlone({ checks: [], validation: ["good"] }).when(end("a"))
    const { reason, verdict } = contentOf(events, "TASK_FAILED")
    assert.deepStrictEqual([reason, verdict], ["no_reviewer", "unproven"])
  })

  it("is unproven when there is nothing to prove", () => {
    const { events } = aAlone({ checks: [] }).when(end("a"))
    const { reason, verdict } = contentOf(events, "TASK_FAILED")
    assert.deepStrictEqual([reason, verdict], ["nothing_to_prove", "unproven"])
    assert.strictEqual(contentOf(events, "RUN_FAILED").reason, "failed")
  })

  it("is unproven when what should judge it cannot be carried out", () => {
    const run = aAlone({ checks: [], validation: ["good"] }, { reviewer: "critic" }).after(end("a"))
    const { events } = run.when(activityFailed("a"))
    const { message, reason, verdict } = contentOf(events, "TASK_FAILED")
    assert.deepStrictEqual([message, reason, verdict], ["The review broke.", "review_failed", "unproven"])
  })
})

describe("an attempt that ended badly", () => {
  it("is tried again after 2,000 ms, then after 3,000 ms, then the task has failed", () => {
    let run = aAlone()
    for (const [attempt, delay] of [
      [1, 2_000],
      [2, 3_000]
    ] as const) {
      const then = run.when(end("a", attempt, "ERROR"))
      assert.strictEqual(contentOf(then.events, "TASK_STATUS_CHANGED").delay_ms, delay)
      assert.deepStrictEqual(
        then.step?.starts.map((work) => [work.key, work.delay_ms]),
        [[`attempt/a/${attempt + 1}`, delay]]
      )
      run = run.after(end("a", attempt, "ERROR"), start("a", attempt + 1))
    }
    const { events } = run.when(end("a", 3, "ERROR"))
    assert.deepStrictEqual(contentOf(events, "TASK_FAILED"), {
      task_id: "a",
      attempts: 3,
      verdict: "refuted",
      reason: "agent_failed",
      message: "It broke."
    })
    assert.strictEqual(contentOf(events, "RUN_FAILED").reason, "failed")
  })

  for (const outcome of ["ERROR", "TIMEOUT", "INCOMPLETE"] as const) {
    it(`is not tried again when the run does not retry on ${outcome}`, () => {
      const others = (["ERROR", "TIMEOUT", "INCOMPLETE"] as const).filter((other) => other !== outcome)
      const without = aAlone({}, { retry_on: others }).when(end("a", 1, outcome))
      assert.include(typesOf(without.events), "TASK_FAILED")
      const only = aAlone({}, { retry_on: [outcome] }).when(end("a", 1, outcome))
      assert.include(typesOf(only.events), "TASK_STATUS_CHANGED")
    })
  }

  it("counts a refused claim as INCOMPLETE for the retry conditions", () => {
    const { events } = aAlone({}, { retry_on: ["ERROR", "TIMEOUT"] })
      .after(end("a"))
      .when(verified("a", 1, [check(1)]))
    assert.include(typesOf(events), "TASK_FAILED")
  })

  it("says why when there is no error to tell of", () => {
    const { events } = aAlone({}, { max_retries: 0 }).when(end("a", 1, "TIMEOUT"))
    const { message, reason } = contentOf(events, "TASK_FAILED")
    assert.deepStrictEqual([reason, message], ["timeout", "The attempt ended as TIMEOUT."])
  })

  it("is tried again at once when it was lost, spending no retry", () => {
    const { events, step } = aAlone().when(end("a", 1, "LOST"))
    const { delay_ms, reason, retry_count, to } = contentOf(events, "TASK_STATUS_CHANGED")
    assert.deepStrictEqual([delay_ms, reason, retry_count, to], [0, "attempt_lost", 0, "retrying"])
    assert.deepStrictEqual(step?.cancels, [{ item: "item of a 1" }])
    assert.isNull(task(step?.after.state, "a").refused)
  })

  it("fails the task when more attempts are lost than the run allows", () => {
    const lostOnce = aAlone({}, { max_lost_attempts: 1 }).after(end("a", 1, "LOST"), start("a", 2))
    const { events } = lostOnce.when(end("a", 2, "LOST"))
    assert.strictEqual(contentOf(events, "TASK_FAILED").reason, "attempt_lost")
    const never = aAlone({}, { max_lost_attempts: 0 }).when(end("a", 1, "LOST"))
    assert.include(typesOf(never.events), "TASK_FAILED")
  })

  it("keeps what was refused before when a later attempt is lost", () => {
    const { step } = aAlone()
      .after(end("a", 1, "ERROR"), start("a", 2))
      .when(end("a", 2, "LOST"))
    assert.strictEqual(task(step?.after.state, "a").refused?.attempt, 1)
  })
})

describe("a terminal error", () => {
  it("opens the agent's breaker: the attempt costs no retry, and the run stops when nothing else runs", () => {
    const { events, step } = aAlone().when(endTerminal("a"))
    assert.deepStrictEqual(typesOf(events), [
      "ATTEMPT_ENDED",
      "CHECKLIST_REPORTED",
      "TASK_STATUS_CHANGED",
      "RUN_FAILED"
    ])
    const { from, retry_count, to } = contentOf(events, "TASK_STATUS_CHANGED")
    assert.deepStrictEqual([from, retry_count, to], ["in_progress", 0, "pending"])
    assert.deepInclude(contentOf(events, "RUN_FAILED"), {
      total: 1,
      completed: 0,
      failed: 0,
      skipped: 0,
      reason: "breaker",
      message: "Agent command cannot work: No quota is left."
    })
    assert.deepStrictEqual(step?.starts, [])
  })

  const two = given().after(aRun([aTask("a"), aTask("b")]), start("a"), start("b"))

  it("lets what already runs end, then stops the run", () => {
    const waiting = two.when(endTerminal("a"))
    assert.notInclude(typesOf(waiting.events), "RUN_FAILED")
    const held = two.after(endTerminal("a"), end("b"))
    assert.deepStrictEqual(typesOf(held.when(verified("b")).events), [
      "VERIFICATION_RUN",
      "TASK_COMPLETED",
      "RUN_FAILED"
    ])
  })

  it("stops the run also when what still runs would have to be tried again", () => {
    for (const outcome of ["ERROR", "LOST"] as const) {
      const { events, step } = two.after(endTerminal("a")).when(end("b", 1, outcome))
      assert.strictEqual(contentOf(events, "RUN_FAILED").reason, "breaker", outcome)
      assert.deepStrictEqual(step?.starts, [])
    }
  })

  it("stops the run also when what still runs would have to be reviewed by the same agent", () => {
    const reviewed = given().after(
      aRun([aTask("a"), aTask("b", { checks: [], validation: ["good"] })], { reviewer: "command" }),
      start("a"),
      start("b"),
      endTerminal("a")
    )
    const { events } = reviewed.when(end("b"))
    assert.strictEqual(contentOf(events, "RUN_FAILED").reason, "breaker")
    const again = reviewed.after(end("b")).when(resume())
    assert.deepStrictEqual(keysOf(again), ["attempt/a/2/1", "review/b/1/1"])
  })

  it("lets another agent's review go on", () => {
    const reviewed = given().after(
      aRun([aTask("a"), aTask("b", { checks: [], validation: ["good"] })], { reviewer: "critic" }),
      start("a"),
      start("b"),
      endTerminal("a")
    )
    const then = reviewed.when(end("b"))
    assert.deepStrictEqual(keysOf(then), ["review/b/1"])
    assert.notInclude(typesOf(then.events), "RUN_FAILED")
  })

  it("leaves tasks that wait for the held one open: they are neither failed nor skipped", () => {
    const { events } = given()
      .after(aRun([aTask("a"), aTask("b", { depends_on: ["a"] })]), start("a"))
      .when(endTerminal("a"))
    assert.notInclude(typesOf(events), "TASK_SKIPPED")
    assert.strictEqual(contentOf(events, "RUN_FAILED").skipped, 0)
  })
})

describe("settling", () => {
  it("does nothing when nothing is to be settled", () => {
    const run = given().after(aRun([aTask("a")]))
    for (const [what, settled] of Object.entries({
      unknown: run.when({ _tag: "SettleAttempt", task_id: "z" }),
      pending: run.when({ _tag: "SettleAttempt", task_id: "a" }),
      running: run.after(start("a")).when({ _tag: "SettleAttempt", task_id: "a" }),
      unchecked: run.after(start("a"), end("a")).when({ _tag: "SettleAttempt", task_id: "a" }),
      completed: run.after(start("a"), end("a"), verified("a")).when({ _tag: "SettleAttempt", task_id: "a" })
    })) {
      assert.isNull(settled.rejected, what)
      assert.deepStrictEqual(settled.events, [], what)
    }
  })
})
