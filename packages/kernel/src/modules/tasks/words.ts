import type { Fact, Worded } from "../../core/contract.ts"
import { ChecklistRegistered, TaskRegistered, TaskStarted } from "./events.ts"
import { chainLengths } from "./graph.ts"
import { Tasks } from "./state.ts"
import type { TaskSpec } from "./TaskSpec.ts"

/** The facts of a task that begins to be there. `priority`: length of the longest chain that begins with it. */
export const registration = ({ checklist, id, ...task }: TaskSpec, priority: number): ReadonlyArray<Fact<"tasks">> => [
  TaskRegistered({ task_id: id, ...task, priority }),
  ...(checklist.length > 0 ? [ChecklistRegistered({ task_id: id, items: checklist })] : [])
]

/** All tasks of a run that are there from the beginning. */
export const registrations = (tasks: ReadonlyArray<TaskSpec>): Worded => {
  const priorities = chainLengths(tasks)
  return Tasks.tell(tasks.flatMap((task) => registration(task, priorities.get(task.id) ?? 1)))
}

/** A task is begun by something else than an attempt. */
export const begin = (task_id: string): Worded => Tasks.tell([TaskStarted({ task_id })])
