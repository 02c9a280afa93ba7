import { assert, describe, it } from "@effect/vitest"
import { gateMessages, isLineFact, type RunConfig, type TaskSpec } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { judgeBy } from "../support/judge.ts"
import { begun, type Played, played } from "../support/play.ts"
import {
  activityFailed,
  check,
  done,
  end,
  endReporting,
  endTerminal,
  evidence,
  judged,
  resume,
  revisited,
  start,
  verified,
  waived
} from "../support/words.ts"

/** The first attempt of the only task has begun. */
const aAlone = (spec: Partial<TaskSpec> = {}, config: Partial<RunConfig> = {}): Played =>
  begun([aTask("a", spec)], config).after(start("a"))

const one = [{ item: "one" }]
const two = [...one, { item: "two" }]
const reviewed = { checks: [], validation: ["good"] }

/** Everything of the first attempt of `a` is reported as done. */
const reports = (attempt = 1, ...items: ReadonlyArray<string>) => endReporting("a", attempt, items.map(done))

describe("an attempt that ended well", () => {
  it("is checked, and completes its task when every check passes", () => {
    const ended = aAlone().after(end("a"))
    assert.deepStrictEqual(ended.orders, ["checks/a/1"])
    const then = ended.after(verified("a"))
    assert.deepStrictEqual(then.types, ["VERIFICATION_RUN", "TASK_COMPLETED", "RUN_COMPLETED"])
    const counts = { proven: 0, waived: 0 }
    assert.deepStrictEqual(then.content("TASK_COMPLETED"), { task_id: "a", attempts: 1, ...counts, verdict: "weak" })
    assert.deepInclude(then.content("RUN_COMPLETED"), { total: 1, completed: 1, failed: 0, skipped: 0, ...counts })
  })

  it("goes from evidence to checks to review, one after the other", () => {
    const reported = aAlone({ checklist: one, validation: ["good"] }, { reviewer: "critic" }).after(reports(1, "one"))
    const shown = reported.after(evidence("a", 1, 0))
    const checked = shown.after(verified("a"))
    const accepted = checked.after(judged("a"))
    assert.deepStrictEqual(
      [reported, shown, checked, accepted].map(({ orders }) => orders),
      [["evidence/a/1"], ["checks/a/1"], ["review/a/1"], ["evidence_again//0"]]
    )
    assert.deepStrictEqual(accepted.types, ["QUALITY_JUDGMENT", "TASK_COMPLETED", "RUN_ENDING"])
    const ended = accepted.after(revisited())
    assert.deepStrictEqual(ended.types, ["EVIDENCE_REVISITED", "RUN_COMPLETED"])
    assert.strictEqual(ended.content("RUN_COMPLETED").proven, 1)
  })

  it("does the work of judging before work not begun, whatever the chain lengths", () => {
    const chain = [aTask("x"), aTask("y", { depends_on: ["x"] }), aTask("z", { depends_on: ["y"] }), aTask("a")]
    const run = begun(chain)
    const [judging] = run.after(start("a"), end("a")).starts
    const attempt = run.starts.find(({ task_id }) => task_id === "x")
    assert.isAbove(judging?.priority ?? 0, attempt?.priority ?? 0)
  })

  it("is refused when an item is not shown: the task is tried again with what was wrong", () => {
    const then = aAlone({ checklist: two }).after(reports(1, "one", "two"), evidence("a", 1, 0))
    assert.deepStrictEqual(then.types, [
      "EVIDENCE_CHECKED",
      "CHECKLIST_ITEM_ACCEPTED",
      "CHECKLIST_ITEM_REJECTED",
      "TASK_STATUS_CHANGED"
    ])
    assert.deepStrictEqual(then.content("TASK_STATUS_CHANGED"), {
      task_id: "a",
      from: "in_progress",
      to: "retrying",
      reason: "payload_mismatch",
      retry_count: 1,
      delay_ms: 2_000
    })
    assert.deepStrictEqual(
      then.task("a").refused?.failures.map(({ item }) => item),
      ["two"]
    )
    assert.deepStrictEqual(then.delays, [["attempt/a/2", 2_000]])
  })

  it("is refused when an item stays open although no failure was recorded for it", () => {
    const silent = judgeBy(() => ({ accepted: [], rejected: [] }))
    const shown = played(silent).after(
      aRun([aTask("a", { checklist: one })]),
      start("a"),
      reports(1, "one"),
      evidence("a", 1, 0)
    )
    assert.deepStrictEqual(shown.orders, ["checks/a/1"])
    const { reason } = shown.after(verified("a")).content("TASK_STATUS_CHANGED")
    assert.strictEqual(reason, "checklist_item_pending")
  })

  it("forgets what an earlier attempt had shown, also when nothing is said about it", () => {
    const said = { index: 0, item: "one", status: "done", verdict: "proven", reason: null, weak: [] } as const
    const brief = judgeBy((_, facts) => ({
      accepted: facts.filter(isLineFact).map(({ evidence, receipt }) => ({ ...said, evidence, receipt })),
      rejected: []
    }))
    const then = played(brief).after(
      aRun([aTask("a", { checklist: one })]),
      start("a"),
      reports(1, "one"),
      evidence("a", 1, 0),
      verified("a", 1, [check(1)]),
      start("a", 2),
      reports(2, "one"),
      evidence("a", 2),
      verified("a", 2)
    )
    assert.strictEqual(then.content("TASK_STATUS_CHANGED").reason, "checklist_item_pending")
  })

  it("judges items anew at every attempt: what an earlier one had shown does not count", () => {
    const first = aAlone({ checks: [], checklist: two }).after(reports(1, "one", "two"), evidence("a", 1, 0))
    const then = first.after(start("a", 2), reports(2, "two"), evidence("a", 2, 1))
    assert.include(then.types, "TASK_STATUS_CHANGED")
    assert.deepStrictEqual(then.verdicts("a"), ["refuted", "proven"])
  })

  it("completes with items waived, and says so", () => {
    const run = aAlone({ checks: [], checklist: two }).after(endReporting("a", 1, [waived("one"), done("two")]))
    const then = run.after(evidence("a", 1, 1))
    assert.deepStrictEqual(then.content("TASK_COMPLETED"), { task_id: "a", attempts: 1, proven: 1, waived: 1 })
    assert.strictEqual(then.task("a").verdict, "proven")
    assert.strictEqual(then.after(revisited()).content("RUN_COMPLETED").waived, 1)
  })

  it.each([
    ["fails", [check(), check(7)], "exited with 7"],
    ["was killed", [check(null, { signal: "SIGKILL" })], "was ended by SIGKILL"],
    ["ran out of time", [check(null, { timed_out: true })], "ran out of time"],
    ["exited after its time", [check(0, { timed_out: true })], "ran out of time"],
    ["was not run at all", [], "was not run"]
  ])("is refused when a check %s", (_, checks, what) => {
    const then = aAlone({}, { max_retries: 0 }).after(end("a"), verified("a", 1, checks))
    assert.isFalse(then.content("VERIFICATION_RUN").passed)
    const message = `Checks failed: \`true\` ${what}.`
    assert.deepInclude(then.content("TASK_FAILED"), { reason: "checks_failed", verdict: "refuted", message })
  })

  it("is refused when one of several checks was not run, of the task or of an item", () => {
    const checks = { checks: ["true", "test -f x"], checklist: [{ item: "one", check: "grep y" }] }
    const shown = aAlone(checks, { max_retries: 0 }).after(reports(1, "one"), evidence("a", 1, 0))
    const all = [check(), check(0, { command: "test -f x" }), check(0, { command: "grep y", item_index: 0 })]
    assert.include(shown.after(verified("a", 1, all)).types, "TASK_COMPLETED")
    for (const left of all) {
      const others = all.filter((run) => run !== left)
      const { message } = shown.after(verified("a", 1, others)).content("TASK_FAILED")
      assert.strictEqual(message, `Checks failed: \`${left.command}\` was not run.`)
    }
  })

  it("is refused when the same command was run for the task and not for the item", () => {
    const run = aAlone({ checks: ["true"], checklist: [{ item: "one", check: "true" }] }, { max_retries: 0 })
    const then = run.after(reports(1, "one"), evidence("a", 1, 0), verified("a", 1, [check(), check()]))
    assert.strictEqual(then.content("TASK_FAILED").message, "Checks failed: `true` was not run.")
  })

  it("has an item refuted by the item's own check, though its evidence held", () => {
    const then = aAlone({ checks: [], checklist: [{ item: "one", check: "grep y" }] }).after(
      reports(1, "one"),
      evidence("a", 1, 0),
      verified("a", 1, [check(1, { command: "grep y", item_index: 0 })])
    )
    assert.strictEqual(then.content("TASK_STATUS_CHANGED").reason, "checks_failed")
    assert.deepStrictEqual(then.verdicts("a"), ["refuted"])
  })

  it("is refused by a review that rejects it, with what the reviewer wants, and by one that asks for a retry", () => {
    const run = aAlone(reviewed, { reviewer: "critic", max_retries: 0 }).after(end("a"))
    const rejected = run.after(judged("a", 1, "REJECT", "Name things better."))
    const wanted = { reason: "review_rejected", message: "Name things better." }
    assert.deepInclude(rejected.content("TASK_FAILED"), wanted)
    const retried = { reason: "review_retry", message: "The reviewer critic answered RETRY." }
    assert.deepInclude(run.after(judged("a", 1, "RETRY")).content("TASK_FAILED"), retried)
    const again = aAlone(reviewed, { reviewer: "critic" }).after(end("a"), judged("a", 1, "REJECT"))
    assert.strictEqual(again.content("TASK_STATUS_CHANGED").to, "retrying")
  })

  it("is unproven when its validation has no reviewer, or nothing is to be proven, with no retry spent", () => {
    const unproven = (spec: Partial<TaskSpec>) => aAlone(spec).after(end("a"))
    const nobody = { reason: "no_reviewer", verdict: "unproven" } as const
    assert.deepInclude(unproven(reviewed).content("TASK_FAILED"), nobody)
    const nothing = { reason: "nothing_to_prove", verdict: "unproven" } as const
    assert.deepInclude(unproven({ checks: [] }).content("TASK_FAILED"), nothing)
    // a proof is missing, not the work: nothing spoke against it
    for (const spec of [reviewed, { checks: [] }]) assert.strictEqual(unproven(spec).types.at(-1), "RUN_INCOMPLETE")
  })

  it.each<readonly [keyof typeof gateMessages, Partial<TaskSpec>, Partial<RunConfig>]>([
    ["nothing_to_prove", { checks: [] }, {}],
    ["no_reviewer", reviewed, {}]
  ])("says why with %s, and in a run that has recorded it with the way out", (key, spec, config) => {
    const failed = (messages: RunConfig["messages"]) =>
      aAlone(spec, { ...config, messages })
        .after(end("a"))
        .content("TASK_FAILED")
    const before = failed({}).message
    assert.deepInclude(failed(gateMessages), { reason: key, message: gateMessages[key] })
    assert.isTrue(gateMessages[key].startsWith(before))
    assert.match(gateMessages[key].slice(before.length), /^ (?:Give|Name)/)
  })

  it("is unproven when what should judge it cannot be carried out", () => {
    const then = aAlone(reviewed, { reviewer: "critic" }).after(end("a"), activityFailed("a"))
    const broken = { message: "The review broke.", reason: "review_failed", verdict: "unproven" } as const
    assert.deepInclude(then.content("TASK_FAILED"), broken)
  })
})

