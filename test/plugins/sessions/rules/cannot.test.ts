import { assert, describe, it } from "@effect/vitest"
import { askedIn } from "@proofline/kernel"
import { answered, evidence, impossible } from "../../../kernel/support/words.ts"
import { alice, aNewTask, bob, type PlannedTask, type Play, working } from "./playing.ts"

const two = { id: "a", checklist: ["one", "two"] }

/** Alice shows the first item of `a`, and says of the second that it cannot be done. */
const asked = (...others: ReadonlyArray<string | PlannedTask>): Play =>
  working(two, ...others).after(alice.completes("a", ["one", impossible("two")]), evidence("a", 1, 0))

describe("an item that cannot be done, in a session", () => {
  it("given its report, then the task waits for a person, what was shown is kept, and the phase stays", () => {
    const then = asked()
    assert.includeMembers([...then.types], ["CHECKLIST_ITEM_ACCEPTED", "CHECKLIST_ITEM_CANNOT", "PERSON_ASKED"])
    assert.deepStrictEqual([then.phase, ...then.statuses("a")], ["READY_IMPL", "blocked"])
    assert.deepStrictEqual(then.verdicts("a"), ["proven", "unproven"])
    assert.strictEqual(then.run.status, "running")
  })

  it("given other tasks, then the agent goes on with them, and only then asks its user", () => {
    const then = asked("b", { id: "c", depends_on: ["a"] })
    assert.deepInclude(then.next("alice"), { action: "work", task_id: "b" })
    const over = then.proven("b")
    assert.deepInclude(over.next("alice"), { action: "ask_user", task_id: "a" })
  })

  it("given something that the agent itself has blocked, then it resolves that first", () => {
    const then = asked("b").after(alice.starts("b"), alice.blocks("b"))
    assert.deepInclude(then.next("alice"), { action: "review_and_resolve_blocks", task_id: "b" })
  })

  it("given a task of its own that waits for somebody else, then it waits with it", () => {
    const others = [aNewTask("x", { assignee: "bob" }), aNewTask("y", { dependencies: ["x"] })]
    const then = asked().after(bob.opens(), alice.creates(...others))
    assert.strictEqual(then.next("alice").action, "wait")
  })

  it.each([
    ["success", "tasks_open"],
    ["blocked", undefined],
    ["failed", undefined]
  ] as const)("given nothing else to do, when %s is reported, then the answer is %s", (result, code) => {
    const then = asked({ id: "c", depends_on: ["a"] }).when(alice.reports(result))
    assert.strictEqual(then.code, code)
    assert.strictEqual(then.run.status, "running")
  })

  it("given a task that it can work on, when it reports blocked, then it is refused", () => {
    assert.deepStrictEqual(asked("b").when(alice.reports("blocked")).refusal, ["tasks_open", ["b"]])
  })

  it("given the same report again, then it is taken as the one before; given a better one, then it is looked at", () => {
    const play = asked()
    assert.deepStrictEqual(play.when(alice.completes("a", ["one", impossible("two")])).types, [])
    const better = play.after(alice.completes("a", ["one", "two"]), evidence("a", 2, 0, 1))
    assert.strictEqual(better.task("a").status, "completed")
    assert.deepStrictEqual(askedIn(better.state), [])
  })

  it("given the answer waive, then the task is done without another report", () => {
    const then = asked("b").after(answered("a", "waive"))
    assert.deepStrictEqual(then.statuses("a"), ["completed"])
    assert.deepStrictEqual(then.verdicts("a"), ["proven", "waived"])
    // whoever shows the rest goes on to the next phase
    assert.strictEqual(then.proven("b").phase, "READY_COMPLETE")
  })

  it("given the answer continue, then the agent works on it again and reports it", () => {
    const then = asked().after(answered("a", "continue", "use the test key"))
    assert.deepInclude(then.next("alice"), { action: "work", task_id: "a" })
    assert.deepInclude(then.task("a"), { status: "retrying", retry_count: 0 })
    const over = then.after(alice.completes("a", ["one", "two"]), evidence("a", 2, 0, 1))
    assert.deepStrictEqual([over.phase, ...over.statuses("a")], ["READY_COMPLETE", "completed"])
  })

  it("given the answer give_up, then the task is over, and what is missing says so", () => {
    const then = asked("b").after(answered("a", "give_up", "too dear"))
    assert.deepStrictEqual(then.statuses("a"), ["failed"])
    assert.deepInclude(then.task("a"), { reason: "given_up" })
    assert.strictEqual(then.proven("b").phase, "READY_COMPLETE")
  })
})
