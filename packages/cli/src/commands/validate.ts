import * as Path from "node:path"
import { parseConfig, parseTasks } from "@proofline/plugins/adapters/project-files"
import { Effect } from "effect"
import { print, printDocument, sayProblems } from "../output.ts"
import { exitCodes } from "../problems.ts"
import { count } from "../render/lines.ts"
import { readText } from "./files.ts"

/** `proofline validate <file>`: everything that is wrong with a tasks.yaml or proofline.yaml, in one pass. */
export const validate = Effect.fnUntraced(function* (options: { readonly file: string; readonly json: boolean }) {
  const text = yield* readText(options.file, options.file)
  const isConfig = Path.basename(options.file).startsWith("proofline.")
  const found = isConfig ? parseConfig(text, options.file) : parseTasks(text, options.file)
  const tasks = "tasks" in found ? (found.tasks?.tasks.length ?? 0) : 0
  const { problems, warnings } = found
  if (options.json) yield* printDocument("validate", { file: options.file, tasks, problems, warnings })
  else {
    yield* sayProblems(problems)
    yield* sayProblems(warnings, "warning")
    if (problems.length === 0) {
      yield* print(`${options.file} is valid${isConfig ? "" : `: ${count(tasks, "task")}`}.\n`)
    }
  }
  return problems.length === 0 ? exitCodes.proven : exitCodes.usage
})
