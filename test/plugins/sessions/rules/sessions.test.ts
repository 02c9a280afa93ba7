import { assert, describe, it } from "@effect/vitest"
import { cancel } from "../../../kernel/support/words.ts"
import {
  alice,
  aNewTask,
  answers,
  aPhase,
  aPlay,
  because,
  bob,
  carol,
  closes,
  noon,
  type Play,
  planning,
  to,
  withContract,
  working
} from "./playing.ts"

const assignees = (play: Play, ...ids: ReadonlyArray<string>) => ids.map((id) => play.assignment(id).assignee)

const done = (): Play => working("a").proven("a")
const finished = (): Play => done().handedIn().passed()

describe("a session", () => {
  it("is opened once, with who comes and the hash of its token", () => {
    const over = { of_process: false, ttl_ms: 1_000 }
    assert.deepStrictEqual(aPlay().when(bob.opens(over)).contents("SESSION_OPENED"), [
      { session_id: "ses_bob", at: noon, agent: "bob", token_sha256: "c".repeat(64), ...over }
    ])
    assert.isTrue(aPlay().when(alice.opens()).isNothing)
  })

  it("is closed once, and knows the first reason", () => {
    const play = aPlay().after(alice.closes("revoked"))
    for (const again of [alice.closes("expired"), closes("nobody")]) assert.isTrue(play.when(again).isNothing)
    assert.strictEqual(play.session().closed, "revoked")
  })

  it.each([
    alice.asks(),
    alice.plans("b"),
    alice.completes("a"),
    alice.starts("a"),
    alice.creates("x"),
    alice.checks("src/a.ts"),
    alice.reports("failed")
  ])("is refused everything once it is over: $_tag", (command) => {
    const then = working("a").after(bob.opens(), alice.closes("revoked")).when(command)
    assert.strictEqual(then.code, "session_closed")
    assert.include(then.rejected?.message, "revoked")
  })

  it("is seen whenever it asks for something that is recorded, and time never goes back", () => {
    const at = (minute: number) => ({ at: `2026-01-02T12:${minute}:00.000Z` })
    const seen = aPlay().after({ ...alice.asks(), ...at(20) })
    assert.strictEqual(seen.session().seen_at, at(20).at)
    assert.strictEqual(seen.after({ ...alice.explores("a"), ...at(15) }).session().seen_at, at(20).at)
    assert.strictEqual(seen.when({ ...alice.submits({}), ...at(30) }).session().seen_at, at(30).at)
  })
})

describe("the work of an agent that is gone", () => {
  const bobComes = bob.opens({ gone: ["ses_alice"] })

  it("goes on with whoever comes next", () => {
    const then = working("a", "b").after(bobComes)
    assert.deepStrictEqual(then.types, ["SESSION_OPENED", "SESSION_CLOSED", "TASK_ASSIGNED", "TASK_ASSIGNED"])
    assert.strictEqual(then.contents("SESSION_CLOSED")[0]?.reason, "process_ended")
    assert.deepStrictEqual(assignees(then, "a", "b"), ["bob", "bob"])
  })

  it("goes on where it was, with the attempt that runs, and with what was shown", () => {
    const play = working("a", "b").proven("a").after(alice.starts("b"), bobComes)
    assert.deepStrictEqual(assignees(play, "a", "b"), ["alice", "bob"])
    assert.deepStrictEqual(play.statuses("b"), ["in_progress"])
    const then = play.provenBy("bob", "b")
    assert.deepStrictEqual([then.task("b").attempts, then.phase], [1, "READY_COMPLETE"])
  })

  it("stays the agent's own when it comes back itself", () => {
    const then = working("a").after(alice.opens({ session_id: "ses_2", gone: ["ses_alice"] }))
    assert.deepStrictEqual(then.types, ["SESSION_OPENED", "SESSION_CLOSED"])
    assert.deepStrictEqual(assignees(then, "a"), ["alice"])
  })

  it.each([
    [
      "stays where another session of the same agent is open",
      [alice.opens({ session_id: "ses_2" }), bobComes],
      "alice"
    ],
    ["does not end with its session while it is there", [bob.opens()], "alice"],
    ["goes on also when its session was closed", [alice.closes(), bob.opens()], "bob"],
    ["goes on also when its session was revoked", [alice.closes("revoked"), bob.opens()], "bob"],
    ["goes on also when it has reported", [alice.reports("failed"), bob.opens()], "bob"],
    ["that is over stays with whom it was", [alice.cancels("a"), bobComes], "alice"]
  ])("%s", (_, commands, assignee) => {
    assert.deepStrictEqual(assignees(working("a", "z").after(...commands), "a"), [assignee])
  })

  it("is left to one that is still to come", () => {
    const forCarol = alice.creates(aNewTask("x", { assignee: "carol" }))
    const then = working("a").after(forCarol, alice.closes(), bob.opens())
    assert.deepStrictEqual(assignees(then, "a", "tsk_2"), ["bob", "carol"])
  })
})

