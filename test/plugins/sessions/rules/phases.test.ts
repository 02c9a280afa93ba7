import { assert, describe, it } from "@effect/vitest"
import { type AnyEvent, definePlugin, plugin, tasksOf } from "@proofline/kernel"
import { phases as phasesOf, SessionRun } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { judge } from "../../../kernel/support/judge.ts"
import { evidence, task, typesOf } from "../../../kernel/support/words.ts"
import {
  actionOf,
  aNewTask,
  answers,
  aPhase,
  aPlan,
  aPlay,
  assignmentIn,
  codeOf,
  completes,
  contentsOf,
  creates,
  explored,
  failing,
  keysOf,
  phases,
  planning,
  proven,
  submits,
  to,
  updates,
  verifies,
  verifying,
  warningsOf,
  withContract,
  working
} from "./playing.ts"

describe("a phase that is handed in", () => {
  it("leads to the next one", () => {
    const then = aPlay().when(submits("alice", explored))
    assert.deepStrictEqual(typesOf(then.events), ["PHASE_SUBMITTED", "PHASE_ENTERED"])
    assert.deepStrictEqual(contentsOf(then, "PHASE_ENTERED"), [
      { phase: "READY_PLAN", from: "EXPLORATION", visit: 1, count: null, reset: [] }
    ])
    assert.strictEqual(then.state.sessions.phases?.phase, "READY_PLAN")
  })

  it("comes again from a client that heard no answer: nothing happens, and nothing is refused", () => {
    const left = aPlay().after(submits("alice", explored))
    for (const again of [explored, JSON.stringify(explored)]) {
      assert.deepStrictEqual(left.when(submits("alice", again)).events, [])
    }
    const other = left.when(submits("alice", { ...explored, findings: ["something else"] }))
    assert.deepStrictEqual(typesOf(other.events), ["PHASE_REJECTED"])
    // what fits where the work stands is taken, also when it is the same
    const same = withContract({
      EXPLORATION: aPhase({ expected_payload: { note: "str" }, transitions: [to("AGAIN")] }),
      AGAIN: aPhase({ expected_payload: { note: "str" }, transitions: [to("DONE")] }),
      DONE: aPhase({ kind: "end" })
    }).after(submits("alice", { note: "x" }))
    assert.strictEqual(same.when(submits("alice", { note: "x" })).state.sessions.phases?.phase, "DONE")
  })

  it("is taken as a text of JSON too", () => {
    assert.strictEqual(
      aPlay().when(submits("alice", JSON.stringify(explored))).state.sessions.phases?.phase,
      "READY_PLAN"
    )
  })

  it("is taken with fields nobody asked for, and says so", () => {
    const then = aPlay().when(submits("alice", { ...explored, mood: "good", tools_used: ["grep"] }))
    assert.deepStrictEqual(warningsOf(then), ["field_unexpected"])
    assert.strictEqual(then.state.sessions.phases?.phase, "READY_PLAN")
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
    const then = play.when(submits("alice", { explored_files: [], findings: [3], reason: "   too      " }))
    assert.deepStrictEqual(typesOf(then.events), ["PHASE_REJECTED"])
    const [rejected] = contentsOf(then, "PHASE_REJECTED")
    assert.strictEqual(rejected?.error, "payload_mismatch")
    assert.deepStrictEqual(
      rejected?.failures.map(({ fields, key }) => [key, fields["field"]]),
      [
        ["field_invalid", "findings[0]"],
        ["field_missing", "score"],
        ["field_empty", "explored_files"],
        ["field_too_short", "reason"]
      ]
    )
    for (const { message } of rejected?.failures ?? []) assert.match(message, /\.$/)
    assert.strictEqual(then.state.sessions.phases?.phase, "EXPLORATION")
    assert.strictEqual(then.state.sessions.phases?.submissions, 0)
    assert.strictEqual(then.state.sessions.phases?.failures.length, 4)
  })

  it("is refused when it is no object at all", () => {
    for (const payload of [null, 3, [], "explored", true]) {
      assert.isNotEmpty(keysOf(aPlay().when(submits("alice", payload))), JSON.stringify(payload))
    }
  })

  it("is judged the same in whatever order its fields come", () => {
    const deep = JSON.parse(`${"[".repeat(70)}${"]".repeat(70)}`)
    const play = withContract({
      EXPLORATION: aPhase({ expected_payload: { found: "dict", "more?": "str" }, transitions: [to("READY_PLAN")] })
    })
    for (const [one, other] of [
      [{ found: { b: deep, a: deep } }, { found: { a: deep, b: deep } }],
      [
        { zeal: 1, found: { x: 1, a: 2 }, alpha: 2 },
        { alpha: 2, found: { a: 2, x: 1 }, zeal: 1 }
      ]
    ]) {
      const events = JSON.stringify(play.when(submits("alice", one)).events.map(withoutSent))
      assert.strictEqual(events, JSON.stringify(play.when(submits("alice", other)).events.map(withoutSent)))
    }
    assert.lengthOf(keysOf(play.when(submits("alice", { found: { b: deep, a: deep } }))), 2)
  })

  it("forgets what it was refused for once it is taken", () => {
    const then = aPlay()
    const refused = then.when(submits("alice", {}))
    assert.isNotEmpty(refused.state.sessions.phases?.failures)
    const taken = planning(then)
    assert.deepStrictEqual(taken.phases.failures, [])
  })

  it("is refused in the contract's own sentences: those of the phase, of its family, of all", () => {
    const said = (message: string) => ({ error: "payload_mismatch", message })
    const sentences = (failures: Parameters<typeof withContract>[1]) => {
      const play = planning(withContract({}, failures))
      return contentsOf(play.when(submits("alice", { tasks: [] })), "PHASE_REJECTED")[0]?.failures[0]?.message
    }
    const all = { common: { empty_tasks: said("Of all.") } }
    const family = { ...all, READY: { empty_tasks: said("Of the family.") } }
    const own = { ...family, READY_PLAN: { empty_tasks: said("Of the phase, {nothing}.") } }
    assert.match(sentences({}) ?? "", /no task/)
    assert.strictEqual(sentences({ failures: all }), "Of all.")
    assert.strictEqual(sentences({ failures: family }), "Of the family.")
    assert.strictEqual(sentences({ failures: own }), "Of the phase, {nothing}.")
  })

  it("fills the fields into the contract's sentence", () => {
    const message = "{field} fehlt: {expected}"
    const play = withContract({}, { failures: { common: { field_missing: { error: "payload_mismatch", message } } } })
    const [failure] = contentsOf(play.when(submits("alice", { findings: ["x"] })), "PHASE_REJECTED")[0]?.failures ?? []
    assert.match(failure?.message ?? "", /^explored_files fehlt: a list/)
  })

  it("gives no way out where no transition holds: it is refused, with what to do", () => {
    const play = withContract({
      EXPLORATION: aPhase({
        expected_payload: { choice: "str" },
        transitions: [to("READY_PLAN", { when: { payload: { choice: "plan" } } })]
      })
    })
    const then = play.when(submits("alice", { choice: "rest" }))
    assert.strictEqual(codeOf(then), "no_transition")
    assert.match(then.rejected?.hint ?? "", /contract/)
    assert.strictEqual(play.when(submits("alice", { choice: "plan" })).state.sessions.phases?.phase, "READY_PLAN")
  })

  it("cannot be handed in by whoever has no session, or none any more", () => {
    assert.strictEqual(codeOf(aPlay().when(submits("bob", explored))), "session_unknown")
  })
})

