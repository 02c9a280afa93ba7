import * as Path from "node:path"
import { parseChunking, parseConfig, parseTasks } from "@proofline/plugins/adapters/project-files"
import { Effect } from "effect"
import { print, printDocument, sayProblems } from "../output.ts"
import { exitCodes } from "../problems.ts"
import { count } from "../render/lines.ts"
import { readText } from "./files.ts"
import { readContract } from "./phaseContract.ts"

/** `proofline validate <file>`: everything that is wrong with one of the files people write, in one pass. */
export const validate = Effect.fnUntraced(function* (options: { readonly file: string; readonly json: boolean }) {
  const text = yield* readText(options.file, options.file)
  const found = parserFor(Path.basename(options.file))(text, options.file)
  const isTasks = "tasks" in found
  const tasks = isTasks ? (found.tasks?.tasks.length ?? 0) : 0
  const { problems, warnings } = found
  if (options.json) yield* printDocument("validate", { file: options.file, tasks, problems, warnings })
  else {
    yield* sayProblems(problems)
    yield* sayProblems(warnings, "warning")
    if (problems.length === 0) {
      yield* print(`${options.file} is valid${isTasks ? `: ${count(tasks, "task")}` : ""}.\n`)
    }
  }
  return problems.length === 0 ? exitCodes.proven : exitCodes.usage
})

const parserFor = (name: string) =>
  name.startsWith("proofline.")
    ? parseConfig
    : name.startsWith("task-chunking.")
      ? parseChunking
      : name.startsWith("phase_contract.")
        ? readContract
        : parseTasks
