import { assert, describe, it } from "@effect/vitest"
import type { Ablation, CheckRun, RunConfig } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { begun } from "../support/play.ts"
import { check, done, endReporting, evidence, resume, start, verified } from "../support/words.ts"

const run = { exit_code: 1, timed_out: false, duration_ms: 1, output: null }

const ablation = (verdict: Ablation["verdict"], message = `It is ${verdict}.`): Ablation => ({
  verdict,
  message,
  base: run,
  head: null,
  neutralised: null
})

const ofItem = (item_index: number, tried: Ablation | null, over: Partial<CheckRun> = {}): CheckRun =>
  check(0, { command: `check ${item_index}`, item_index, ablation: tried, ...over })

const items = [0, 1].map((n) => ({ item: `item ${n}`, check: `check ${n}`, ablation: true }))

/** Both items are reported with evidence that holds, and the checks came to this. */
const settled = (
  runs: ReadonlyArray<CheckRun>,
  checks: ReadonlyArray<string> = [],
  config: Partial<RunConfig> = { max_retries: 2 }
) =>
  begun([aTask("a", { checks, checklist: items })], config).after(
    start("a"),
    endReporting("a", 1, [done("item 0"), done("item 1")]),
    evidence("a", 1, 0, 1),
    verified("a", 1, runs)
  )

const bearing = (item_index: number) => ofItem(item_index, ablation("load_bearing"))

describe("checks whose ablation was asked for", () => {
  it("complete the task when all of them are load-bearing", () => {
    const then = settled([bearing(0), bearing(1)])
    assert.isTrue(then.content("VERIFICATION_RUN").passed)
    assert.deepStrictEqual(then.statuses("a"), ["completed"])
  })

  it("are not passed when nobody has tried", () => {
    const then = settled([bearing(0), ofItem(1, null)])
    assert.isFalse(then.content("VERIFICATION_RUN").passed)
    assert.strictEqual(then.content("TASK_STATUS_CHANGED").reason, "checks_failed")
    assert.deepStrictEqual(then.statuses("a"), ["retrying"])
  })

  it("refute the item and send the attempt back when one shows nothing", () => {
    const then = settled([ofItem(0, ablation("vacuous")), bearing(1)])
    assert.isFalse(then.content("VERIFICATION_RUN").passed)
    assert.deepStrictEqual(then.verdicts("a"), ["refuted", "proven"])
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), { to: "retrying", reason: "checks_failed" })
  })

  it("leave the item and the task unproven, without another attempt, when one could not be tried", () => {
    const then = settled([ofItem(0, ablation("unproven", "No git.")), bearing(1)])
    assert.deepStrictEqual(then.verdicts("a"), ["unproven", "proven"])
    assert.deepInclude(then.content("TASK_FAILED"), {
      verdict: "unproven",
      reason: "ablation_unproven",
      message: "`check 0` has not shown anything: No git."
    })
    assert.isNull(then.task("a").refused)
  })

  it("are tried again by a resume, with the work that is there", () => {
    const unproven = [0, 1].map((n) => ofItem(n, ablation("unproven")))
    const resumed = settled(unproven).after(resume())
    assert.deepStrictEqual(resumed.orders, ["evidence/a/1/1"])
    const again = resumed.after(evidence("a", 1, 0, 1), verified("a", 1, [bearing(0), bearing(1)]))
    assert.include(again.types, "TASK_COMPLETED")
  })

  it("begin a new attempt after a resume when one was refuted as well", () => {
    const checks = [ofItem(0, ablation("unproven")), ofItem(1, null, { exit_code: 2 })]
    assert.deepStrictEqual(settled(checks, [], { max_retries: 0 }).after(resume()).orders, ["attempt/a/2/1"])
  })

  it("are told in words beside those that failed otherwise", () => {
    const runs = [
      ofItem(0, ablation("vacuous", "The check passes without the work.")),
      ofItem(1, ablation("unproven", "No git.")),
      check(3, { command: "lint" })
    ]
    assert.strictEqual(
      settled(runs, ["lint", "build"], { max_retries: 0 }).content("TASK_FAILED").message,
      "Checks failed: `lint` exited with 3; `build` was not run. `check 0` shows nothing: The check passes without the work. `check 1` has not shown anything: No git."
    )
  })
})
