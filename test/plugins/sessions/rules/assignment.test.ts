import { assert, describe, it } from "@effect/vitest"
import { type AssignmentStatus, tasksOf } from "@proofline/kernel"
import { transitions } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { evidence } from "../../../kernel/support/words.ts"
import {
  alice,
  aNewTask,
  aPart,
  aPhase,
  because,
  bob,
  carol,
  noon,
  type Play,
  to,
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

/** Without a checklist: it can be done by word. */
const loose = (id: string, ...depends_on: ReadonlyArray<string>) => ({ id, checklist: null, depends_on })

const aTaskThatIs = (status: AssignmentStatus): Play => {
  const before = status === "blocked" || status === "done" ? ["in_progress" as const] : []
  const way = status === "todo" ? [] : [...before, status]
  return working(loose("a"), "z").after(...way.map((next) => alice.sets("a", next, because)))
}

describe("the status of a task", () => {
  it("may change as the table says", () => {
    assert.deepStrictEqual(transitions, table)
  })

  it.each(statuses.flatMap((from) => statuses.map((into) => [from, into] as const)))("is %s, then %s", (from, into) => {
    const may = table[from].includes(into)
    const play = aTaskThatIs(from)
    assert.deepStrictEqual(play.told("a"), [from])
    const then = play.when(alice.sets("a", into, because))
    assert.strictEqual(then.code, may ? undefined : "invalid_transition")
    assert.deepStrictEqual(then.told("a"), [may ? into : from])
    for (const next of may ? [] : table[from]) assert.include(then.rejected?.hint, next)
    // a call that is repeated since its answer was lost is told that it was carried out
    if (from === into) assert.strictEqual(then.rejected?.message, `Task a is ${from} already.`)
    else assert.notInclude(then.rejected?.message ?? "", "already")
  })

  it("is in_progress while a refused report is with the agent: it may be blocked then", () => {
    const play = working("a").after(alice.completes("a"), evidence("a", 1))
    assert.deepStrictEqual(play.told("a"), ["in_progress"])
    assert.strictEqual(play.when(alice.starts("a")).code, "invalid_transition")
    assert.deepStrictEqual(play.after(alice.blocks("a")).told("a"), ["blocked"])
  })

  it("is not changed for a task nobody knows, by a session nobody knows, or for somebody else's", () => {
    const play = working("a").after(bob.opens())
    assert.deepStrictEqual(play.when(alice.starts("b")).refusal, ["unknown_task", ["a"]])
    assert.strictEqual(play.when(bob.starts("a")).code, "task_not_yours")
    assert.deepStrictEqual(play.when(carol.starts("a")).events, [])
  })

  it("is recorded with who asked, when and for what", () => {
    const prompt = { sha256: "d".repeat(64), bytes: 3 }
    const then = working("a").when({ ...alice.starts("a"), prompt })
    assert.deepStrictEqual(then.types, ["TASK_STATUS_CHANGED", "TASK_STARTED", "ATTEMPT_STARTED"])
    const by = { session_id: "ses_alice", at: noon, asked: "in_progress" as const, prompt }
    assert.deepStrictEqual(then.contents("TASK_STATUS_CHANGED")[0]?.by, by)
  })

  it("becomes in_progress only when everything it waits for is done", () => {
    const play = working("a", { id: "b", depends_on: ["a"] })
    assert.deepStrictEqual(play.when(alice.starts("b")).refusal, ["dependencies_open", ["a"]])
    assert.deepStrictEqual(play.proven("a").after(alice.starts("b")).told("b"), ["in_progress"])
  })

  it("becomes in_progress for so many at once as the contract allows; subtasks do not count", () => {
    const play = withContract({}, { limits: { parallel_tasks: 1 } })
      .working("a", "b")
      .after(alice.creates(aPart("s", "a")), alice.starts("a"), alice.starts("tsk_3"))
    assert.deepStrictEqual(play.when(alice.starts("b")).refusal, ["parallel_limit", ["a"]])
    assert.deepStrictEqual(play.after(alice.blocks("a"), alice.starts("b")).told("b"), ["in_progress"])
  })

  it("is not an agent's way to move a counter or to lose what was shown", () => {
    const play = working({ id: "a", checklist: ["x", "y"] }).after(
      alice.completes("a", ["x", "y"]),
      evidence("a", 1, 0),
      alice.sets("a", "blocked", "verification_failed")
    )
    assert.strictEqual(play.assignment("a").failures, 0)
    assert.deepStrictEqual(play.items("a"), [
      ["x", "proven"],
      ["y", "refuted"]
    ])
  })
})

describe("a task that is blocked", () => {
  const split = () =>
    working("p", "z")
      .after(alice.creates(aPart("x", "p"), aPart("y", "x"), aPart("w", "p"), aPart("v", "p", { status: "backlog" })))
      .byWord("tsk_5")
      .after(alice.starts("tsk_4"), alice.starts("p"))

  it("needs a reason", () => {
    for (const reason of ["", "   "]) {
      assert.strictEqual(split().when(alice.sets("p", "blocked", reason)).code, "reason_required")
    }
    assert.strictEqual(
      split()
        .after(alice.sets("p", "blocked", "x"))
        .assignment("p").reason,
      "x"
    )
  })

  it("blocks what is open below it, on every level", () => {
    const then = split().after(alice.blocks("p"))
    const below = ["blocked", "blocked", "done", "blocked"] as const
    assert.deepStrictEqual(then.told("p", "tsk_3", "tsk_4", "tsk_5", "tsk_6", "z"), ["blocked", ...below, "todo"])
    assert.strictEqual(then.assignment("tsk_4").reason, "p is blocked.")
  })

  it("keeps its parts from going on, until it goes on itself", () => {
    const play = split().after(alice.blocks("p"))
    assert.strictEqual(play.when(alice.starts("tsk_3")).code, "parent_not_open")
    const on = play.after(alice.starts("p"))
    assert.deepStrictEqual(on.told("tsk_3"), ["blocked"])
    assert.deepStrictEqual(on.after(alice.starts("tsk_3")).told("tsk_3"), ["in_progress"])
  })

  it("goes on with the attempt it had", () => {
    const play = working("a").after(alice.starts("a"), alice.blocks("a"), alice.starts("a"))
    assert.deepStrictEqual([play.task("a").attempts, play.assignment("a").reason], [1, ""])
  })

  it("while its report is looked at is not completed by what comes of that", () => {
    const play = working("a").after(alice.completes("a"), alice.blocks("a"))
    const on = play.after(alice.starts("a"))
    for (const at of [play, on]) assert.strictEqual(at.when(evidence("a", 1, 0)).code, "attempt_not_current")
    assert.strictEqual(on.task("a").attempts, 2)
    assert.strictEqual(on.proven("a").phase, "READY_COMPLETE")
  })
})

describe("a task that is cancelled", () => {
  it("needs a reason of ten characters", () => {
    for (const reason of ["", "too short", "   short     "]) {
      assert.strictEqual(working("a").when(alice.sets("a", "cancelled", reason)).code, "reason_required")
    }
    const then = working("a", "b").when(alice.sets("a", "cancelled", ` ${because} `))
    assert.deepStrictEqual(then.contents("TASK_SKIPPED"), [{ task_id: "a", reason: because, waiting_for: [] }])
  })

  it("may be cancelled by who gave it to another, while that one has not begun it", () => {
    const play = working("z").after(bob.opens(), carol.opens(), alice.creates(aNewTask("x", { assignee: "bob" })))
    assert.deepStrictEqual(play.after(alice.cancels("tsk_2")).told("tsk_2"), ["cancelled"])
    assert.strictEqual(play.when(carol.cancels("tsk_2")).code, "task_not_yours")
    assert.strictEqual(play.after(bob.starts("tsk_2")).when(alice.cancels("tsk_2")).code, "task_not_yours")
  })

  it("takes all below it along, with their attempts", () => {
    const play = working("p", "z").after(alice.creates(aPart("x", "p"), aPart("y", "x")), alice.starts("tsk_4"))
    const then = play.after(alice.cancels("p"))
    assert.deepStrictEqual(then.told("p", "tsk_3", "tsk_4"), ["cancelled", "cancelled", "cancelled"])
    assert.isTrue(then.task("tsk_4").current?.cancelled)
    assert.strictEqual(then.state.tasks.open_count, 1)
  })

  it("ends the attempt that rested while it was blocked", () => {
    const then = working("a", "z").after(alice.starts("a"), alice.blocks("a"), alice.cancels("a"))
    assert.deepStrictEqual(then.types, ["TASK_STATUS_CHANGED", "ATTEMPT_CANCELLED", "TASK_SKIPPED"])
  })

  it("must not be waited for by an open task outside", () => {
    const play = working("a", { id: "b", depends_on: ["a"] })
    assert.deepStrictEqual(play.when(alice.cancels("a")).refusal, ["dependents_open", ["b"]])
    assert.deepStrictEqual(play.after(alice.cancels("b"), alice.cancels("a")).told("a"), ["cancelled"])
  })

  it("may be waited for by what is cancelled with it", () => {
    const play = working("p", "z").after(alice.creates(aPart("x", "p"), aPart("y", "p", { dependencies: ["x"] })))
    assert.strictEqual(play.when(alice.cancels("tsk_3")).code, "dependents_open")
    assert.deepStrictEqual(play.after(alice.cancels("p")).told("tsk_4"), ["cancelled"])
  })
})

describe("a task that is called done", () => {
  it("by word is done without proof", () => {
    const then = working(loose("a"), "z").byWord("a")
    assert.deepStrictEqual(then.types, ["TASK_STATUS_CHANGED", "ATTEMPT_ENDED", "TASK_COMPLETED"])
    assert.deepStrictEqual(then.contents("TASK_COMPLETED"), [
      { task_id: "a", attempts: 1, proven: 0, waived: 0, verdict: "unproven" }
    ])
  })

  it("is refused when it has a checklist, with its items and the way to report them", () => {
    const play = working({ id: "a", checklist: ["x", "y"] }).after(alice.starts("a"))
    const then = play.when(alice.sets("a", "done", because))
    assert.deepStrictEqual(then.refusal, ["checklist_item_pending", ["x", "y"]])
    assert.match(then.rejected?.hint ?? "", /complete_task\(task_id: "a"/)
  })

  it("is refused while subtasks are open, with their ids, on every level", () => {
    const parts = alice.creates(aPart("x", "p"), aPart("y", "p"))
    const play = working(loose("p"), "z").after(parts, alice.starts("p"))
    assert.deepStrictEqual(play.when(alice.finishes("p")).refusal, ["subtasks_incomplete", ["tsk_3", "tsk_4"]])
    const one = play.byWord("tsk_3")
    assert.deepStrictEqual(one.when(alice.finishes("p")).refusal, ["subtasks_incomplete", ["tsk_4"]])
    assert.deepStrictEqual(one.after(alice.cancels("tsk_4"), alice.finishes("p")).told("p"), ["done"])
  })

  it("is refused while something it waits for was sent back", () => {
    const play = working("a", loose("p", "a")).proven("a")
    const parts = play.after(alice.creates(aPart("x", "p", { checklist: ["one"] })))
    const back = parts.proven("tsk_3", "p").failing().proven("tsk_3")
    assert.deepStrictEqual(back.when(alice.finishes("p")).refusal, ["dependencies_open", ["a"]])
  })

  it("is refused while its report is looked at", () => {
    assert.strictEqual(working("a").after(alice.completes("a")).when(alice.finishes("a")).code, "task_being_checked")
  })
})

describe("tasks that an agent creates", () => {
  const waiting = (title: string, ...dependencies: ReadonlyArray<string>) => aNewTask(title, { dependencies })

  it("may name one another by local ids, in any order", () => {
    const then = working("a").after(
      alice.creates(
        aPart("leaf", "branch", { dependencies: ["other"] }),
        aPart("branch", "a", { priority: "urgent" }),
        aNewTask("other", { checklist: ["one"], description: "", status: "backlog", assignee: "bob" })
      )
    )
    const [leaf = "", branch = "", other = ""] = then.contents("TASKS_CREATED")[0]?.ids ?? []
    assert.deepStrictEqual([leaf, branch, other], ["tsk_2", "tsk_3", "tsk_4"])
    assert.strictEqual(then.assignment(leaf).assignee, "alice")
    assert.deepStrictEqual([then.task(leaf).parent_task_id, ...then.task(leaf).spec.depends_on], [branch, other])
    assert.strictEqual(then.assignment(branch).priority, "urgent")
    assert.deepStrictEqual([then.task(branch).parent_task_id, ...then.task(branch).children], ["a", leaf])
    assert.deepStrictEqual(then.task("a").children, [branch])
    assert.deepInclude(then.assignment(other), { assignee: "bob", created_by: "alice" })
    assert.deepInclude(then.task(other).spec, { instruction: "other", checklist: [{ item: "one" }] })
    assert.deepStrictEqual(then.told(other), ["backlog"])
  })

  it("get ids that nobody has yet", () => {
    const { state } = working("tsk_2", "tsk_3").after(alice.creates("x", "y"))
    const ids = tasksOf(state).map(({ spec }) => spec.id)
    assert.deepStrictEqual(ids.toSorted(), ["tsk_2", "tsk_3", "tsk_4", "tsk_5"])
  })

  it("twice the same are created once, by the same agent", () => {
    const batch = alice.creates("x", waiting("y", "x"))
    const play = working("a").after(bob.opens(), batch)
    assert.isTrue(play.when(batch).isNothing)
    for (const other of [{ ...batch, session_id: "ses_bob" }, alice.creates("x", "y")]) {
      assert.lengthOf(play.when(other).contents("TASK_REGISTERED"), 2)
    }
  })

  const over = () => working("a", "b").proven("a").after(bob.opens())
  const gone = () => working("a", "b").after(alice.cancels("a"))

  it.each<[string, () => Play, ReturnType<typeof alice.creates>, code: string, open?: ReadonlyArray<string>]>([
    [
      "with what they wait for when nobody knows that, or it was cancelled",
      gone,
      alice.creates(waiting("x", "no", "a", "b"), "y"),
      "task_dependency_unknown",
      ["no", "a"]
    ],
    ["as part of what nobody knows", over, alice.creates(aPart("x", "no")), "parent_unknown", ["no"]],
    ["as part of what is over", over, alice.creates(aPart("x", "a")), "parent_not_open", ["a"]],
    ["as part of what is somebody else's", over, bob.creates(aPart("x", "b")), "task_not_yours"],
    // a part cannot wait for the whole, nor for what waits for the whole
    ["waiting for the whole", over, alice.creates(aPart("x", "b", { dependencies: ["b"] })), "task_dependency_cycle"],
    [
      "waiting for what waits for the whole",
      () => working("a", { id: "b", depends_on: ["a"] }),
      alice.creates(aPart("x", "a", { dependencies: ["b"] })),
      "task_dependency_cycle"
    ],
    ["as part of themselves", over, alice.creates(aPart("x", "x")), "task_dependency_cycle"],
    ["as part of each other", over, alice.creates(aPart("x", "y"), aPart("y", "x")), "task_dependency_cycle"],
    ["without a task", over, alice.creates(), "empty_tasks"],
    ["with local ids that are taken", over, alice.creates("x", "x", "a"), "duplicate_task_ids", ["x", "a"]],
    ["at the end of the run", () => working("a").proven("a").handedIn().passed(), alice.creates("x"), "run_over"]
  ])("are refused %s", (_, play, batch, code, open) => {
    const then = play().when(batch)
    assert.deepStrictEqual([then.code, then.events], [code, []])
    if (open !== undefined) assert.deepStrictEqual(then.rejected?.open, open)
  })

  it("are refused when they would wait for each other", () => {
    const [code, open] = working("a").when(alice.creates(waiting("x", "y"), waiting("y", "x"))).refusal
    assert.strictEqual(code, "task_dependency_cycle")
    assert.sameMembers([...(open ?? [])], ["x", "y"])
  })

  it("are named by their titles, and those that are there by their ids, when they would wait for each other", () => {
    const part = { ...aPart("x", "a", { dependencies: ["a"] }), local_id: null, title: "Cut it" }
    const { rejected } = working("a").when(alice.creates(part))
    assert.sameMembers([...(rejected?.open ?? [])], ["'Cut it'", "a"])
    assert.match(rejected?.message ?? "", /'Cut it' → a|a → 'Cut it'/)
  })

  it("are refused as part of a task whose report is looked at: it would be done before them", () => {
    const part = alice.creates(aPart("x", "a"))
    const play = working("a").after(alice.completes("a"))
    assert.deepStrictEqual(play.when(part).refusal, ["task_being_checked", ["a"]])
    assert.deepStrictEqual(play.after(evidence("a", 1), part).when(alice.completes("a")).keys, ["subtasks_incomplete"])
  })

  it("make work that was verified unverified", () => {
    const POST_IMPL_VERIFY = aPhase({ kind: "verify", transitions: [to("LAST")] })
    const LAST = aPhase({ transitions: [to("DONE")] })
    const verified = withContract({ POST_IMPL_VERIFY, LAST }).working("a").proven("a").handedIn().passed()
    const more = verified.after(alice.creates("x")).byWord("tsk_2")
    assert.deepStrictEqual([verified.phase, verified.phases.verified, more.phases.verified], ["LAST", true, false])
    assert.strictEqual(verified.after(alice.submits({})).settled().state.run.status, "completed")
    assert.strictEqual(more.after(alice.submits({})).left().state.run.status, "incomplete")
  })
})

describe("work that was sent back", () => {
  it("keeps its subtasks open before it, and is taken up again through them", () => {
    const play = working(loose("p")).after(alice.creates(aPart("x", "p", { checklist: ["shown"] })))
    const back = play.proven("tsk_2", "p").failing()
    assert.deepStrictEqual(back.told("p", "tsk_2"), ["in_progress", "in_progress"])
    assert.strictEqual(back.when(alice.finishes("p")).code, "subtasks_incomplete")
  })
})
