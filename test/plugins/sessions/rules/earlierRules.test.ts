import { assert, describe, it } from "@effect/vitest"
import { makeManifest, notes } from "@proofline/kernel"
import { alice, aNewTask, aPlay, bob, type Play, working } from "./playing.ts"

/** Alice plans under the rules of before payloads could leave anything out. */
const planning = (): Play => aPlay({ rules: 1 }).explores()

describe("what may be left out under the first rules", () => {
  const task = { id: "a", description: "Do a.", status: "pending" }
  const planned = (...tasks: ReadonlyArray<unknown>) => planning().when(alice.submits({ tasks }))

  it.each<[string, ReadonlyArray<unknown>, keys: ReadonlyArray<string>]>([
    ["a checklist", [task], []],
    ["a checklist that is null", [{ ...task, checklist: null }], []],
    ["no status", [{ id: "a", description: "Do a." }], ["field_missing"]],
    ["no description of a task that is new", [{ id: "a", status: "pending" }], ["field_missing"]],
    ["no status of an item", [{ ...task, checklist: ["one"] }], ["field_invalid"]],
    ["no task that is no object", [task, "b", null, ["c"]], ["field_invalid", "field_invalid", "field_invalid"]]
  ])("is %s", (_, tasks, keys) => {
    assert.deepStrictEqual(planned(...tasks).keys, keys)
  })

  it("is the description of a task that is known", () => {
    const again = planning()
      .after(alice.plans("a"))
      .after(alice.submits({ tasks: [{ id: "a", status: "pending" }] }))
    assert.strictEqual(again.task("a").spec.instruction, "Do a.")
  })

  it("is the checklist of a report where the task has none, and nothing else", () => {
    const play = planning().after(alice.plans({ id: "a", checklist: null }, "b"))
    const report = { task_id: "a", summary: "Done." }
    assert.deepStrictEqual(play.when(alice.submits(report)).keys, [])
    assert.strictEqual(play.after(alice.submits(report)).task("a").status, "completed")
    assert.deepStrictEqual(play.when(alice.submits({ ...report, checklist: null })).keys, [])
    assert.deepStrictEqual(play.when(alice.submits({ ...report, task_id: "b" })).keys, ["field_missing"])
    assert.deepStrictEqual(play.when(alice.submits({ ...report, task_id: "c" })).keys, ["field_missing"])
    assert.deepStrictEqual(play.when(alice.submits({})).keys, ["field_missing", "field_missing"])
    assert.deepStrictEqual(play.when(alice.submits({ summary: "x" })).keys, ["field_missing", "field_missing"])
  })
})

describe("the commands of a phase that could not be run, when the log did not say what waited for them", () => {
  const handed = (): Play => working("a").proven("a").handedIn()
  const read = (play: Play, over: object = {}) => {
    const { submissions } = play.phases
    const input = { phase: "POST_IMPL_VERIFY", submission: submissions }
    const content = { name: "verification", key: "k", input, code: "broken", message: "It broke.", ...over }
    const event = { stream: "run_1", version: 9, event_type: "ACTIVITY_FAILED", schema_version: 1, content }
    const lifted = makeManifest(play.composition).decode(event as never, () => play.snapshot)
    return (lifted.content as { readonly awaited_by: unknown }).awaited_by
  }

  it("are those that the phase waits for", () => {
    assert.deepStrictEqual(read(handed()), { plugin: "sessions", task_id: null, consequence: "survived" })
  })

  it.each<[string, () => Play, object]>([
    ["another name", handed, { name: "lookup" }],
    ["another phase", handed, { input: { phase: "READY_IMPL", submission: handed().phases.submissions } }],
    ["an earlier submission", handed, { input: { phase: "POST_IMPL_VERIFY", submission: 1 } }],
    ["no input", handed, { input: null }],
    ["a phase that does not wait", () => working("a").proven("a").summed(), {}]
  ])("are none of %s", (_, play, over) => {
    assert.isNull(read(play(), over))
  })
})

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
