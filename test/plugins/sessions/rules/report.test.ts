import { assert, describe, it } from "@effect/vitest"
import { tasksOf } from "@proofline/kernel"
import { done, evidence, task, typesOf, waived } from "../../../kernel/support/words.ts"
import {
  aContract,
  actionOf,
  aNewTask,
  aPhase,
  aPlan,
  aPlay,
  assignmentIn,
  because,
  checksTarget,
  codeOf,
  completes,
  contentsOf,
  creates,
  failing,
  failuresOf,
  keysOf,
  opens,
  planning,
  proven,
  submits,
  to,
  updates,
  verifying,
  warningsOf,
  withContract,
  working
} from "./playing.ts"

const blob = { sha256: "d".repeat(64), bytes: 5 }

describe("the report of a task", () => {
  it("begins an attempt, ends it, and has its evidence looked at", () => {
    const then = working("a").when({ ...completes("alice", "a"), prompt: blob })
    assert.deepStrictEqual(typesOf(then.events), [
      "PHASE_SUBMITTED",
      "TASK_STARTED",
      "ATTEMPT_STARTED",
      "ATTEMPT_ENDED",
      "CHECKLIST_REPORTED"
    ])
    assert.deepInclude(contentsOf(then, "ATTEMPT_STARTED")[0], {
      task_id: "a",
      attempt: 1,
      agent: "alice",
      worker_id: "ses_alice",
      prompt: blob
    })
    assert.deepStrictEqual(
      then.starts.map(({ activity, task_id }) => [activity, task_id]),
      [["evidence", "a"]]
    )
    assert.strictEqual(task(then.state, "a").status, "in_progress")
  })

  it("goes on with the attempt that the agent had begun", () => {
    const then = working("a")
      .after(updates("alice", "a", "in_progress"))
      .when(completes("alice", "a"))
    assert.deepStrictEqual(typesOf(then.events), ["PHASE_SUBMITTED", "ATTEMPT_ENDED", "CHECKLIST_REPORTED"])
    assert.strictEqual(task(then.state, "a").attempts, 1)
  })

  it("completes the task when every item is shown or excused", () => {
    const play = working({ id: "a", checklist: ["x", "y"] }, "b")
    const then = play.after(completes("alice", "a", ["x", waived("y")])).when(evidence("a", 1, 0))
    assert.deepStrictEqual(typesOf(then.events), [
      "EVIDENCE_CHECKED",
      "CHECKLIST_ITEM_ACCEPTED",
      "CHECKLIST_ITEM_ACCEPTED",
      "CHECKLIST_COMPLETED",
      "TASK_COMPLETED"
    ])
    assert.deepStrictEqual(contentsOf(then, "TASK_COMPLETED"), [{ task_id: "a", attempts: 1, proven: 1, waived: 1 }])
    assert.strictEqual(task(then.state, "a").verdict, "proven")
  })

  it("that does not hold leaves the task with the agent, as often as it takes", () => {
    let play = working("a")
    for (let attempt = 1; attempt <= 6; attempt++) {
      const then = play.after(completes("alice", "a")).when(evidence("a", attempt))
      assert.deepStrictEqual(typesOf(then.events).at(-1), "TASK_STATUS_CHANGED")
      assert.deepInclude(contentsOf(then, "TASK_STATUS_CHANGED")[0], { to: "retrying", delay_ms: 0, retry_count: 0 })
      play = play.after(completes("alice", "a"), evidence("a", attempt))
      assert.deepStrictEqual(actionOf(play), ["work", "a"])
    }
    assert.deepStrictEqual(
      task(play.state, "a").refused?.failures.map(({ key }) => key),
      ["checklist_evidence_required"]
    )
    assert.strictEqual(proven(play, "alice", "a").phases.phase, "READY_COMPLETE")
  })

  it("whose evidence could not be looked at leaves the task with the agent too", () => {
    const play = working("a").after(completes("alice", "a"))
    const then = play.when({
      _tag: "RecordActivityFailure",
      name: "evidence",
      key: "evidence/a/1",
      input: { task_id: "a", attempt: 1 },
      code: "activity_broken",
      message: "It broke."
    })
    assert.strictEqual(task(then.state, "a").status, "retrying")
    assert.isNull(task(then.state, "a").blocked)
  })

  it("needs the checklist when one is registered", () => {
    for (const said of [{}, { checklist: null }, { checklist: [] }]) {
      const then = working({ id: "a", checklist: ["one", "two"] }).when(completes("alice", "a", null, said))
      assert.deepStrictEqual(failuresOf(then), [
        {
          key: "checklist_items_mismatch",
          item: null,
          fields: { missing: "'one', 'two'" },
          message:
            "Reported checklist items don't match registered items. Include all items from the original checklist. Missing: 'one', 'two'."
        }
      ])
      assert.strictEqual(task(then.state, "a").status, "pending")
    }
    for (const checklist of ["x", 3, {}]) {
      assert.deepStrictEqual(keysOf(working("a").when(completes("alice", "a", [], { checklist }))), ["field_invalid"])
    }
  })

  it("is refused with every item that is not as promised", () => {
    const items = [
      { item: "one", status: "Done", evidence: "src/a.ts:1" },
      { item: 3, status: "done" },
      { item: "two", status: "done", evidence: 4 },
      { item: "three", status: "skipped", reason: ["x"] }
    ]
    const wrong = (checklist: ReadonlyArray<unknown>) => {
      const then = working("a").when(completes("alice", "a", [], { checklist }))
      assert.strictEqual(task(then.state, "a").status, "pending")
      return failuresOf(then).map(({ fields, key }) => [key, fields["field"]])
    }
    assert.deepStrictEqual(wrong(items), [
      ["field_invalid", "checklist[0].status"],
      ["field_invalid", "checklist[1].item"],
      ["field_invalid", "checklist[2].evidence"],
      ["field_invalid", "checklist[3].reason"]
    ])
    assert.deepStrictEqual(wrong([{ status: "done" }, "five", { item: "one" }]), [
      ["field_missing", "checklist[0].item"],
      ["field_invalid", "checklist[1]"],
      ["field_missing", "checklist[2].status"]
    ])
  })

  it("of a task without a checklist is its word, and says so", () => {
    const play = working({ id: "a", checklist: null }, "b")
    for (const said of [{}, { checklist: null }, { checklist: [] }]) {
      const then = play.when(completes("alice", "a", null, said))
      assert.deepStrictEqual(warningsOf(then), ["checklist_missing"])
      assert.deepStrictEqual(contentsOf(then, "TASK_COMPLETED"), [
        { task_id: "a", attempts: 1, proven: 0, waived: 0, verdict: "unproven" }
      ])
    }
  })

  it("of a task without a checklist proves nothing by items that nobody registered", () => {
    const then = working({ id: "a", checklist: null }, "b").when(completes("alice", "a", ["made up"]))
    assert.strictEqual(task(then.state, "a").verdict, "unproven")
  })
})

