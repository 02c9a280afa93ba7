import { assert, describe, it } from "@effect/vitest"
import { type AnyEvent, foldProgress, noProgress, progressOf } from "@proofline/kernel"
import { alice, aPart, aPlan, aPlay, aSessionRun, explored, noon, Play } from "./playing.ts"

/** What is shown of how far a run is in which alice has asked for this. */
const progress = (...asked: ReadonlyArray<unknown>) => {
  const { composition } = aPlay()
  let play = new Play(composition)
  let fold = noProgress(composition)
  const add = (event: AnyEvent) => {
    fold = foldProgress(composition, fold, { timestamp: noon }, event)
  }
  const split = alice.creates(aPart("part", "a", { assignee: "bob" }))
  for (const command of [aSessionRun(), alice.opens(), ...asked.map(alice.submits), split, alice.starts("b")]) {
    play = play.after(command)
    play.events.forEach(add)
  }
  return progressOf(fold)
}

describe("how far a session run is", () => {
  const shown = progress(explored, aPlan("a", "b"))

  it("is told with its phase, and with its tasks as agents see them", () => {
    const { phase, tasks } = shown
    const part = { id: "tsk_3", title: "part", status: "todo", assignee: "bob" }
    assert.strictEqual(phase, "READY_IMPL")
    assert.deepStrictEqual(tasks, [
      { id: "a", title: "Do a.", status: "todo", assignee: "alice", subtasks: [part] },
      { id: "b", title: "Do b.", status: "in_progress", assignee: "alice" }
    ])
  })

  it("counts a task that an agent has split, and each of its parts: all of them were asked for", () => {
    assert.deepInclude(shown, { completed: 0, total: 3, chunked_tasks: [] })
    assert.deepStrictEqual(
      shown.queue.map(({ is_subtask, status, task_id }) => [task_id, status, is_subtask]),
      [
        ["a", "QUEUED", false],
        ["b", "RUNNING", false],
        ["tsk_3", "QUEUED", false]
      ]
    )
  })
})
