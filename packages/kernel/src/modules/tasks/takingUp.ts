/** What a resume for some tasks only goes on with. */
import type { TaskId } from "../../base/Ids.ts"
import { type Rejection, reject, rejectConflict, rejectUnknown } from "../../core/Rejection.ts"
import { enumerated } from "../../core/words.ts"
import { partsFailFast, type RunConfig } from "../run/config.ts"
import { failFast, givenUp } from "./settle.ts"
import { dependencyFailed, dependencyNotCompleted } from "./skips.ts"
import {
  askedOf,
  childrenOf,
  dependentsOf,
  type HasTasks,
  isDone,
  isLost,
  isOver,
  outermostOf,
  parentOf,
  type TaskState,
  type TasksView,
  taskOf,
  tasksOf,
  waitingFor
} from "./state.ts"

type Group = ReadonlySet<TaskId>

/**
 * The tasks that a resume for these goes on with: they, their parts, what they are parts of with all that is open of it,
 * and what was skipped only because of them. A rejection where one of them cannot be taken up, or would end again at once.
 */
export const groupOf = (
  state: TasksView,
  asked: ReadonlyArray<TaskId>,
  config: Pick<RunConfig, "chunking" | "fail_fast">
): Group | Rejection => {
  if (asked.length === 0)
    return reject("task_not_named", "It is not said which tasks are to be tried again.", "Name one, or resume the run.")
  for (const id of asked) {
    const task = taskOf(state, id)
    const problem = task === undefined ? taskUnknown(state, id) : taskProblem(state, task)
    if (problem !== null) return problem
  }
  const group = linked(state, asked)
  return waitsProblem(state, asked, group) ?? failFastProblem(state, group, config) ?? withOpen(state, group)
}

/** What belongs to these tasks, and what was skipped only because of it. */
const linked = (state: TasksView, asked: ReadonlyArray<TaskId>): Group => {
  const group = new Set<TaskId>()
  const added: Array<TaskState> = []
  const add = (task: TaskState): void => {
    for (const one of [...ancestorsOf(state, task), ...lineOf(state, task)]) {
      if (group.has(one.spec.id)) continue
      group.add(one.spec.id)
      added.push(one)
    }
  }
  for (const id of asked) {
    const task = taskOf(state, id)
    if (task !== undefined) add(task)
  }
  for (let task = added.pop(); task !== undefined; task = added.pop()) {
    const dependents = dependentsOf(state, task.spec.id).flatMap((id) => taskOf(state, id) ?? [])
    for (const one of dependents) if (isSkippedFor(state, one, group)) add(one)
    for (const one of stoppedBy(state, task, group)) add(one)
  }
  return group
}

const taskUnknown = (state: HasTasks, id: TaskId): Rejection => {
  const ids = tasksOf(state).map(({ spec }) => spec.id)
  return rejectUnknown("task_unknown", `There is no task ${id}.`, `Name one of its tasks: ${few(ids)}.`)
}

/** Why a task cannot be taken up by itself; null: it can. */
const taskProblem = (state: TasksView, task: TaskState): Rejection | null => {
  const { id } = task.spec
  const done = [task, ...ancestorsOf(state, task)].find(({ status }) => status === "completed")
  if (done !== undefined) {
    return rejectConflict(
      "task_completed",
      done === task ? `Task ${id} is completed.` : `Task ${done.spec.id}, of which ${id} is a part, is completed.`,
      "Nothing of it is tried again. Whether what it has shown still holds is looked at before the run ends, and what does not is opened again by itself."
    )
  }
  if (isOvertaken(state, task)) {
    return rejectConflict(
      "task_overtaken",
      `Another attempt at ${task.parent_task_id} than ${id} is proven.`,
      `Name ${task.parent_task_id}.`
    )
  }
  return askedOf(task).length > 0
    ? rejectConflict(
        "task_waits_for_person",
        `Task ${id} waits for a person: something in it cannot be done, as its agent says.`,
        "Answer first; with `continue` you say how it can be done, and the next attempt is told."
      )
    : null
}

/** One of several attempts, of which another is proven. */
export const isOvertaken = (state: TasksView, task: TaskState): boolean => {
  const parent = task.alternative ? parentOf(state, task) : undefined
  return parent !== undefined && childrenOf(state, parent).some(({ status }) => status === "completed")
}

