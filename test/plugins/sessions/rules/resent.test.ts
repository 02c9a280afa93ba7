import { assert, describe, it } from "@effect/vitest"
import { tasksOf } from "@proofline/kernel"
import { typesOf } from "../../../kernel/support/words.ts"
import { answers, aPhase, aPlay, explored, keysOf, phases, planning, submits, to, withContract } from "./playing.ts"

describe("given what was handed in for the phase before, the same again", () => {
  const noted = aPhase({ expected_payload: { summary: "str" }, transitions: [to("READY_COMPLETE")] })

  it("is refused where it has the form of this phase and does not hold: nobody is told that it was taken", () => {
    const left = withContract({ ...phases, EXPLORATION: noted }).after(submits("alice", { summary: "Done." }))
    const again = left.when(submits("alice", { summary: "Done." }))
    assert.deepStrictEqual(typesOf(again.events), ["PHASE_REJECTED"])
    assert.deepStrictEqual(keysOf(again), ["no_tasks_registered"])
  })

  it("is refused where it is too short for this phase", () => {
    const then = withContract({
      ...phases,
      EXPLORATION: aPhase({ expected_payload: { reason: "str" }, transitions: [to("READY_PLAN")] }),
      READY_PLAN: aPhase({ expected_payload: { reason: "str" }, min_chars: { reason: 30 }, transitions: [to("DONE")] })
    }).after(submits("alice", { reason: "Because." }))
    assert.deepStrictEqual(keysOf(then.when(submits("alice", { reason: "Because." }))), ["field_too_short"])
  })

  it("is refused where a person has handed it in: no agent answers for them", () => {
    const ask = aPhase({
      kind: "person",
      expected_payload: { answer: "continue|stop" },
      transitions: [to("READY_PLAN")]
    })
    const asked = withContract({ ...phases, EXPLORATION: ask }).after(answers({ answer: "continue" }))
    const copied = asked.when(submits("alice", { answer: "continue" }))
    assert.deepStrictEqual(typesOf(copied.events), ["PHASE_REJECTED"])
  })

  it("is let pass where it can be for the phase before alone", () => {
    assert.deepStrictEqual(aPlay().after(submits("alice", explored)).when(submits("alice", explored)).events, [])
  })
})

describe("given a plan whose sentences are long, titles", () => {
  it("are cut between characters: half of one cannot be recorded", () => {
    const descriptions = ["😀".repeat(60), `x${"😀".repeat(60)}`]
    const tasks = descriptions.map((description, i) => ({ id: `t${i}`, description, status: "pending", checklist: [] }))
    const { state } = planning().after(submits("alice", { tasks }))
    assert.strictEqual(tasksOf(state).length, 2)
    for (const task of tasksOf(state)) assert.isTrue(task.spec.title.isWellFormed(), task.spec.title)
  })
})
