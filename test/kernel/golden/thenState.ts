import {
  type AttemptState,
  type ChunkState,
  childrenOf,
  chunkOf,
  type KernelState,
  loopOf,
  subtaskStateOf,
  subtasksOf,
  type TaskState,
  tasksOf
} from "@proofline/kernel"
import { HashMap, Option } from "effect"
import type { PhasesState, SessionsState } from "../../../packages/plugins/src/policies/sessions/rules/state.ts"

type State = KernelState & { readonly sessions: SessionsState }

/** A run as it was said when it had one flat state, in JSON, without how its maps are stored. */
export const thenState = (state: State): unknown => {
  const { breakers, ...run } = state.run
  const { byId, completed_elsewhere, dependents, ...tasks } = state.tasks
  return JSON.parse(
    JSON.stringify({
      ...run,
      ...tasks,
      pull: state.sessions.phases && sessionRunThen(state.sessions.phases),
      tasks: tasksOf(state).map((task) => taskThen(state, task)),
      breakers: Object.fromEntries([...breakers].sort()),
      completed_elsewhere: [...completed_elsewhere].sort(),
      dependents: Object.fromEntries([...dependents].sort())
    })
  )
}

const taskThen = (state: State, task: TaskState) => {
  const { carried, children, current, deferred, parent_task_id, refused, undecided, ...rest } = task
  const { again, iteration, refused: iterations, reviewed, started } = loopOf(state, task)
  const chunk = chunkOf(state, task)
  return {
    ...rest,
    current: attemptThen(current, iteration),
    // no loop of these logs tells one iteration from another
    refused: attemptThen(refused, iteration),
    part: subtaskStateOf(state, task),
    chunk: chunk && chunkThen(state, task, chunk),
    loop: { started, reviewed, refused: iterations, again },
    board: boardThen(state, task),
    held: deferred
  }
}

const attemptThen = (attempt: AttemptState | null, iteration: number) => attempt && { ...attempt, iteration }

const chunkThen = (state: State, task: TaskState, { boundaries, total, workspace, ...chunk }: ChunkState) => ({
  ...chunk,
  subtasks: subtasksOf(state, task).map(({ spec }) => spec.id),
  ticks: boundaries
})

const boardThen = (state: State, task: TaskState) => {
  const assignment = Option.getOrNull(HashMap.get(state.sessions.assignments, task.spec.id))
  if (assignment === null) return null
  const { worker, ...board } = assignment
  return {
    ...board,
    parent_task_id: task.parent_task_id,
    children: childrenOf(state, task).map(({ spec }) => spec.id)
  }
}

const sessionRunThen = ({ batches, explored, writable, ...phases }: PhasesState) => ({
  ...phases,
  explored: [...explored].sort(),
  writable: [...writable].sort(),
  batches: Object.fromEntries([...batches].sort())
})
