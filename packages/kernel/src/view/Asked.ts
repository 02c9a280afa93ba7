import type { KernelState } from "../composition.ts"
import type { Asked } from "../core/contract.ts"
import { Chunking } from "../modules/chunking/state.ts"
import type { HasRun } from "../modules/run/state.ts"
import { gates, walk, wantsOf } from "../modules/tasks/gates.ts"
import { askedOf, type HasTasks, isOver, Tasks, tasksOf } from "../modules/tasks/state.ts"
import type { AskedOfPerson, HeldTask, PermissionWanted } from "./RunShapes.ts"

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

const ownGates: ReadonlySet<string> = new Set([Tasks.name, Chunking.name])

// a gate at `asked` says that the run does not ask for the task
const isOther = ({ by, place }: ReturnType<typeof gates>[number]) => !ownGates.has(by) && place !== "asked"

/** Whether plugins have gates at all for which a task may wait. */
export const mayBeHeld = (state: Asked): boolean => gates(state).some(isOther)

/** Tasks that wait for the gate of a plugin which has ordered nothing: what opens it comes from outside. */
export const heldIn = (state: KernelState): ReadonlyArray<HeldTask> => {
  if (state.run.status !== "running" || !mayBeHeld(state)) return []
  return tasksOf(state).flatMap((task) => {
    if (isOver(task)) return []
    const stop = walk(state, task)
    const isHeld = stop?.verdict._tag === "open" && isOther(stop.gate) && wantsOf(stop, task) === null
    return isHeld ? [{ task_id: task.spec.id, gate: stop.gate.name, plugin: stop.gate.by }] : []
  })
}

/** Names the question, and no later one about the same item. */
export const askedId = ({ attempt, index, task_id }: Pick<AskedOfPerson, "attempt" | "index" | "task_id">): string =>
  `cannot/${attempt}/${index}/${task_id}`