describe("the work of an agent that has not come", () => {
  const forCarol = alice.creates(aNewTask("x", { assignee: "carol" }))

  it("goes on with whoever has nothing else to do", () => {
    const then = working("a").after(forCarol).proven("a").when(alice.asks())
    assert.deepStrictEqual(then.types, ["NEXT_ACTION_ISSUED", "TASK_ASSIGNED"])
    assert.deepStrictEqual(then.contents("NEXT_ACTION_ISSUED")[0], {
      ...{ session_id: "ses_alice", at: noon, tool: "get_next_action" },
      ...{ action: "work", task_id: "tsk_2" }
    })
    assert.deepStrictEqual(assignees(then, "tsk_2"), ["alice"])
  })

  it("goes on also where whoever gave it has left", () => {
    const play = working("a").after(forCarol, alice.closes(), bob.opens()).provenBy("bob", "a")
    assert.deepStrictEqual(assignees(play.when(bob.asks()), "tsk_2"), ["bob"])
  })

  it("goes on also where the agent's own work waits for it", () => {
    const play = working("a").after(
      alice.creates(aNewTask("x", { assignee: "carol" }), aNewTask("y", { dependencies: ["x"] }))
    )
    assert.deepStrictEqual(assignees(play.proven("a").when(alice.asks()), "tsk_2", "tsk_3"), ["alice", "alice"])
  })

  it("is left to it while another who is here works", () => {
    const play = working("a", "b").after(bob.opens(), forCarol, alice.creates(aNewTask("z", { assignee: "bob" })))
    const then = play.provenBy("bob", "tsk_4").when(bob.asks())
    assert.deepStrictEqual(assignees(then, "tsk_3"), ["carol"])
  })

  it("is left to it while what was reported is looked at", () => {
    const then = working("a").after(forCarol, alice.completes("a")).when(alice.asks())
    assert.deepStrictEqual(assignees(then, "tsk_2"), ["carol"])
  })

  it("is its own once it comes", () => {
    const then = working("a").after(forCarol, carol.opens()).proven("a").when(alice.asks())
    assert.deepStrictEqual(assignees(then, "tsk_2"), ["carol"])
  })
})

