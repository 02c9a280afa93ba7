import { assert, describe, it } from "@effect/vitest"
import { type AnyEvent, definePlugin, plugin, tasksOf } from "@proofline/kernel"
import { phases as phasesOf, SessionRun } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { judge } from "../../../kernel/support/judge.ts"
import { activityFailed, cancel, evidence } from "../../../kernel/support/words.ts"
import {
  alice,
  answers,
  aPart,
  aPhase,
  aPlay,
  bob,
  explored,
  type Play,
  phases,
  planning,
  to,
  withContract,
  working
} from "./playing.ts"

const done = (): Play => working("a").proven("a")

describe("a phase that is handed in", () => {
  it("leads to the next one", () => {
    const then = aPlay().when(alice.submits(explored))
    assert.deepStrictEqual(then.types, ["PHASE_SUBMITTED", "PHASE_ENTERED"])
    assert.deepStrictEqual(then.contents("PHASE_ENTERED"), [
      { phase: "READY_PLAN", from: "EXPLORATION", visit: 1, count: null, reset: [] }
    ])
    assert.strictEqual(then.phase, "READY_PLAN")
    assert.strictEqual(aPlay().when(alice.submits(JSON.stringify(explored))).phase, "READY_PLAN")
  })

  it("is taken with fields nobody asked for, and says so", () => {
    const then = aPlay().after(alice.submits({ ...explored, mood: "good", tools_used: ["grep"] }))
    assert.deepStrictEqual([then.phase, ...then.warnings], ["READY_PLAN", "field_unexpected"])
  })

  it("is refused with everything that is wrong with it, and nothing moves", () => {
    const play = withContract({
      EXPLORATION: aPhase({
        expected_payload: { explored_files: "list[str]", findings: "list[str]", reason: "str", score: "int" },
        not_empty: ["explored_files", "findings"],
        min_chars: { reason: 10 },
        transitions: [to("READY_PLAN")]
      })
    })
    const then = play.when(alice.submits({ explored_files: [], findings: [3], reason: "   too      " }))
    assert.deepStrictEqual(then.types, ["PHASE_REJECTED"])
    assert.strictEqual(then.contents("PHASE_REJECTED")[0]?.error, "payload_mismatch")
    assert.deepStrictEqual(
      then.failures.map(({ fields, key }) => [key, fields["field"]]),
      [
        ["field_invalid", "findings[0]"],
        ["field_missing", "score"],
        ["field_empty", "explored_files"],
        ["field_too_short", "reason"]
      ]
    )
    for (const { message } of then.failures) assert.match(message, /\.$/)
    assert.deepStrictEqual([then.phase, then.phases.submissions, then.phases.failures.length], ["EXPLORATION", 0, 4])
  })

  it("is refused when it is no object at all", () => {
    for (const payload of [null, 3, [], "explored", true]) {
      assert.isNotEmpty(aPlay().when(alice.submits(payload)).keys, JSON.stringify(payload))
    }
  })

  it("is judged the same in whatever order its fields come", () => {
    const deep = JSON.parse(`${"[".repeat(70)}${"]".repeat(70)}`)
    const play = withContract({
      EXPLORATION: aPhase({ expected_payload: { found: "dict", "more?": "str" }, transitions: [to("READY_PLAN")] })
    })
    const said = (payload: unknown) => JSON.stringify(play.when(alice.submits(payload)).events.map(withoutSent))
    assert.strictEqual(said({ found: { b: deep, a: deep } }), said({ found: { a: deep, b: deep } }))
    assert.strictEqual(
      said({ zeal: 1, found: { x: 1, a: 2 }, alpha: 2 }),
      said({ alpha: 2, found: { a: 2, x: 1 }, zeal: 1 })
    )
    assert.lengthOf(play.when(alice.submits({ found: { b: deep, a: deep } })).keys, 2)
  })

  it("forgets what it was refused for once it is taken", () => {
    const refused = aPlay().when(alice.submits({}))
    assert.isNotEmpty(refused.phases.failures)
    assert.deepStrictEqual(refused.explores().phases.failures, [])
  })

  it("is refused in the contract's own sentences: those of the phase, of its family, of all", () => {
    const said = (message: string) => ({ empty_tasks: { error: "payload_mismatch", message } })
    const sentence = (failures: ReturnType<typeof withContract>["phases"]["setup"]["contract"]["failures"]) =>
      withContract({}, { failures }).explores().when(alice.plans()).failures[0]?.message ?? ""
    const all = { common: said("Of all.") }
    const family = { ...all, READY: said("Of the family.") }
    assert.match(sentence({}), /no task/)
    assert.strictEqual(sentence(all), "Of all.")
    assert.strictEqual(sentence(family), "Of the family.")
    assert.strictEqual(sentence({ ...family, READY_PLAN: said("Of it, {nothing}.") }), "Of it, {nothing}.")
  })

  it("fills the fields into the contract's sentence", () => {
    const field_missing = { error: "payload_mismatch", message: "{field} fehlt: {expected}" }
    const play = withContract({}, { failures: { common: { field_missing } } })
    const [failure] = play.when(alice.submits({ findings: ["x"] })).failures
    assert.match(failure?.message ?? "", /^explored_files fehlt: a list/)
  })

  it("gives no way out where no transition holds: it is refused, with what to do", () => {
    const EXPLORATION = aPhase({
      expected_payload: { choice: "str" },
      transitions: [to("READY_PLAN", { when: { payload: { choice: "plan" } } })]
    })
    const then = withContract({ EXPLORATION }).when(alice.submits({ choice: "rest" }))
    assert.strictEqual(then.code, "no_transition")
    assert.match(then.rejected?.hint ?? "", /contract/)
    assert.strictEqual(then.when(alice.submits({ choice: "plan" })).phase, "READY_PLAN")
  })

  it("cannot be handed in by whoever has no session", () => {
    assert.strictEqual(aPlay().when(bob.submits(explored)).code, "session_unknown")
  })
})

