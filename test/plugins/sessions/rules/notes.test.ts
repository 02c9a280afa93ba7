import { assert, describe, it } from "@effect/vitest"
import { notes } from "@proofline/kernel"
import { alice, aNewTask, bob, type Play, working } from "./playing.ts"

describe("what is known of a task by whoever gives it out", () => {
  const known = (play: Play, id: string) => {
    const task = play.task(id)
    return notes(play.state).map((note) => [note.assignee(task), note.reason(task)])
  }

  it("is whom it is assigned to, and why it rests", () => {
    const play = working("a", "b").after(bob.opens(), alice.creates(aNewTask("x", { assignee: "bob" })))
    assert.deepStrictEqual(known(play, "a"), [["alice", ""]])
    assert.deepStrictEqual(known(play, "tsk_3"), [["bob", ""]])
    assert.deepStrictEqual(known(play.after(alice.starts("a"), alice.blocks("a")), "a"), [["alice", "no access"]])
  })
})