describe("reporting completion", () => {
  const results = ["success", "failed", "blocked"] as const

  it("with success ends the session when nothing is left", () => {
    const said = { summary: "All done.", next_steps: "Rest." }
    const then = finished().when({ ...alice.reports(), ...said })
    assert.deepStrictEqual(then.types, ["COMPLETION_REPORTED", "SESSION_CLOSED"])
    assert.deepStrictEqual(then.contents("COMPLETION_REPORTED"), [
      { session_id: "ses_alice", at: noon, result: "success", ...said, open: [] }
    ])
  })

  it("with success is refused while anything assigned is open, with the ids", () => {
    const then = working("a", "b", "c").proven("a").when(alice.reports())
    assert.deepStrictEqual(then.refusal, ["tasks_open", ["b", "c"]])
  })

  it("with success counts neither what is cancelled nor what is others'", () => {
    const play = working("a").after(bob.opens(), alice.creates(aNewTask("x", { assignee: "bob" })), alice.cancels("a"))
    assert.strictEqual(play.when(alice.reports()).code, undefined)
    assert.deepStrictEqual(play.when(bob.reports()).refusal, ["tasks_open", ["tsk_2"]])
  })

  const both = () => working("a").after(bob.opens()).proven("a")

  it.each([
    ["at the beginning", () => aPlay(), alice],
    ["before the plan", planning, alice],
    ["when all is done", done, alice],
    ["with others present", () => aPlay().after(bob.opens()), alice],
    ["when all others are gone", () => both().after(alice.reports()), bob],
    // who had no part in the work has not succeeded in anything
    ["to who had no part in the work", both, bob],
    ["to who has no part in the work that goes on", () => working("a", "b").after(bob.opens()).proven("a"), bob]
  ])("with success is refused as long as a phase is open: %s", (_, play, by) => {
    const then = play().when(by.reports())
    assert.deepStrictEqual(then.refusal, ["phase_open", [play().phase]])
  })

  it("with success is taken from who did its own part while another is there", () => {
    assert.strictEqual(both().when(alice.reports()).code, undefined)
  })

  it("never marks anything done", () => {
    for (const result of results) {
      assert.deepStrictEqual(working("a", "b").when(alice.reports(result)).statuses("a", "b"), ["pending", "pending"])
    }
  })

  it("with failure leaves the work open and names it", () => {
    const then = working("a", "b").after(alice.reports("failed"))
    assert.deepStrictEqual(then.contents("COMPLETION_REPORTED")[0]?.open, ["a", "b"])
    assert.strictEqual(then.state.run.status, "running")
  })

  it("as blocked is refused while something can be worked on", () => {
    const play = working("a", "b").after(alice.starts("a"), alice.blocks("a"))
    assert.deepStrictEqual(play.when(alice.reports("blocked")).refusal, ["tasks_open", ["b"]])
    const stuck = play.after(alice.cancels("b"))
    assert.match(stuck.when(alice.reports()).rejected?.hint ?? "", /blocked/)
    assert.strictEqual(stuck.when(alice.reports("blocked")).code, undefined)
  })

  it("as blocked is taken while a person must answer, though tasks are open again", () => {
    const asked = working("a").proven("a").failing().proven("a").failing()
    assert.deepStrictEqual(
      [asked.phase, asked.action(), ...asked.told("a")],
      ["VERIFY_INTERVENTION", "ask_user", "in_progress"]
    )
    const early = asked.when(alice.reports())
    assert.deepStrictEqual(early.refusal, ["tasks_open", ["a"]])
    assert.match(early.rejected?.hint ?? "", /person must answer first: report `blocked`/)
    const left = asked.after(alice.reports("blocked"))
    assert.deepInclude(left.contents("COMPLETION_REPORTED")[0], { result: "blocked", open: ["a"] })
    assert.strictEqual(left.state.run.status, "running")
    // the answer of the person still leads on
    assert.strictEqual(left.after(answers({ answer: "continue" })).phase, "READY_IMPL")
  })

  it("twice is once, whatever is said the second time", () => {
    const play = finished().after(alice.reports())
    for (const result of results) assert.isTrue(play.when(alice.reports(result)).isNothing)
  })

  it("is possible after a person has ended the run, and changes nothing of that", () => {
    assert.strictEqual(working("a").after(cancel(), alice.reports("blocked")).state.run.status, "cancelled")
  })
})