describe("given what was handed in for the phase before, the same again", () => {
  const texts = (field: string, next: string) =>
    aPhase({ expected_payload: { [field]: "str" }, transitions: [to(next)] })

  it("comes from a client that heard no answer: nothing happens, and nothing is refused", () => {
    const left = planning()
    for (const again of [explored, JSON.stringify(explored)]) assert.isTrue(left.when(alice.submits(again)).isNothing)
    const other = left.when(alice.submits({ ...explored, findings: ["something else"] }))
    assert.deepStrictEqual(other.types, ["PHASE_REJECTED"])
  })

  it("is taken where it fits this phase too", () => {
    const noted = alice.submits({ note: "x" })
    const play = withContract({ EXPLORATION: texts("note", "AGAIN"), AGAIN: texts("note", "DONE") })
    assert.strictEqual(play.after(noted, noted).phase, "DONE")
  })

  it("is refused where it has the form of this phase and does not hold: nobody is told that it was taken", () => {
    const again = withContract({ EXPLORATION: texts("summary", "READY_COMPLETE") })
      .summed()
      .when(alice.submits({ summary: "All is done." }))
    assert.deepStrictEqual(again.types, ["PHASE_REJECTED"])
    assert.deepStrictEqual(again.keys, ["no_tasks_registered"])
  })

  it("is refused where it is too short for this phase", () => {
    const READY_PLAN = { ...texts("reason", "DONE"), min_chars: { reason: 30 } }
    const because = alice.submits({ reason: "Because." })
    const left = withContract({ EXPLORATION: texts("reason", "READY_PLAN"), READY_PLAN }).after(because)
    assert.deepStrictEqual(left.when(because).keys, ["field_too_short"])
  })

  it("is refused where a person has handed it in: no agent answers for them", () => {
    const ask = { expected_payload: { answer: "continue|stop" }, transitions: [to("READY_PLAN")] }
    const asked = withContract({ EXPLORATION: aPhase({ ...ask, kind: "person" }) })
    const copied = asked.after(answers({ answer: "continue" })).when(alice.submits({ answer: "continue" }))
    assert.deepStrictEqual(copied.types, ["PHASE_REJECTED"])
  })
})

