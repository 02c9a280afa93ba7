import { assert, describe, it } from "@effect/vitest"
import { cancel, done, task, typesOf } from "../../../kernel/support/words.ts"
import {
  aNewTask,
  answers,
  aPhase,
  aPlan,
  aPlay,
  asks,
  assignmentIn,
  because,
  checksTarget,
  closes,
  codeOf,
  completes,
  contentsOf,
  creates,
  failing,
  opens,
  type PlannedTask,
  type Play,
  planning,
  proven,
  reports,
  sessionOf,
  submits,
  to,
  updates,
  verifies,
  verifying,
  withContract,
  working
} from "./playing.ts"

const assignees = ({ state }: Pick<Play, "state">, ...ids: ReadonlyArray<string>) =>
  ids.map((id) => assignmentIn(state, id).assignee)

const finished = (): Play => {
  const handed = verifying(proven(working("a"), "alice", "a"))
  return handed.after(verifies(handed, 0))
}

describe("a session", () => {
  it("is opened with who comes and the hash of its token", () => {
    const then = aPlay().when(opens("bob", { of_process: false, ttl_ms: 1_000 }))
    assert.deepStrictEqual(contentsOf(then, "SESSION_OPENED"), [
      {
        session_id: "ses_bob",
        at: "2026-01-02T12:00:00.000Z",
        agent: "bob",
        token_sha256: "c".repeat(64),
        of_process: false,
        ttl_ms: 1_000
      }
    ])
  })

  it("is opened once", () => {
    assert.deepStrictEqual(aPlay().when(opens("alice")).events, [])
  })

  it("is closed once, and knows the first reason", () => {
    const play = aPlay().after(closes("alice", "revoked"))
    assert.deepStrictEqual(play.when(closes("alice", "expired")).events, [])
    assert.strictEqual(sessionOf(play, "alice").closed, "revoked")
    assert.deepStrictEqual(play.when(closes("nobody")).events, [])
  })

  it("is refused everything once it is over", () => {
    const play = working("a").after(opens("bob"), closes("alice", "revoked"))
    for (const command of [
      asks("alice"),
      submits("alice", aPlan("b")),
      completes("alice", "a"),
      updates("alice", "a", "in_progress"),
      creates("alice", aNewTask("x")),
      checksTarget("alice", "src/a.ts"),
      reports("alice", "failed")
    ]) {
      const then = play.when(command)
      assert.strictEqual(codeOf(then), "session_closed", command._tag)
      assert.include(then.rejected?.message ?? "", "revoked")
    }
  })

  it("is seen whenever it asks for something that is recorded, and time never goes back", () => {
    const at = (minute: string) => `2026-01-02T12:${minute}:00.000Z`
    const play = aPlay().after({ ...asks("alice"), at: at("10") })
    assert.strictEqual(sessionOf(play, "alice").seen_at, at("10"))
    assert.strictEqual(
      sessionOf(play.after({ ...submits("alice", { explored_files: ["a"], findings: ["b"] }), at: at("05") }), "alice")
        .seen_at,
      at("10")
    )
    const refused = play.when({ ...submits("alice", {}), at: at("20") })
    assert.strictEqual(refused.state.sessions.phases?.sessions[0]?.seen_at, at("20"))
  })
})

describe("the work of an agent that is gone", () => {
  it("goes on with whoever comes next", () => {
    const then = working("a", "b").when(opens("bob", { gone: ["ses_alice"] }))
    assert.deepStrictEqual(typesOf(then.events), ["SESSION_OPENED", "SESSION_CLOSED", "TASK_ASSIGNED", "TASK_ASSIGNED"])
    assert.deepStrictEqual(contentsOf(then, "SESSION_CLOSED")[0]?.reason, "process_ended")
    assert.deepStrictEqual(assignees(then, "a", "b"), ["bob", "bob"])
  })

  it("goes on where it was, with the attempt that runs, and with what was shown", () => {
    const play = proven(working("a", "b"), "alice", "a")
      .after(updates("alice", "b", "in_progress"))
      .after(opens("bob", { gone: ["ses_alice"] }))
    assert.deepStrictEqual(assignees(play, "a", "b"), ["alice", "bob"])
    assert.strictEqual(task(play.state, "b").status, "in_progress")
    const then = proven(play, "bob", "b")
    assert.strictEqual(task(then.state, "b").attempts, 1)
    assert.strictEqual(then.phases.phase, "READY_COMPLETE")
  })

  it("stays the agent's own when it comes back itself", () => {
    const then = working("a").when(opens("alice", { session_id: "ses_2", gone: ["ses_alice"] }))
    assert.deepStrictEqual(typesOf(then.events), ["SESSION_OPENED", "SESSION_CLOSED"])
    assert.deepStrictEqual(assignees(then, "a"), ["alice"])
  })

  it("stays where another session of the same agent is open", () => {
    const play = working("a").after(opens("alice", { session_id: "ses_2" }))
    const then = play.when(opens("bob", { gone: ["ses_alice"] }))
    assert.deepStrictEqual(assignees(then, "a"), ["alice"])
  })

  it("goes on also when its session was closed, revoked or reported", () => {
    for (const end of [closes("alice"), closes("alice", "revoked"), reports("alice", "failed")]) {
      const then = working("a").after(end).when(opens("bob"))
      assert.deepStrictEqual(assignees(then, "a"), ["bob"])
    }
  })

  it("is left to one that is still to come", () => {
    const play = working("a").after(creates("alice", aNewTask("x", { assignee: "carol" })), closes("alice"))
    const then = play.when(opens("bob"))
    assert.deepStrictEqual(assignees(then, "a", "tsk_2"), ["bob", "carol"])
  })

  it("that is over stays with whom it was", () => {
    const play = working("a", "b").after(updates("alice", "a", "cancelled", because))
    const then = play.when(opens("bob", { gone: ["ses_alice"] }))
    assert.deepStrictEqual(assignees(then, "a", "b"), ["alice", "bob"])
  })

  it("does not end with its session while it is there", () => {
    assert.deepStrictEqual(assignees(working("a").after(opens("bob")), "a"), ["alice"])
  })
})