describe("a report is refused", () => {
  const refusal = (play: ReturnType<typeof working>, agent: string, id: string) => {
    const then = play.when(completes(agent, id))
    assert.notInclude(typesOf(then.events), "CHECKLIST_REPORTED")
    return failuresOf(then).map(({ fields, key }) => [key, fields["tasks"] ?? fields["assignee"] ?? fields["status"]])
  }

  it("about a task nobody knows, with those that are known", () => {
    assert.deepStrictEqual(refusal(working("a", "b"), "alice", "c"), [["unknown_task", "a, b"]])
  })

  it("where no task is registered", () => {
    const play = withContract({}, { start: [{ to: "READY_IMPL" }] })
    assert.deepStrictEqual(refusal(play, "alice", "a"), [["no_tasks_registered", undefined]])
  })

  it("about somebody else's task, unless what it is part of is one's own", () => {
    const play = working("a").after(opens("bob"))
    assert.deepStrictEqual(refusal(play, "bob", "a"), [["task_not_yours", "alice"]])
    const split = play.after(
      creates("alice", aNewTask("s", { parent_task_id: "a", assignee: "bob", checklist: ["x"] }))
    )
    assert.strictEqual(task(proven(split, "alice", "tsk_2").state, "tsk_2").status, "completed")
    assert.strictEqual(task(proven(split, "bob", "tsk_2").state, "tsk_2").status, "completed")
  })

  it("about a task that is over", () => {
    const play = proven(working("a", "b", "c"), "alice", "a").after(updates("alice", "b", "cancelled", because))
    const other = play.when(completes("alice", "a", [waived("one")]))
    assert.deepStrictEqual(keysOf(other), ["already_completed"])
    assert.deepStrictEqual(refusal(play, "alice", "b"), [["task_blocked", "cancelled"]])
  })

  it("about a task that is blocked or put off", () => {
    const blocked = working("a").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "blocked", "no access")
    )
    assert.deepStrictEqual(refusal(blocked, "alice", "a"), [["task_blocked", "blocked"]])
    assert.deepStrictEqual(refusal(working("a").after(updates("alice", "a", "backlog")), "alice", "a"), [
      ["task_blocked", "backlog"]
    ])
  })

  it("about a task that waits for others", () => {
    const play = working("a", "b", { id: "c", depends_on: ["a", "b"] })
    assert.deepStrictEqual(refusal(play, "alice", "c"), [["dependencies_open", "a, b"]])
    assert.deepStrictEqual(refusal(proven(play, "alice", "a"), "alice", "c"), [["dependencies_open", "b"]])
  })

  it("about a task with open subtasks, with their ids", () => {
    const play = working("a").after(
      creates("alice", aNewTask("x", { parent_task_id: "a" }), aNewTask("y", { parent_task_id: "a" }))
    )
    assert.deepStrictEqual(refusal(play, "alice", "a"), [["subtasks_incomplete", "tsk_2, tsk_3"]])
    const one = proven(play, "alice", "tsk_2")
    assert.deepStrictEqual(refusal(one, "alice", "a"), [["subtasks_incomplete", "tsk_3"]])
    assert.strictEqual(proven(proven(one, "alice", "tsk_3"), "alice", "a").phases.phase, "READY_COMPLETE")
  })

  it("about a part of a task that is blocked", () => {
    const play = working("a").after(
      creates("alice", aNewTask("x", { parent_task_id: "a" })),
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "blocked", "no access")
    )
    assert.deepStrictEqual(keysOf(play.when(completes("alice", "tsk_2", []))), ["task_blocked", "parent_not_open"])
    const late = play.after(creates("alice", aNewTask("y", { parent_task_id: "a" })))
    assert.deepStrictEqual(keysOf(late.when(completes("alice", "tsk_3", []))), ["parent_not_open"])
  })

  it("with everything at once that is wrong with its order and its items", () => {
    const play = working("a", { id: "b", depends_on: ["a"] }).after(
      creates("alice", aNewTask("x", { parent_task_id: "b" })),
      updates("alice", "b", "backlog")
    )
    const bad = { item: "one", status: "almost" } as never
    assert.deepStrictEqual(keysOf(play.when(completes("alice", "b", [bad]))), [
      "subtasks_incomplete",
      "dependencies_open",
      "task_blocked",
      "field_invalid"
    ])
  })

  it("while the one before it is looked at, unless it is the same", () => {
    const play = working("a").after(completes("alice", "a"))
    assert.deepStrictEqual(keysOf(play.when(completes("alice", "a", [waived("one")]))), ["task_being_checked"])
    const same = play.when(completes("alice", "a"))
    assert.deepStrictEqual([same.rejected, same.events], [null, []])
  })

  it("in a phase in which no task is reported, by complete_task and by submit_phase", () => {
    for (const play of [aPlay(), planning()]) {
      assert.strictEqual(codeOf(play.when(completes("alice", "a"))), "phase_mismatch")
      const then = play.when(submits("alice", { task_id: "a", checklist: [done("one")] }))
      assert.isNotEmpty(keysOf(then))
    }
  })

  it("by complete_task when it is no report, whatever phase it would fit", () => {
    const then = working("a").when({ ...submits("alice", aPlan("b")), isReport: true })
    assert.include(keysOf(then), "field_missing")
    assert.strictEqual(tasksOf(then.state).length, 1)
  })

  it("when more are worked on than the contract allows", () => {
    const play = withContract({}, { limits: { parallel_tasks: 1 } })
    const planned = planning(play).after(submits("alice", aPlan("a", "b")), updates("alice", "a", "in_progress"))
    assert.deepStrictEqual(keysOf(planned.when(completes("alice", "b"))), ["parallel_limit"])
    assert.strictEqual(task(proven(planned, "alice", "a").state, "a").status, "completed")
  })

  it("when it cites what nobody asked for, where the contract asks for that", () => {
    const write_targets = { existing: "explored", fresh: "explored", required: true } as const
    const play = planning(withContract({}, { write_targets })).after(submits("alice", aPlan("a")))
    const then = play.when(completes("alice", "a"))
    assert.deepStrictEqual(
      failuresOf(then).map(({ fields, item, key }) => [key, item, fields["file_path"]]),
      [["write_target_not_checked", "one", "src/a.ts"]]
    )
    const asked = play.after(checksTarget("alice", "src/a.ts"))
    assert.deepStrictEqual(keysOf(asked.when(completes("alice", "a"))), [])
    assert.deepStrictEqual(keysOf(play.when(completes("alice", "a", [waived("one")]))), [])
  })
})