const ancestorsOf = (state: HasTasks, task: TaskState): ReadonlyArray<TaskState> => {
  const found: Array<TaskState> = []
  for (let at = parentOf(state, task); at !== undefined && !found.includes(at); at = parentOf(state, at)) found.push(at)
  return found
}

/** The task, and of its parts those that can be taken up with it. */
const lineOf = (state: TasksView, task: TaskState): ReadonlyArray<TaskState> => [
  task,
  ...childrenOf(state, task)
    // what a person has given up is tried again only when it is named
    .filter((part) => part.status !== "completed" && part.reason !== givenUp && !isOvertaken(state, part))
    .flatMap((part) => lineOf(state, part))
]

/** These tasks, and all that is part of them. */
export const withParts = (state: HasTasks, ids: ReadonlyArray<TaskId>): Group => {
  const found = new Set<TaskId>()
  const open = [...ids]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    open.push(...(taskOf(state, id)?.children ?? []))
  }
  return found
}

/** Why the task was skipped is in the group, and nothing else that it waits for is outside of it. */
const isSkippedFor = (state: TasksView, { reason, spec, status }: TaskState, group: Group): boolean =>
  status === "skipped" &&
  (reason === dependencyNotCompleted || reason === dependencyFailed) &&
  spec.depends_on.every((id) => group.has(id) || isDone(state, id))

/** The tasks among which one that fails stops the others: the parts of the same task, or those that are part of none. */
const besideOf = (state: TasksView, task: TaskState): ReadonlyArray<TaskState> => {
  const parent = parentOf(state, task)
  return parent === undefined ? outermostOf(state) : childrenOf(state, parent)
}

/** What was stopped by the failure of a task of the group, where no other one had failed. */
const stoppedBy = (state: TasksView, task: TaskState, group: Group): ReadonlyArray<TaskState> => {
  if (task.status !== "failed") return []
  const beside = besideOf(state, task)
  return beside.every(({ spec, status }) => status !== "failed" || group.has(spec.id))
    ? beside.filter(({ reason, status }) => status === "skipped" && reason === failFast)
    : []
}

const waitsProblem = (state: TasksView, asked: ReadonlyArray<TaskId>, group: Group): Rejection | null => {
  for (const id of asked) {
    const task = taskOf(state, id)
    const waits = task === undefined ? [] : waitingFor(state, task).filter((one) => !group.has(one))
    if (waits.length > 0) {
      return rejectConflict(
        "task_waits",
        `Task ${id} waits for ${few(waits)}, and the run would not go on with that.`,
        `Name what it waits for: what was skipped because of it goes on after it.`,
        waits
      )
    }
  }
  return null
}

/** It would stop again at once, because of what failed and is not tried again. */
const failFastProblem = (
  state: TasksView,
  group: Group,
  config: Pick<RunConfig, "chunking" | "fail_fast">
): Rejection | null => {
  const isLeft = ({ spec }: TaskState): boolean => !group.has(spec.id)
  const failed = config.fail_fast ? outermostOf(state).filter(({ status }) => status === "failed") : []
  const parts = partsFailFast(config)
    ? [...group].flatMap((id) => {
        const task = taskOf(state, id)
        return task === undefined || task.status === "completed"
          ? []
          : childrenOf(state, task).filter((part) => isLost(part) && !part.alternative)
      })
    : []
  const left = [...failed, ...parts].filter(isLeft).map(({ spec }) => spec.id)
  return left.length === 0
    ? null
    : rejectConflict(
        "task_stopped_by_failure",
        `The first failure stops the others here, and ${few(left)} would not be tried again.`,
        "Name these as well, or resume with `fail_fast` off.",
        left
      )
}

/** With what is open of the tasks in the group: it goes on as parts of them. */
const withOpen = (state: TasksView, group: Group): Group => {
  const all = new Set<TaskId>()
  const open = [...group]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (all.has(id)) continue
    all.add(id)
    const task = taskOf(state, id)
    if (task === undefined) continue
    for (const part of childrenOf(state, task)) if (!isOver(part)) open.push(part.spec.id)
  }
  return all
}

/** So many ids are named at most. */
const namedMax = 5

const few = (ids: ReadonlyArray<TaskId>): string => enumerated(ids, namedMax)