describe("reporting completion", () => {
  it("with success ends the session when nothing is left", () => {
    const then = finished().when({ ...reports("alice"), summary: "All done.", next_steps: "Rest." })
    assert.deepStrictEqual(typesOf(then.events), ["COMPLETION_REPORTED", "SESSION_CLOSED"])
    assert.deepStrictEqual(contentsOf(then, "COMPLETION_REPORTED")[0], {
      session_id: "ses_alice",
      at: "2026-01-02T12:00:00.000Z",
      result: "success",
      summary: "All done.",
      next_steps: "Rest.",
      open: []
    })
  })

  it("with success is refused while anything assigned is open, with the ids", () => {
    const then = proven(working("a", "b", "c"), "alice", "a").when(reports("alice"))
    assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["tasks_open", ["b", "c"]])
  })

  it("with success counts neither what is cancelled nor what is others'", () => {
    const play = working("a").after(
      opens("bob"),
      creates("alice", aNewTask("x", { assignee: "bob" })),
      updates("alice", "a", "cancelled", because)
    )
    assert.strictEqual(codeOf(play.when(reports("alice"))), undefined)
    assert.deepStrictEqual(play.when(reports("bob")).rejected?.open, ["tsk_2"])
  })

  it("with success is refused to the last as long as a phase is open", () => {
    for (const play of [aPlay(), planning(), proven(working("a"), "alice", "a")]) {
      const then = play.when(reports("alice"))
      assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["phase_open", [play.phases.phase]])
    }
    const both = proven(working("a").after(opens("bob")), "alice", "a")
    assert.strictEqual(codeOf(both.when(reports("alice"))), undefined)
    assert.strictEqual(codeOf(both.after(reports("alice")).when(reports("bob"))), "phase_open")
    // who had no part in the work has not succeeded in anything
    assert.strictEqual(codeOf(both.when(reports("bob"))), "phase_open")
  })

  it("never marks anything done", () => {
    for (const result of ["success", "failed", "blocked"] as const) {
      const then = working("a", "b").when(reports("alice", result))
      assert.deepStrictEqual(
        ["a", "b"].map((id) => task(then.state, id).status),
        ["pending", "pending"]
      )
    }
  })

  it("with failure leaves the work open, names it, and leaves it to the next", () => {
    const then = working("a", "b").when(reports("alice", "failed"))
    assert.deepStrictEqual(contentsOf(then, "COMPLETION_REPORTED")[0]?.open, ["a", "b"])
    assert.strictEqual(then.state.run.status, "running")
  })

  it("as blocked is refused while something can be worked on", () => {
    const play = working("a", "b").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "blocked", "no access")
    )
    const then = play.when(reports("alice", "blocked"))
    assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["tasks_open", ["b"]])
    const stuck = play.after(updates("alice", "b", "cancelled", because))
    assert.match(stuck.when(reports("alice")).rejected?.hint ?? "", /blocked/)
    assert.strictEqual(codeOf(stuck.when(reports("alice", "blocked"))), undefined)
  })

  it("twice is once, whatever is said the second time", () => {
    const play = finished().after(reports("alice"))
    for (const result of ["success", "failed", "blocked"] as const) {
      const again = play.when(reports("alice", result))
      assert.deepStrictEqual([again.rejected, again.events], [null, []])
    }
  })

  it("is possible after a person has ended the run, and changes nothing of that", () => {
    const play = working("a").after(cancel())
    assert.strictEqual(play.state.run.status, "cancelled")
    const then = play.when(reports("alice", "blocked"))
    assert.strictEqual(codeOf(then), undefined)
    assert.strictEqual(then.state.run.status, "cancelled")
  })

  it("is refused to a session that was closed otherwise", () => {
    assert.strictEqual(codeOf(working("a").after(closes("alice", "expired")).when(reports("alice"))), "session_closed")
  })
})

