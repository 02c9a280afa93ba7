import { assert, describe, it } from "@effect/vitest"
import { type AnyEvent, foldProgress, noProgress, progressOf, step } from "@proofline/kernel"
import { Result } from "effect"
import { aNewTask, aPlan, aPlay, aSessionRun, creates, explored, opens, submits, updates } from "./playing.ts"

/** What is shown of how far a run is in which alice has asked for this. */
const progress = (...asked: ReadonlyArray<Parameters<typeof submits>[1]>) => {
  const { composition } = aPlay()
  let now = composition.initial
  let fold = noProgress(composition)
  const add = (event: AnyEvent) => {
    fold = foldProgress(composition, fold, { timestamp: "2026-01-02T12:00:00.000Z" }, event)
  }
  const split = creates("alice", aNewTask("part", { parent_task_id: "a", assignee: "bob" }))
  const commands = [...asked.map((payload) => submits("alice", payload)), split, updates("alice", "b", "in_progress")]
  for (const command of [aSessionRun(), opens("alice"), ...commands]) {
    const decided = step(composition, now, command)
    if (Result.isFailure(decided)) throw decided.failure
    decided.success.events.forEach(add)
    now = decided.success.after
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
