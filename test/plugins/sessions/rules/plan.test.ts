import { assert, describe, it } from "@effect/vitest"
import { tasksOf } from "@proofline/kernel"
import { evidence, task, typesOf } from "../../../kernel/support/words.ts"
import {
  aNewTask,
  aPhase,
  aPlan,
  aPlay,
  assignmentIn,
  because,
  completes,
  contentsOf,
  creates,
  failing,
  failuresOf,
  keysOf,
  opens,
  phases,
  planning,
  proven,
  submits,
  to,
  updates,
  warningsOf,
  withContract,
  working
} from "./playing.ts"

const itemsOf = (play: { readonly state: Parameters<typeof task>[0] }, id: string) =>
  task(play.state, id).items.map(({ item, verdict }) => [item, verdict])

describe("a plan", () => {
  it("registers its tasks, with their checklists, for whoever handed it in", () => {
    const then = planning().when(
      submits(
        "alice",
        aPlan("a", { id: "b", description: "Do b.\nAll of it.", depends_on: ["a"], checklist: ["x", "y"] })
      )
    )
    assert.deepStrictEqual(typesOf(then.events), [
      "PHASE_SUBMITTED",
      "TASK_REGISTERED",
      "CHECKLIST_REGISTERED",
      "TASK_ASSIGNED",
      "TASK_REGISTERED",
      "CHECKLIST_REGISTERED",
      "TASK_ASSIGNED",
      "PHASE_ENTERED"
    ])
    const b = task(then.state, "b")
    assert.deepInclude(b.spec, { title: "Do b.", instruction: "Do b.\nAll of it.", depends_on: ["a"] })
    assert.deepStrictEqual(itemsOf(then, "b"), [
      ["x", "unproven"],
      ["y", "unproven"]
    ])
    assert.deepInclude(assignmentIn(then.state, "b"), { assignee: "alice", created_by: "alice", failures: 0 })
    assert.isNull(b.parent_task_id)
    assert.isAbove(task(then.state, "a").priority, b.priority)
  })

  it("without checklists is taken with a warning for each: such plans are older than checklists", () => {
    const plan = aPlan({ id: "a", checklist: null }, { id: "b", checklist: [] }, "c")
    const then = planning().when(submits("alice", plan))
    assert.deepStrictEqual(warningsOf(then), ["checklist_missing", "checklist_missing"])
    assert.strictEqual(then.state.sessions.phases?.phase, "READY_IMPL")
  })

  it("takes an item that is only a text, and an id that is a number", () => {
    const play = withContract({
      READY_PLAN: aPhase({
        ...phases["READY_PLAN"],
        expected_payload: { tasks: "list[{id: str|int, description, status, checklist: list[str]}]" },
        transitions: [to("READY_IMPL")]
      })
    })
    const tasks = [{ id: 7, description: "Do it.", status: "pending", checklist: ["one"] }]
    const then = planning(play).when(submits("alice", { tasks }))
    assert.deepStrictEqual(itemsOf(then, "7"), [["one", "unproven"]])
  })

  it("keeps equal items apart", () => {
    assert.deepStrictEqual(itemsOf(working({ id: "a", checklist: ["one", "one"] }), "a"), [
      ["one", "unproven"],
      ["one", "unproven"]
    ])
  })

  it("is refused with everything that is wrong in it, and registers nothing", () => {
    const then = planning().when(
      submits(
        "alice",
        aPlan(
          "a",
          "a",
          { id: "b c", status: "completed" },
          { id: "d", description: "  ", checklist: [{ item: "x", status: "done" }, " "] },
          { id: "x".repeat(201) },
          { id: "" }
        )
      )
    )
    assert.deepStrictEqual(
      failuresOf(then).map(({ fields, key }) => [key, String(fields["task_id"] ?? fields["field"]).slice(0, 30)]),
      [
        ["duplicate_task_ids", "a"],
        ["task_id_invalid", "b c"],
        ["task_status_invalid", "b c"],
        ["field_empty", "tasks[d].description"],
        ["checklist_status_invalid", "d"],
        ["field_empty", "tasks[d].checklist[].item"],
        ["task_id_invalid", "x".repeat(30)],
        ["task_id_invalid", ""]
      ]
    )
    assert.strictEqual(tasksOf(then.state).length, 0)
    assert.strictEqual(then.state.sessions.phases?.phase, "READY_PLAN")
  })

  it("is refused without a task", () => {
    assert.deepStrictEqual(keysOf(planning().when(submits("alice", { tasks: [] }))), ["empty_tasks"])
  })

  it("is refused with a task that waits for one nobody knows", () => {
    const [failure] = failuresOf(planning().when(submits("alice", aPlan({ id: "a", depends_on: ["b"] }))))
    assert.deepInclude(failure, { key: "dependency_unknown", fields: { task_id: "a", dependency: "b" } })
  })

  it("is refused when its tasks wait for each other, and says in which circle", () => {
    const plan = aPlan({ id: "a", depends_on: ["c"] }, { id: "b", depends_on: ["a"] }, { id: "c", depends_on: ["b"] })
    const [failure] = failuresOf(planning().when(submits("alice", plan)))
    assert.strictEqual(failure?.key, "dependency_cycle")
    assert.match(failure?.message ?? "", /(a → c → b → a|c → b → a → c|b → a → c → b)/)
    assert.deepStrictEqual(keysOf(planning().when(submits("alice", aPlan({ id: "a", depends_on: ["a"] })))), [
      "dependency_cycle"
    ])
  })

  it("is refused with statuses that nobody knows, or that claim something", () => {
    for (const status of [
      "Done",
      "complete",
      "completed",
      "done",
      "skipped",
      "cancelled",
      "withdrawn",
      "",
      "PENDING"
    ]) {
      const then = planning().when(submits("alice", aPlan({ id: "a", status })))
      assert.deepStrictEqual(keysOf(then), ["task_status_invalid"], status)
    }
    for (const status of ["done", "skipped", "Pending", ""]) {
      const then = planning().when(submits("alice", aPlan({ id: "a", checklist: [{ item: "x", status }] })))
      assert.deepStrictEqual(keysOf(then), ["checklist_status_invalid"], status)
    }
  })

  it("is refused with fields that are missing or of another kind", () => {
    const then = planning().when(submits("alice", { tasks: [{ id: "a", checklist: "x" }, 3, null] }))
    assert.deepStrictEqual(keysOf(then).toSorted(), [
      "field_invalid",
      "field_invalid",
      "field_invalid",
      "field_missing"
    ])
  })
})

