import { assert, describe, it } from "@effect/vitest"
import { cancel, evidence } from "../../../kernel/support/words.ts"
import {
  actionOf,
  aNewTask,
  aPlan,
  aPlay,
  asks,
  because,
  closes,
  codeOf,
  completes,
  contentsOf,
  creates,
  failing,
  nextOf,
  opens,
  type Play,
  planning,
  proven,
  reports,
  submits,
  updates,
  verifies,
  verifying,
  withContract,
  working
} from "./playing.ts"

/** Alice has planned `a` and gave bob these tasks. */
const given = (...tasks: ReadonlyArray<ReturnType<typeof aNewTask>>): Play =>
  working("a").after(opens("bob"), creates("alice", ...tasks.map((task) => ({ ...task, assignee: "bob" }))))

/** Bob was told, and fetched, and did not split. */
const fetched = (play: Play): Play => play.after(asks("bob"), asks("bob", "get_my_task"), asks("bob"))

describe("what an agent is to do next", () => {
  it("is to leave when its session is over", () => {
    assert.deepStrictEqual(actionOf(working("a").after(opens("bob"), closes("bob")), "bob"), ["exit"])
    assert.deepStrictEqual(actionOf(working("a").after(reports("alice", "failed"))), ["exit"])
  })

  it("is to hand in the phase, as long as it is none of tasks", () => {
    assert.deepStrictEqual(actionOf(aPlay()), ["submit_phase"])
    assert.deepStrictEqual(actionOf(planning()), ["submit_phase"])
    assert.deepStrictEqual(actionOf(proven(working("a"), "alice", "a")), ["submit_phase"])
  })

  it("is to wait while the commands of the phase run", () => {
    assert.deepStrictEqual(actionOf(verifying(proven(working("a"), "alice", "a"))), ["wait"])
  })

  it("is to have a person asked, where one must answer", () => {
    const once = failing(proven(working("a"), "alice", "a"))
    assert.deepStrictEqual(actionOf(failing(proven(once, "alice", "a"))), ["ask_user"])
  })

  it("is to report completion at the end of the run", () => {
    const handed = verifying(proven(working("a"), "alice", "a"))
    assert.deepStrictEqual(actionOf(handed.after(verifies(handed, 0))), ["report_completion"])
  })

  it("is to report, and nothing else, when a person has ended the run", () => {
    for (const play of [aPlay(), working("a")]) {
      assert.deepStrictEqual(actionOf(play.after(cancel())), ["report_completion"])
    }
  })
})