describe("a run that has ended", () => {
  it.each([
    ["by itself", finished],
    ["by a person", () => working("a").after(cancel())]
  ])("%s takes nothing more", (_, play) => {
    const person = answers({ answer: "continue" })
    for (const command of [alice.plans("b"), alice.completes("a"), alice.creates("x"), person]) {
      const { events, rejected } = play().when(command)
      assert.deepStrictEqual(events, [], command._tag)
      assert.isNotNull(rejected, command._tag)
    }
  })
})

describe("the end of the run", () => {
  const verifiedBy = (...verifiers: ReadonlyArray<string>) => withContract({}, {}, { verifiers })
  const byWord = { id: "b", checklist: null }
  const excused = [{ item: "one", status: "skipped" as const, reason: because }]
  const nothing = { _tag: "RecordEvidence", task_id: "a", attempt: 1, facts: [] } as const

  it.each<[string, () => Play, string, RegExp?]>([
    ["completed when everything is proven", () => verifiedBy().working("a").proven("a"), "completed"],
    ["completed when it is verified too", () => verifiedBy("true").working("a").proven("a"), "completed"],
    ["completed when a word was verified", () => verifiedBy("true").working(byWord).byWord("b"), "completed"],
    [
      "incomplete when something was done by word and nothing verified it",
      () => verifiedBy().working("a", byWord).proven("a").byWord("b"),
      "incomplete",
      /2 of 2 tasks are completed, 1 of them by word alone/
    ],
    [
      "incomplete when a task was cancelled",
      () => verifiedBy("true").working("a", "b").proven("a").after(alice.cancels("b")),
      "incomplete",
      /1 of 2 tasks are completed/
    ],
    [
      "incomplete when all of it was only excused",
      () => verifiedBy().working("a").after(alice.completes("a", excused), nothing),
      "incomplete"
    ]
  ])("leaves it %s", (_, play, status, message = /^/) => {
    const handed = play().handedIn()
    const ended = handed.phases.verifying === null ? handed.settled() : handed.passed()
    const { run } = (ended.run.status === "running" ? ended.left() : ended).state
    assert.strictEqual(run.status, status)
    assert.match(run.message, message)
  })

  it("leaves it incomplete when no task was registered: 0 of 0 is no pass", () => {
    const { run } = withContract({ EXPLORATION: aPhase({ transitions: [to("DONE")] }) }).after(alice.submits({})).state
    assert.deepInclude(run, { status: "incomplete", message: "No task was registered: there was nothing to prove." })
  })

  it("gives up what is open, with what is under way", () => {
    const once = working("a", "b").after(alice.cancels("b")).proven("a").failing()
    const then = once
      .proven("a")
      .failing()
      .after(answers({ answer: "stop" }))
      .settled()
    assert.deepStrictEqual(
      then.contents("TASK_SKIPPED").map(({ reason, task_id }) => [task_id, reason]),
      [["a", "run_ended"]]
    )
    assert.deepInclude(then.contents("RUN_INCOMPLETE")[0], { total: 2, completed: 0, failed: 0, skipped: 2 })
  })

  it("leaves no attempt under way, also of a task that was blocked", () => {
    const then = working("a", "b").after(alice.starts("a"), alice.starts("b"), alice.blocks("b"), cancel())
    for (const id of ["a", "b"]) assert.isTrue(then.task(id).current?.cancelled, id)
  })

  it("never comes before a phase that is an end", () => {
    const play = done().after(alice.closes())
    assert.strictEqual(play.state.run.status, "running")
    assert.strictEqual(play.when({ _tag: "FinishRun" }).state.run.status, "running")
  })
})

describe("reports of others", () => {
  it("are evidence like any other", () => {
    const forBob = alice.creates(aNewTask("x", { assignee: "bob", checklist: ["one"] }))
    const reported = working("a").after(bob.opens(), forBob, bob.completes("tsk_2"))
    assert.strictEqual(reported.task("tsk_2").current?.agent, "bob")
  })
})