describe("a later plan is a difference", () => {
  const aDone = () => proven(working("a", "b"), "alice", "a")

  it("registers what is new, and leaves what it does not name, with a warning", () => {
    const then = aDone().when(submits("alice", aPlan("c")))
    assert.deepStrictEqual(
      ["a", "b", "c"].map((id) => task(then.state, id).status),
      ["completed", "pending", "pending"]
    )
    assert.deepStrictEqual(warningsOf(then), ["task_kept"])
  })

  it("leaves what is proven proven, whatever it says of it", () => {
    for (const status of ["pending", "in_progress", "completed", "done", "todo"]) {
      const plan = aPlan({ id: "a", status, checklist: ["another", { item: "one", status: "pending" }] }, "b")
      const then = aDone().when(submits("alice", plan))
      assert.strictEqual(task(then.state, "a").status, "completed", status)
      assert.deepStrictEqual(itemsOf(then, "a"), [["one", "proven"]], status)
      const said = ["items_not_taken"]
      assert.deepStrictEqual(warningsOf(then), status === "completed" ? said : ["task_completed", ...said], status)
    }
  })

  it("cannot withdraw what is proven", () => {
    const then = aDone().when(submits("alice", aPlan({ id: "a", status: "cancelled", reason: because }, "b")))
    assert.deepStrictEqual(keysOf(then), ["task_completed"])
    assert.strictEqual(task(then.state, "a").status, "completed")
  })

  it("believes no status of an open task", () => {
    for (const status of ["completed", "done"]) {
      const then = aDone().when(submits("alice", aPlan({ id: "b", status })))
      assert.deepStrictEqual(keysOf(then), ["task_status_invalid"], status)
    }
    for (const status of ["pending", "in_progress", "blocked", "backlog"]) {
      const then = aDone().when(submits("alice", aPlan({ id: "b", status })))
      assert.strictEqual(task(then.state, "b").status, "pending", status)
    }
  })

  it("withdraws an open task, and all below it, with a reason", () => {
    const play = working("a", { id: "p", checklist: null }).after(
      creates("alice", aNewTask("s", { parent_task_id: "p" })),
      updates("alice", "tsk_3", "in_progress")
    )
    for (const status of ["cancelled", "withdrawn"]) {
      const then = play.when(submits("alice", aPlan("a", { id: "p", status, reason: because })))
      assert.deepStrictEqual(
        ["a", "p", "tsk_3"].map((id) => task(then.state, id).status),
        ["pending", "skipped", "skipped"]
      )
      assert.isTrue(task(then.state, "tsk_3").current?.cancelled)
    }
  })

  it("withdraws each task once, also when it names a task and what is part of it", () => {
    const play = working("a", { id: "p", checklist: null }).after(
      creates("alice", aNewTask("s", { parent_task_id: "p" }))
    )
    const gone = { status: "cancelled", reason: because }
    for (const plan of [
      aPlan("a", { id: "p", ...gone }, { id: "tsk_3", ...gone }),
      aPlan("a", { id: "tsk_3", ...gone }, { id: "p", ...gone })
    ]) {
      const then = play.when(submits("alice", plan))
      assert.deepStrictEqual(
        contentsOf(then, "TASK_SKIPPED").map(({ task_id }) => task_id),
        ["tsk_3", "p"]
      )
      assert.strictEqual(then.state.tasks.open_count, 1)
    }
  })

  it("needs a reason of ten characters to withdraw, blanks at the ends not counted", () => {
    for (const reason of ["", "too short", "   short     "]) {
      const then = aDone().when(submits("alice", aPlan("c", { id: "b", status: "cancelled", reason })))
      assert.deepStrictEqual(keysOf(then), ["reason_required"], reason)
    }
  })

  it("cannot withdraw a task that others wait for, unless they are withdrawn with it", () => {
    const play = working("a", { id: "b", depends_on: ["a"] }, "c")
    const gone = { status: "cancelled", reason: because }
    const then = play.when(submits("alice", aPlan({ id: "a", ...gone })))
    assert.deepStrictEqual(
      failuresOf(then).map(({ fields, key }) => [key, fields["task_id"], fields["tasks"]]),
      [["dependents_open", "a", "b"]]
    )
    assert.strictEqual(task(then.state, "a").status, "pending")
    const both = play.when(submits("alice", aPlan({ id: "a", ...gone }, { id: "b", ...gone })))
    assert.deepStrictEqual(
      ["a", "b", "c"].map((id) => task(both.state, id).status),
      ["skipped", "skipped", "pending"]
    )
  })

  it("cannot let a new task wait for one that it withdraws, or that was withdrawn", () => {
    const gone = { id: "a", status: "cancelled", reason: because }
    const play = working("a", "b")
    const at = play.when(submits("alice", aPlan(gone, { id: "c", depends_on: ["a"] })))
    assert.deepStrictEqual(keysOf(at), ["dependency_unknown"])
    const later = play
      .after(submits("alice", aPlan(gone, "b")))
      .when(submits("alice", aPlan({ id: "c", depends_on: ["a"] })))
    assert.deepStrictEqual(keysOf(later), ["dependency_unknown"])
  })

  it("may let a new task wait for one that is completed or open", () => {
    const then = aDone().when(submits("alice", aPlan({ id: "c", depends_on: ["a", "b"] })))
    assert.deepStrictEqual(task(then.state, "c").spec.depends_on, ["a", "b"])
  })

  it("cannot bring back what was withdrawn: it says so", () => {
    const play = working("a", "b").after(updates("alice", "a", "cancelled", because))
    const then = play.when(submits("alice", aPlan("a", "b")))
    assert.strictEqual(task(then.state, "a").status, "skipped")
    assert.deepStrictEqual(warningsOf(then), ["task_cancelled"])
  })

  it("adds items to an open task and drops none", () => {
    const then = working({ id: "a", checklist: ["x", "x", "y"] }).when(
      submits("alice", aPlan({ id: "a", checklist: ["y", "x", "z", "x"] }))
    )
    assert.deepStrictEqual(
      itemsOf(then, "a").map(([item]) => item),
      ["x", "x", "y", "z"]
    )
    const [registered] = contentsOf(then, "CHECKLIST_REGISTERED")
    assert.strictEqual(registered?.added, 1)
  })

  it("is refused when it drops an item of an open task or words it anew, and says which", () => {
    const play = working({ id: "a", checklist: ["x", "x", "y"] }, "b")
    const dropped = (...checklist: ReadonlyArray<string>) =>
      failuresOf(play.when(submits("alice", aPlan({ id: "a", checklist })))).map(({ item, key }) => [key, item])
    assert.deepStrictEqual(dropped("x", "x"), [["checklist_item_dropped", "y"]])
    assert.deepStrictEqual(dropped("x", "y"), [["checklist_item_dropped", "x"]])
    assert.deepStrictEqual(dropped("x", "x", "y "), [])
    assert.deepStrictEqual(dropped("x", "X", "y", "z"), [["checklist_item_dropped", "x"]])
    // a task that leaves goes with its items, and one that is done keeps them whatever is said
    const leaving = { id: "a", status: "cancelled", reason: because, checklist: ["z"] }
    assert.deepStrictEqual(keysOf(play.when(submits("alice", aPlan(leaving)))), [])
    const done = proven(play, "alice", "b").when(submits("alice", aPlan({ id: "b", checklist: ["two"] })))
    assert.deepStrictEqual(keysOf(done), [])
  })

  it("leaves what was shown of an open task shown when it adds an item", () => {
    const play = working({ id: "a", checklist: ["x", "y"] })
    const half = play.after(completes("alice", "a", ["x", "y"]), evidence("a", 1, 0))
    assert.deepStrictEqual(itemsOf(half, "a"), [
      ["x", "proven"],
      ["y", "refuted"]
    ])
    const more = half.after(submits("alice", aPlan({ id: "a", checklist: ["x", "y", "z"] })))
    assert.deepStrictEqual(itemsOf(more, "a"), [
      ["x", "proven"],
      ["y", "refuted"],
      ["z", "unproven"]
    ])
    assert.strictEqual(proven(more, "alice", "a").phases.phase, "READY_COMPLETE")
  })

  it("that adds an item while the report is looked at keeps that report from completing the task", () => {
    const play = working("a").after(
      completes("alice", "a"),
      submits("alice", aPlan({ id: "a", checklist: ["one", "two"] }))
    )
    const then = play.when(evidence("a", 1, 0))
    assert.strictEqual(task(then.state, "a").status, "retrying")
  })

  it("gives a task that was done by word no checklist afterwards", () => {
    const play = working({ id: "a", checklist: null }, "b").after(
      updates("alice", "a", "in_progress"),
      updates("alice", "a", "done")
    )
    const then = play.when(submits("alice", aPlan({ id: "a", checklist: ["x"] })))
    assert.deepStrictEqual(itemsOf(then, "a"), [])
    assert.deepStrictEqual(warningsOf(then), ["task_kept", "task_completed", "items_not_taken"])
  })

  it("may leave out the description and the checklist of a task that is registered", () => {
    const then = working("a").when(submits("alice", { tasks: [{ id: "a", status: "pending" }] }))
    assert.deepStrictEqual(keysOf(then), [])
    assert.deepStrictEqual(itemsOf(then, "a"), [["one", "unproven"]])
  })

  it("does not change what a task says", () => {
    const then = working("a").when(submits("alice", aPlan({ id: "a", description: "Do nothing.", depends_on: ["a"] })))
    assert.deepInclude(task(then.state, "a").spec, { instruction: "Do a.", depends_on: [] })
  })

  it("is refused when nothing would be left to do", () => {
    const play = working("a", "b")
    const gone = { status: "cancelled", reason: because }
    const then = play.when(submits("alice", aPlan({ id: "a", ...gone }, { id: "b", ...gone })))
    assert.deepStrictEqual(keysOf(then), ["no_pending_tasks"])
  })

  it("cannot withdraw what is somebody else's", () => {
    const play = working("a", "b").after(opens("bob"))
    const then = play.when(submits("bob", aPlan({ id: "a", status: "cancelled", reason: because }, "b")))
    assert.deepStrictEqual(
      failuresOf(then).map(({ fields, key }) => [key, fields["assignee"]]),
      [["task_not_yours", "alice"]]
    )
  })

  it("after a failed verification keeps the count of failures and what was registered", () => {
    const back = failing(proven(working("a"), "alice", "a"))
    const then = back.when(submits("alice", aPlan("a", "c")))
    assert.strictEqual(assignmentIn(then.state, "a").failures, 1)
    assert.deepStrictEqual(itemsOf(then, "a"), [["one", "unproven"]])
    assert.strictEqual(task(then.state, "a").status, "retrying")
  })

  it("in a phase of its own leads on", () => {
    const play = withContract({
      READY_IMPL: aPhase({
        ...phases["READY_IMPL"],
        also: [],
        transitions: [to("READY_PLAN", { when: { tasks: "done" } })]
      })
    })
    const done = proven(planning(play).after(submits("alice", aPlan("a"))), "alice", "a")
    assert.strictEqual(done.phases.phase, "READY_PLAN")
    assert.deepStrictEqual(keysOf(done.when(submits("alice", aPlan("a")))), ["no_pending_tasks"])
    const more = done.after(submits("alice", aPlan("a", "b")))
    assert.deepStrictEqual([more.phases.phase, more.phases.visits["READY_IMPL"]], ["READY_IMPL", 2])
  })
})

describe("the tasks of a plan", () => {
  it("have names that can be looked up whatever they are called", () => {
    const names = ["toString", "__proto__", "constructor", "日本", "a/b", "a%2Fb", "💡"]
    const play = working(...names)
    assert.deepStrictEqual(
      tasksOf(play.state)
        .map(({ spec }) => spec.id)
        .toSorted(),
      names.toSorted()
    )
    for (const id of names) assert.strictEqual(task(proven(play, "alice", id).state, id).status, "completed", id)
  })

  it("are not found under the names of other things", () => {
    for (const id of ["toString", "__proto__"]) {
      assert.deepStrictEqual(keysOf(working("a").when(completes("alice", id))), ["unknown_task"])
    }
    assert.isNotEmpty(keysOf(aPlay().when(submits("alice", { __proto__: null }))))
  })
})
