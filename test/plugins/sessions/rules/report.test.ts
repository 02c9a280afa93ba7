import { assert, describe, it } from "@effect/vitest"
import { tasksOf } from "@proofline/kernel"
import { activityFailed, done, evidence, waived } from "../../../kernel/support/words.ts"
import {
  alice,
  aNewTask,
  aPart,
  aPhase,
  aPlan,
  aPlay,
  asking,
  bob,
  type Play,
  planning,
  to,
  withContract,
  working
} from "./playing.ts"

const loose = { id: "a", checklist: null }

const blob = { sha256: "d".repeat(64), bytes: 5 }

describe("the report of a task", () => {
  it("begins an attempt, ends it, and has its evidence looked at", () => {
    const then = working("a").when({ ...alice.completes("a"), prompt: blob })
    assert.deepStrictEqual(then.types, [
      "PHASE_SUBMITTED",
      "TASK_STARTED",
      "ATTEMPT_STARTED",
      "ATTEMPT_ENDED",
      "CHECKLIST_REPORTED"
    ])
    const by = { agent: "alice", worker_id: "ses_alice", prompt: blob }
    assert.deepInclude(then.contents("ATTEMPT_STARTED")[0], { task_id: "a", attempt: 1, ...by })
    assert.deepStrictEqual(
      then.starts.map(({ activity, task_id }) => [activity, task_id]),
      [["evidence", "a"]]
    )
    assert.deepStrictEqual(then.statuses("a"), ["in_progress"])
  })

  it("goes on with the attempt that the agent had begun", () => {
    const then = working("a").after(alice.starts("a"), alice.completes("a"))
    assert.deepStrictEqual(then.types, ["PHASE_SUBMITTED", "ATTEMPT_ENDED", "CHECKLIST_REPORTED"])
    assert.deepInclude(then.contents("ATTEMPT_ENDED")[0], { attempt: 1, agent: "alice" })
    assert.strictEqual(then.task("a").attempts, 1)
  })

  it("completes the task when every item is shown or excused", () => {
    const play = working({ id: "a", checklist: ["x", "y"] }, "b")
    const then = play.after(alice.completes("a", ["x", waived("y")]), evidence("a", 1, 0))
    assert.deepStrictEqual(then.types, [
      "EVIDENCE_CHECKED",
      "CHECKLIST_ITEM_ACCEPTED",
      "CHECKLIST_ITEM_ACCEPTED",
      "CHECKLIST_COMPLETED",
      "TASK_COMPLETED"
    ])
    assert.deepStrictEqual(then.contents("TASK_COMPLETED"), [{ task_id: "a", attempts: 1, proven: 1, waived: 1 }])
    assert.strictEqual(then.task("a").verdict, "proven")
  })

  it("that does not hold leaves the task with the agent, as often as it takes", () => {
    let play = working("a")
    for (let attempt = 1; attempt <= 6; attempt++) {
      play = play.after(alice.completes("a"), evidence("a", attempt))
      assert.strictEqual(play.types.at(-1), "TASK_STATUS_CHANGED")
      assert.deepInclude(play.contents("TASK_STATUS_CHANGED")[0], { to: "retrying", delay_ms: 0, retry_count: 0 })
      assert.strictEqual(play.action(), "work a")
    }
    assert.deepStrictEqual(
      play.task("a").refused?.failures.map(({ key }) => key),
      ["checklist_evidence_required"]
    )
    assert.strictEqual(play.proven("a").phase, "READY_COMPLETE")
  })

  it("whose evidence could not be looked at leaves the task with the agent too", () => {
    const then = working("a").after(alice.completes("a"), activityFailed("a", 1, "evidence"))
    assert.deepStrictEqual([...then.statuses("a"), then.task("a").blocked], ["retrying", null])
  })

  it("needs the checklist when one is registered", () => {
    for (const said of [{}, { checklist: null }, { checklist: [] }]) {
      const then = working({ id: "a", checklist: ["one", "two"] }).when(alice.completes("a", null, said))
      assert.deepStrictEqual(then.failures, [
        {
          key: "checklist_items_mismatch",
          item: null,
          fields: { missing: "'one', 'two'" },
          message:
            "Reported checklist items don't match registered items. Include all items from the original checklist. Missing: 'one', 'two'."
        }
      ])
      assert.deepStrictEqual(then.statuses("a"), ["pending"])
    }
    for (const checklist of ["x", 3, {}]) {
      assert.deepStrictEqual(working("a").when(alice.completes("a", [], { checklist })).keys, ["field_invalid"])
    }
  })

  it.each([
    [{ item: "one", status: "Done", evidence: "src/a.ts:1" }, "field_invalid", ".status"],
    [{ item: 3, status: "done" }, "field_invalid", ".item"],
    [{ item: "two", status: "done", evidence: 4 }, "field_invalid", ".evidence"],
    [{ item: "three", status: "skipped", reason: ["x"] }, "field_invalid", ".reason"],
    [{ status: "done" }, "field_missing", ".item"],
    ["five", "field_invalid", ""],
    [{ item: "one" }, "field_missing", ".status"]
  ])("is refused with every item that is not as promised: %j", (item, key, field) => {
    const then = working("a").when(alice.completes("a", [], { checklist: [item, item] }))
    assert.deepStrictEqual(then.statuses("a"), ["pending"])
    assert.deepStrictEqual(
      then.failures.map(({ fields, key }) => [key, fields["field"]]),
      [0, 1].map((i) => [key, `checklist[${i}]${field}`])
    )
  })

  it("of a task without a checklist is its word, and says so", () => {
    for (const said of [{}, { checklist: null }, { checklist: [] }]) {
      const then = working(loose, "b").after(alice.completes("a", null, said))
      assert.deepStrictEqual(then.warnings, ["checklist_missing"])
      assert.deepStrictEqual(then.contents("TASK_COMPLETED"), [
        { task_id: "a", attempts: 1, proven: 0, waived: 0, verdict: "unproven" }
      ])
    }
    const madeUp = working(loose, "b").when(alice.completes("a", ["made up"]))
    assert.strictEqual(madeUp.task("a").verdict, "unproven")
  })
})

