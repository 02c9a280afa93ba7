import { assert, describe, it } from "@effect/vitest"
import { type AssignmentStatus, tasksOf } from "@proofline/kernel"
import { assignmentStatusOf, transitions } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { evidence, task, typesOf } from "../../../kernel/support/words.ts"
import {
  aNewTask,
  aPhase,
  aPlan,
  assignmentIn,
  because,
  closes,
  codeOf,
  completes,
  contentsOf,
  creates,
  failing,
  keysOf,
  opens,
  type Play,
  planning,
  proven,
  reports,
  submits,
  to,
  updates,
  verifies,
  verifying,
  withContract,
  working
} from "./playing.ts"

const statuses = ["backlog", "todo", "in_progress", "blocked", "done", "cancelled"] as const

/** Source: progress tools, the table of statuses. */
const table: Readonly<Record<AssignmentStatus, ReadonlyArray<AssignmentStatus>>> = {
  backlog: ["todo", "cancelled"],
  todo: ["in_progress", "backlog", "cancelled"],
  in_progress: ["done", "blocked"],
  blocked: ["in_progress", "cancelled"],
  done: [],
  cancelled: []
}

const aTaskThatIs = (status: AssignmentStatus): Play => {
  const play = working({ id: "a", checklist: null }, "z")
  const set = (...way: ReadonlyArray<AssignmentStatus>): Play =>
    play.after(...way.map((next) => updates("alice", "a", next, because)))
  switch (status) {
    case "todo":
      return play
    case "blocked":
      return set("in_progress", "blocked")
    case "done":
      return set("in_progress", "done")
    default:
      return set(status)
  }
}

const statusOf = (play: Pick<Play, "state">, id: string): AssignmentStatus => assignmentStatusOf(task(play.state, id))

