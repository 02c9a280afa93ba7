import type { HasRun } from "../modules/run/state.ts"
import { askedOf, type HasTasks, tasksOf } from "../modules/tasks/state.ts"
import type { AskedOfPerson, PermissionWanted } from "./RunShapes.ts"

/** So many files are named beside a question. */
const maxFiles = 20

/** What waits for a person in a run, in the order of its tasks. */
export const askedIn = (state: HasRun & HasTasks): ReadonlyArray<AskedOfPerson> =>
  state.tasks.asking_count === 0 || state.run.status === "completed" || state.run.status === "cancelled"
    ? []
    : tasksOf(state).flatMap((task) =>
        askedOf(task).map((one) => ({
          run_id: state.run.run_id,
          task_id: task.spec.id,
          attempt: task.current?.attempt ?? task.attempts,
          ...one,
          files: task.files.slice(0, maxFiles)
        }))
      )

/** What agents ask leave for in a run, in the order in which they asked. */
export const permissionsIn = ({ run }: HasRun): ReadonlyArray<PermissionWanted> =>
  run.status === "running" ? run.permissions.open.map(({ key: _, ...asked }) => ({ run_id: run.run_id, ...asked })) : []

/** Names the question, and no later one about the same item. */
export const askedId = ({ attempt, index, task_id }: Pick<AskedOfPerson, "attempt" | "index" | "task_id">): string =>
  `cannot/${attempt}/${index}/${task_id}`
