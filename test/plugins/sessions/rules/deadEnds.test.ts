import { assert, describe, it } from "@effect/vitest"
import { emptySnapshot, type Failure, step } from "@proofline/kernel"
import { Result } from "effect"
import { currentRules, runIn } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { refusalsFor } from "../../../../packages/plugins/src/policies/sessions/rules/session.ts"
import { done, evidence, task } from "../../../kernel/support/words.ts"
import {
  aContract,
  aNewTask,
  aPlan,
  aPlay,
  aSessionRun,
  checksTarget,
  closes,
  completes,
  contentsOf,
  creates,
  explored,
  failuresOf,
  keysOf,
  opens,
  phases,
  planning,
  sessionOf,
  submits,
  updates,
  warningsOf,
  withContract,
  working
} from "./playing.ts"

const itemsIn = (play: ReturnType<typeof planning>, payload: unknown) => {
  const then = play.when(submits("alice", payload))
  assert.deepStrictEqual(keysOf(then), [])
  return task(then.state, "a").spec.checklist.map(({ item }) => item)
}

describe("a plan that leaves out what is clear", () => {
  it("is taken without any status, and with items that are only named", () => {
    const items = ["one", { item: "two" }, { item: "three", status: "pending" }]
    const plan = { tasks: [{ id: "a", description: "Do a.", checklist: items }] }
    assert.deepStrictEqual(itemsIn(planning(), plan), ["one", "two", "three"])
    assert.deepStrictEqual(itemsIn(planning(), JSON.stringify(plan)), ["one", "two", "three"])
    assert.deepStrictEqual(itemsIn(planning(), { tasks: JSON.stringify(plan.tasks) }), ["one", "two", "three"])
  })

  it("is taken as a contract words it that asks for texts alone", () => {
    const READY_PLAN = {
      ...(phases["READY_PLAN"] as NonNullable<(typeof phases)[string]>),
      expected_payload: { tasks: "list[{id, description, checklist: list[str]}]" }
    }
    const play = planning(withContract({ READY_PLAN }))
    const plan = { tasks: [{ id: "a", description: "Do a.", checklist: ["one", "two"] }] }
    assert.deepStrictEqual(itemsIn(play, plan), ["one", "two"])
  })

  it("leaves a task that is done as it is", () => {
    const play = working("a", "b").after(completes("alice", "a"), evidence("a", 1, 0))
    const then = play.when(submits("alice", { tasks: [{ id: "a" }, { id: "b" }, { id: "c", description: "Do c." }] }))
    assert.deepStrictEqual(keysOf(then), [])
    assert.deepStrictEqual(warningsOf(then), ["checklist_missing"])
    assert.strictEqual(task(then.state, "a").status, "completed")
  })

  it("is still refused where it says something else", () => {
    const plan = (over: object) => ({ tasks: [{ id: "a", description: "Do a.", checklist: ["x"], ...over }] })
    const keys = (over: object) => keysOf(planning().when(submits("alice", plan(over))))
    assert.deepStrictEqual(keys({ status: "completed" }), ["task_status_invalid"])
    assert.deepStrictEqual(keys({ checklist: [{ item: "x", status: "done" }] }), ["checklist_status_invalid"])
    assert.deepStrictEqual(keys({ checklist: ["  "] }), ["field_empty"])
    assert.deepStrictEqual(keys({ id: "" }), ["task_id_invalid"])
  })
})

describe("a summary that is handed in while tasks are open", () => {
  it("is told which, in place of fields that it was never to have", () => {
    const play = working("a", "b", "c").after(completes("alice", "b"), evidence("b", 1, 0))
    const [failure, ...others] = failuresOf(play.when(submits("alice", { summary: "All is done." })))
    assert.deepStrictEqual(others, [])
    assert.strictEqual(failure?.key, "incomplete_tasks")
    assert.strictEqual(failure?.fields["tasks"], "a, c")
    // what names a task is a report of it
    assert.deepStrictEqual(keysOf(play.when(submits("alice", { summary: "Done.", checklist: [done("one")] }))), [
      "field_missing"
    ])
  })
})