describe("the status of a task", () => {
  it("may change as the table says", () => {
    assert.deepStrictEqual(transitions, table)
  })

  for (const from of statuses) {
    for (const into of statuses) {
      const may = table[from].includes(into)
      it(`${may ? "becomes" : "never becomes"} ${into} from ${from}`, () => {
        const play = aTaskThatIs(from)
        assert.strictEqual(statusOf(play, "a"), from)
        const then = play.when(updates("alice", "a", into, because))
        assert.strictEqual(codeOf(then), may ? undefined : "invalid_transition")
        assert.strictEqual(statusOf(then, "a"), may ? into : from)
        for (const next of may ? [] : table[from]) assert.include(then.rejected?.hint ?? "", next)
      })
    }
  }

  it("is in_progress while a refused report is with the agent: it may be blocked then", () => {
    const play = working("a").after(completes("alice", "a"), evidence("a", 1))
    assert.strictEqual(statusOf(play, "a"), "in_progress")
    assert.strictEqual(codeOf(play.when(updates("alice", "a", "in_progress"))), "invalid_transition")
    assert.strictEqual(statusOf(play.after(updates("alice", "a", "blocked", because)), "a"), "blocked")
  })

  it("is not changed for a task nobody knows, by a session nobody knows, or for somebody else's", () => {
    const play = working("a").after(opens("bob"))
    const unknown = play.when(updates("alice", "b", "in_progress"))
    assert.deepStrictEqual([codeOf(unknown), unknown.rejected?.open], ["unknown_task", ["a"]])
    assert.strictEqual(codeOf(play.when(updates("bob", "a", "in_progress"))), "task_not_yours")
    assert.deepStrictEqual(play.when(updates("carol", "a", "in_progress")).events, [])
  })

  it("is not changed by a session that is over", () => {
    const play = working("a").after(opens("bob"), closes("alice"))
    const then = play.when(updates("alice", "a", "in_progress"))
    assert.strictEqual(codeOf(then), "session_closed")
    assert.strictEqual(statusOf(then, "a"), "todo")
  })

  it("is recorded with who asked, when and for what", () => {
    const prompt = { sha256: "d".repeat(64), bytes: 3 }
    const then = working("a").when({ ...updates("alice", "a", "in_progress"), prompt })
    assert.deepStrictEqual(contentsOf(then, "TASK_STATUS_CHANGED")[0]?.by, {
      session_id: "ses_alice",
      at: "2026-01-02T12:00:00.000Z",
      asked: "in_progress",
      prompt
    })
    assert.deepStrictEqual(typesOf(then.events), ["TASK_STATUS_CHANGED", "TASK_STARTED", "ATTEMPT_STARTED"])
  })

  it("becomes in_progress only when everything it waits for is done", () => {
    const play = working("a", { id: "b", depends_on: ["a"] })
    const then = play.when(updates("alice", "b", "in_progress"))
    assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["dependencies_open", ["a"]])
    assert.strictEqual(
      statusOf(proven(play, "alice", "a").after(updates("alice", "b", "in_progress")), "b"),
      "in_progress"
    )
  })

  it("becomes in_progress for so many at once as the contract allows; subtasks do not count", () => {
    const play = planning(withContract({}, { limits: { parallel_tasks: 1 } })).after(
      submits("alice", aPlan("a", "b")),
      creates("alice", aNewTask("s", { parent_task_id: "a" })),
      updates("alice", "a", "in_progress"),
      updates("alice", "tsk_3", "in_progress")
    )
    const then = play.when(updates("alice", "b", "in_progress"))
    assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["parallel_limit", ["a"]])
    const rested = play.after(updates("alice", "a", "blocked", because))
    assert.strictEqual(statusOf(rested.after(updates("alice", "b", "in_progress")), "b"), "in_progress")
  })

  it("is not an agent's way to move a counter or to lose what was shown", () => {
    const half = working({ id: "a", checklist: ["x", "y"] }).after(
      completes("alice", "a", ["x", "y"]),
      evidence("a", 1, 0)
    )
    const play = half.after(updates("alice", "a", "blocked", "verification_failed"))
    assert.strictEqual(assignmentIn(play.state, "a").failures, 0)
    assert.deepStrictEqual(
      task(play.state, "a").items.map(({ verdict }) => verdict),
      ["proven", "refuted"]
    )
  })
})

describe("a task that is blocked", () => {
  const split = () =>
    working("p", "z").after(
      creates(
        "alice",
        aNewTask("x", { parent_task_id: "p" }),
        aNewTask("y", { parent_task_id: "x" }),
        aNewTask("w", { parent_task_id: "p" }),
        aNewTask("v", { parent_task_id: "p", status: "backlog" })
      ),
      updates("alice", "tsk_5", "in_progress"),
      updates("alice", "tsk_5", "done"),
      updates("alice", "tsk_4", "in_progress"),
      updates("alice", "p", "in_progress")
    )

  it("needs a reason", () => {
    for (const reason of ["", "   "]) {
      assert.strictEqual(codeOf(split().when(updates("alice", "p", "blocked", reason))), "reason_required")
    }
    assert.strictEqual(assignmentIn(split().after(updates("alice", "p", "blocked", "x")).state, "p").reason, "x")
  })

  it("blocks what is open below it, on every level", () => {
    const then = split().when(updates("alice", "p", "blocked", "no access"))
    assert.deepStrictEqual(
      ["p", "tsk_3", "tsk_4", "tsk_5", "tsk_6"].map((id) => statusOf(then, id)),
      ["blocked", "blocked", "blocked", "done", "blocked"]
    )
    assert.strictEqual(assignmentIn(then.state, "tsk_4").reason, "p is blocked.")
    assert.strictEqual(statusOf(then, "z"), "todo")
  })

  it("keeps its parts from going on, until it goes on itself", () => {
    const play = split().after(updates("alice", "p", "blocked", "no access"))
    assert.strictEqual(codeOf(play.when(updates("alice", "tsk_3", "in_progress"))), "parent_not_open")
    const on = play.after(updates("alice", "p", "in_progress"))
    assert.strictEqual(statusOf(on, "tsk_3"), "blocked")
    assert.strictEqual(statusOf(on.after(updates("alice", "tsk_3", "in_progress")), "tsk_3"), "in_progress")
  })

  it("goes on with the attempt it had", () => {
    const play = working("a").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "blocked", "no access"),
      updates("alice", "a", "in_progress")
    )
    assert.strictEqual(task(play.state, "a").attempts, 1)
    assert.strictEqual(assignmentIn(play.state, "a").reason, "")
  })

  it("while its report is looked at is not completed by what comes of that", () => {
    const play = working("a").after(completes("alice", "a"), updates("alice", "a", "blocked", "no access"))
    assert.strictEqual(codeOf(play.when(evidence("a", 1, 0))), "attempt_not_current")
    const on = play.after(updates("alice", "a", "in_progress"))
    assert.strictEqual(task(on.state, "a").attempts, 2)
    assert.strictEqual(codeOf(on.when(evidence("a", 1, 0))), "attempt_not_current")
    assert.strictEqual(proven(on, "alice", "a").phases.phase, "READY_COMPLETE")
  })
})

