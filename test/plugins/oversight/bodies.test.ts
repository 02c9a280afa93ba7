import { assert, describe, it } from "@effect/vitest"
import { type RunSummary, taskOf } from "@proofline/kernel"
import { runBody, runsBody, subtasksBody } from "../../../packages/plugins/src/policies/oversight/overviews.ts"
import {
  mayWaitForPerson,
  questionOf,
  undecidedTasks
} from "../../../packages/plugins/src/policies/oversight/questions.ts"
import { cancel, done, evidence, waived } from "../../kernel/support/words.ts"
import { alice, aPart, aPhase, type Play, phases, to, withContract, working } from "../sessions/rules/playing.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
type Seen = any

const loose = (id: string) => ({ id, checklist: null })
const person = (): Play => working("a").proven("a").failing().proven("a").failing()

describe("a run in the list", () => {
  const running: RunSummary = {
    run_id: "run_1",
    kind: "session",
    name: "a run",
    status: "running",
    started_at: "2026-01-02T12:00:00.000Z",
    ended_at: null,
    parent_run_id: null,
    tasks_total: 2,
    tasks_completed: 1,
    tasks_failed: 0,
    tasks_skipped: 0,
    items_total: 3,
    items_closed: 1,
    active: []
  }
  const line = (over: Partial<RunSummary> = {}): Seen => {
    const [run] = runsBody([{ ...running, ...over }], 1)["runs"] as ReadonlyArray<unknown>
    return run
  }

  it("has what there is of it, and nothing else", () => {
    assert.deepStrictEqual(line(), {
      run_id: "run_1",
      kind: "session",
      name: "a run",
      status: "running",
      verdict: "unproven",
      started_at: "2026-01-02T12:00:00.000Z",
      tasks: { total: 2, completed: 1, failed: 0, skipped: 0 },
      items: { total: 3, closed: 1 }
    })
    const over = { ended_at: "2026-01-02T13:00:00.000Z", parent_run_id: "run_0", phase: "DONE" }
    assert.deepInclude(line(over), over)
  })

  it("has the first five tasks that are worked on, each in one line", () => {
    const long = "x".repeat(100)
    const { active } = line({ active: [long, "b", "c", "d", "e", "f"] })
    assert.lengthOf(active, 5)
    assert.deepStrictEqual(active.slice(1), ["b", "c", "d", "e"])
    assert.isAtMost(active[0].length, 80)
  })

  it("is one of as many as were asked for, and the others are counted", () => {
    const body: Seen = runsBody([running, running, running], 2)
    assert.lengthOf(body.runs, 2)
    assert.deepInclude(body, { runs_left_out: 1, next_step: "`proofline history` shows all." })
  })
})

describe("a run that is shown", () => {
  const shown = (play: Play): Seen => runBody(play.state)
  const ids = (play: Play) => shown(play).tasks.map(({ id }: Seen) => id)

  it("has what is wrong first, then what is under way, what waits, and what is shown last", () => {
    const play = working("shown", loose("word"), "open", "back", "gone", "stuck", "now")
      .proven("shown")
      .byWord("word")
      .after(
        alice.cancels("gone"),
        alice.starts("stuck"),
        alice.blocks("stuck"),
        alice.starts("now"),
        alice.completes("back"),
        evidence("back", 1)
      )
    assert.deepStrictEqual(ids(play), ["back", "now", "stuck", "gone", "open", "word", "shown"])
    assert.deepInclude(shown(play).counts, { tasks: 7, completed: 2, items: 6, failed: 1 })
    assert.notProperty(shown(play), "message")
  })

  it("has its tasks in order where none is more urgent, with how agents see them", () => {
    const play = working("b", "a").after(alice.starts("b"), alice.blocks("b"), alice.starts("a"), alice.blocks("a"))
    assert.deepStrictEqual(ids(play), ["b", "a"])
    assert.deepInclude(shown(play).tasks[0], { board_status: "blocked", assignee: "alice", status: "blocked" })
  })

  it("says how it has ended", () => {
    const ended = shown(working("a").after(cancel("by hand")))
    assert.strictEqual(ended.status, "cancelled")
    assert.isNotEmpty(ended.message)
  })

  it("has of every item what shows it, or why nothing has to", () => {
    const play = working({ id: "a", checklist: ["one", "two", "three"] }, "z").after(
      alice.completes("a", [done("one"), waived("two"), waived("three")]),
      evidence("a", 1, 0)
    )
    const { checklist } = shown(play).tasks.find(({ id }: Seen) => id === "a")
    assert.deepStrictEqual(checklist.slice(0, 2), [
      { item: "one", status: "done", verdict: "proven", shown_by: "evidence", evidence: "src/a.ts:1-2" },
      { item: "two", status: "skipped", verdict: "waived", reason: "not needed in this case" }
    ])
    const [open] = shown(play).tasks.find(({ id }: Seen) => id === "z").checklist
    for (const key of ["shown_by", "evidence", "reason", "weak"]) assert.notProperty(open, key)
  })
})