describe("the same report again", () => {
  it("writes nothing once the task is completed by it", () => {
    const play = proven(working("a", "b"), "alice", "a")
    const then = play.when(completes("alice", "a"))
    assert.deepStrictEqual([then.rejected, then.events], [null, []])
  })

  it("writes nothing also for a task without a checklist", () => {
    const play = working({ id: "a", checklist: null }, "b").after(completes("alice", "a", []))
    const then = play.when(completes("alice", "a", []))
    assert.deepStrictEqual([then.rejected, then.events], [null, []])
  })

  it("is no repetition where the task was never reported", () => {
    const play = working({ id: "a", checklist: null }, "b").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "done")
    )
    assert.deepStrictEqual(keysOf(play.when(completes("alice", "a", []))), ["already_completed"])
  })

  it("is judged again after it was refused", () => {
    const play = working("a").after(completes("alice", "a"), evidence("a", 1))
    assert.strictEqual(task(play.after(completes("alice", "a")).state, "a").attempts, 2)
  })

  it("is judged again after a verification failed", () => {
    const play = failing(proven(working("a"), "alice", "a"))
    const then = play.when(completes("alice", "a"))
    assert.include(typesOf(then.events), "CHECKLIST_REPORTED")
  })

  it("writes nothing also when the phase was left by it, and is no way to hand in another one", () => {
    const left = proven(working("a"), "alice", "a")
    for (const play of [left, verifying(left)]) {
      const then = play.when(completes("alice", "a"))
      assert.deepStrictEqual([then.rejected, then.events], [null, []])
    }
    assert.strictEqual(codeOf(verifying(left).when(completes("alice", "a", ["two"]))), "verification_running")
  })

  it("is not taken for what another phase asks about the task", () => {
    const play = withContract({
      READY_COMPLETE: aPhase({ expected_payload: { task_id: "str", opinion: "str" }, transitions: [to("STOPPED")] })
    })
    const done = planning(play)
      .after(submits("alice", aPlan({ id: "a", checklist: null })))
      .after(completes("alice", "a", []))
    const then = done.when(submits("alice", { task_id: "a", opinion: "It is good." }))
    assert.strictEqual(then.state.sessions.phases?.phase, "STOPPED")
  })

  it("by submit_phase writes nothing either, with and without a checklist", () => {
    const play = working({ id: "a", checklist: null }, "b").after(completes("alice", "a", []))
    for (const payload of [{ task_id: "a" }, { task_id: "a", checklist: [] }]) {
      const then = play.when(submits("alice", payload))
      assert.deepStrictEqual([then.rejected, then.events], [null, []])
    }
  })
})