describe("a run that has ended", () => {
  it("takes nothing more", () => {
    for (const play of [finished(), working("a").after(cancel())]) {
      for (const command of [
        submits("alice", aPlan("b")),
        completes("alice", "a"),
        creates("alice", aNewTask("x")),
        answers({ answer: "continue" })
      ]) {
        const then = play.when(command)
        assert.deepStrictEqual(then.events, [], command._tag)
        assert.isNotNull(then.rejected, command._tag)
      }
    }
  })
})

describe("the end of the run", () => {
  const atVerify = (
    setup: { readonly verifiers: ReadonlyArray<string> },
    ...tasks: ReadonlyArray<string | PlannedTask>
  ) => planning(withContract({}, {}, setup)).after(submits("alice", aPlan(...tasks)))

  const ends = (play: Play) => {
    const handed = verifying(play)
    const after = handed.phases.verifying === null ? handed : handed.after(verifies(handed, 0))
    return [after.state.run.status, after.state.run.message] as const
  }

  const byWord = (play: Play, id: string) =>
    play.after(updates("alice", id, "in_progress"), updates("alice", id, "done"))

  it("completes it when everything is proven, with and without commands", () => {
    for (const verifiers of [[], ["true"]]) {
      assert.strictEqual(ends(proven(atVerify({ verifiers }, "a"), "alice", "a"))[0], "completed")
    }
  })

  it("completes it when what was done by word was verified as a whole", () => {
    const play = byWord(atVerify({ verifiers: ["true"] }, { id: "a", checklist: null }), "a")
    assert.strictEqual(ends(play)[0], "completed")
  })

  it("leaves it incomplete when something was done by word and nothing verified it", () => {
    const play = byWord(proven(atVerify({ verifiers: [] }, "a", { id: "b", checklist: null }), "alice", "a"), "b")
    const [status, message] = ends(play)
    assert.strictEqual(status, "incomplete")
    assert.match(message, /2 of 2 tasks are completed, 1 of them by word alone/)
  })

  it("leaves it incomplete when a task was cancelled", () => {
    const play = proven(atVerify({ verifiers: ["true"] }, "a", "b"), "alice", "a").after(
      updates("alice", "b", "cancelled", because)
    )
    const [status, message] = ends(play)
    assert.strictEqual(status, "incomplete")
    assert.match(message, /1 of 2 tasks are completed/)
  })

  it("leaves it incomplete when all of it was only excused", () => {
    const play = atVerify({ verifiers: [] }, "a").after(
      completes("alice", "a", [{ item: "one", status: "skipped", reason: because }])
    )
    const excused = play.after({ _tag: "RecordEvidence", task_id: "a", attempt: 1, facts: [] })
    assert.strictEqual(task(excused.state, "a").verdict, "waived")
    assert.strictEqual(ends(excused)[0], "incomplete")
  })

  it("leaves it incomplete when no task was registered: 0 of 0 is no pass", () => {
    const play = withContract({
      EXPLORATION: aPhase({ transitions: [to("DONE")] })
    })
    const then = play.when(submits("alice", {}))
    assert.deepStrictEqual(
      [then.state.run.status, then.state.run.message],
      ["incomplete", "No task was registered: there was nothing to prove."]
    )
  })

  it("gives up what is open, with what is under way", () => {
    const once = failing(proven(working("a", "b").after(updates("alice", "b", "cancelled", because)), "alice", "a"))
    const asked = failing(proven(once, "alice", "a"))
    const then = asked.when(answers({ answer: "stop" }))
    assert.deepStrictEqual(
      contentsOf(then, "TASK_SKIPPED").map(({ reason, task_id }) => [task_id, reason]),
      [["a", "run_ended"]]
    )
    assert.deepInclude(contentsOf(then, "RUN_INCOMPLETE")[0], { total: 2, completed: 0, failed: 0, skipped: 2 })
  })

  it("leaves no attempt under way, also of a task that was blocked", () => {
    const play = working("a", "b").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "b", "in_progress"),
      updates("alice", "b", "blocked", "no access")
    )
    const then = play.when(cancel())
    for (const id of ["a", "b"]) assert.isTrue(task(then.state, id).current?.cancelled, id)
  })

  it("never comes before a phase that is an end", () => {
    const play = proven(working("a"), "alice", "a").after(closes("alice"))
    assert.strictEqual(play.state.run.status, "running")
    assert.strictEqual(play.when({ _tag: "FinishRun" }).state.run.status, "running")
  })
})

describe("reports of others", () => {
  it("are evidence like any other", () => {
    const play = working("a").after(
      opens("bob"),
      creates("alice", aNewTask("x", { assignee: "bob", checklist: ["one"] }))
    )
    const reported = play.after(completes("bob", "tsk_2", [done("one")]))
    assert.strictEqual(task(reported.state, "tsk_2").current?.agent, "bob")
  })
})
