import { asItStands, childrenOf, parentOf, type TaskState, tasksOf } from "@proofline/kernel"
import { assignmentStatusOf } from "./assignment.ts"
import type { AssignmentStatus } from "./schemas.ts"
import { assignmentOf, type State } from "./state.ts"

/** A task with what is part of it, as agents are shown it. Source: progress tools. */
export interface TaskNode {
  readonly id: string
  readonly title: string
  readonly status: AssignmentStatus
  /** Set where it is somebody else's; null: nobody's. */
  readonly assignee?: string | null
  /** A task that is part of none always has them, any other where there are some. */
  readonly subtasks?: ReadonlyArray<TaskNode>
}

/** Every tree in which something is assigned to the agent, whole, in order of creation. */
export const taskTreesOf = (state: State, agent: string): ReadonlyArray<TaskNode> => {
  const roots = new Map<string, TaskState>()
  for (const task of tasksOf(state)) {
    if (assignmentOf(state, task)?.assignee !== agent) continue
    const root = rootOf(state, task)
    roots.set(root.spec.id, root)
  }
  return [...roots.values()].sort((a, b) => a.order - b.order).map((root) => nodeOf(state, root, agent, true))
}

/** All tasks of a session run, each with whom it is assigned to, in order of creation. */
export const allTaskTrees = (state: State): ReadonlyArray<TaskNode> =>
  tasksOf(state)
    .filter((task) => parentOf(state, task) === undefined)
    .map((task) => nodeOf(state, task, null, false))

const rootOf = (state: State, task: TaskState): TaskState => {
  let at = task
  for (let parent = parentOf(state, at); parent !== undefined; parent = parentOf(state, at)) at = parent
  return at
}

/** Without an agent everybody is somebody else. */
const nodeOf = (state: State, task: TaskState, agent: string | null, isRoot: boolean): TaskNode => {
  const children = childrenOf(state, task)
  const assignee = assignmentOf(state, task)?.assignee ?? null
  return {
    id: task.spec.id,
    title: task.spec.title,
    status: assignmentStatusOf(asItStands(state.run, task)),
    ...(agent !== null && assignee === agent ? {} : { assignee }),
    ...(isRoot || children.length > 0 ? { subtasks: children.map((child) => nodeOf(state, child, agent, false)) } : {})
  }
}