describe("a phase whose payload is taken in another one too", () => {
  it("is told by its fields, and the phase stays", () => {
    const then = working("a").when(submits("alice", aPlan("b")))
    assert.deepStrictEqual(
      contentsOf(then, "PHASE_SUBMITTED").map(({ phase }) => phase),
      ["READY_PLAN"]
    )
    assert.deepStrictEqual(contentsOf(then, "PHASE_ENTERED"), [])
    assert.strictEqual(then.state.sessions.phases?.phase, "READY_IMPL")
    assert.strictEqual(task(then.state, "b").status, "pending")
  })

  it("is not taken where the contract does not say so", () => {
    const play = withContract({ READY_IMPL: aPhase({ ...phases["READY_IMPL"], also: [] }) })
    const then = planning(play)
      .after(submits("alice", aPlan("a")))
      .when(submits("alice", aPlan("b")))
    assert.deepStrictEqual(keysOf(then).toSorted(), ["field_missing", "field_missing"])
    assert.strictEqual(tasksOf(then.state).length, 1)
  })

  it("is refused as itself, where the payload is its but wrong", () => {
    const then = working("a").when(submits("alice", { tasks: [] }))
    assert.deepStrictEqual(keysOf(then), ["empty_tasks"])
    assert.deepStrictEqual(
      contentsOf(then, "PHASE_REJECTED").map(({ phase }) => phase),
      ["READY_PLAN"]
    )
  })

  it("hands in the report of a task as complete_task does", () => {
    const report = { task_id: "a", checklist: [{ item: "one", status: "done", evidence: "src/a.ts:1-2" }] }
    const then = working("a").when(submits("alice", report))
    assert.include(typesOf(then.events), "CHECKLIST_REPORTED")
  })
})