describe("a phase whose payload is taken in another one too", () => {
  it("is told by its fields, and the phase stays", () => {
    const then = working("a").after(alice.plans("b"))
    assert.strictEqual(then.contents("PHASE_SUBMITTED")[0]?.phase, "READY_PLAN")
    assert.deepStrictEqual(then.contents("PHASE_ENTERED"), [])
    assert.deepStrictEqual([then.phase, ...then.statuses("b")], ["READY_IMPL", "pending"])
  })

  it("is not taken where the contract does not say so", () => {
    const play = withContract({ READY_IMPL: { ...phases.READY_IMPL, also: [] } }).working("a")
    const then = play.when(alice.plans("b"))
    assert.deepStrictEqual(then.keys, ["field_missing", "field_missing"])
    assert.lengthOf(tasksOf(then.state), 1)
  })

  it("is refused as itself, where the payload is its but wrong", () => {
    const then = working("a").when(alice.plans())
    assert.deepStrictEqual([then.contents("PHASE_REJECTED")[0]?.phase, ...then.keys], ["READY_PLAN", "empty_tasks"])
  })

  it("hands in the report of a task as complete_task does", () => {
    const { payload } = alice.completes("a")
    assert.include(working("a").when(alice.submits(payload)).types, "CHECKLIST_REPORTED")
  })
})

describe("a phase that a person answers", () => {
  const asked = () => done().failing().proven("a").failing()

  it("is entered when the limit of failed verifications is reached, and counted", () => {
    const { phase, phases } = asked()
    assert.deepStrictEqual([phase, phases.counters], ["VERIFY_INTERVENTION", { interventions: 1 }])
  })

  it("cannot be handed in by an agent, by no operation", () => {
    for (const command of [alice.submits({ answer: "continue" }), alice.completes("a"), alice.plans("b")]) {
      const then = asked().when(command)
      assert.strictEqual(then.code, "person_required")
      assert.match(then.rejected?.hint ?? "", /proofline answer/)
    }
  })

  it("is refused as long as the answer does not fit", () => {
    for (const answer of [{}, { answer: "maybe" }, "continue", null]) {
      const then = asked().when(answers(answer))
      assert.strictEqual(then.code, "answer_invalid", JSON.stringify(answer))
      assert.isNotEmpty(then.rejected?.message)
      assert.match(then.rejected?.hint ?? "", /answer: continue\|stop/)
    }
  })

  it("goes on as the person says, with the failures counted anew", () => {
    const answer = { answer: "continue", comment: "Try the other way." }
    const then = asked().when(answers(answer))
    assert.deepStrictEqual(then.types, ["PHASE_SUBMITTED", "PHASE_ENTERED"])
    assert.deepInclude(then.contents("PHASE_SUBMITTED")[0], { by: "person", session_id: null, report: false })
    assert.deepStrictEqual([then.phase, then.assignment("a").failures], ["READY_IMPL", 0])
    assert.deepInclude(then.phases.counters, { interventions: 1, task_failures: 0 })
    assert.deepStrictEqual(then.phases.last?.payload, answer)
  })

  it("ends the run where the person says so", () => {
    const then = asked().when(answers({ answer: "stop" }))
    assert.deepStrictEqual([then.phase, then.settled().state.run.status], ["STOPPED", "incomplete"])
    assert.deepStrictEqual(then.settled().statuses("a"), ["skipped"])
  })

  it("is no place where anything else may be answered", () => {
    assert.strictEqual(working("a").when(answers({ answer: "stop" })).code, "no_question")
    assert.strictEqual(
      asked()
        .after(cancel())
        .when(answers({ answer: "stop" })).code,
      "no_question"
    )
  })

  it("takes an answer that names its question, and none to an earlier one", () => {
    const answered = (question_id: string) => asked().when({ ...answers({ answer: "stop" }), question_id })
    assert.strictEqual(answered("VERIFY_INTERVENTION.1").phase, "STOPPED")
    assert.strictEqual(answered("VERIFY_INTERVENTION.2").code, "question_changed")
  })

  it("refuses an answer after which the contract gives no way on", () => {
    const transitions = [to("READY_IMPL", { when: { payload: { answer: "continue" } } })]
    const VERIFY_INTERVENTION = { ...phases.VERIFY_INTERVENTION, transitions }
    const play = withContract({ VERIFY_INTERVENTION }).working("a").proven("a").failing().proven("a").failing()
    assert.strictEqual(play.when(answers({ answer: "stop" })).code, "no_transition")
  })
})