describe("an attempt that ended badly", () => {
  const outcomes = ["ERROR", "TIMEOUT", "INCOMPLETE"] as const

  it("is tried again after 2,000 ms, then after 3,000 ms, then the task has failed", () => {
    const first = aAlone().after(end("a", 1, "ERROR"))
    const second = first.after(start("a", 2), end("a", 2, "ERROR"))
    assert.deepStrictEqual([first.delays, second.delays], [[["attempt/a/2", 2_000]], [["attempt/a/3", 3_000]]])
    for (const [then, delay] of [
      [first, 2_000],
      [second, 3_000]
    ] as const) {
      assert.strictEqual(then.content("TASK_STATUS_CHANGED").delay_ms, delay)
    }
    const third = second.after(start("a", 3), end("a", 3, "ERROR"))
    assert.deepStrictEqual(third.content("TASK_FAILED"), {
      task_id: "a",
      attempts: 3,
      verdict: "refuted",
      reason: "agent_failed",
      message: "It broke."
    })
    assert.strictEqual(third.content("RUN_FAILED").reason, "failed")
  })

  it.each(outcomes)("is not tried again when the run does not retry on %s", (outcome) => {
    const ended = (...retry_on: ReadonlyArray<(typeof outcomes)[number]>) =>
      aAlone({}, { retry_on }).after(end("a", 1, outcome)).types
    assert.include(ended(...outcomes.filter((other) => other !== outcome)), "TASK_FAILED")
    assert.include(ended(outcome), "TASK_STATUS_CHANGED")
  })

  it("counts a refused claim as INCOMPLETE for the retry conditions", () => {
    const run = aAlone({}, { retry_on: ["ERROR", "TIMEOUT"] })
    assert.include(run.after(end("a"), verified("a", 1, [check(1)])).types, "TASK_FAILED")
  })

  it("says why when there is no error to tell of", () => {
    const then = aAlone({}, { max_retries: 0 }).after(end("a", 1, "TIMEOUT"))
    const timeout = { reason: "timeout", message: "The attempt ended as TIMEOUT." }
    assert.deepInclude(then.content("TASK_FAILED"), timeout)
  })

  it("is tried again at once when it was lost, spending no retry", () => {
    const then = aAlone().after(end("a", 1, "LOST"))
    const again = { delay_ms: 0, reason: "attempt_lost", retry_count: 0, to: "retrying" } as const
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), again)
    assert.deepStrictEqual(then.cancels, [{ item: "item of a 1" }])
    assert.isNull(then.task("a").refused)
  })

  it("fails the task when more attempts are lost than the run allows", () => {
    const twice = aAlone({}, { max_lost_attempts: 1 }).after(end("a", 1, "LOST"), start("a", 2), end("a", 2, "LOST"))
    assert.strictEqual(twice.content("TASK_FAILED").reason, "attempt_lost")
    const never = aAlone({}, { max_lost_attempts: 0 }).after(end("a", 1, "LOST"))
    assert.include(never.types, "TASK_FAILED")
  })

  it("keeps what was refused before when a later attempt is lost", () => {
    const then = aAlone().after(end("a", 1, "ERROR"), start("a", 2), end("a", 2, "LOST"))
    assert.strictEqual(then.task("a").refused?.attempt, 1)
  })
})

