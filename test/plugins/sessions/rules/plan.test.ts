import { assert, describe, it } from "@effect/vitest"
import { tasksOf } from "@proofline/kernel"
import { evidence } from "../../../kernel/support/words.ts"
import { alice, aPart, aPlay, because, bob, phases, planning, to, withContract, working } from "./playing.ts"

/** As a plan says it of a task that leaves. */
const gone = (id: string) => ({ id, status: "cancelled", reason: because })

const loose = { id: "p", checklist: null }

describe("a plan", () => {
  it("registers its tasks, with their checklists, for whoever handed it in", () => {
    const then = planning().when(
      alice.plans("a", { id: "b", description: "Do b.\nAll of it.", depends_on: ["a"], checklist: ["x", "y"] })
    )
    const ofEach = ["TASK_REGISTERED", "CHECKLIST_REGISTERED", "TASK_ASSIGNED"]
    assert.deepStrictEqual(then.types, ["PHASE_SUBMITTED", ...ofEach, ...ofEach, "PHASE_ENTERED"])
    const b = then.task("b")
    assert.deepInclude(b.spec, { title: "Do b.", instruction: "Do b.\nAll of it.", depends_on: ["a"] })
    assert.deepStrictEqual(then.items("b"), [
      ["x", "unproven"],
      ["y", "unproven"]
    ])
    assert.deepInclude(then.assignment("b"), { assignee: "alice", created_by: "alice", failures: 0 })
    assert.isNull(b.parent_task_id)
    assert.deepStrictEqual(then.warnings, [])
    assert.isAbove(then.task("a").priority, b.priority)
  })

  it("without checklists is taken with a warning for each: such plans are older than checklists", () => {
    const then = planning().after(alice.plans({ id: "a", checklist: null }, { id: "b", checklist: [] }, "c"))
    assert.deepStrictEqual(then.warnings, ["checklist_missing", "checklist_missing"])
  })

  it("takes an item that is only a text, and an id that is a number", () => {
    const expected_payload = { tasks: "list[{id: str|int, description, status, checklist: list[str]}]" }
    const play = withContract({ READY_PLAN: { ...phases.READY_PLAN, expected_payload } }).explores()
    const tasks = [{ id: 7, description: "Do it.", status: "pending", checklist: ["one"] }]
    assert.deepStrictEqual(play.after(alice.submits({ tasks })).items("7"), [["one", "unproven"]])
  })

  it("is refused with everything that is wrong in it, and registers nothing", () => {
    const then = planning().when(
      alice.plans(
        "a",
        "a",
        { id: "b c", status: "completed" },
        { id: "d", description: "  ", checklist: [{ item: "x", status: "done" }, " "] },
        { id: "x".repeat(201) },
        { id: "" }
      )
    )
    assert.deepStrictEqual(
      then.failures.map(({ fields, key }) => [key, String(fields["task_id"] ?? fields["field"]).slice(0, 30)]),
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
    assert.lengthOf(tasksOf(then.state), 0)
    assert.strictEqual(then.phase, "READY_PLAN")
  })

  it("is refused without a task", () => {
    assert.deepStrictEqual(planning().when(alice.plans()).keys, ["empty_tasks"])
  })

  it("is refused with a task that waits for one nobody knows", () => {
    const [failure] = planning().when(alice.plans({ id: "a", depends_on: ["b"] })).failures
    assert.deepInclude(failure, { key: "dependency_unknown", fields: { task_id: "a", dependency: "b" } })
  })

  it("is refused when its tasks wait for each other, and says in which circle", () => {
    const circle = ["ac", "ba", "cb"].map(([id = "", dependency = ""]) => ({ id, depends_on: [dependency] }))
    const [failure] = planning().when(alice.plans(...circle)).failures
    assert.strictEqual(failure?.key, "dependency_cycle")
    assert.match(failure?.message ?? "", /(a → c → b → a|c → b → a → c|b → a → c → b)/)
    assert.deepStrictEqual(planning().when(alice.plans({ id: "a", depends_on: ["a"] })).keys, ["dependency_cycle"])
  })

  it("is refused with statuses that nobody knows, or that claim something", () => {
    const claims = ["Done", "complete", "completed", "done", "skipped", "cancelled", "withdrawn", "", "PENDING"]
    for (const status of claims) {
      assert.deepStrictEqual(planning().when(alice.plans({ id: "a", status })).keys, ["task_status_invalid"], status)
    }
    for (const status of ["done", "skipped", "Pending", ""]) {
      const then = planning().when(alice.plans({ id: "a", checklist: [{ item: "x", status }] }))
      assert.deepStrictEqual(then.keys, ["checklist_status_invalid"], status)
    }
  })

  it("is refused with fields that are missing or of another kind", () => {
    const then = planning().when(alice.submits({ tasks: [{ id: "a", checklist: "x" }, 3, null] }))
    assert.deepStrictEqual(then.keys.toSorted(), ["field_invalid", "field_invalid", "field_invalid", "field_missing"])
  })
})

describe("a later plan is a difference", () => {
  const aDone = () => working("a", "b").proven("a")

  it("registers what is new, and leaves what it does not name, with a warning", () => {
    const then = aDone().after(alice.plans("c"))
    assert.deepStrictEqual(then.statuses("a", "b", "c"), ["completed", "pending", "pending"])
    assert.deepStrictEqual(then.warnings, ["task_kept"])
  })

  it("leaves what is proven proven, whatever it says of it", () => {
    for (const status of ["pending", "in_progress", "completed", "done", "todo"]) {
      const checklist = ["another", { item: "one", status: "pending" }]
      const then = aDone().after(alice.plans({ id: "a", status, checklist }, "b"))
      assert.deepStrictEqual([...then.statuses("a"), ...then.items("a")], ["completed", ["one", "proven"]], status)
      const said = status === "completed" ? [] : ["task_completed"]
      assert.deepStrictEqual(then.warnings, [...said, "items_not_taken"], status)
    }
  })

  it("cannot withdraw what is proven", () => {
    assert.deepStrictEqual(aDone().when(alice.plans(gone("a"), "b")).keys, ["task_completed"])
  })

  it("believes no status of an open task", () => {
    for (const status of ["completed", "done"]) {
      assert.deepStrictEqual(aDone().when(alice.plans({ id: "b", status })).keys, ["task_status_invalid"], status)
    }
    for (const status of ["pending", "in_progress", "blocked", "backlog"]) {
      assert.deepStrictEqual(
        aDone()
          .after(alice.plans({ id: "b", status }))
          .statuses("b"),
        ["pending"],
        status
      )
    }
  })

  it("withdraws an open task, and all below it, with a reason", () => {
    const play = working("a", loose).after(alice.creates(aPart("s", "p")), alice.starts("tsk_3"))
    for (const status of ["cancelled", "withdrawn"]) {
      const then = play.after(alice.plans("a", { ...gone("p"), status }))
      assert.deepStrictEqual(then.statuses("a", "p", "tsk_3"), ["pending", "skipped", "skipped"])
      assert.isTrue(then.task("tsk_3").current?.cancelled)
    }
  })

  it("withdraws each task once, also when it names a task and what is part of it", () => {
    const play = working("a", loose).after(alice.creates(aPart("s", "p")))
    for (const both of [
      ["p", "tsk_3"],
      ["tsk_3", "p"]
    ]) {
      const then = play.after(alice.plans("a", ...both.map(gone)))
      assert.deepStrictEqual(
        then.contents("TASK_SKIPPED").map(({ task_id }) => task_id),
        ["tsk_3", "p"]
      )
      assert.strictEqual(then.state.tasks.open_count, 1)
    }
  })

  it("needs a reason of ten characters to withdraw, blanks at the ends not counted", () => {
    for (const reason of ["", "too short", "   short     "]) {
      assert.deepStrictEqual(aDone().when(alice.plans("c", { ...gone("b"), reason })).keys, ["reason_required"], reason)
    }
    assert.deepStrictEqual(aDone().when(alice.plans("c", { ...gone("b"), reason: " ten chars. " })).keys, [])
  })

  it("cannot withdraw a task that others wait for, unless they are withdrawn with it", () => {
    const play = working("a", { id: "b", depends_on: ["a"] }, "c")
    const then = play.when(alice.plans(gone("a")))
    assert.deepStrictEqual(
      then.failures.map(({ fields, key }) => [key, fields["task_id"], fields["tasks"]]),
      [["dependents_open", "a", "b"]]
    )
    const both = play.after(alice.plans(gone("a"), gone("b")))
    assert.deepStrictEqual(both.statuses("a", "b", "c"), ["skipped", "skipped", "pending"])
  })

  it("cannot let a new task wait for one that it withdraws, or that was withdrawn", () => {
    const c = { id: "c", depends_on: ["a"] }
    for (const then of [
      working("a", "b").when(alice.plans(gone("a"), c)),
      working("a", "b")
        .after(alice.plans(gone("a"), "b"))
        .when(alice.plans(c))
    ]) {
      assert.deepStrictEqual(then.keys, ["dependency_unknown"])
    }
  })

  it("may let a new task wait for one that is completed or open", () => {
    const then = aDone().after(alice.plans({ id: "c", depends_on: ["a", "b"] }))
    assert.deepStrictEqual(then.task("c").spec.depends_on, ["a", "b"])
  })

  it("cannot bring back what was withdrawn: it says so", () => {
    const then = working("a", "b").after(alice.cancels("a"), alice.plans("a", "b"))
    assert.deepStrictEqual([...then.statuses("a"), ...then.warnings], ["skipped", "task_cancelled"])
  })

  it("adds items to an open task and drops none", () => {
    const play = working({ id: "a", checklist: ["x", "y"] })
    const then = play.after(alice.plans({ id: "a", checklist: ["y", "z", "x"] }))
    assert.deepStrictEqual(
      then.items("a").map(([item]) => item),
      ["x", "y", "z"]
    )
    assert.strictEqual(then.contents("CHECKLIST_REGISTERED")[0]?.added, 1)
    const same = play.after(alice.plans({ id: "a", checklist: ["x", "y"] }))
    assert.deepStrictEqual(same.types, ["PHASE_SUBMITTED"])
    assert.deepStrictEqual(
      [then, same].map(({ warnings }) => warnings),
      [[], []]
    )
  })

  it("is refused when it drops an item of an open task or words it anew, and says which", () => {
    const play = working({ id: "a", checklist: ["x", "y"] }, "b")
    const dropped = (...checklist: ReadonlyArray<string>) =>
      play.when(alice.plans({ id: "a", checklist })).failures.map(({ item, key }) => [key, item])
    assert.deepStrictEqual(dropped("x"), [["checklist_item_dropped", "y"]])
    assert.deepStrictEqual(dropped("x", "y "), [])
    assert.deepStrictEqual(dropped("X", "y", "z"), [["checklist_item_dropped", "x"]])
    // a task that leaves goes with its items, and one that is done keeps them whatever is said
    assert.deepStrictEqual(play.when(alice.plans({ ...gone("a"), checklist: ["z"] })).keys, [])
    assert.deepStrictEqual(play.proven("b").when(alice.plans({ id: "b", checklist: ["two"] })).keys, [])
  })

  it("leaves what was shown of an open task shown when it adds an item", () => {
    const half = working({ id: "a", checklist: ["x", "y"] }).after(
      alice.completes("a", ["x", "y"]),
      evidence("a", 1, 0)
    )
    const more = half.after(alice.plans({ id: "a", checklist: ["x", "y", "z"] }))
    assert.deepStrictEqual(more.items("a"), [...half.items("a"), ["z", "unproven"]])
    assert.deepStrictEqual(half.items("a"), [
      ["x", "proven"],
      ["y", "refuted"]
    ])
    assert.strictEqual(more.proven("a").phase, "READY_COMPLETE")
  })

  it("that adds an item while the report is looked at keeps that report from completing the task", () => {
    const more = alice.plans({ id: "a", checklist: ["one", "two"] })
    const then = working("a").after(alice.completes("a"), more, evidence("a", 1, 0))
    assert.deepStrictEqual(then.statuses("a"), ["retrying"])
  })

  it("gives a task that was done by word no checklist afterwards", () => {
    const then = working(loose, "b")
      .byWord("p")
      .after(alice.plans({ id: "p", checklist: ["x"] }))
    assert.deepStrictEqual(then.items("p"), [])
    assert.deepStrictEqual(then.warnings, ["task_kept", "task_completed", "items_not_taken"])
  })

  it("may leave out the description and the checklist of a task that is registered", () => {
    const then = working("a").after(alice.submits({ tasks: [{ id: "a", status: "pending" }] }))
    assert.deepStrictEqual(then.items("a"), [["one", "unproven"]])
  })

  it("does not change what a task says", () => {
    const then = working("a").after(alice.plans({ id: "a", description: "Do nothing.", depends_on: ["a"] }))
    assert.deepInclude(then.task("a").spec, { instruction: "Do a.", depends_on: [] })
  })

  it.each<[string, ReadonlyArray<string>]>([
    ["Do nothing.", ["text_kept"]],
    ["Do a.", []],
    [" Do a. ", []],
    ["", []]
  ])("warns of another text of a task that is open, and of no other: %j", (description, warnings) => {
    const play = working("a", "b", "c").proven("b").after(alice.cancels("c"))
    const texts = (id: string) =>
      play.after(alice.plans({ id, description }, "a")).warnings.filter((code) => code === "text_kept")
    assert.deepStrictEqual(play.after(alice.plans({ id: "a", description })).warnings, warnings)
    assert.deepStrictEqual([...texts("b"), ...texts("c")], [])
  })

  it("does not warn of parts that it leaves out: they go with the whole", () => {
    const play = working("a").after(alice.creates(aPart("x", "a")))
    assert.deepStrictEqual(play.after(alice.plans("a")).warnings, [])
  })

  it("judges the items that it adds to an open task, and none of one that is done", () => {
    const bad = (id: string) =>
      alice.plans({ id, status: "pending", checklist: ["one", { item: "x", status: "done" }] })
    assert.deepStrictEqual(aDone().when(bad("b")).keys, ["checklist_status_invalid"])
    assert.deepStrictEqual(aDone().when(bad("a")).keys, [])
    assert.deepStrictEqual(
      aDone()
        .after(bob.opens())
        .when(bob.plans({ id: "a", checklist: ["two"] })).keys,
      []
    )
  })

  it("is refused when nothing would be left to do", () => {
    assert.deepStrictEqual(working("a", "b").when(alice.plans(gone("a"), gone("b"))).keys, ["no_pending_tasks"])
  })

  it.each([
    ["withdraw", gone("a")],
    ["add items to", { id: "a", checklist: ["one", "more"] }]
  ])("cannot %s what is somebody else's", (_, a) => {
    const play = working("a", "b").after(bob.opens())
    const then = play.when(bob.plans(a, "b"))
    assert.deepStrictEqual(
      then.failures.map(({ fields, key }) => [key, fields["task_id"], fields["assignee"]]),
      [["task_not_yours", "a", "alice"]]
    )
    assert.strictEqual(then.state.tasks, play.state.tasks)
    assert.lengthOf(play.after(bob.plans("a", "b")).items("a"), 1)
  })

  it("that names more items of a completed task is warned that they are not taken", () => {
    const then = aDone().after(
      alice.plans({ id: "a", status: "completed", checklist: ["one", "more", "still more"] }, "b")
    )
    const [warning, ...others] = then.contents("PHASE_SUBMITTED").flatMap(({ warnings }) => warnings)
    assert.deepStrictEqual([warning?.code, others], ["items_not_taken", []])
    assert.include(warning?.message, "'more', 'still more'")
    assert.notInclude(warning?.message, "'one'")
  })

  it("after a failed verification keeps the count of failures and what was registered", () => {
    const then = working("a").proven("a").failing().after(alice.plans("a", "c"))
    assert.strictEqual(then.assignment("a").failures, 1)
    assert.deepStrictEqual([...then.statuses("a"), ...then.items("a")], ["retrying", ["one", "unproven"]])
  })

  it("in a phase of its own leads on", () => {
    const transitions = [to("READY_PLAN", { when: { tasks: "done" } })]
    const done = withContract({ READY_IMPL: { ...phases.READY_IMPL, also: [], transitions } })
      .working("a")
      .proven("a")
    assert.strictEqual(done.phase, "READY_PLAN")
    assert.deepStrictEqual(done.when(alice.plans("a")).keys, ["no_pending_tasks"])
    const more = done.after(alice.plans("a", "b"))
    assert.deepStrictEqual([more.phase, more.phases.visits["READY_IMPL"]], ["READY_IMPL", 2])
  })
})

describe("the tasks of a plan", () => {
  it("have names that can be looked up whatever they are called", () => {
    const names = ["toString", "__proto__", "constructor", "日本", "a/b", "a%2Fb", "💡"]
    assert.lengthOf(tasksOf(working(...names).state), names.length)
    for (const id of names)
      assert.deepStrictEqual(
        working(...names)
          .proven(id)
          .statuses(id),
        ["completed"],
        id
      )
  })

  it("are not found under the names of other things", () => {
    for (const id of ["toString", "__proto__"]) {
      assert.deepStrictEqual(working("a").when(alice.completes(id)).keys, ["unknown_task"])
    }
    assert.isNotEmpty(aPlay().when(alice.submits({ __proto__: null })).keys)
  })

  it("have titles that are cut between characters: half of one cannot be recorded", () => {
    const long = ["😀".repeat(60), `x${"😀".repeat(60)}`].map((description, i) => ({ id: `t${i}`, description }))
    const tasks = tasksOf(working(...long).state)
    assert.lengthOf(tasks, 2)
    for (const { spec } of tasks) assert.isTrue(spec.title.isWellFormed(), spec.title)
  })

  it("have titles of eighty characters: what is longer is cut", () => {
    const titled = (length: number) => working({ id: "a", description: "x".repeat(length) }).task("a").spec.title
    assert.deepStrictEqual([titled(80), titled(81)], ["x".repeat(80), `${"x".repeat(79)}…`])
  })
})
