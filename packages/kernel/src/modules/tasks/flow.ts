import { HashMap } from "effect"
import type { TaskId, WorkKey } from "../../base/Ids.ts"
import type { Cancel, Intent, Passed, Start } from "../../core/contract.ts"
import { FinishRun } from "../run/commands.ts"
import { spentLimit } from "../run/limits.ts"
import { isBaseOrdered } from "./baseChecks.ts"
import { gates, walk, wantsOf } from "./gates.ts"
import { SettleAttempt } from "./settle.ts"
import { dependentsOf, isOver, type TaskState, type TasksView, taskOf, tasksOf } from "./state.ts"

type Intents = ReadonlyArray<Intent<"run" | "tasks">>

/**
 * What a task needs now. At most one piece of work per task is outstanding at any time, and which one follows from the
 * state alone: a crash, a resume and a second worker all come to the same answer and the same work key.
 */
export const nextWork = (state: TasksView, task: TaskState): Intents => {
  if (state.run.status !== "running" || isOver(task)) return []
  const stop = walk(state, task)
  if (stop?.verdict._tag !== "open") return [SettleAttempt({ task_id: task.spec.id })]
  const wants = wantsOf(stop, task)
  if (wants === null) return []
  // it is this task that waits for it, whether the gate says so or not
  return [isStart(wants) && wants.task_id === null ? { ...wants, task_id: task.spec.id } : wants]
}

const isStart = (wants: Passed): wants is Start => wants._tag === "Start"

/** Nothing is under way in the run, and nothing can be begun. */
export const isAtRest = (state: TasksView): boolean =>
  !isBaseOrdered(state) && tasksOf(state).every((task) => isOver(task) || nextWork(state, task).length === 0)

/** What follows for a task that something happened to. */
export const nextFor = (state: TasksView, id: TaskId): Intents => {
  const task = taskOf(state, id)
  if (task === undefined) return []
  // with an open breaker, an exceeded budget or a question to a person any end may be the last event, so check whether the run is finished
  const isStopped = spentLimit(state) !== null || state.tasks.asking_count > 0
  const isLast = !HashMap.isEmpty(state.run.breakers) || (isStopped && isAtRest(state))
  return [...nextWork(state, task), ...(isLast ? [FinishRun({})] : [])]
}

/** What follows for those who wait for a task. */
export const nextForDependents = (state: TasksView, id: TaskId): Intents =>
  dependentsOf(state, id).flatMap((dependent) => nextFor(state, dependent))

const cancel = (key: WorkKey): Cancel => ({ _tag: "Cancel", work: { key } })

/** Work that may still lie in the queue for a task. Unknown keys are harmless. */
export const withdrawWork = (state: TasksView, task: TaskState, resumes: number): Intents =>
  gates(state)
    .flatMap((gate) => gate.ordered?.(task, resumes) ?? [])
    .map(cancel)

/** The item under which the current attempt runs: nobody may report on it any more. */
export const dropAttempt = (state: TasksView, id: TaskId): Intents => {
  const item = taskOf(state, id)?.current?.item_id
  return item === undefined ? [] : [{ _tag: "Cancel", work: { item } }]
}

/** What is still under way for a task that something else has brought to its end. */
export const withdrawRest = (state: TasksView, id: TaskId): Intents => {
  const task = taskOf(state, id)
  if (task === undefined) return []
  // skipped together with its siblings: cancel the work that was queued for it
  if (task.parent_task_id !== null && task.status === "skipped") return withdrawWork(state, task, state.run.resumes)
  if (task.blocked === null) return []
  return [
    ...(task.current?.outcome === null ? dropAttempt(state, id) : []),
    ...withdrawWork(state, task, state.run.resumes)
  ]
}
