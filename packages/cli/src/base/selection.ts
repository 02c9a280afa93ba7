import type { TaskSpec } from "@proofline/kernel"
import { closest, quoted } from "@proofline/plugins/options"
import { Result } from "effect"
import type { Problem } from "./problems.ts"

export interface Selection {
  readonly tasks: ReadonlyArray<TaskSpec>
  /** Tasks left out that selected ones depend on: taken as completed, on the user's word. */
  readonly assumed: ReadonlyArray<string>
}

/** What is to be said of a task that is not where it was looked for. */
export const taskUnknown = (id: string, ids: ReadonlyArray<string>, where: string): Problem => ({
  code: "task_unknown",
  message: `There is no task "${id}" in ${where}.`,
  hint: `${meantInstead(id, ids)}Its tasks are: ${ids.slice(0, 20).join(", ")}${ids.length > 20 ? ", …" : ""}.`
})

/** A sentence before a hint; empty where nothing is near. */
export const meantInstead = (word: string, known: ReadonlyArray<string>): string => {
  const near = closest(word, known)
  return near === undefined ? "" : `Did you mean \`${near}\`? `
}

/** What is to be said of a word that is none of those that a flag takes. */
export const wordUnknown = (code: string, flag: string, word: string, known: ReadonlyArray<string>): Problem => ({
  code,
  message: `--${flag} cannot be ${quoted(word)}.`,
  hint: `${meantInstead(word, known)}Known: ${known.join(", ")}.`
})

/** The part of a file that `--from` (this task and all after it) or `--only` (these tasks) leaves to run. */
export const select = (
  tasks: ReadonlyArray<TaskSpec>,
  options: { readonly from?: string | undefined; readonly only?: string | undefined }
): Result.Result<Selection, ReadonlyArray<Problem>> => {
  const onlyIds = options.only
    ?.split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "")
  const named = [...(onlyIds ?? []), ...(options.from === undefined ? [] : [options.from])]
  const ids = tasks.map((task) => task.id)
  const unknown = named.filter((id) => !ids.includes(id))
  if (unknown.length > 0) {
    return Result.fail(unknown.map((id) => taskUnknown(id, ids, "the file")))
  }
  const start = options.from === undefined ? 0 : ids.indexOf(options.from)
  const selected = tasks.filter((task, i) => i >= start && (onlyIds === undefined || onlyIds.includes(task.id)))
  const kept = new Set(selected.map((task) => task.id))
  const assumed = [...new Set(selected.flatMap((task) => task.depends_on))].filter((id) => !kept.has(id))
  return Result.succeed({ tasks: selected, assumed })
}