describe("a report is refused", () => {
  const dependent = { id: "c", depends_on: ["a", "b"] }
  const parts = () => working("a").after(alice.creates(aPart("x", "a"), aPart("y", "a")))
  const blocked = () => working("a").after(alice.creates(aPart("x", "a")), alice.starts("a"), alice.blocks("a"))

  it.each<[string, () => Play, id: string, key: string, told: string | undefined, by?: typeof alice]>([
    ["about a task nobody knows, with those that are known", () => working("a", "b"), "c", "unknown_task", "a, b"],
    [
      "where none is registered",
      () => withContract({}, { start: [to("READY_IMPL")] }),
      "a",
      "no_tasks_registered",
      undefined
    ],
    ["about somebody else's task", () => working("a").after(bob.opens()), "a", "task_not_yours", "alice", bob],
    [
      "about a task that is cancelled",
      () => working("a", "b").after(alice.cancels("b")),
      "b",
      "task_blocked",
      "cancelled"
    ],
    [
      "about a task that is blocked",
      () => working("a").after(alice.starts("a"), alice.blocks("a")),
      "a",
      "task_blocked",
      "blocked"
    ],
    ["about a task that is put off", () => working("a").after(alice.putsOff("a")), "a", "task_blocked", "backlog"],
    ["about a task that waits", () => working("a", "b", dependent), "c", "dependencies_open", "a, b"],
    ["about one that waits still", () => working("a", "b", dependent).proven("a"), "c", "dependencies_open", "b"],
    ["about a task with open subtasks", parts, "a", "subtasks_incomplete", "tsk_2, tsk_3"],
    ["about one with a subtask left", () => parts().proven("tsk_2"), "a", "subtasks_incomplete", "tsk_3"]
  ])("%s", (_, play, id, key, told, by = alice) => {
    const then = play().when(by.completes(id))
    assert.notInclude(then.types, "CHECKLIST_REPORTED")
    const { assignee, status, tasks } = then.failures[0]?.fields ?? {}
    assert.deepStrictEqual([...then.keys, tasks ?? assignee ?? status], [key, told])
  })

  it("not about a part of one's own task that is somebody else's", () => {
    const part = aPart("s", "a", { assignee: "bob", checklist: ["x"] })
    const split = working("a").after(bob.opens(), alice.creates(part))
    for (const agent of ["alice", "bob"]) {
      assert.deepStrictEqual(split.provenBy(agent, "tsk_2").statuses("tsk_2"), ["completed"])
    }
    // who never comes keeps the task
    const hers = working("a").after(bob.opens(), alice.creates(aNewTask("x", { assignee: "carol" })))
    assert.deepStrictEqual(hers.when(bob.completes("tsk_2", [])).keys, ["task_not_yours"])
  })

  it("not once all subtasks are shown", () => {
    assert.strictEqual(parts().proven("tsk_2", "tsk_3", "a").phase, "READY_COMPLETE")
  })

  it("about a task that is done, when it says something else", () => {
    const then = working("a", "b")
      .proven("a")
      .when(alice.completes("a", [waived("one")]))
    assert.deepStrictEqual(then.keys, ["already_completed"])
  })

  it("about a part of a task that is blocked", () => {
    assert.deepStrictEqual(blocked().when(alice.completes("tsk_2", [])).keys, ["task_blocked", "parent_not_open"])
    const late = blocked().after(alice.creates(aPart("y", "a")))
    assert.deepStrictEqual(late.when(alice.completes("tsk_3", [])).keys, ["parent_not_open"])
  })

  it("with everything at once that is wrong with its order and its items", () => {
    const play = working("a", { id: "b", depends_on: ["a"] }).after(alice.creates(aPart("x", "b")), alice.putsOff("b"))
    assert.deepStrictEqual(play.when(alice.completes("b", [{ item: "one", status: "almost" as never }])).keys, [
      "subtasks_incomplete",
      "dependencies_open",
      "task_blocked",
      "field_invalid"
    ])
  })

  it("while the one before it is looked at, unless it is the same", () => {
    const play = working("a").after(alice.completes("a"))
    assert.deepStrictEqual(play.when(alice.completes("a", [waived("one")])).keys, ["task_being_checked"])
    assert.isTrue(play.when(alice.completes("a")).isNothing)
  })

  it("in a phase in which no task is reported, by complete_task and by submit_phase", () => {
    for (const play of [aPlay(), planning()]) {
      assert.strictEqual(play.when(alice.completes("a")).code, "phase_mismatch")
      assert.isNotEmpty(play.when(alice.submits({ task_id: "a", checklist: [done("one")] })).keys)
    }
  })

  it("by complete_task when it is no report, whatever phase it would fit", () => {
    const then = working("a").when({ ...alice.submits(aPlan("b")), isReport: true })
    assert.include(then.keys, "field_missing")
    assert.lengthOf(tasksOf(then.state), 1)
  })

  it("when more are worked on than the contract allows", () => {
    const play = withContract({}, { limits: { parallel_tasks: 1 } })
      .working("a", "b")
      .after(alice.starts("a"))
    assert.deepStrictEqual(play.when(alice.completes("b")).keys, ["parallel_limit"])
    assert.deepStrictEqual(play.proven("a").statuses("a"), ["completed"])
  })

  it("when it cites what nobody asked for, where the contract asks for that", () => {
    const play = asking("src/a.ts").after(alice.plans("a"))
    assert.deepStrictEqual(
      play.when(alice.completes("a")).failures.map(({ fields, item, key }) => [key, item, fields["file_path"]]),
      [["write_target_not_checked", "one", "src/a.ts"]]
    )
    assert.deepStrictEqual(play.after(alice.checks("src/a.ts")).when(alice.completes("a")).keys, [])
    assert.deepStrictEqual(play.when(alice.completes("a", [waived("one")])).keys, [])
  })

  it("in the words of the contract", () => {
    const task_not_yours = { error: "payload_mismatch", message: "Aufgabe {task_id} gehört {assignee}." }
    const play = withContract({}, { failures: { READY: { task_not_yours } } })
      .working("a")
      .after(bob.opens())
    assert.strictEqual(play.when(bob.completes("a")).failures[0]?.message, "Aufgabe a gehört alice.")
  })
})