describe("a task that is cancelled", () => {
  it("needs a reason of ten characters", () => {
    for (const reason of ["", "too short", "   short     "]) {
      assert.strictEqual(codeOf(working("a").when(updates("alice", "a", "cancelled", reason))), "reason_required")
    }
    const then = working("a", "b").when(updates("alice", "a", "cancelled", ` ${because} `))
    assert.deepStrictEqual(contentsOf(then, "TASK_SKIPPED"), [{ task_id: "a", reason: because, waiting_for: [] }])
  })

  it("may be cancelled by who gave it to another, while that one has not begun it", () => {
    const play = working("z").after(opens("bob"), opens("carol"), creates("alice", aNewTask("x", { assignee: "bob" })))
    const takesBack = (agent: string) => updates(agent, "tsk_2", "cancelled", because)
    assert.strictEqual(statusOf(play.after(takesBack("alice")), "tsk_2"), "cancelled")
    assert.strictEqual(codeOf(play.when(takesBack("carol"))), "task_not_yours")
    const begun = play.after(updates("bob", "tsk_2", "in_progress"))
    assert.strictEqual(codeOf(begun.when(takesBack("alice"))), "task_not_yours")
  })

  it("takes all below it along, with their attempts", () => {
    const play = working("p", "z").after(
      creates("alice", aNewTask("x", { parent_task_id: "p" }), aNewTask("y", { parent_task_id: "x" })),
      updates("alice", "tsk_4", "in_progress")
    )
    const then = play.when(updates("alice", "p", "cancelled", because))
    assert.deepStrictEqual(
      ["p", "tsk_3", "tsk_4"].map((id) => statusOf(then, id)),
      ["cancelled", "cancelled", "cancelled"]
    )
    assert.isTrue(task(then.state, "tsk_4").current?.cancelled)
    assert.strictEqual(then.state.tasks.open_count, 1)
  })

  it("ends the attempt that rested while it was blocked", () => {
    const play = working("a", "z").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "blocked", because)
    )
    const then = play.when(updates("alice", "a", "cancelled", because))
    assert.deepStrictEqual(typesOf(then.events), ["TASK_STATUS_CHANGED", "ATTEMPT_CANCELLED", "TASK_SKIPPED"])
  })

  it("must not be waited for by an open task outside", () => {
    const play = working("a", { id: "b", depends_on: ["a"] })
    const then = play.when(updates("alice", "a", "cancelled", because))
    assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["dependents_open", ["b"]])
    const both = play.after(updates("alice", "b", "cancelled", because), updates("alice", "a", "cancelled", because))
    assert.strictEqual(statusOf(both, "a"), "cancelled")
  })

  it("may be waited for by what is cancelled with it", () => {
    const play = working("p", "z").after(
      creates(
        "alice",
        aNewTask("x", { parent_task_id: "p" }),
        aNewTask("y", { parent_task_id: "p", dependencies: ["x"] })
      )
    )
    assert.strictEqual(codeOf(play.when(updates("alice", "tsk_3", "cancelled", because))), "dependents_open")
    assert.strictEqual(statusOf(play.after(updates("alice", "p", "cancelled", because)), "tsk_4"), "cancelled")
  })
})