describe("what was refused", () => {
  it("is told to the session that handed it in, and to no other", () => {
    const play = aPlay().after(opens("bob"))
    const refused = play.when(submits("alice", { findings: [] }))
    const after = refused.state.sessions.phases
    if (after === null) throw new Error("It is no session run.")
    const [alice, bob] = after.sessions
    if (alice === undefined || bob === undefined) throw new Error("Both have a session.")
    assert.isNotEmpty(refusalsFor(after, alice))
    assert.deepStrictEqual(refusalsFor(after, bob), [])
  })

  it("is found again by the agent in its next session, once the first is over", () => {
    const composition = aPlay().composition
    const decided = [
      aSessionRun(),
      opens("alice"),
      submits("alice", {}),
      closes("alice", "process_ended"),
      opens("alice", { session_id: "ses_again" })
    ].reduce((before, command) => {
      const one = step(composition, before, command)
      if (Result.isFailure(one)) throw one.failure
      return one.success.after
    }, emptySnapshot(composition))
    const { phases } = runIn(decided).sessions
    if (phases === null) throw new Error("It is no session run.")
    const again = phases.sessions.find(({ session_id }) => session_id === "ses_again")
    if (again === undefined) throw new Error("It has a session.")
    assert.isNotEmpty(refusalsFor(phases, again))
  })

  it("is forgotten with what is taken next, and when the phase is left", () => {
    const taken = aPlay().after(submits("alice", explored))
    assert.deepStrictEqual(refusalsFor(taken.phases, sessionOf(taken, "alice")), [])
  })
})

describe("a run that began under earlier rules", () => {
  const earlier = (setup: Parameters<typeof aPlay>[0] = {}) => aPlay({ ...setup, rules: 1 })

  it("keeps them: what they refused is refused, in the same words", () => {
    assert.strictEqual(earlier().phases.setup.rules, 1)
    assert.strictEqual(aPlay().phases.setup.rules, currentRules)
    const planned = planning(earlier())
    assert.isNotEmpty(
      keysOf(planned.when(submits("alice", { tasks: [{ id: "a", description: "x", checklist: ["y"] }] })))
    )
    const play = planned.after(submits("alice", aPlan("a", { id: "b", checklist: ["x", "y"] })))
    assert.deepStrictEqual(keysOf(play.when(completes("alice", "a", null))), ["field_missing"])
    assert.deepStrictEqual(keysOf(play.when(submits("alice", { summary: "Done." }))), [
      "field_missing",
      "field_missing"
    ])
    assert.deepStrictEqual(keysOf(play.when(submits("alice", aPlan({ id: "b", checklist: ["x"] })))), [])
  })

  it("records them where a run begins", () => {
    const composition = aPlay().composition
    for (const [setup, rules] of [
      [{}, currentRules],
      [{ rules: 1 }, 1]
    ] as const) {
      const begun = step(composition, emptySnapshot(composition), aSessionRun({ contract: aContract(), ...setup }))
      const adopted = Result.isSuccess(begun)
        ? begun.success.events.find(({ type }) => type === "PHASE_CONTRACT_ADOPTED")
        : undefined
      assert.strictEqual((adopted?.content as { readonly rules?: number } | undefined)?.rules, rules)
    }
  })
})

describe("a parent with open subtasks", () => {
  it("is not done, and is told their ids, whatever its own status is", () => {
    const play = working("p", "q").after(
      creates("alice", aNewTask("x", { parent_task_id: "p" }), aNewTask("y", { parent_task_id: "p" }))
    )
    for (const open of [
      play,
      play.after(updates("alice", "p", "in_progress")),
      play.after(updates("alice", "p", "backlog"))
    ]) {
      const { rejected } = open.when(updates("alice", "p", "done"))
      assert.strictEqual(rejected?.code, "subtasks_incomplete")
      assert.deepStrictEqual(rejected?.open, ["tsk_3", "tsk_4"])
    }
    const [failure] = failuresOf(play.when(completes("alice", "p")))
    assert.deepInclude(failure, { key: "subtasks_incomplete", fields: { task_id: "p", tasks: "tsk_3, tsk_4" } })
    // without any, it goes through its statuses as before
    assert.strictEqual(play.when(updates("alice", "q", "done")).rejected?.code, "invalid_transition")
  })
})

describe("work that seemed to be over", () => {
  it("goes on with a plan of what is missing, as long as the run has not ended", () => {
    const done = working("a").after(completes("alice", "a"), evidence("a", 1, 0))
    assert.strictEqual(done.phases.phase, "READY_COMPLETE")
    for (const over of [done, done.after(submits("alice", { summary: "All is done." }))]) {
      for (const plan of [aPlan("b"), { summary: "One more.", ...aPlan("b") }]) {
        const then = over.when(submits("alice", plan))
        assert.deepStrictEqual(keysOf(then), [])
        assert.strictEqual(then.state.sessions.phases?.phase, "READY_IMPL")
        assert.strictEqual(task(then.state, "b").status, "pending")
      }
    }
    const verifying = done.after(submits("alice", { summary: "All is done." }), submits("alice", {}))
    assert.strictEqual(verifying.when(submits("alice", aPlan("b"))).rejected?.code, "verification_running")
  })
})

