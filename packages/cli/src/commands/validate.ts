import * as Path from "node:path"
import {
  fileKindOf,
  type Problem,
  parseChunking,
  parseConfig,
  parseRequirements,
  parseTasks
} from "@proofline/plugins/adapters/project-files"
import { Effect } from "effect"
import { print, printDocument, sayProblems } from "../output.ts"
import { exitCodes } from "../problems.ts"
import { count } from "../render/lines.ts"
import { readText } from "./files.ts"
import { readContract } from "./phaseContract.ts"

/** `proofline validate <file>`: everything that is wrong with one of the files people write, in one pass. */
export const validate = Effect.fnUntraced(function* (options: { readonly file: string; readonly json: boolean }) {
  const text = yield* readText(options.file, options.file)
  const { counted, problems, requirements, tasks, warnings } = validated(text, options.file)
  if (options.json) {
    yield* printDocument("validate", { file: options.file, tasks, requirements, problems, warnings })
  } else {
    yield* sayProblems(problems)
    yield* sayProblems(warnings, "warning")
    if (problems.length === 0) yield* print(`${options.file} is valid${counted}.\n`)
  }
  return problems.length === 0 ? exitCodes.proven : exitCodes.usage
})

interface Validated {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** How many there are; 0 in a file of another kind. */
  readonly tasks: number
  readonly requirements: number
  /** The same for people; empty when nothing is counted. */
  readonly counted: string
}

/** By its name, where the name says what a file is; else by what it holds. */
const validated = (text: string, file: string): Validated => {
  const name = Path.basename(file)
  const parse = parserFor(name)
  const nothing = { tasks: 0, requirements: 0, counted: "" }
  if (parse !== undefined) return { ...nothing, ...parse(text, file) }
  if (/requirements\.ya?ml$/i.test(name) || fileKindOf(text) === "requirements") {
    const found = parseRequirements(text, file)
    const requirements = found.requirements?.definition.requirements.length ?? 0
    return { ...nothing, ...found, requirements, counted: `: ${count(requirements, "requirement")}` }
  }
  const found = parseTasks(text, file)
  const tasks = found.tasks?.tasks.length ?? 0
  return { ...nothing, ...found, tasks, counted: `: ${count(tasks, "task")}` }
}

const parserFor = (name: string) =>
  name.startsWith("proofline.")
    ? parseConfig
    : name.startsWith("task-chunking.")
      ? parseChunking
      : name.startsWith("phase_contract.")
        ? readContract
        : undefined
