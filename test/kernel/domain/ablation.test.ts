import { assert, describe, it } from "@effect/vitest"
import type { Ablation, CheckRun } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { judge } from "../support/judge.ts"
import {
  check,
  contentOf,
  done,
  endReporting,
  evidence,
  resume,
  start,
  task,
  typesOf,
  verified
} from "../support/words.ts"

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

/** Both items are reported with evidence that holds; what their checks came to is to be decided. */
const shown = given([], [judge]).after(
  aRun([aTask("a", { checks: [], checklist: items })]),
  start("a"),
  endReporting("a", 1, [done("item 0"), done("item 1")]),
  evidence("a", 1, 0, 1)
)

const settled = (...checks: ReadonlyArray<CheckRun>) => {
  const then = shown.when(verified("a", 1, checks))
  return { ...then, task: task(then.step?.after.state, "a") }
}

describe("checks whose ablation was asked for", () => {
  it("complete the task when all of them are load-bearing", () => {
    const { events, task } = settled(ofItem(0, ablation("load_bearing")), ofItem(1, ablation("load_bearing")))
    assert.isTrue(contentOf(events, "VERIFICATION_RUN").passed)
    assert.strictEqual(task.status, "completed")
  })

  it("are not passed when nobody has tried", () => {
    const { events, task } = settled(ofItem(0, ablation("load_bearing")), ofItem(1, null))
    assert.isFalse(contentOf(events, "VERIFICATION_RUN").passed)
    assert.strictEqual(contentOf(events, "TASK_STATUS_CHANGED").reason, "checks_failed")
    assert.strictEqual(task.status, "retrying")
  })

  it("refute the item and send the attempt back when one shows nothing", () => {
    const { events, task } = settled(ofItem(0, ablation("vacuous")), ofItem(1, ablation("load_bearing")))
    assert.isFalse(contentOf(events, "VERIFICATION_RUN").passed)
    assert.deepStrictEqual(
      task.items.map(({ verdict }) => verdict),
      ["refuted", "proven"]
    )
    assert.deepInclude(contentOf(events, "TASK_STATUS_CHANGED"), { to: "retrying", reason: "checks_failed" })
  })

  it("leave the item and the task unproven, without another attempt, when one could not be tried", () => {
    const { events, task } = settled(ofItem(0, ablation("unproven", "No git.")), ofItem(1, ablation("load_bearing")))
    assert.deepStrictEqual(
      task.items.map(({ verdict }) => verdict),
      ["unproven", "proven"]
    )
    assert.deepInclude(contentOf(events, "TASK_FAILED"), {
      verdict: "unproven",
      reason: "ablation_unproven",
      message: "`check 0` has not shown anything: No git."
    })
    assert.isNull(task.refused)
  })

  it("are tried again by a resume, with the work that is there", () => {
    const unproven = shown.after(verified("a", 1, [ofItem(0, ablation("unproven")), ofItem(1, ablation("unproven"))]))
    const resumed = unproven.when(resume())
    assert.deepStrictEqual(
      resumed.step?.starts.map(({ key }) => key),
      ["evidence/a/1/1"]
    )
    const again = unproven
      .after(resume(), evidence("a", 1, 0, 1))
      .when(verified("a", 1, [ofItem(0, ablation("load_bearing")), ofItem(1, ablation("load_bearing"))]))
    assert.include(typesOf(again.events), "TASK_COMPLETED")
  })

  it("begin a new attempt after a resume when one was refuted as well", () => {
    const checks = [ofItem(0, ablation("unproven")), ofItem(1, null, { exit_code: 2 })]
    const refuted = given([], [judge]).after(
      aRun([aTask("a", { checks: [], checklist: items })], { max_retries: 0 }),
      start("a"),
      endReporting("a", 1, [done("item 0"), done("item 1")]),
      evidence("a", 1, 0, 1),
      verified("a", 1, checks)
    )
    assert.deepStrictEqual(
      refuted.when(resume()).step?.starts.map(({ key }) => key),
      ["attempt/a/2/1"]
    )
  })

  it("are told in words beside those that failed otherwise", () => {
    const failed = given([], [judge])
      .after(
        aRun([aTask("a", { checks: ["lint", "build"], checklist: items })], { max_retries: 0 }),
        start("a"),
        endReporting("a", 1, [done("item 0"), done("item 1")]),
        evidence("a", 1, 0, 1)
      )
      .when(
        verified("a", 1, [
          ofItem(0, ablation("vacuous", "The check passes without the work.")),
          ofItem(1, ablation("unproven", "No git.")),
          check(3, { command: "lint" })
        ])
      )
    assert.strictEqual(
      contentOf(failed.events, "TASK_FAILED").message,
      "Checks failed: `lint` exited with 3; `build` was not run. `check 0` shows nothing: The check passes without the work. `check 1` has not shown anything: No git."
    )
  })
})