describe("an agent with tasks of its own", () => {
  it("works on them without fetching and without splitting", () => {
    assert.deepStrictEqual(actionOf(working("a", "b")), ["work", "a"])
  })

  it("goes on with what it has begun before it begins something else", () => {
    assert.deepStrictEqual(actionOf(working("a", "b").after(updates("alice", "b", "in_progress"))), ["work", "b"])
  })

  it("goes on with what was refused", () => {
    const play = working("a", "b").after(completes("alice", "b"), evidence("b", 1))
    assert.deepStrictEqual(actionOf(play), ["work", "b"])
  })

  it("begins what is urgent first, then in order of registration", () => {
    const play = working("a").after(
      creates(
        "alice",
        aNewTask("x", { priority: "low" }),
        aNewTask("y", { priority: "high" }),
        aNewTask("z", { priority: "urgent" })
      )
    )
    const order: Array<string | null | undefined> = []
    let now = play
    for (let i = 0; i < 4; i++) {
      const id = nextOf(now).task_id
      order.push(id)
      now = now.after(updates("alice", id ?? "", "cancelled", because))
    }
    assert.deepStrictEqual(order, ["tsk_4", "tsk_3", "a", "tsk_2"])
  })

  it("begins nothing that waits", () => {
    const play = working({ id: "a", depends_on: ["b"] }, "b")
    assert.deepStrictEqual(actionOf(play), ["work", "b"])
    assert.deepStrictEqual(actionOf(proven(play, "alice", "b")), ["work", "a"])
  })

  it("does the parts of a task before the task", () => {
    const play = working("a").after(
      creates(
        "alice",
        aNewTask("x", { parent_task_id: "a" }),
        aNewTask("y", { parent_task_id: "a", dependencies: ["x"] })
      )
    )
    assert.deepStrictEqual(actionOf(play), ["start_subtask", "tsk_2"])
    const begun = play.after(updates("alice", "tsk_2", "in_progress"))
    assert.deepStrictEqual(actionOf(begun), ["execute_subtask", "tsk_2"])
    const one = begun.after(updates("alice", "tsk_2", "done"))
    assert.deepStrictEqual(actionOf(one), ["start_subtask", "tsk_3"])
    assert.deepStrictEqual(actionOf(proven(one, "alice", "tsk_3")), ["work", "a"])
  })

  it("does parts of parts first", () => {
    const play = working("a").after(
      creates("alice", aNewTask("x", { parent_task_id: "a" }), aNewTask("y", { parent_task_id: "x" }))
    )
    assert.deepStrictEqual(actionOf(play), ["start_subtask", "tsk_3"])
  })

  it("goes on with the next while a report is looked at, and waits when there is none", () => {
    const play = working("a", "b").after(completes("alice", "a"))
    assert.deepStrictEqual(actionOf(play), ["work", "b"])
    assert.deepStrictEqual(actionOf(play.after(completes("alice", "b")))[0], "wait")
  })

  it("sees to what is blocked when nothing else is left", () => {
    const play = working("a", "b").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "blocked", "no access")
    )
    assert.deepStrictEqual(actionOf(play), ["work", "b"])
    const none = proven(play, "alice", "b")
    assert.deepStrictEqual(actionOf(none), ["review_and_resolve_blocks", "a"])
  })

  it("sees to what was put off when nothing else is left", () => {
    assert.deepStrictEqual(actionOf(working("a").after(updates("alice", "a", "backlog"))), [
      "review_and_resolve_blocks",
      "a"
    ])
  })

  it("sees to what is blocked also when its other tasks wait for that", () => {
    const play = working("a", { id: "b", depends_on: ["a"] }).after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "blocked", "no access")
    )
    assert.deepStrictEqual(actionOf(play), ["review_and_resolve_blocks", "a"])
    assert.deepStrictEqual(nextOf(play).waiting, [{ id: "b", title: "Do b.", waiting_for: ["a"] }])
  })

  it("waits when what it has left waits for others", () => {
    const play = given(aNewTask("x")).after(
      creates("alice", aNewTask("y", { dependencies: ["tsk_2"] })),
      updates("alice", "a", "cancelled", because)
    )
    assert.deepStrictEqual(actionOf(play), ["wait"])
    assert.deepStrictEqual(nextOf(play).waiting, [{ id: "tsk_3", title: "y", waiting_for: ["tsk_2"] }])
  })

  it("is not told to begin a part of a task that is blocked", () => {
    const play = working("a", "b").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "blocked", "no access"),
      creates("alice", aNewTask("x", { parent_task_id: "a" }))
    )
    assert.deepStrictEqual(actionOf(play), ["work", "b"])
    const none = proven(play, "alice", "b")
    assert.include(["review_and_resolve_blocks", "dependency_deadlock"], actionOf(none)[0])
  })

  it("is told nothing that would be refused", () => {
    const play = planning(withContract({}, { limits: { parallel_tasks: 1 } })).after(
      submits("alice", aPlan("a", "b")),
      creates("alice", aNewTask("x", { parent_task_id: "a" })),
      updates("alice", "a", "in_progress"),
      updates("alice", "tsk_3", "in_progress"),
      updates("alice", "tsk_3", "blocked", "no access")
    )
    assert.strictEqual(codeOf(play.when(updates("alice", "b", "in_progress"))), "parallel_limit")
    assert.deepStrictEqual(actionOf(play), ["review_and_resolve_blocks", "tsk_3"])
  })
})