describe("a task that is called done", () => {
  it("by word is done without proof", () => {
    const play = working({ id: "a", checklist: null }, "z").after(updates("alice", "a", "in_progress"))
    const then = play.when(updates("alice", "a", "done"))
    assert.deepStrictEqual(typesOf(then.events), ["TASK_STATUS_CHANGED", "ATTEMPT_ENDED", "TASK_COMPLETED"])
    assert.deepStrictEqual(contentsOf(then, "TASK_COMPLETED")[0], {
      task_id: "a",
      attempts: 1,
      proven: 0,
      waived: 0,
      verdict: "unproven"
    })
  })

  it("is refused when it has a checklist, with its items and the way to report them", () => {
    const play = working({ id: "a", checklist: ["x", "y"] }).after(updates("alice", "a", "in_progress"))
    const then = play.when(updates("alice", "a", "done", because))
    assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["checklist_item_pending", ["x", "y"]])
    assert.match(then.rejected?.hint ?? "", /complete_task\(task_id: "a"/)
  })

  it("is refused while subtasks are open, with their ids, on every level", () => {
    const play = working({ id: "p", checklist: null }, "z").after(
      creates("alice", aNewTask("x", { parent_task_id: "p" }), aNewTask("y", { parent_task_id: "p" })),
      updates("alice", "p", "in_progress")
    )
    const then = play.when(updates("alice", "p", "done"))
    assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["subtasks_incomplete", ["tsk_3", "tsk_4"]])
    const one = play.after(updates("alice", "tsk_3", "in_progress"), updates("alice", "tsk_3", "done"))
    assert.deepStrictEqual(one.when(updates("alice", "p", "done")).rejected?.open, ["tsk_4"])
    const all = one.after(updates("alice", "tsk_4", "cancelled", because), updates("alice", "p", "done"))
    assert.strictEqual(statusOf(all, "p"), "done")
  })

  it("is refused while something it waits for was sent back", () => {
    const play = proven(working("a", { id: "b", checklist: null, depends_on: ["a"] }), "alice", "a")
    const back = failing(play.after(updates("alice", "b", "cancelled", because)))
    assert.strictEqual(statusOf(back, "a"), "in_progress")
    const parts = proven(working("a", { id: "p", checklist: null, depends_on: ["a"] }), "alice", "a").after(
      creates("alice", aNewTask("x", { parent_task_id: "p", checklist: ["one"] }))
    )
    const all = failing(proven(proven(parts, "alice", "tsk_3"), "alice", "p"))
    const then = proven(all, "alice", "tsk_3").when(updates("alice", "p", "done"))
    assert.deepStrictEqual([codeOf(then), then.rejected?.open], ["dependencies_open", ["a"]])
  })

  it("is refused while its report is looked at", () => {
    const play = working("a").after(completes("alice", "a"))
    assert.strictEqual(codeOf(play.when(updates("alice", "a", "done"))), "task_being_checked")
  })
})