describe("a task that nobody has", () => {
  it("becomes that of whoever reports it", () => {
    const orphan = working("a").after(opens("bob"), creates("alice", aNewTask("x", { assignee: "carol" })))
    // carol never comes; her task stays hers
    assert.deepStrictEqual(keysOf(orphan.when(completes("bob", "tsk_2", []))), ["task_not_yours"])
  })
})

describe("a completed task with subtasks and no checklist", () => {
  it("is proven by them when one of them was shown and none was taken by word", () => {
    const play = working({ id: "p", checklist: null }, "z").after(
      creates(
        "alice",
        aNewTask("x", { parent_task_id: "p", checklist: ["shown"] }),
        aNewTask("y", { parent_task_id: "p" })
      )
    )
    const one = proven(play, "alice", "tsk_3")
    const both = proven(one, "alice", "tsk_4")
    assert.strictEqual(task(proven(both, "alice", "p").state, "p").verdict, "unproven")
    const without = one.after(updates("alice", "tsk_4", "cancelled", because))
    assert.strictEqual(task(proven(without, "alice", "p").state, "p").verdict, "proven")
    const byWord = without.after(updates("alice", "p", "in_progress"), updates("alice", "p", "done"))
    assert.strictEqual(task(byWord.state, "p").verdict, "proven")
  })
})

describe("a contract of its own", () => {
  it("words what a report is refused for", () => {
    const message = "Aufgabe {task_id} gehört {assignee}."
    const failures = { READY: { task_not_yours: { error: "payload_mismatch", message } } }
    const play = aPlay({ contract: aContract({ failures }) })
    const planned = planning(play).after(submits("alice", aPlan("a")), opens("bob"))
    assert.deepStrictEqual(
      failuresOf(planned.when(completes("bob", "a"))).map(({ message }) => message),
      ["Aufgabe a gehört alice."]
    )
    assert.strictEqual(assignmentIn(planned.state, "a").assignee, "alice")
  })
})