describe("a terminal error", () => {
  it("opens the agent's breaker: the attempt costs no retry, and the run stops when nothing else runs", () => {
    const then = aAlone().after(endTerminal("a"))
    assert.deepStrictEqual(then.types, ["ATTEMPT_ENDED", "CHECKLIST_REPORTED", "TASK_STATUS_CHANGED", "RUN_FAILED"])
    const held = { from: "in_progress", retry_count: 0, to: "pending" } as const
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), held)
    assert.deepInclude(then.content("RUN_FAILED"), {
      total: 1,
      completed: 0,
      failed: 0,
      skipped: 0,
      reason: "breaker",
      message: "Agent command cannot work: No quota is left."
    })
    assert.deepStrictEqual(then.orders, [])
  })

  /** The agent cannot go on with `a` while it works on `b`. */
  const beside = (b: Partial<TaskSpec> = {}, config: Partial<RunConfig> = {}) =>
    begun([aTask("a"), aTask("b", b)], config).after(start("a"), start("b"), endTerminal("a"))

  it("lets what already runs end, then stops the run", () => {
    assert.notInclude(beside().types, "RUN_FAILED")
    const then = beside().after(end("b"), verified("b"))
    assert.deepStrictEqual(then.types, ["VERIFICATION_RUN", "TASK_COMPLETED", "RUN_FAILED"])
  })

  it("stops the run also when what still runs would have to be tried again", () => {
    for (const outcome of ["ERROR", "LOST"] as const) {
      const then = beside().after(end("b", 1, outcome))
      assert.strictEqual(then.content("RUN_FAILED").reason, "breaker", outcome)
      assert.deepStrictEqual(then.orders, [])
    }
  })

  it("stops the run also when what still runs would have to be reviewed by the same agent", () => {
    const then = beside(reviewed, { reviewer: "command" }).after(end("b"))
    assert.strictEqual(then.content("RUN_FAILED").reason, "breaker")
    assert.deepStrictEqual(then.after(resume()).orders, ["attempt/a/2/1", "review/b/1/1"])
  })

  it("lets another agent's review go on", () => {
    const then = beside(reviewed, { reviewer: "critic" }).after(end("b"))
    assert.deepStrictEqual(then.orders, ["review/b/1"])
    assert.notInclude(then.types, "RUN_FAILED")
  })

  it("leaves tasks that wait for the held one open: they are neither failed nor skipped", () => {
    const then = begun([aTask("a"), aTask("b", { depends_on: ["a"] })]).after(start("a"), endTerminal("a"))
    assert.notInclude(then.types, "TASK_SKIPPED")
    assert.strictEqual(then.content("RUN_FAILED").skipped, 0)
  })
})

describe("settling", () => {
  const run = () => begun([aTask("a")])
  const ended = () => run().after(start("a"), end("a"))

  it.each([
    ["unknown", run, "z"],
    ["pending", run, "a"],
    ["running", () => run().after(start("a")), "a"],
    ["unchecked", ended, "a"],
    ["completed", () => ended().after(verified("a")), "a"]
  ])("does nothing when the task is %s", (_, now, task_id) => {
    assert.deepStrictEqual(now().after({ _tag: "SettleAttempt", task_id }).events, [])
  })
})
