import { assert, describe, it } from "@effect/vitest"
import { cancel, evidence } from "../../../kernel/support/words.ts"
import { alice, aNewTask, aPart, aPlay, bob, type Play, planning, withContract, working } from "./playing.ts"

/** Alice has planned `a` and gave bob these tasks. */
const given = (...tasks: ReadonlyArray<string>): Play =>
  working("a").after(bob.opens(), alice.creates(...tasks.map((task) => aNewTask(task, { assignee: "bob" }))))

/** Bob was told, and fetched, and did not split. */
const fetched = (...tasks: ReadonlyArray<string>): Play => given(...tasks).after(bob.asks(), bob.fetches(), bob.asks())

/** Bob has done the first task that he was given. */
const idle = (...tasks: ReadonlyArray<string>): Play =>
  fetched(...tasks).after(bob.starts("tsk_2"), bob.finishes("tsk_2"))

const done = (): Play => working("a").proven("a")
const blocked = (): Play => working("a", "b").after(alice.starts("a"), alice.blocks("a"))

type Row = [who: string, given: () => Play, action: string, agent?: "bob"]

describe("an agent", () => {
  it.each<Row>([
    ["whose session was closed leaves", () => working("a").after(bob.opens(), bob.closes()), "exit", "bob"],
    ["that has reported leaves", () => working("a").after(alice.reports("failed")), "exit"],
    ["hands in the first phase", () => aPlay(), "submit_phase"],
    ["hands in a plan", planning, "submit_phase"],
    ["hands in that all is done", done, "submit_phase"],
    ["waits while the commands of the phase run", () => done().handedIn(), "wait"],
    ["has a person asked, where one must answer", () => done().failing().proven("a").failing(), "ask_user"],
    ["reports completion at the end of the run", () => done().handedIn().passed(), "report_completion"],
    ["reports when a person has ended the run", () => aPlay().after(cancel()), "report_completion"],
    ["reports also when it had tasks then", () => working("a").after(cancel()), "report_completion"]
  ])("%s", (_, play, action, agent) => {
    assert.strictEqual(play().action(agent), action)
  })
})

describe("an agent with tasks of its own", () => {
  it.each<Row>([
    ["works on them without fetching and without splitting", () => working("a", "b"), "work a"],
    ["goes on with what it has begun", () => working("a", "b").after(alice.starts("b")), "work b"],
    ["goes on with what was refused", () => working("a", "b").after(alice.completes("b"), evidence("b", 1)), "work b"],
    [
      "does parts of parts first",
      () => working("a").after(alice.creates(aPart("x", "a"), aPart("y", "x"))),
      "start_subtask tsk_3"
    ],
    ["goes on while a report is looked at", () => working("a", "b").after(alice.completes("a")), "work b"],
    ["leaves what is blocked while something else is left", blocked, "work b"],
    ["sees to what is blocked when nothing else is left", () => blocked().proven("b"), "review_and_resolve_blocks a"],
    ["sees to what was put off", () => working("a").after(alice.putsOff("a")), "review_and_resolve_blocks a"],
    ["does not begin a part of what is blocked", () => blocked().after(alice.creates(aPart("x", "a"))), "work b"]
  ])("%s", (_, play, action) => {
    assert.strictEqual(play().action(), action)
  })

  it("begins what is urgent first, then in order of registration", () => {
    const priorities = ["low", "high", "urgent"] as const
    let now = working("a").after(alice.creates(...priorities.map((priority) => aNewTask(priority, { priority }))))
    const order = ["tsk_4", "tsk_3", "a", "tsk_2"].map(() => {
      const id = now.next().task_id ?? ""
      now = now.after(alice.cancels(id))
      return id
    })
    assert.deepStrictEqual(order, ["tsk_4", "tsk_3", "a", "tsk_2"])
  })

  it("begins nothing that waits", () => {
    const play = working({ id: "a", depends_on: ["b"] }, "b")
    assert.deepStrictEqual([play.action(), play.proven("b").action()], ["work b", "work a"])
  })

  it("does the parts of a task before the task", () => {
    const play = working("a").after(alice.creates(aPart("x", "a"), aPart("y", "a", { dependencies: ["x"] })))
    const begun = play.after(alice.starts("tsk_2"))
    const one = begun.after(alice.finishes("tsk_2"))
    assert.deepStrictEqual(
      [play, begun, one, one.proven("tsk_3")].map((at) => at.action()),
      ["start_subtask tsk_2", "execute_subtask tsk_2", "start_subtask tsk_3", "work a"]
    )
  })

  it("waits when all reports are looked at", () => {
    assert.strictEqual(working("a", "b").after(alice.completes("a"), alice.completes("b")).next().action, "wait")
  })

  it("sees to what is blocked also when its other tasks wait for that", () => {
    const play = working("a", { id: "b", depends_on: ["a"] }).after(alice.starts("a"), alice.blocks("a"))
    assert.strictEqual(play.action(), "review_and_resolve_blocks a")
    assert.deepStrictEqual(play.next().waiting, [{ id: "b", title: "Do b.", waiting_for: ["a"] }])
  })

  it("waits when what it has left waits for others", () => {
    const play = given("x").after(alice.creates(aNewTask("y", { dependencies: ["tsk_2"] })), alice.cancels("a"))
    assert.strictEqual(play.action(), "wait")
    assert.deepStrictEqual(play.next().waiting, [{ id: "tsk_3", title: "y", waiting_for: ["tsk_2"] }])
  })

  it("is not told to begin a part of a task that is blocked, also when nothing else is left", () => {
    const { action } = blocked()
      .after(alice.creates(aPart("x", "a")))
      .proven("b")
      .next()
    assert.include(["review_and_resolve_blocks", "dependency_deadlock"], action)
  })

  it("is told nothing that would be refused", () => {
    const play = withContract({}, { limits: { parallel_tasks: 1 } })
      .working("a", "b")
      .after(alice.creates(aPart("x", "a")), alice.starts("a"), alice.starts("tsk_3"), alice.blocks("tsk_3"))
    assert.strictEqual(play.when(alice.starts("b")).code, "parallel_limit")
    assert.strictEqual(play.action(), "review_and_resolve_blocks tsk_3")
  })
})

