import { assert, describe, it } from "@effect/vitest"
import { isLineFact } from "@proofline/kernel"
import { missingBody } from "../../../../packages/plugins/src/policies/sessions/missing.ts"
import { isProven, missingIn } from "../../../../packages/plugins/src/policies/sessions/rules/missing.ts"
import { byReport, fact, judgeBy } from "../../../kernel/support/judge.ts"
import { cancel, waived } from "../../../kernel/support/words.ts"
import { aContract, alice, aPhase, aPlay, type PlannedTask, type Play, phases, to, working } from "./playing.ts"

/** A judge that accepts every item whose evidence is there, as weak where its lines were there before. */
const weighing = judgeBy((task, facts) => {
  const { accepted, rejected } = byReport(task, facts)
  const weak = [{ reason: "untouched" as const, message: "No line was changed." }]
  const isOld = (index: number) => facts.some((one) => one.index === index && isLineFact(one) && one.untouched === true)
  return { accepted: accepted.map((one) => (isOld(one.index) ? { ...one, weak } : one)), rejected }
})

/** Nothing verifies the whole. */
const unverified = (setup: Parameters<typeof aPlay>[0] = {}): Play => aPlay({ verifiers: [], ...setup }, [weighing])

const byWord = (play: Play, ...ids: ReadonlyArray<string>): Play =>
  ids.reduce((now, id) => now.byWord(id), play.working(...ids.map((id): PlannedTask => ({ id, checklist: null }))))

/** Alice reports `a`; of these items the lines were there before. */
const shownBy = (play: Play, untouched: ReadonlyArray<boolean>): Play => {
  const items = untouched.map((_, i) => `item ${i}`)
  const facts = untouched.map((is, i) => ({ ...fact(i), untouched: is }))
  return play
    .working({ id: "a", checklist: items })
    .after(alice.completes("a", items), { _tag: "RecordEvidence", task_id: "a", attempt: 1, facts })
}

/** Alice leaves out the one item of `a`, with a reason. */
const allLeftOut = (play: Play): Play =>
  play.after(alice.completes("a", [waived("one")]), { _tag: "RecordEvidence", task_id: "a", attempt: 1, facts: [] })

const told = (play: Play) => missingIn(play.state).map(({ item, reason, task_id }) => [task_id, item, reason])

describe("what is not shown", () => {
  it.each<[string, () => Play, ReadonlyArray<ReadonlyArray<string | undefined>>]>([
    ["nothing of a run without tasks", unverified, []],
    ["what is not done", () => unverified().working("a"), [["a", undefined, "open"]]],
    ["what was withdrawn", () => unverified().working("a").after(alice.cancels("a")), [["a", undefined, "withdrawn"]]],
    [
      "what is done by word",
      () => byWord(unverified(), "a", "b"),
      [
        ["a", undefined, "by_word"],
        ["b", undefined, "by_word"]
      ]
    ],
    ["nothing of what evidence shows", () => unverified().working("a").proven("a"), []],
    ["nothing of what is weak where that is accepted", () => shownBy(unverified(), [true]), []],
    [
      "that nothing is, where every item was left out",
      () => allLeftOut(unverified().working("a")),
      [[undefined, undefined, "nothing_shown"]]
    ],
    [
      "only what is not shown of many",
      () => unverified().working("a", "b", { id: "c", checklist: null }).proven("a").byWord("c"),
      [
        ["b", undefined, "open"],
        ["c", undefined, "by_word"]
      ]
    ]
  ])("is %s", (_, play, expected) => {
    assert.deepStrictEqual(told(play()), expected)
  })

  it("is told with why, and with what would do", () => {
    const one = (play: Play) =>
      missingIn(play.state).map(({ message, next_step }) => [message, next_step.split(" ")[0]])
    assert.deepStrictEqual(one(unverified().working("a")), [["It is not done.", "Complete"]])
    assert.deepStrictEqual(one(unverified().working("a").after(alice.cancels("a"))), [
      ["nobody needs it any more", "Plan"]
    ])
    const skipped = unverified().working("a").after(cancel())
    assert.deepStrictEqual(one(skipped), [[skipped.task("a").message || skipped.task("a").reason, "Plan"]])
    assert.isNotEmpty(one(skipped)[0]?.[0])
    assert.deepStrictEqual(one(byWord(unverified(), "a")), [
      ["It has no checklist, and is done by word alone.", "Plan"]
    ])
  })
})