describe("a phase that a person answers", () => {
  const asked = () => {
    const once = failing(proven(working("a"), "alice", "a"))
    return failing(proven(once, "alice", "a"))
  }

  it("is entered when the limit of failed verifications is reached, and counted", () => {
    const play = asked()
    assert.strictEqual(play.phases.phase, "VERIFY_INTERVENTION")
    assert.deepStrictEqual(play.phases.counters, { interventions: 1 })
    assert.deepStrictEqual(actionOf(play), ["ask_user"])
  })

  it("cannot be handed in by an agent, by no operation", () => {
    for (const command of [
      submits("alice", { answer: "continue" }),
      completes("alice", "a"),
      submits("alice", aPlan("b"))
    ]) {
      const then = asked().when(command)
      assert.strictEqual(codeOf(then), "person_required")
      assert.match(then.rejected?.hint ?? "", /proofline answer/)
    }
  })

  it("is refused as long as the answer does not fit", () => {
    for (const answer of [{}, { answer: "maybe" }, "continue", null]) {
      const then = asked().when(answers(answer))
      assert.strictEqual(codeOf(then), "answer_invalid", JSON.stringify(answer))
      assert.match(then.rejected?.hint ?? "", /answer: continue\|stop/)
    }
  })

  it("goes on as the person says, with the failures counted anew", () => {
    const then = asked().when(answers({ answer: "continue", comment: "Try the other way." }))
    assert.deepStrictEqual(typesOf(then.events), ["PHASE_SUBMITTED", "PHASE_ENTERED"])
    assert.deepInclude(contentsOf(then, "PHASE_SUBMITTED")[0], { by: "person", session_id: null })
    assert.strictEqual(then.state.sessions.phases?.phase, "READY_IMPL")
    assert.strictEqual(assignmentIn(then.state, "a").failures, 0)
    assert.deepInclude(then.state.sessions.phases?.counters, { interventions: 1, task_failures: 0 })
    assert.deepStrictEqual(then.state.sessions.phases?.last?.payload, {
      answer: "continue",
      comment: "Try the other way."
    })
  })

  it("ends the run where the person says so", () => {
    const then = asked().when(answers({ answer: "stop" }))
    assert.strictEqual(then.state.sessions.phases?.phase, "STOPPED")
    assert.strictEqual(then.state.run.status, "incomplete")
    assert.strictEqual(task(then.state, "a").status, "skipped")
  })

  it("is no place where anything else may be answered", () => {
    assert.strictEqual(codeOf(working("a").when(answers({ answer: "stop" }))), "no_question")
  })
})

describe("a phase that is completed", () => {
  const early = withContract({
    READY_PLAN: aPhase({ ...phases["READY_PLAN"], transitions: [to("READY_COMPLETE")] }),
    EXPLORATION: aPhase({ transitions: [to("READY_COMPLETE")] })
  })

  it("is refused while no task is registered", () => {
    const then = early.after(submits("alice", {})).when(submits("alice", { summary: "Done." }))
    assert.deepStrictEqual(keysOf(then), ["no_tasks_registered"])
  })

  it("is refused while a task is open, with the ids", () => {
    const play = withContract({ READY_PLAN: aPhase({ ...phases["READY_PLAN"], transitions: [to("READY_COMPLETE")] }) })
    const then = planning(play)
      .after(submits("alice", aPlan("a", "b")))
      .when(submits("alice", { summary: "Done." }))
    assert.deepStrictEqual(keysOf(then), ["incomplete_tasks"])
    assert.match(contentsOf(then, "PHASE_REJECTED")[0]?.failures[0]?.message ?? "", /a, b/)
  })

  it("is left when all are over", () => {
    const play = proven(working("a"), "alice", "a")
    assert.strictEqual(play.phases.phase, "READY_COMPLETE")
    assert.strictEqual(
      play.when(submits("alice", { summary: "Done." })).state.sessions.phases?.phase,
      "POST_IMPL_VERIFY"
    )
  })
})