describe("tasks that an agent creates", () => {
  const refused = (play: Play, ...tasks: ReadonlyArray<ReturnType<typeof aNewTask>>) => {
    const then = play.when(creates("alice", ...tasks))
    assert.deepStrictEqual(then.events, [])
    return [codeOf(then), then.rejected?.open]
  }

  it("may name one another by local ids, in any order", () => {
    const then = working("a").when(
      creates(
        "alice",
        aNewTask("leaf", { parent_task_id: "branch", dependencies: ["other"] }),
        aNewTask("branch", { parent_task_id: "a", priority: "urgent" }),
        aNewTask("other", { checklist: ["one"], description: "", status: "backlog", assignee: "bob" })
      )
    )
    assert.deepStrictEqual(contentsOf(then, "TASKS_CREATED")[0]?.ids, ["tsk_2", "tsk_3", "tsk_4"])
    assert.strictEqual(assignmentIn(then.state, "tsk_2").assignee, "alice")
    assert.strictEqual(task(then.state, "tsk_2").parent_task_id, "tsk_3")
    assert.deepStrictEqual(task(then.state, "tsk_2").spec.depends_on, ["tsk_4"])
    assert.strictEqual(assignmentIn(then.state, "tsk_3").priority, "urgent")
    assert.strictEqual(task(then.state, "tsk_3").parent_task_id, "a")
    assert.deepStrictEqual(task(then.state, "tsk_3").children, ["tsk_2"])
    assert.deepStrictEqual(task(then.state, "a").children, ["tsk_3"])
    assert.deepInclude(assignmentIn(then.state, "tsk_4"), { assignee: "bob", created_by: "alice" })
    assert.deepInclude(task(then.state, "tsk_4").spec, { instruction: "other", checklist: [{ item: "one" }] })
    assert.strictEqual(statusOf(then, "tsk_4"), "backlog")
  })

  it("get ids that nobody has yet", () => {
    const play = working("tsk_2", "tsk_3").after(creates("alice", aNewTask("x"), aNewTask("y")))
    assert.deepStrictEqual(
      tasksOf(play.state)
        .map(({ spec }) => spec.id)
        .toSorted(),
      ["tsk_2", "tsk_3", "tsk_4", "tsk_5"]
    )
  })

  it("twice the same are created once, by the same agent", () => {
    const batch = creates("alice", aNewTask("x"), aNewTask("y", { dependencies: ["x"] }))
    const play = working("a").after(opens("bob"), batch)
    const again = play.when(batch)
    assert.deepStrictEqual([again.rejected, again.events], [null, []])
    assert.lengthOf(contentsOf(play.when({ ...batch, session_id: "ses_bob" }), "TASK_REGISTERED"), 2)
    const other = play.when(creates("alice", aNewTask("x"), aNewTask("y")))
    assert.lengthOf(contentsOf(other, "TASK_REGISTERED"), 2)
  })

  it("are refused with what they wait for when nobody knows that, or it was cancelled", () => {
    const play = working("a", "b").after(updates("alice", "a", "cancelled", because))
    assert.deepStrictEqual(refused(play, aNewTask("x", { dependencies: ["no", "a", "b"] }), aNewTask("y")), [
      "task_dependency_unknown",
      ["no", "a"]
    ])
  })

  it("are refused as part of what nobody knows, what is over, or what is somebody else's", () => {
    const play = proven(working("a", "b"), "alice", "a").after(opens("bob"))
    assert.deepStrictEqual(refused(play, aNewTask("x", { parent_task_id: "no" })), ["parent_unknown", ["no"]])
    assert.deepStrictEqual(refused(play, aNewTask("x", { parent_task_id: "a" })), ["parent_not_open", ["a"]])
    const then = play.when(creates("bob", aNewTask("x", { parent_task_id: "b" })))
    assert.strictEqual(codeOf(then), "task_not_yours")
  })

  it("are refused as part of a task whose report is looked at: it would be done before them", () => {
    const play = working("a").after(completes("alice", "a"))
    assert.deepStrictEqual(refused(play, aNewTask("x", { parent_task_id: "a" })), ["task_being_checked", ["a"]])
    const back = play.after(evidence("a", 1), creates("alice", aNewTask("x", { parent_task_id: "a" })))
    assert.deepStrictEqual(keysOf(back.when(completes("alice", "a"))), ["subtasks_incomplete"])
  })

  it("are refused when they would wait for each other, also through their parents", () => {
    const circle = refused(working("a"), aNewTask("x", { dependencies: ["y"] }), aNewTask("y", { dependencies: ["x"] }))
    assert.strictEqual(circle[0], "task_dependency_cycle")
    assert.deepStrictEqual(new Set(circle[1]), new Set(["tsk_2", "tsk_3"]))
    // a part cannot wait for the whole, nor for what the whole is waited for by
    assert.strictEqual(
      refused(working("a"), aNewTask("x", { parent_task_id: "a", dependencies: ["a"] }))[0],
      "task_dependency_cycle"
    )
    assert.strictEqual(
      refused(
        working("a", { id: "b", depends_on: ["a"] }),
        aNewTask("x", { parent_task_id: "a", dependencies: ["b"] })
      )[0],
      "task_dependency_cycle"
    )
    assert.strictEqual(refused(working("a"), aNewTask("x", { parent_task_id: "x" }))[0], "task_dependency_cycle")
    assert.strictEqual(
      refused(working("a"), aNewTask("x", { parent_task_id: "y" }), aNewTask("y", { parent_task_id: "x" }))[0],
      "task_dependency_cycle"
    )
  })

  it("are refused without a task, and with local ids that are taken", () => {
    assert.strictEqual(refused(working("a"))[0], "empty_tasks")
    assert.deepStrictEqual(refused(working("a"), aNewTask("x"), aNewTask("x"), aNewTask("a")), [
      "duplicate_task_ids",
      ["x", "a"]
    ])
  })

  it("make work that was verified unverified", () => {
    const later = withContract({
      POST_IMPL_VERIFY: aPhase({ kind: "verify", transitions: [to("LAST")] }),
      LAST: aPhase({ transitions: [to("DONE")] })
    })
    const handed = verifying(proven(planning(later).after(submits("alice", aPlan("a"))), "alice", "a"))
    const verified = handed.after(verifies(handed, 0))
    assert.deepStrictEqual([verified.phases.phase, verified.phases.verified], ["LAST", true])
    assert.strictEqual(verified.when(submits("alice", {})).state.run.status, "completed")
    const more = verified.after(
      creates("alice", aNewTask("x")),
      updates("alice", "tsk_2", "in_progress"),
      updates("alice", "tsk_2", "done")
    )
    assert.isFalse(more.phases.verified)
    assert.strictEqual(more.when(submits("alice", {})).state.run.status, "incomplete")
  })

  it("are refused once the run is at its end", () => {
    const handed = verifying(proven(working("a"), "alice", "a"))
    const ended = handed.after(verifies(handed, 0))
    assert.strictEqual(ended.state.run.status, "completed")
    assert.strictEqual(refused(ended, aNewTask("x"))[0], "run_over")
    assert.strictEqual(codeOf(ended.when(reports("alice"))), undefined)
  })

  it("cannot be created by a session that is over", () => {
    const play = working("a").after(opens("bob"), closes("alice"))
    assert.strictEqual(codeOf(play.when(creates("alice", aNewTask("x")))), "session_closed")
  })
})

describe("work that was sent back", () => {
  it("keeps its subtasks open before it, and is taken up again through them", () => {
    const play = working({ id: "p", checklist: null }).after(
      creates("alice", aNewTask("x", { parent_task_id: "p", checklist: ["shown"] }))
    )
    const back = failing(proven(proven(play, "alice", "tsk_2"), "alice", "p"))
    assert.deepStrictEqual([statusOf(back, "p"), statusOf(back, "tsk_2")], ["in_progress", "in_progress"])
    assert.strictEqual(codeOf(back.when(updates("alice", "p", "done"))), "subtasks_incomplete")
  })
})
