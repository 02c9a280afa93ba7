import { isOver, type State, subtasksOf, type TaskState, taskOf } from "./State.ts"

/**
 * How much speaks for a file that changed while a subtask ran being its work, and how much for the best of the others that
 * may have changed it: in one directory it belongs to whom it was given, who cites it, or whose words it is named after.
 * Null: nobody else may have.
 */
const rivalry = (
  state: State,
  task: TaskState,
  path: string
): { readonly own: number; readonly others: number } | null => {
  const parent = task.part === null ? undefined : taskOf(state, task.part.parent_task_id)
  if (parent === undefined || state.config.chunking.workspace === "worktree") return null
  const others = subtasksOf(state, parent).filter(
    (other) => other.spec.id !== task.spec.id && ranTogether(task, other) && !hasNot(other, path)
  )
  return others.length === 0
    ? null
    : { own: claim(task, path), others: Math.max(...others.map((other) => claim(other, path))) }
}

/** It is the subtask's, and nobody's else as far as can be told. */
export const isOwnFile = (state: State, task: TaskState, path: string): boolean => {
  const rival = rivalry(state, task, path)
  return rival === null || rival.own > rival.others
}

/** It may be the subtask's: nothing says that it is somebody else's. */
export const mayBeOwnFile = (state: State, task: TaskState, path: string): boolean => {
  const rival = rivalry(state, task, path)
  return rival === null || rival.own >= rival.others
}

/** What a subtask has changed, without what is rather the work of others. */
export const ownFiles = (state: State, task: TaskState): ReadonlyArray<string> =>
  task.part === null ? task.files : task.files.filter((path) => mayBeOwnFile(state, task, path))

/** It is over, and did not change the file. */
const hasNot = (task: TaskState, path: string): boolean => isOver(task) && !task.files.includes(path)

/** How much speaks for a file being the work of a task. */
const claim = ({ current, part, spec }: TaskState, path: string): number => {
  if (part?.paths.some((named) => path === named || path.endsWith(`/${named}`))) return 4
  if (current?.facts?.some((fact) => fact.outcome === "ok" && fact.path === path)) return 3
  if (isNamedAfter(path, spec.id)) return 2
  const words = wordsOf(path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, ""))
  const said = new Set(wordsOf(`${spec.title} ${spec.instruction}`))
  return words.length === 0 ? 0 : words.filter((word) => said.has(word)).length / words.length
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 1)

const isNamedAfter = (path: string, id: string): boolean => {
  const at = path.lastIndexOf(id)
  return at !== -1 && !/^[\p{L}\p{N}]/u.test(path.slice(at + id.length))
}

/** Attempts of two subtasks of one parent ran at the same time. */
export const ranTogether = ({ part: a }: TaskState, { part: b }: TaskState): boolean =>
  a !== null &&
  b !== null &&
  a.windows.some((one) => b.windows.some((other) => isBefore(one.from, other.to) && isBefore(other.from, one.to)))

/** Attempts of any two of them ran at the same time. */
export const someRanTogether = (subtasks: ReadonlyArray<TaskState>): boolean => {
  const windows = subtasks.flatMap(({ part }) => part?.windows ?? []).sort((a, b) => a.from - b.from)
  return windows.some((window, i) => i > 0 && isBefore(window.from, windows[i - 1]?.to ?? null))
}

const isBefore = (tick: number, end: number | null): boolean => end === null || tick < end