describe("the phase in which tasks are reported", () => {
  it("is left by itself when the last task is over, also when it was cancelled", () => {
    const one = proven(working("a", "b"), "alice", "a")
    assert.strictEqual(one.phases.phase, "READY_IMPL")
    assert.strictEqual(proven(one, "alice", "b").phases.phase, "READY_COMPLETE")
    assert.strictEqual(one.after(updates("alice", "b", "cancelled", "not needed")).phases.phase, "READY_COMPLETE")
  })

  it("is not left where that would lead in a circle: nothing would ever stop", () => {
    const tasks = phases["READY_IMPL"] ?? aPhase()
    const itself = withContract({ READY_IMPL: aPhase({ ...tasks, transitions: [to("READY_IMPL")] }) })
    const others = withContract({
      READY_IMPL: aPhase({ ...tasks, transitions: [to("AGAIN")] }),
      AGAIN: aPhase({ ...tasks, transitions: [to("READY_IMPL")] })
    })
    for (const play of [itself, others]) {
      const then = proven(planning(play).after(submits("alice", aPlan("a"))), "alice", "a")
      assert.strictEqual(then.phases.phase, "READY_IMPL")
      assert.strictEqual(then.phases.visits["READY_IMPL"], 1)
      assert.deepStrictEqual(keysOf(then.when(submits("alice", aPlan("b")))), [])
    }
  })

  it("is gone back to when tasks are created behind it, and not while commands run that verify it", () => {
    const over = proven(working("a"), "alice", "a")
    const again = over.after(creates("alice", aNewTask("more")))
    assert.deepStrictEqual([over.phases.phase, again.phases.phase], ["READY_COMPLETE", "READY_IMPL"])
    assert.strictEqual(again.phases.visits["READY_IMPL"], 2)
    const closed = over.after(submits("alice", { summary: "Done." }))
    assert.strictEqual(closed.phases.phase, "POST_IMPL_VERIFY")
    assert.strictEqual(closed.after(creates("alice", aNewTask("more"))).phases.phase, "READY_IMPL")
    const running = closed.after(submits("alice", {}))
    assert.isNotNull(running.phases.verifying)
    assert.strictEqual(codeOf(running.when(creates("alice", aNewTask("more")))), "verification_running")
  })

  it("is not left while evidence is looked at", () => {
    const play = working("a").after(completes("alice", "a"))
    assert.strictEqual(play.phases.phase, "READY_IMPL")
    assert.strictEqual(play.after(evidence("a", 1, 0)).phases.phase, "READY_COMPLETE")
  })
})

