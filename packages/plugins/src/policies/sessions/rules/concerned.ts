import { type CheckRun, hasPassed, isLineReceipt, type TaskState } from "@proofline/kernel"
import { Schema } from "effect"
import { placesOf } from "../../../text/places.ts"

/** A task that a failed verification concerns, by the files that the output of the commands names. */
export const Concerned = Schema.Struct({ task_id: Schema.String, files: Schema.Array(Schema.String) })
export type Concerned = typeof Concerned.Type

/**
 * Which of these tasks the commands that failed concern: those that cite or have changed a file that is named in what a
 * command printed. Null: of some command that cannot be told, so it concerns all of them.
 */
export const concernedBy = (
  tasks: ReadonlyArray<TaskState>,
  checks: ReadonlyArray<CheckRun>,
  root: string
): ReadonlyArray<Concerned> | null => {
  const found = checks.filter((check) => !hasPassed(check)).map(({ output_tail }) => namedIn(tasks, output_tail, root))
  if (found.length === 0 || found.some((one) => one.length === 0)) return null
  return tasks.flatMap(({ spec: { id } }) => {
    const files = [...new Set(found.flat().flatMap(({ file, task_id }) => (task_id === id ? [file] : [])))]
    return files.length === 0 ? [] : [{ task_id: id, files }]
  })
}

const namedIn = (tasks: ReadonlyArray<TaskState>, output: string, root: string) =>
  tasks.flatMap((task) =>
    filesOf(task).flatMap((file) => (isNamed(output, file, root) ? [{ task_id: task.spec.id, file }] : []))
  )

/** The files that show a task, and those that its attempt has changed. */
const filesOf = ({ files, items }: TaskState): ReadonlyArray<string> => [
  ...new Set([
    ...items.flatMap(({ receipt }) => (receipt !== null && isLineReceipt(receipt) ? [receipt.path] : [])),
    ...files
  ])
]

/** The path stands there as a whole: relative to the project, or absolute. */
const isNamed = (output: string, file: string, root: string): boolean => {
  for (const at of placesOf(output, file)) {
    const before = output.slice(0, at)
    const after = output.slice(at + file.length)
    if (/^(?![\w/-]|\.\w)/.test(after) && (/(?:^|[^\w./@-])(?:\.\/)?$/.test(before) || before.endsWith(`${root}/`)))
      return true
  }
  return false
}