describe("a task that is done", () => {
  const looked = (rejudged: ReadonlyArray<Failure>) => ({ looked: { absent: [], rejudged } })
  const better = [{ item: "one", status: "done", evidence: "src/a.ts:3-4" }] as const
  const failure: Failure = { key: "checklist_evidence_empty_impl", item: "one", fields: {}, message: "It is empty." }

  it("is shown anew by a report that holds, in its phase and after it", () => {
    const busy = working("a", "b").after(completes("alice", "a"), evidence("a", 1, 0))
    const over = working("a").after(completes("alice", "a"), evidence("a", 1, 0))
    for (const play of [busy, over]) {
      const report = { ...completes("alice", "a", [...better]), ...looked([]) }
      const again = play.after(report)
      assert.strictEqual(task(again.state, "a").attempts, 2)
      const then = again.when(evidence("a", 2, 0))
      assert.strictEqual(task(then.state, "a").status, "completed")
      assert.strictEqual(task(then.state, "a").current?.report?.checklist?.[0]?.evidence, "src/a.ts:3-4")
      assert.strictEqual(then.state.sessions.phases?.phase, play.phases.phase)
    }
  })

  it("stays as it was shown when the new report does not hold, or nobody looked", () => {
    const play = working("a", "b").after(completes("alice", "a"), evidence("a", 1, 0))
    const worse = play.when({ ...completes("alice", "a", [...better]), ...looked([failure]) })
    assert.deepStrictEqual(failuresOf(worse), [failure])
    assert.strictEqual(task(worse.state, "a").verdict, "proven")
    assert.deepStrictEqual(keysOf(play.when(completes("alice", "a", [...better]))), ["already_completed"])
  })
})

describe("an exploration", () => {
  it("is refused with the files that are not there, and with no other", () => {
    const payload = { explored_files: ["src/a.ts:1-9", "src/b.ts", "./src/c.ts"], findings: ["x"] }
    const then = aPlay().when({
      ...submits("alice", payload),
      looked: { absent: ["src/a.ts", "src/c.ts"], rejudged: null }
    })
    const [failure, ...others] = failuresOf(then)
    assert.deepStrictEqual(others, [])
    assert.strictEqual(failure?.key, "explored_file_not_found")
    assert.strictEqual(failure?.fields["files"], "src/a.ts, src/c.ts")
    const there = aPlay().when({ ...submits("alice", payload), looked: { absent: [], rejudged: null } })
    assert.deepStrictEqual(keysOf(there), [])
  })
})

describe("a file that was written before anybody asked for it", () => {
  const write_targets = { existing: "explored", fresh: "explored", required: true } as const
  const play = () => planning(withContract({}, { write_targets })).after(submits("alice", aPlan("a", "b")))
  const codeFor = (over: ReturnType<typeof play>, changed: boolean | null) => {
    const then = over.when({ ...checksTarget("alice", "src/a.ts"), changed })
    return contentsOf(then, "WRITE_TARGET_CHECKED").map(({ code }) => code)
  }

  it("is asked for too late: it cannot be cited, until it is as it was and is asked for first", () => {
    assert.deepStrictEqual(codeFor(play(), true), ["write_target_late"])
    const late = play().after({ ...checksTarget("alice", "src/a.ts"), changed: true })
    assert.deepStrictEqual(keysOf(late.when(completes("alice", "a"))), ["write_target_not_checked"])
    assert.deepStrictEqual(codeFor(late, false), ["allowed"])
  })

  it("is none where it was asked for before, for another task too, or where nothing has to be asked for", () => {
    const asked = play().after({ ...checksTarget("alice", "src/a.ts"), changed: false })
    assert.deepStrictEqual(codeFor(asked, true), ["allowed"])
    assert.deepStrictEqual(codeFor(asked.after(completes("alice", "a"), evidence("a", 1, 0)), true), ["allowed"])
    assert.deepStrictEqual(codeFor(working("a"), true), ["allowed"])
    assert.deepStrictEqual(codeFor(play(), null), ["allowed"])
  })
})

describe("a report with a field of a wrong kind", () => {
  it("is told everything else that is wrong with it too", () => {
    const play = working("a", { id: "b", depends_on: ["a"] })
    const wrong = { checklist: [{ item: "one", status: "done", evidence: 3 }] }
    assert.deepStrictEqual(keysOf(play.when(completes("alice", "b", null, { ...wrong, checklist: "x" }))), [
      "field_invalid",
      "dependencies_open"
    ])
    assert.sameMembers(
      [...keysOf(play.when(completes("alice", "b", null, wrong)))],
      ["field_invalid", "dependencies_open"]
    )
    assert.sameMembers(
      [...keysOf(play.when(completes("alice", "z", null, { checklist: 3 })))],
      ["field_invalid", "unknown_task"]
    )
  })
})