describe("a phase that is verified", () => {
  const ready = () => proven(working("a", "b"), "alice", "a")
  const handedIn = () => verifying(proven(ready(), "alice", "b"))

  it("orders its commands once it is handed in, and waits", () => {
    const play = proven(ready(), "alice", "b").after(submits("alice", { summary: "Done." }))
    const then = play.when(submits("alice", {}))
    assert.deepStrictEqual(typesOf(then.events), ["PHASE_SUBMITTED"])
    assert.deepStrictEqual(
      then.starts.map(({ activity, input, task_id }) => ({ activity, input, task_id })),
      [
        {
          activity: "verification",
          input: { phase: "POST_IMPL_VERIFY", submission: play.phases.submissions + 1 },
          task_id: null
        }
      ]
    )
    assert.isNotNull(then.state.sessions.phases?.verifying)
  })

  it("takes nothing more meanwhile", () => {
    for (const command of [submits("alice", {}), completes("alice", "a", ["two"]), submits("alice", aPlan("c"))]) {
      assert.strictEqual(codeOf(handedIn().when(command)), "verification_running")
    }
    assert.deepStrictEqual(actionOf(handedIn()), ["wait"])
  })

  it("passes when every command exits 0", () => {
    const play = handedIn()
    const then = play.when(verifies(play, 0))
    assert.strictEqual(then.state.sessions.phases?.phase, "DONE")
    assert.strictEqual(then.state.run.status, "completed")
  })

  it("does not pass by what the agent says of it", () => {
    const play = proven(ready(), "alice", "b").after(submits("alice", { summary: "Done." }))
    const then = play.when(submits("alice", { passed: true, outcome: "passed", details: "all green" }))
    assert.strictEqual(then.state.sessions.phases?.phase, "POST_IMPL_VERIFY")
    assert.isNotNull(then.state.sessions.phases?.verifying)
  })

  it("fails when one exits otherwise, runs out of time, was not run, or when none was run", () => {
    const two = withContract({}, {}, { verifiers: ["true", "npm test"] })
    const play = verifying(proven(planning(two).after(submits("alice", aPlan("a"))), "alice", "a"))
    const { checks } = verifies(play, 0, 0)
    const [first, second] = checks
    if (first === undefined || second === undefined) throw new Error("two checks")
    const npm = { ...second, command: "npm test" }
    const phaseAfter = (...runs: typeof checks) =>
      play.when({ ...verifies(play), checks: runs }).state.sessions.phases?.phase
    assert.strictEqual(phaseAfter(first, npm), "DONE")
    assert.strictEqual(phaseAfter(first, { ...npm, exit_code: 1 }), "READY_IMPL")
    assert.strictEqual(phaseAfter(first, { ...npm, exit_code: null, signal: "SIGKILL" }), "READY_IMPL")
    assert.strictEqual(phaseAfter(first, { ...npm, timed_out: true }), "READY_IMPL")
    assert.strictEqual(phaseAfter(first), "READY_IMPL")
    assert.strictEqual(phaseAfter(), "READY_IMPL")
  })

  it("sends every completed task with a checklist back when it fails, with nothing shown any more", () => {
    const play = handedIn()
    const then = play.when(verifies(play, 1))
    assert.deepStrictEqual(typesOf(then.events), [
      "PHASE_VERIFIED",
      "TASK_STATUS_CHANGED",
      "TASK_STATUS_CHANGED",
      "PHASE_ENTERED"
    ])
    for (const id of ["a", "b"]) {
      const { items, status } = task(then.state, id)
      assert.strictEqual(status, "retrying")
      assert.deepStrictEqual(
        items.map(({ verdict }) => verdict),
        ["unproven"]
      )
      assert.strictEqual(assignmentIn(then.state, id).failures, 1)
    }
    assert.strictEqual(then.state.sessions.phases?.phase, "READY_IMPL")
    assert.strictEqual(then.state.tasks.open_count, 2)
  })

  it("leaves what was done by word alone where something was shown, and sends that back where nothing was", () => {
    const byWord = (play: ReturnType<typeof working>, id: string) =>
      play.after(updates("alice", id, "in_progress"), updates("alice", id, "done"))
    const mixed = failing(byWord(proven(working("a", { id: "b", checklist: null }), "alice", "a"), "b"))
    assert.deepStrictEqual(
      ["a", "b"].map((id) => task(mixed.state, id).status),
      ["retrying", "completed"]
    )
    const only = failing(byWord(working({ id: "b", checklist: null }), "b"))
    assert.strictEqual(task(only.state, "b").status, "retrying")
  })

  it("sends the parents of what goes back along, and leaves what was cancelled", () => {
    const play = working({ id: "p", checklist: null }, "x").after(
      creates("alice", aNewTask("s", { parent_task_id: "p", checklist: ["shown"] })),
      updates("alice", "x", "cancelled", "not needed")
    )
    const done = proven(play, "alice", "tsk_3").after(
      updates("alice", "p", "in_progress"),
      updates("alice", "p", "done")
    )
    const back = failing(done)
    assert.deepStrictEqual(
      ["p", "x", "tsk_3"].map((id) => task(back.state, id).status),
      ["retrying", "skipped", "retrying"]
    )
  })

  it("needs the same evidence again before it is handed in again, then passes", () => {
    const play = failing(proven(working("a"), "alice", "a"))
    assert.deepStrictEqual(actionOf(play), ["work", "a"])
    const again = verifying(proven(play, "alice", "a"))
    assert.strictEqual(again.after(verifies(again, 0)).state.run.status, "completed")
  })

  it("drops the outcome of a submission that is not the last one, of another phase, and one that comes twice", () => {
    const play = handedIn()
    const outcome = verifies(play, 1)
    for (const late of [
      { ...outcome, submission: outcome.submission - 1 },
      { ...outcome, phase: "READY_IMPL" },
      { ...outcome, phase: "NOWHERE" }
    ]) {
      assert.strictEqual(codeOf(play.when(late)), "attempt_not_current")
    }
    assert.strictEqual(codeOf(play.after(outcome).when(outcome)), "attempt_not_current")
  })

  it("whose commands cannot be run is handed in again, and never passes by that", () => {
    const play = handedIn()
    const broken = {
      _tag: "RecordActivityFailure",
      name: "verification",
      key: `verification/POST_IMPL_VERIFY/${play.phases.submissions}`,
      input: { phase: "POST_IMPL_VERIFY", submission: play.phases.submissions },
      code: "activity_broken",
      message: "It broke."
    } as const
    const then = play.when(broken)
    assert.strictEqual(then.state.sessions.phases?.phase, "POST_IMPL_VERIFY")
    assert.isNull(then.state.sessions.phases?.verifying)
    assert.deepStrictEqual(
      then.state.sessions.phases?.failures.map(({ key }) => key),
      ["activity_broken"]
    )
    const again = play.after(broken).when(submits("alice", {}))
    assert.lengthOf(again.starts, 1)
    assert.strictEqual(codeOf(play.after(broken).when(verifies(play, 0))), "attempt_not_current")
  })

  it("goes on waiting when something else that was done for the run fails", () => {
    const play = handedIn()
    const { submissions } = play.phases
    const other = (name: string, phase: string, submission: number) =>
      play.when({
        _tag: "RecordActivityFailure",
        name,
        key: `${name}/${phase}/${submission}`,
        input: { phase, submission },
        code: "activity_broken",
        message: "It broke."
      }).state.sessions.phases?.verifying
    assert.isNotNull(other("lookup", "POST_IMPL_VERIFY", submissions))
    assert.isNotNull(other("verification", "POST_IMPL_VERIFY", submissions - 1))
    assert.isNull(other("verification", "POST_IMPL_VERIFY", submissions))
  })

  it("has commands of its own where the contract names some, and then not those of the project", () => {
    const play = withContract({ POST_IMPL_VERIFY: aPhase({ ...phases["POST_IMPL_VERIFY"], checks: ["make check"] }) })
    const handed = verifying(proven(planning(play).after(submits("alice", aPlan("a"))), "alice", "a"))
    const outcome = verifies(handed, 0)
    assert.strictEqual(handed.when(outcome).state.sessions.phases?.phase, "READY_IMPL")
    const own = { ...outcome, checks: outcome.checks.map((run) => ({ ...run, command: "make check" })) }
    assert.strictEqual(handed.when(own).state.sessions.phases?.phase, "DONE")
  })

  it("passes with a warning where no command is named, and verifies nothing by that", () => {
    const play = withContract({}, {}, { verifiers: [] })
    const done = proven(planning(play).after(submits("alice", aPlan("a"))), "alice", "a")
    const then = done.after(submits("alice", { summary: "Done." })).when(submits("alice", {}))
    assert.deepStrictEqual(warningsOf(then), ["no_verifiers"])
    assert.strictEqual(then.state.sessions.phases?.phase, "DONE")
    assert.isFalse(then.state.sessions.phases?.verified)
  })

  it("that has no way back stays where it is, and can be handed in again", () => {
    const noWay = aPhase({ ...phases["POST_IMPL_VERIFY"], transitions: [to("DONE", { when: { outcome: "passed" } })] })
    const play = withContract({ POST_IMPL_VERIFY: noWay })
    const failed = failing(proven(planning(play).after(submits("alice", aPlan("a"))), "alice", "a"))
    assert.strictEqual(failed.phases.phase, "POST_IMPL_VERIFY")
    assert.strictEqual(task(failed.state, "a").status, "completed")
    const again = failed.after(submits("alice", {}))
    assert.strictEqual(again.after(verifies(again, 0)).state.run.status, "completed")
  })

  it("counts failures by task, whatever the agent plans in between", () => {
    const once = failing(proven(working("a"), "alice", "a"))
    const planned = once.after(submits("alice", aPlan("a")))
    assert.strictEqual(assignmentIn(planned.state, "a").failures, 1)
    assert.strictEqual(failing(proven(planned, "alice", "a")).phases.phase, "VERIFY_INTERVENTION")
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
    const begun = (findings: ReadonlyArray<unknown>) => {
      const play = aPlay({ contract: { ...withContract({}, { failures }).phases.setup.contract } }, [judge, security])
      return play.when(submits("alice", { ...explored, findings }))
    }
    const then = begun(["nothing"])
    assert.deepStrictEqual(
      contentsOf(then, "PHASE_REJECTED")[0]?.failures.map(({ item, key, message }) => [key, item, message]),
      [
        ["too_vague", "nothing", "Too vague in EXPLORATION."],
        ["field_empty", null, "findings: Say more."]
      ]
    )
    assert.deepStrictEqual(keysOf(begun([3])), ["field_invalid"])
    assert.strictEqual(begun(["src/a.ts: something"]).state.sessions.phases?.phase, "READY_PLAN")
  })
})

/** What follows from a payload; a refused one is kept as it was sent. */
const withoutSent = (event: AnyEvent): AnyEvent =>
  event.type === "PHASE_REJECTED" ? { ...event, content: { ...(event.content as object), payload: null } } : event
