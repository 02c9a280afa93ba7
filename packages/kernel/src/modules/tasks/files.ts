import type { TaskId } from "../../base/Ids.ts"
import { fileUses, isNamed } from "./fileNames.ts"
import { type HasTasks, type TaskState, taskOf, tasksOf } from "./state.ts"

// Whose work a changed file is, where several tasks are worked on in one directory at the same time.

/** What changed while an attempt ran, as it was found on disk. */
export interface ChangedFiles {
  /** Null: nobody looked. */
  readonly files_modified: ReadonlyArray<string> | null
  /** Files that others may have changed as well. */
  readonly files_undecided?: ReadonlyArray<string>
}

/**
 * A file that may be the work of several tasks is of the one that is asked to write it, if no other is. What an
 * agent says of its own work decides nothing here.
 */
export const decidedFiles = (state: HasTasks, task: TaskState, found: ChangedFiles): ChangedFiles => {
  const { files_modified, files_undecided = [] } = found
  if (files_modified === null || files_undecided.length === 0) return found
  const others = concurrentTo(state, task)
  const own = files_undecided.filter((path) => isAsked(task, path) && !others.some((other) => isAsked(other, path)))
  if (own.length === 0) return found
  const left = files_undecided.filter((path) => !own.includes(path))
  const modified = [...new Set([...files_modified, ...own])].sort()
  return left.length === 0 ? { files_modified: modified } : { files_modified: modified, files_undecided: left }
}

/**
 * The task whose work alone a file is, which another task, that could be worked on at the same time, gives out as its
 * own; null: nobody can say so. Nothing is said of a task in whose files nobody looked, or of whose attempts one was lost.
 */
export const isWorkOfOther = (state: HasTasks, task: TaskState, path: string): TaskId | null => {
  const { current, files, lost_count, undecided } = task
  if (current?.files_modified == null || lost_count > 0) return null
  if (files.includes(path) || undecided.includes(path)) return null
  const parts = descendantsOf(state, task)
  if (parts.some((part) => part.files.includes(path) || part.undecided.includes(path))) return null
  return concurrentTo(state, task).find((other) => other.files.includes(path))?.spec.id ?? null
}

/** Files that a task may have changed: its own, and those that may be another's as well. */
export const touchedFiles = ({ files, undecided }: TaskState): ReadonlyArray<string> =>
  undecided.length === 0 ? files : [...new Set([...files, ...undecided])].sort()

/** The tasks that were worked on, and neither wait for this one nor the other way round, nor are parts of one another. */
const concurrentTo = (state: HasTasks, task: TaskState): ReadonlyArray<TaskState> => {
  const before = dependenciesOf(state, task)
  return tasksOf(state).filter(
    (other) =>
      other.attempts > 0 &&
      other.spec.id !== task.spec.id &&
      !before.has(other.spec.id) &&
      !isWithin(state, task, other) &&
      !isWithin(state, other, task) &&
      !dependenciesOf(state, other).has(task.spec.id)
  )
}

/** All that a task waits for, directly or not, in the words of its parents too. */
export const dependenciesOf = (state: HasTasks, task: TaskState): ReadonlySet<TaskId> => {
  const found = new Set<TaskId>(task.spec.depends_on)
  if (task.parent_task_id !== null)
    for (const id of taskOf(state, task.parent_task_id)?.spec.depends_on ?? []) found.add(id)
  for (const id of found) for (const next of taskOf(state, id)?.spec.depends_on ?? []) found.add(next)
  return found
}

/** One is a part of the other, at whatever depth. */
const isWithin = (state: HasTasks, part: TaskState, whole: TaskState): boolean => {
  for (let id = part.parent_task_id; id !== null; id = taskOf(state, id)?.parent_task_id ?? null)
    if (id === whole.spec.id) return true
  return false
}

const descendantsOf = (state: HasTasks, task: TaskState): ReadonlyArray<TaskState> =>
  task.children.length === 0 ? [] : tasksOf(state).filter((other) => isWithin(state, other, task))

const usesOf = ({ spec }: TaskState): ReadonlyMap<string, string> =>
  fileUses([spec.title, spec.instruction, ...spec.checklist.map(({ item }) => item)].join("\n"))

const isAsked = (task: TaskState, path: string): boolean =>
  [...usesOf(task)].some(([name, use]) => use !== "read" && isNamed(path, name))