describe("the subtasks of a task that is shown", () => {
  it("say what they wait for, and what they were made to wait for", () => {
    const play = working("a").after(alice.creates(aPart("x", "a"), aPart("y", "a", { dependencies: ["x"] })))
    const shown = (then: Play): Seen => {
      const task = taskOf(then.state, "a")
      return task === undefined ? null : subtasksBody(then.state, task)
    }
    const [x, y] = shown(play).subtasks
    assert.deepInclude(y, { id: "tsk_3", waiting_for: ["tsk_2"], dependencies: ["tsk_2"], retry_count: 0 })
    for (const key of ["waiting_for", "dependencies"]) assert.notProperty(x, key)
    const [, later] = shown(play.byWord("tsk_2")).subtasks
    assert.notProperty(later, "waiting_for")
    assert.strictEqual(shown(play).task.subtasks, 2)
  })
})

describe("what a person is asked", () => {
  it("is nothing where nobody waits for one, or the run is over", () => {
    for (const play of [working("a"), person().after(cancel())]) assert.isNull(questionOf(play.state))
  })

  /** What is asked in a phase that takes such an answer. */
  const asks = (answer: string, transitions: ReadonlyArray<ReturnType<typeof to>>) => {
    const ASK = aPhase({ kind: "person", instruction: "Now?", expected_payload: { answer }, transitions })
    return questionOf(withContract({ ASK, ...phases }, { start: [to("ASK")] }).state)
  }
  const continued = to("READY_IMPL", { when: { payload: { answer: ["continue", "again"] } } })

  it("says where every answer leads, and any other text, as the contract decides it when nothing else is said", () => {
    const transitions = [
      continued,
      to("READY_PLAN", { when: { payload: { comment: "plan" } } }),
      to("DONE", { when: { outcome: "passed" } }),
      to("STOPPED")
    ]
    assert.deepStrictEqual(asks("str", transitions), {
      id: "ASK.1",
      phase: "ASK",
      question: "Now?",
      expected: { answer: "str" },
      answers: [
        {
          answer: ["continue", "again"],
          goes_on_with: "READY_IMPL",
          leads_to: "The agent reads it and goes on with READY_IMPL."
        }
      ],
      other_leads_to: "The work is given up: the run ends (STOPPED). A comment may lead elsewhere."
    })
  })

  it("names the words that the answer may be too, also where the contract names nothing that follows", () => {
    const asked = asks("continue|again|later|ASK", [continued, to("ASK", { when: { payload: { answer: "ASK" } } })])
    assert.deepStrictEqual(
      asked?.answers.map(({ answer, goes_on_with, leads_to }) => [answer, goes_on_with, leads_to]),
      [
        [["continue", "again"], "READY_IMPL", "The agent reads it and goes on with READY_IMPL."],
        [["ASK"], "ASK", "You are asked again (ASK)."],
        [["later"], "", "Refused: the phase contract names nothing that follows."]
      ]
    )
    assert.isNull(asked?.other_leads_to)
  })

  it("tells the end of a run, and a limit that has come, as they are now", () => {
    const first = { ...to("DONE"), when: { reached: ["asked"] } }
    const asked = asks("yes|no", [first, to("DONE", { when: { payload: { answer: "yes" } } }), to("ASK")])
    assert.deepStrictEqual(
      asked?.answers.map(({ leads_to }) => leads_to),
      ["The run ends (DONE).", "You are asked again (ASK)."]
    )
  })

  it.each([
    ["session", "running", 0, true],
    ["session", "failed", 0, false],
    ["session", "incomplete", 0, false],
    ["tasks", "running", 2, false],
    ["tasks", "failed", 2, true],
    ["tasks", "incomplete", 2, true],
    ["tasks", "incomplete", 0, false],
    ["tasks", "completed", 2, false]
  ] as const)("may be asked of a run: %s, %s, with %d parts", (kind, status, subtasks_total, may) => {
    assert.strictEqual(mayWaitForPerson({ kind, status, subtasks_total }), may)
  })

  it("is no task that was only cancelled or blocked", () => {
    const play = working("a", "b").after(
      alice.cancels("a"),
      alice.starts("b"),
      alice.sets("b", "blocked", "needs_person")
    )
    assert.deepStrictEqual(undecidedTasks(play.state), [])
  })
})