describe("an agent that was given a task", () => {
  it("fetches it first, then is told once that it may be split, then works on it", () => {
    const play = given("x")
    const told = play.after(bob.asks())
    const has = told.after(bob.fetches())
    assert.deepStrictEqual(
      [play, told, has, has.after(bob.asks())].map((at) => at.action("bob")),
      ["get_task tsk_2", "get_task tsk_2", "create_subtasks tsk_2", "work tsk_2"]
    )
    const split = has.after(bob.creates(aPart("y", "tsk_2")))
    assert.strictEqual(split.action("bob"), "start_subtask tsk_3")
  })

  it("fetches every task that it was given", () => {
    assert.strictEqual(fetched("x", "y").action("bob"), "work tsk_2")
    assert.strictEqual(idle("x", "y").action("bob"), "get_task tsk_3")
  })

  it("fetches again in a new session: another context may not know it", () => {
    const play = fetched("x").after(bob.closes(), bob.opens({ session_id: "ses_bob2" }))
    assert.deepStrictEqual(play.phases.sessions.find(({ session_id }) => session_id === "ses_bob2")?.fetched, [])
  })

  it.each([
    ["is done when nothing is left for it, though others go on", () => idle("x"), "report_completion", "work a"],
    ["leaves the phases to the others", () => idle("x").proven("a"), "report_completion", "submit_phase"],
    [
      "sees to the phases when it is the last",
      () => idle("x").proven("a").after(alice.closes()),
      "submit_phase",
      "exit"
    ]
  ] as const)("%s", (_, play, action, others) => {
    assert.deepStrictEqual([play().action("bob"), play().action()], [action, others])
  })

  it("does not leave as the last while tasks of others are open", () => {
    const last = idle("x").after(alice.closes())
    assert.strictEqual(last.when(bob.reports()).code, "phase_open")
    assert.deepStrictEqual([last.action("bob"), last.after(bob.asks()).action("bob")], ["wait", "get_task a"])
  })
})

describe("an agent with nothing of its own", () => {
  it("waits for the others, and may hand in a phase that nobody has handed in", () => {
    assert.strictEqual(working("a").after(bob.opens()).action("bob"), "wait")
    assert.strictEqual(planning().after(bob.opens()).action("bob"), "submit_phase")
  })
})

describe("telling an agent what to do", () => {
  it("is recorded once, until it changes", () => {
    assert.deepStrictEqual(working("a", "b").when(alice.asks()).contents("NEXT_ACTION_ISSUED"), [
      { session_id: "ses_alice", at: "2026-01-02T12:00:00.000Z", tool: "get_next_action", action: "work", task_id: "a" }
    ])
    const told = working("a", "b").after(alice.asks())
    assert.isTrue(told.when(alice.asks()).isNothing)
    assert.lengthOf(told.proven("a").when(alice.asks()).events, 1)
  })

  it("records that a task was fetched, once", () => {
    const play = given("x").after(bob.asks())
    assert.lengthOf(play.when(bob.fetches()).events, 1)
    assert.isTrue(play.after(bob.fetches(), bob.asks(), bob.fetches()).when(bob.fetches()).isNothing)
  })
})
