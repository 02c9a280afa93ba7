import type { HasRun } from "../run/state.ts"
import { touchedFiles } from "../tasks/files.ts"
import { isLineFact } from "../tasks/schemas.ts"
import { type HasTasks, isOver, parentOf, type TaskState } from "../tasks/state.ts"
import { chunkOf, type HasChunking, type SubtaskState, subtaskStateOf, subtasksOf } from "./state.ts"

type State = HasRun & HasTasks & HasChunking

/**
 * Scores for and against a changed file being the subtask's work, when siblings ran in the same directory: listed paths,
 * cited evidence, similar names. Null: no sibling can have changed it.
 */
const claimsOn = (
  state: State,
  task: TaskState,
  path: string
): { readonly own: number; readonly others: number } | null => {
  const parent = subtaskStateOf(state, task) === null ? undefined : parentOf(state, task)
  if (parent === undefined || chunkOf(state, parent)?.workspace === "worktree") return null
  const others = subtasksOf(state, parent).filter(
    (other) => other.spec.id !== task.spec.id && ranTogether(state, task, other) && !hasNot(other, path)
  )
  return others.length === 0
    ? null
    : { own: claim(state, task, path), others: Math.max(...others.map((other) => claim(state, other, path))) }
}

/** It is the subtask's, and nobody's else as far as can be told. */
export const isOwnFile = (state: State, task: TaskState, path: string): boolean => {
  const claims = claimsOn(state, task, path)
  return claims === null || claims.own > claims.others
}

/** It may be the subtask's: nothing says that it is somebody else's. */
export const mayBeOwnFile = (state: State, task: TaskState, path: string): boolean => {
  const claims = claimsOn(state, task, path)
  return claims === null || claims.own >= claims.others
}

/** The subtask's changed files without those a sibling has a better claim to. */
export const ownFiles = (state: State, task: TaskState): ReadonlyArray<string> =>
  subtaskStateOf(state, task) === null ? task.files : task.files.filter((path) => mayBeOwnFile(state, task, path))

/** It is over, and did not change the file. */
const hasNot = (task: TaskState, path: string): boolean => isOver(task) && !touchedFiles(task).includes(path)

/** How much speaks for a file being the work of a task. */
const claim = (state: HasChunking, task: TaskState, path: string): number => {
  const { current, spec } = task
  if (subtaskStateOf(state, task)?.paths.some((named) => path === named || path.endsWith(`/${named}`))) return 4
  if (current?.facts?.some((fact) => isLineFact(fact) && fact.outcome === "ok" && fact.path === path)) return 3
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

const windowsOf = (state: HasChunking, task: TaskState): SubtaskState["windows"] =>
  subtaskStateOf(state, task)?.windows ?? []

/** Attempts of two subtasks of one parent ran at the same time. */
export const ranTogether = (state: HasChunking, a: TaskState, b: TaskState): boolean =>
  windowsOf(state, a).some((one) =>
    windowsOf(state, b).some((other) => isBefore(one.from, other.to) && isBefore(other.from, one.to))
  )

/** Attempts of any two of them ran at the same time. */
export const someRanTogether = (state: HasChunking, subtasks: ReadonlyArray<TaskState>): boolean => {
  const windows = subtasks.flatMap((task) => windowsOf(state, task)).sort((a, b) => a.from - b.from)
  return windows.some((window, i) => i > 0 && isBefore(window.from, windows[i - 1]?.to ?? null))
}

const isBefore = (boundary: number, end: number | null): boolean => end === null || boundary < end
