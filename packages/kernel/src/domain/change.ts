import { HashMap } from "effect"
import type { TaskId } from "./Ids.ts"
import {
  type AttemptState,
  type ChunkState,
  type ItemState,
  isLost,
  isOver,
  type State,
  type TaskState,
  taskOf
} from "./State.ts"

/** Changes a task, and what its parent and the run count of it. */
export const withTask = (state: State, id: TaskId, change: (task: TaskState) => TaskState): State => {
  const before = taskOf(state, id)
  if (before === undefined) return state
  const after = change(before)
  const changed = {
    ...state,
    tasks: HashMap.set(state.tasks, id, after),
    open_count: state.open_count + Number(isOver(before)) - Number(isOver(after))
  }
  return after.part === null || before.status === after.status
    ? changed
    : withChunk(changed, after.part.parent_task_id, (chunk) => ({
        ...chunk,
        open: chunk.open + Number(isOver(before)) - Number(isOver(after)),
        failed: chunk.failed - Number(isLost(before)) + Number(isLost(after))
      }))
}

export const withChunk = (state: State, id: TaskId, change: (chunk: ChunkState) => ChunkState): State =>
  withTask(state, id, (task) => (task.chunk === null ? task : { ...task, chunk: change(task.chunk) }))

export const withAttempt = (
  state: State,
  about: { readonly task_id: TaskId; readonly attempt: number },
  change: (attempt: AttemptState) => AttemptState
): State =>
  withTask(state, about.task_id, (task) =>
    task.current?.attempt === about.attempt ? { ...task, current: change(task.current) } : task
  )

export const withItem = (state: State, id: TaskId, index: number, change: (item: ItemState) => ItemState): State =>
  withTask(state, id, (task) => {
    const item = task.items[index]
    return item === undefined ? task : { ...task, items: task.items.with(index, change(item)) }
  })