describe("a phase that is completed", () => {
  const summary = alice.submits({ summary: "Done." })

  it("is refused while no task is registered", () => {
    const early = withContract({ EXPLORATION: aPhase({ transitions: [to("READY_COMPLETE")] }) })
    assert.deepStrictEqual(early.after(alice.submits({})).when(summary).keys, ["no_tasks_registered"])
  })

  it("is refused while a task is open, with the ids", () => {
    const play = withContract({ READY_PLAN: { ...phases.READY_PLAN, transitions: [to("READY_COMPLETE")] } })
    const then = play.working("a", "b").when(summary)
    assert.deepStrictEqual(then.keys, ["incomplete_tasks"])
    assert.match(then.failures[0]?.message ?? "", /a, b/)
  })

  it("is left when all are over", () => {
    assert.deepStrictEqual([done().phase, done().after(summary).phase], ["READY_COMPLETE", "POST_IMPL_VERIFY"])
  })
})

describe("the phase in which tasks are reported", () => {
  it("is left by itself when the last task is over, also when it was cancelled", () => {
    const one = working("a", "b").proven("a")
    assert.deepStrictEqual(
      [one, one.proven("b"), one.after(alice.cancels("b"))].map(({ phase }) => phase),
      ["READY_IMPL", "READY_COMPLETE", "READY_COMPLETE"]
    )
  })

  it("is not left where that would lead in a circle: nothing would ever stop", () => {
    const leading = (name: string) => ({ ...phases.READY_IMPL, transitions: [to(name)] })
    for (const circle of [
      { READY_IMPL: leading("READY_IMPL") },
      { READY_IMPL: leading("AGAIN"), AGAIN: leading("READY_IMPL") }
    ]) {
      const then = withContract(circle).working("a").proven("a")
      assert.deepStrictEqual([then.phase, then.phases.visits["READY_IMPL"]], ["READY_IMPL", 1])
      assert.deepStrictEqual(then.when(alice.plans("b")).keys, [])
    }
  })

  it("is gone back to when tasks are created behind it, and not while commands run that verify it", () => {
    const more = alice.creates("more")
    const again = done().after(more)
    assert.deepStrictEqual([again.phase, again.phases.visits["READY_IMPL"]], ["READY_IMPL", 2])
    assert.strictEqual(done().summed().after(more).phase, "READY_IMPL")
    assert.strictEqual(done().handedIn().when(more).code, "verification_running")
  })

  it("is not left while evidence is looked at", () => {
    const play = working("a").after(alice.completes("a"))
    assert.deepStrictEqual([play.phase, play.after(evidence("a", 1, 0)).phase], ["READY_IMPL", "READY_COMPLETE"])
  })
})