describe("the same report again", () => {
  const left = () => working("a").proven("a")
  const byWord = () => working(loose, "b").after(alice.completes("a", []))

  it.each([
    ["once the task is completed by it", () => working("a", "b").proven("a"), alice.completes("a")],
    ["when the phase was left by it", left, alice.completes("a")],
    ["when another phase is handed in", () => left().handedIn(), alice.completes("a")],
    ["for a task without a checklist", byWord, alice.completes("a", [])],
    ["by submit_phase", byWord, alice.submits({ task_id: "a" })],
    ["by submit_phase with an empty checklist", byWord, alice.submits({ task_id: "a", checklist: [] })]
  ])("writes nothing %s", (_, play, again) => {
    assert.isTrue(play().when(again).isNothing)
  })

  it("is no way to hand in another one while commands run", () => {
    assert.strictEqual(
      left()
        .handedIn()
        .when(alice.completes("a", ["two"])).code,
      "verification_running"
    )
  })

  it("is no repetition where the task was never reported", () => {
    assert.deepStrictEqual(working(loose, "b").byWord("a").when(alice.completes("a", [])).keys, ["already_completed"])
  })

  it("is judged again after it was refused, and after a verification failed", () => {
    const refused = working("a").after(alice.completes("a"), evidence("a", 1))
    assert.strictEqual(refused.after(alice.completes("a")).task("a").attempts, 2)
    assert.include(left().failing().when(alice.completes("a")).types, "CHECKLIST_REPORTED")
  })

  it("is not taken for what another phase asks about the task", () => {
    const opinion = aPhase({ expected_payload: { task_id: "str", opinion: "str" }, transitions: [to("STOPPED")] })
    const done = withContract({ READY_COMPLETE: opinion }).working(loose).after(alice.completes("a", []))
    assert.strictEqual(done.when(alice.submits({ task_id: "a", opinion: "It is good." })).phase, "STOPPED")
  })
})

describe("a completed task with subtasks and no checklist", () => {
  it("is proven by them when one of them was shown and none was taken by word", () => {
    const parts = alice.creates(aPart("x", "a", { checklist: ["shown"] }), aPart("y", "a"))
    const one = working(loose, "z").after(parts).proven("tsk_3")
    const without = one.after(alice.cancels("tsk_4"))
    assert.deepStrictEqual(
      [one.proven("tsk_4", "a"), without.proven("a"), without.byWord("a")].map((play) => play.task("a").verdict),
      ["unproven", "proven", "proven"]
    )
  })
})
