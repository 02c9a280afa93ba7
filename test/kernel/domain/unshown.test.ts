import { assert, describe, it } from "@effect/vitest"
import { defaultRunConfig, gateMessages, Rejection, type RunConfig, type TaskSpec, takingUpOf } from "@proofline/kernel"
import { acceptsWeak, aTask } from "@proofline/kernel/testing"
import { begun, type Played } from "../support/play.ts"
import {
  done,
  end,
  endReporting,
  evidence,
  resume,
  resumeFor,
  revisited,
  start,
  stateOf,
  waived
} from "../support/words.ts"

const item = "add adds"
const ofBefore: Partial<RunConfig> = { max_retries: 1, messages: gateMessages }
const config: Partial<RunConfig> = { ...ofBefore, unshown_retried: true }
const task = (spec: Partial<TaskSpec> = {}): TaskSpec => aTask("a", { checks: [], checklist: [{ item }], ...spec })
const run = (over: Partial<RunConfig> = {}, spec: Partial<TaskSpec> = {}): Played =>
  begun([task(spec)], { ...config, ...over })
const aRunOfBefore = begun([task()], ofBefore)

/** An attempt that leaves out all that is asked of it. */
const leavesOut = (attempt: number) => [
  start("a", attempt),
  endReporting("a", attempt, [waived(item)]),
  evidence("a", attempt)
]

describe("a task of which all items were left out", () => {
  it("is tried again while there are retries, and the next attempt is told why", () => {
    const once = run().after(...leavesOut(1))
    assert.deepInclude(once.content("GATE_REFUSED"), {
      task_id: "a",
      attempt: 1,
      reason: "nothing_proven",
      message: gateMessages.nothing_proven
    })
    assert.deepInclude(once.content("TASK_STATUS_CHANGED"), { to: "retrying", reason: "nothing_proven" })
    assert.deepStrictEqual(once.orders, ["attempt/a/2"])
    assert.include(JSON.stringify(once.task("a").refused), gateMessages.nothing_proven)
    const shown = once.after(start("a", 2), endReporting("a", 2, [done(item)]), evidence("a", 2, 0), revisited())
    assert.strictEqual(shown.run.status, "completed")
  })

  it("ends unproven when no retry is left, and a resume begins another attempt", () => {
    const over = run().after(...leavesOut(1), ...leavesOut(2))
    assert.deepInclude(over.content("TASK_FAILED"), { verdict: "unproven", reason: "nothing_proven" })
    assert.deepStrictEqual(over.after(resume()).orders, ["attempt/a/3/1"])
  })

  it("in a log of before ends unproven at once, as it did", () => {
    const over = aRunOfBefore.after(...leavesOut(1))
    assert.notInclude(over.types, "GATE_REFUSED")
    assert.deepInclude(over.content("TASK_FAILED"), { verdict: "unproven", reason: "nothing_proven", attempts: 1 })
    // and its resume under settings of before judges again
    assert.deepStrictEqual(over.after(resumeFor(["a"])).content("RUN_RESUMED").reopened, [
      { task_id: "a", from: "judgement" }
    ])
  })
})

/** Only a reviewer, whom nobody named, could say. */
const unjudged = run({ reviewer: null, proof: acceptsWeak }, { validation: ["short"], checklist: [] }).after(
  start("a"),
  end("a")
)

describe("naming a task that nothing has shown", () => {
  const from = (play: Played) => play.content("RUN_RESUMED").reopened
  const leftOut = aRunOfBefore.after(...leavesOut(1))
  const now: RunConfig = { ...defaultRunConfig, ...config }

  it("begins another attempt where judging again would come to the same", () => {
    const named = leftOut.after(resumeFor(["a"], { config: now }))
    assert.deepStrictEqual(from(named), [{ task_id: "a", from: "start" }])
    assert.deepStrictEqual(named.orders, ["attempt/a/2/1"])
    const told = takingUpOf(stateOf(leftOut.snapshot), ["a"], { config: now })
    assert.include(told instanceof Rejection ? "" : told.text, "a is tried again")
  })

  it("judges again what waits for a judgement, and begins another attempt for a note", () => {
    assert.deepInclude(unjudged.content("TASK_FAILED"), { verdict: "unproven" })
    assert.deepStrictEqual(from(unjudged.after(resumeFor(["a"]))), [{ task_id: "a", from: "judgement" }])
    const noted = unjudged.after(resumeFor(["a"], { note: "It is needed." }))
    assert.deepStrictEqual(from(noted), [{ task_id: "a", from: "start" }])
    assert.deepStrictEqual(noted.orders, ["attempt/a/2/1"])
    assert.deepStrictEqual(noted.task("a").guidance, ["It is needed."])
    const told = takingUpOf(stateOf(unjudged.snapshot), ["a"], { note: "It is needed." })
    assert.include(told instanceof Rejection ? "" : told.text, "a is tried again")
  })
})