describe("an agent that was given a task", () => {
  it("fetches it first, then is told once that it may be split, then works on it", () => {
    const play = given(aNewTask("x"))
    assert.deepStrictEqual(actionOf(play, "bob"), ["get_task", "tsk_2"])
    const told = play.after(asks("bob"))
    assert.deepStrictEqual(actionOf(told, "bob"), ["get_task", "tsk_2"])
    const has = told.after(asks("bob", "get_my_task"))
    assert.deepStrictEqual(actionOf(has, "bob"), ["create_subtasks", "tsk_2"])
    assert.deepStrictEqual(actionOf(has.after(asks("bob")), "bob"), ["work", "tsk_2"])
  })

  it("is not told to split a task that has parts", () => {
    const play = given(aNewTask("x")).after(asks("bob", "get_my_task"))
    const split = play.after(creates("bob", aNewTask("y", { parent_task_id: "tsk_2" })))
    assert.deepStrictEqual(actionOf(split, "bob"), ["start_subtask", "tsk_3"])
  })

  it("fetches every task that it was given", () => {
    const play = fetched(given(aNewTask("x"), aNewTask("y")))
    assert.deepStrictEqual(actionOf(play, "bob"), ["work", "tsk_2"])
    const next = play.after(updates("bob", "tsk_2", "in_progress"), updates("bob", "tsk_2", "done"))
    assert.deepStrictEqual(actionOf(next, "bob"), ["get_task", "tsk_3"])
  })

  it("fetches again in a new session: another context may not know it", () => {
    const play = fetched(given(aNewTask("x"))).after(closes("bob"), opens("bob", { session_id: "ses_bob2" }))
    const session = play.phases.sessions.find(({ session_id }) => session_id === "ses_bob2")
    assert.deepStrictEqual(session?.fetched, [])
  })

  it("is done when nothing is left for it, though others go on", () => {
    const play = fetched(given(aNewTask("x"))).after(
      updates("bob", "tsk_2", "in_progress"),
      updates("bob", "tsk_2", "done")
    )
    assert.deepStrictEqual(actionOf(play, "bob"), ["report_completion"])
    assert.deepStrictEqual(actionOf(play), ["work", "a"])
  })

  it("leaves the phases to the others when it is done", () => {
    const play = proven(
      fetched(given(aNewTask("x"))).after(updates("bob", "tsk_2", "in_progress"), updates("bob", "tsk_2", "done")),
      "alice",
      "a"
    )
    assert.strictEqual(play.phases.phase, "READY_COMPLETE")
    assert.deepStrictEqual(actionOf(play, "bob"), ["report_completion"])
    assert.deepStrictEqual(actionOf(play), ["submit_phase"])
  })

  it("does not leave as the last while tasks of others are open", () => {
    const idle = fetched(given(aNewTask("x"))).after(
      updates("bob", "tsk_2", "in_progress"),
      updates("bob", "tsk_2", "done"),
      closes("alice")
    )
    assert.strictEqual(codeOf(idle.when(reports("bob"))), "phase_open")
    assert.deepStrictEqual(actionOf(idle, "bob"), ["wait"])
    assert.deepStrictEqual(actionOf(idle.after(asks("bob")), "bob"), ["get_task", "a"])
  })

  it("sees to the phases when it is the last", () => {
    const play = proven(
      fetched(given(aNewTask("x"))).after(updates("bob", "tsk_2", "in_progress"), updates("bob", "tsk_2", "done")),
      "alice",
      "a"
    ).after(closes("alice"))
    assert.deepStrictEqual(actionOf(play, "bob"), ["submit_phase"])
  })
})

describe("an agent with nothing of its own", () => {
  it("waits for the others", () => {
    assert.deepStrictEqual(actionOf(working("a").after(opens("bob")), "bob"), ["wait"])
  })

  it("may hand in a phase that nobody has handed in", () => {
    assert.deepStrictEqual(actionOf(planning().after(opens("bob")), "bob"), ["submit_phase"])
  })
})

describe("telling an agent what to do", () => {
  it("is recorded once, until it changes", () => {
    const play = working("a", "b")
    const first = play.when(asks("alice"))
    assert.deepStrictEqual(contentsOf(first, "NEXT_ACTION_ISSUED"), [
      { session_id: "ses_alice", at: "2026-01-02T12:00:00.000Z", tool: "get_next_action", action: "work", task_id: "a" }
    ])
    const told = play.after(asks("alice"))
    assert.deepStrictEqual(told.when(asks("alice")).events, [])
    assert.lengthOf(proven(told, "alice", "a").when(asks("alice")).events, 1)
  })

  it("records that a task was fetched, once", () => {
    const play = given(aNewTask("x")).after(asks("bob"))
    assert.lengthOf(play.when(asks("bob", "get_my_task")).events, 1)
    const has = play.after(asks("bob", "get_my_task"), asks("bob"), asks("bob", "get_my_task"))
    assert.deepStrictEqual(has.when(asks("bob", "get_my_task")).events, [])
  })

  it("is refused to a session that is over", () => {
    const play = working("a").after(opens("bob"), closes("bob"))
    assert.strictEqual(codeOf(play.when(asks("bob"))), "session_closed")
  })
})