describe("a run is proven", () => {
  it.each<[string, () => Play, boolean]>([
    ["with every item shown", () => unverified().working("a", "b").proven("a", "b"), true],
    [
      "with an item left out beside",
      () =>
        unverified()
          .working({ id: "a", checklist: ["one", "two"] })
          .after(alice.completes("a", ["one", waived("two")]), {
            _tag: "RecordEvidence",
            task_id: "a",
            attempt: 1,
            facts: [fact(0)]
          }),
      true
    ],
    ["without any task", unverified, false],
    ["with one open", () => unverified().working("a", "b").proven("a"), false],
    ["with one withdrawn", () => unverified().working("a", "b").proven("a").after(alice.cancels("b")), false],
    [
      "with one done by word",
      () => unverified().working("a", { id: "b", checklist: null }).proven("a").byWord("b"),
      false
    ],
    ["with all done by word", () => byWord(unverified(), "a"), false],
    ["with every item left out", () => allLeftOut(unverified().working("a")), false]
  ])("%s: %s", (_, play, expected) => {
    const then = play()
    assert.strictEqual(isProven(then.state, then.phases), expected)
  })

  it("never where it was stopped", () => {
    const READY_COMPLETE = { ...phases.READY_COMPLETE, transitions: [to("GIVEN_UP")] }
    const contract = aContract({ phases: { ...phases, READY_COMPLETE, GIVEN_UP: aPhase({ kind: "stop" }) } })
    const stopped = unverified({ contract }).working("a").proven("a").summed()
    assert.strictEqual(stopped.phase, "GIVEN_UP")
    assert.isFalse(isProven(stopped.state, stopped.phases))
    assert.strictEqual(stopped.settled().run.status, "incomplete")
  })
})

describe("what is not shown is told", () => {
  const isTold = (play: Play) => Object.keys(missingBody(play.state))

  it("before the end, with what repairs it, and not while there is other work", () => {
    assert.deepStrictEqual(missingBody(aPlay().state), {})
    assert.deepStrictEqual(isTold(working("a")), [])
    const summed = byWord(unverified(), "a")
    assert.deepStrictEqual(isTold(summed), ["missing", "repair"])
    assert.include(String(missingBody(summed.state)["repair"]), "Before you hand the phase in")
    assert.deepStrictEqual(isTold(summed.summed()), ["missing", "repair"])
    assert.deepStrictEqual(isTold(working("a").proven("a")), [])
  })

  it("at the end that waits for it, and when the run has ended without being completed", () => {
    const atEnd = byWord(unverified(), "a").handedIn()
    assert.deepStrictEqual([atEnd.phase, atEnd.run.status], ["DONE", "running"])
    assert.include(String(missingBody(atEnd.state)["repair"]), "The run has not ended")
    const ended = atEnd.after(alice.reports("failed"))
    assert.deepStrictEqual([ended.run.status, ...isTold(ended)], ["incomplete", "missing"])
    assert.deepStrictEqual(isTold(working("a").proven("a").handedIn().passed()), [])
  })

  it("of at most fifty things, and how many more there are", () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `t${i}` }))
    const open = (count: number) => {
      const READY_IMPL = { ...phases.READY_IMPL, kind: "complete" as const }
      const contract = aContract({ phases: { ...phases, READY_IMPL } })
      return missingBody(unverified({ contract }).working(...ids(count)).state)
    }
    assert.lengthOf(open(50)["missing"] as [], 50)
    assert.notProperty(open(50), "missing_left_out")
    assert.lengthOf(open(51)["missing"] as [], 50)
    assert.strictEqual(open(51)["missing_left_out"], 1)
  })

  it("in one line each", () => {
    const reason = `nobody needs it\n${"x".repeat(400)}`
    const play = unverified()
      .working("a")
      .after(alice.sets("a", "cancelled", reason))
    const [told] = missingBody(play.state)["missing"] as ReadonlyArray<{ message: string; task_id: string }>
    assert.strictEqual(told?.task_id, "a")
    assert.notInclude(told?.message, "\n")
    assert.isAtMost(told?.message.length ?? 999, 200)
  })
})