describe("a phase that is verified", () => {
  const both = () => working("a", "b").proven("a", "b")

  it("orders its commands once it is handed in, and waits", () => {
    const then = both().handedIn()
    assert.deepStrictEqual(then.types, ["PHASE_SUBMITTED"])
    assert.deepStrictEqual(
      then.starts.map(({ activity, input, task_id }) => ({ activity, input, task_id })),
      [
        {
          activity: "verification",
          input: { phase: "POST_IMPL_VERIFY", submission: then.phases.submissions },
          task_id: null
        }
      ]
    )
    assert.isNotNull(then.phases.verifying)
    for (const command of [alice.submits({}), alice.completes("a", ["two"]), alice.plans("c")]) {
      assert.strictEqual(then.when(command).code, "verification_running")
    }
  })

  it("passes when every command exits 0", () => {
    const { phase, state } = both().handedIn().passed()
    assert.deepStrictEqual([phase, state.run.status], ["DONE", "completed"])
  })

  it("does not pass by what the agent says of it", () => {
    const then = both()
      .summed()
      .when(alice.submits({ passed: true, outcome: "passed", details: "all green" }))
    assert.strictEqual(then.phase, "POST_IMPL_VERIFY")
    assert.isNotNull(then.phases.verifying)
  })

  it("fails when one exits otherwise, runs out of time, was not run, or when none was run", () => {
    const play = withContract({}, {}, { verifiers: ["true", "npm test"] })
      .working("a")
      .proven("a")
      .handedIn()
    const npm = { command: "npm test" }
    assert.strictEqual(play.when(play.ends(0, npm)).phase, "DONE")
    for (const over of [{ exit_code: 1 }, { exit_code: null, signal: "SIGKILL" }, { timed_out: true }]) {
      assert.strictEqual(play.when(play.ends(0, { ...npm, ...over })).phase, "READY_IMPL", JSON.stringify(over))
    }
    for (const outcome of [play.ends(0), play.ends()]) assert.strictEqual(play.when(outcome).phase, "READY_IMPL")
  })

  it("sends every completed task with a checklist back when it fails, with nothing shown any more", () => {
    const then = both().failing()
    assert.deepStrictEqual(then.types, [
      "PHASE_VERIFIED",
      "TASK_STATUS_CHANGED",
      "TASK_STATUS_CHANGED",
      "PHASE_ENTERED"
    ])
    for (const id of ["a", "b"]) {
      assert.deepStrictEqual([...then.statuses(id), ...then.items(id)], ["retrying", ["one", "unproven"]])
      assert.strictEqual(then.assignment(id).failures, 1)
    }
    assert.deepStrictEqual([then.phase, then.state.tasks.open_count], ["READY_IMPL", 2])
  })

  it("leaves what was done by word alone where something was shown, and sends that back where nothing was", () => {
    const byWord = { id: "b", checklist: null }
    const mixed = working("a", byWord).proven("a").byWord("b").failing()
    assert.deepStrictEqual(mixed.statuses("a", "b"), ["retrying", "completed"])
    assert.deepStrictEqual(working(byWord).byWord("b").failing().statuses("b"), ["retrying"])
  })

  it("sends the parents of what goes back along, and leaves what was cancelled", () => {
    const part = aPart("s", "p", { checklist: ["shown"] })
    const play = working({ id: "p", checklist: null }, "x").after(alice.creates(part), alice.cancels("x"))
    const back = play.proven("tsk_3").byWord("p").failing()
    assert.deepStrictEqual(back.statuses("p", "x", "tsk_3"), ["retrying", "skipped", "retrying"])
  })

  it("needs the same evidence again before it is handed in again, then passes", () => {
    const play = done().failing()
    assert.strictEqual(play.action(), "work a")
    assert.strictEqual(play.proven("a").handedIn().passed().state.run.status, "completed")
  })

  it("drops the outcome of a submission that is not the last one, of another phase, and one that comes twice", () => {
    const play = both().handedIn()
    const outcome = play.ends(1)
    for (const over of [{ submission: outcome.submission - 1 }, { phase: "READY_IMPL" }, { phase: "NOWHERE" }]) {
      assert.strictEqual(play.when({ ...outcome, ...over }).code, "attempt_not_current")
    }
    assert.strictEqual(play.after(outcome).when(outcome).code, "attempt_not_current")
  })

  describe("whose commands cannot be run", () => {
    const play = () => both().handedIn()
    const failed = (name: string, submission: number) => ({
      ...activityFailed("", 1, name, `${name}/POST_IMPL_VERIFY/${submission}`),
      input: { phase: "POST_IMPL_VERIFY", submission }
    })

    it("is handed in again, and never passes by that", () => {
      const { submissions } = play().phases
      const then = play().after(failed("verification", submissions))
      assert.strictEqual(then.phase, "POST_IMPL_VERIFY")
      assert.isNull(then.phases.verifying)
      assert.deepStrictEqual(
        then.phases.failures.map(({ key }) => key),
        ["verification_failed"]
      )
      assert.strictEqual(then.when(play().ends(0)).code, "attempt_not_current")
      assert.lengthOf(then.after(alice.submits({})).starts, 1)
    })

    it("goes on waiting when it was something else that was done for the run", () => {
      const { submissions } = play().phases
      for (const other of [failed("lookup", submissions), failed("verification", submissions - 1)]) {
        assert.isNotNull(play().when(other).phases.verifying)
      }
    })
  })

  it("has commands of its own where the contract names some, and then not those of the project", () => {
    const play = withContract({ POST_IMPL_VERIFY: { ...phases.POST_IMPL_VERIFY, checks: ["make check"] } })
    const handed = play.working("a").proven("a").handedIn()
    assert.strictEqual(handed.when(handed.ends(0)).phase, "READY_IMPL")
    assert.strictEqual(handed.when(handed.ends({ command: "make check" })).phase, "DONE")
  })

  it("passes with a warning where no command is named, and verifies nothing by that", () => {
    const then = withContract({}, {}, { verifiers: [] }).working("a").proven("a").handedIn()
    assert.deepStrictEqual([then.phase, ...then.warnings], ["DONE", "no_verifiers"])
    assert.isFalse(then.phases.verified)
  })

  it("that has no way back stays where it is, and can be handed in again", () => {
    const transitions = [to("DONE", { when: { outcome: "passed" } })]
    const play = withContract({ POST_IMPL_VERIFY: { ...phases.POST_IMPL_VERIFY, transitions } })
    const failed = play.working("a").proven("a").failing()
    assert.deepStrictEqual([failed.phase, ...failed.statuses("a")], ["POST_IMPL_VERIFY", "completed"])
    assert.strictEqual(failed.after(alice.submits({})).passed().state.run.status, "completed")
  })

  it("that leads back to itself is entered again, and sends no task back", () => {
    const transitions = [to("DONE", { when: { outcome: "passed" } }), to("POST_IMPL_VERIFY")]
    const failed = withContract({ POST_IMPL_VERIFY: { ...phases.POST_IMPL_VERIFY, transitions } })
      .working("a")
      .proven("a")
      .failing()
    assert.deepStrictEqual(failed.types, ["PHASE_VERIFIED", "PHASE_ENTERED"])
    assert.deepInclude(failed.contents("PHASE_VERIFIED")[0], { passed: false, sent_back: false })
    assert.deepStrictEqual([failed.phases.visits["POST_IMPL_VERIFY"], ...failed.statuses("a")], [2, "completed"])
  })

  it("leads where its payload says, once its commands have passed", () => {
    const sad = to("STOPPED", { when: { outcome: "passed", payload: { mood: "sad" } } })
    const transitions = [sad, ...phases.POST_IMPL_VERIFY.transitions]
    const expected_payload = { "mood?": "str" }
    const summed = withContract({ POST_IMPL_VERIFY: { ...phases.POST_IMPL_VERIFY, expected_payload, transitions } })
      .working("a")
      .proven("a")
      .summed()
    assert.strictEqual(summed.after(alice.submits({ mood: "sad" })).passed().phase, "STOPPED")
    assert.strictEqual(summed.after(alice.submits({ mood: "glad" })).passed().phase, "DONE")
  })

  it("counts failures by task, whatever the agent plans in between", () => {
    const planned = done().failing().after(alice.plans("a"))
    assert.strictEqual(planned.assignment("a").failures, 1)
    assert.strictEqual(planned.proven("a").failing().phase, "VERIFY_INTERVENTION")
  })
})

