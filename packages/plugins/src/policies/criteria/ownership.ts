import { ranTogether, type State, subtasksOf, type TaskState, taskOf } from "@proofline/kernel"

/**
 * Whether a file that changed while a subtask ran is its own work. In one directory others may have changed it at the
 * same time: then it belongs to whom it was given, who cites it, or whose words it is named after. Where that says
 * nothing it counts for each of them.
 */
export const isOwn = (state: State, task: TaskState, path: string): boolean => {
  const { part } = task
  if (part === null || state.config.chunking.workspace === "worktree") return true
  const own = claim(task, path)
  const parent = taskOf(state, part.parent_task_id)
  return (parent === undefined ? [] : subtasksOf(state, parent)).every(
    (other) => other === task || !ranTogether(task, other) || mayNotHave(other, path) || claim(other, path) <= own
  )
}

/** It is over, and did not change the file. */
const mayNotHave = ({ files, status }: TaskState, path: string): boolean =>
  (status === "completed" || status === "failed" || status === "skipped") && !files.includes(path)

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