describe("a phase that a plugin brings", () => {
  const Security = plugin("security", { state: null, after: [SessionRun] })
  const security = definePlugin(Security, {
    version: "1",
    parts: [
      Security.offer(phasesOf, "phase", {
        name: "EXPLORATION",
        phase: aPhase(),
        enters: [],
        failures: {},
        validate: ({ sessions }, { findings }) =>
          (findings as ReadonlyArray<string>).includes("nothing")
            ? [
                { key: "too_vague", message: `Too vague in ${sessions.phases?.phase}.`, item: "nothing" },
                { key: "field_empty", fields: { field: "findings" }, message: "Say more." }
              ]
            : []
      })
    ]
  })

  it("has its validator asked once the payload fits, and its findings refuse", () => {
    const failures = { common: { field_empty: { error: "payload_mismatch", message: "{field}: {message}" } } }
    const { contract } = withContract({}, { failures }).phases.setup
    const finding = (...findings: ReadonlyArray<unknown>) =>
      aPlay({ contract }, [judge, security]).when(alice.submits({ ...explored, findings }))
    assert.deepStrictEqual(
      finding("nothing").failures.map(({ item, key, message }) => [key, item, message]),
      [
        ["too_vague", "nothing", "Too vague in EXPLORATION."],
        ["field_empty", null, "findings: Say more."]
      ]
    )
    assert.deepStrictEqual(finding(3).keys, ["field_invalid"])
    assert.strictEqual(finding("src/a.ts: something").phase, "READY_PLAN")
  })
})

/** What follows from a payload; a refused one is kept as it was sent. */
const withoutSent = (event: AnyEvent): AnyEvent =>
  event.type === "PHASE_REJECTED" ? { ...event, content: { ...(event.content as object), payload: null } } : event
