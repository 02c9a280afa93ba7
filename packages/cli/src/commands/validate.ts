import * as Path from "node:path"
import type { TaskSpec } from "@proofline/kernel"
import { manifestName } from "@proofline/plugins/adapters/escrowed-checks"
import {
  isRequirementsFile,
  parseChecks,
  parseChunking,
  parseConfig,
  parseRequirements,
  type RequirementsDocument
} from "@proofline/plugins/adapters/project-files"
import { Effect } from "effect"
import { fileNamed, type ProjectPaths, type Where } from "../base/paths.ts"
import { exitCodes, type Problem } from "../base/problems.ts"
import { validateDocument } from "../documents/files.ts"
import { uncheckedNote } from "../driving/uncheckedTasks.ts"
import { unnamedTestsNote } from "../driving/unnamedTests.ts"
import { print, printDocument, say, sayProblems } from "../process/output.ts"
import { checkedComposition, projectProblems } from "../project/checkedPlugins.ts"
import { existingProject, projectConfig, readText } from "../project/files.ts"
import { readContract } from "../project/phaseContract.ts"
import { isBuiltIn, strategyProblems } from "../project/strategies.ts"
import { type Earlier, earlierIterations, readWith } from "../reading/earlierIterations.ts"
import { count } from "../render/lines.ts"

/** `proofline validate <file>`: everything that is wrong with one of the files people write, in one pass. */
export const validate = Effect.fnUntraced(function* (
  options: Where & { readonly file: string; readonly json: boolean }
) {
  const paths = yield* existingProject(options)
  const { file, shown } = fileNamed(options.file, paths)
  const text = yield* readText(file, shown)
  const earlier = yield* earlierIterations(file, text, paths)
  const found = validated(text, shown, earlier, paths)
  const { counted, requirements, tasks, warnings } = found
  const problems = found.problems.length > 0 ? found.problems : yield* found.more
  if (options.json) {
    yield* printDocument(validateDocument, { file: shown, tasks, requirements, problems, warnings })
  } else {
    yield* sayProblems(problems)
    yield* sayProblems(warnings, "warning")
    const verifiers = yield* projectConfig(paths).pipe(
      Effect.map((project) => (project.checks_from == null ? project.verifiers : [])),
      // what is wrong with that file is no fault of this one
      Effect.catchTag("Stop", () => Effect.succeed([]))
    )
    const notes = problems.length > 0 ? [] : [uncheckedNote(found.specs, verifiers), unnamedTestsNote(found.specs)]
    for (const note of notes) if (note !== null) yield* say(note)
    if (problems.length === 0) yield* print(`${shown} is valid${counted}.\n`)
  }
  return problems.length === 0 ? exitCodes.proven : exitCodes.usage
})

interface Validated {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
  /** How many there are; 0 in a file of another kind. */
  readonly tasks: number
  readonly requirements: number
  readonly specs: ReadonlyArray<TaskSpec>
  /** The same for people; empty when nothing is counted. */
  readonly counted: string
  /** What is wrong with it in its project; asked for when nothing else is. */
  readonly more: Effect.Effect<ReadonlyArray<Problem>>
}

/** By its name, where the name says what a file is; else by what it holds. */
const validated = (text: string, file: string, earlier: Earlier, paths: ProjectPaths): Validated => {
  const name = Path.basename(file)
  const parse = parserFor(name)
  const nothing = { tasks: 0, specs: [], requirements: 0, counted: "", more: Effect.succeed([]) }
  if (name.startsWith("proofline.")) return { ...nothing, ...configured(text, file) }
  if (parse !== undefined) return { ...nothing, ...parse(text, file) }
  if (/requirements\.ya?ml$/i.test(name) || isRequirementsFile(text)) {
    const found = parseRequirements(text, file)
    const requirements = found.requirements?.definition.requirements.length ?? 0
    const more = Effect.flatMap(pluginProblems(paths), (problems) =>
      problems.length > 0 ? Effect.succeed(problems) : unknownStrategies(found.requirements, file, paths)
    )
    return { ...nothing, ...found, requirements, counted: `: ${count(requirements, "requirement")}`, more }
  }
  const found = readWith(text, file, earlier, false)
  const specs = found.tasks?.tasks ?? []
  const tasks = specs.length
  return { ...nothing, ...found, tasks, specs, counted: `: ${count(tasks, "task")}`, more: pluginProblems(paths) }
}

const parserFor = (name: string) => {
  if (name === manifestName) return (text: string, file: string) => parseChecks(text, file)
  return name.startsWith("task-chunking.")
    ? parseChunking
    : name.startsWith("phase_contract.")
      ? readContract
      : undefined
}

/** A proofline.yaml with the plugins it names, loaded as a run would. */
const configured = (text: string, file: string): Pick<Validated, "problems" | "warnings" | "more"> => {
  const { config, problems, warnings } = parseConfig(text, file)
  const { analyzerAt = null, chunking = null, plugins = [], pull = {} } = config ?? {}
  const sections = chunking === null ? [] : [chunking]
  const more = projectProblems(Path.dirname(file), { analyzerAt, chunking: sections, plugins, pull })
  const placed = (problem: Problem): Problem => (problem.file === "proofline.yaml" ? { ...problem, file } : problem)
  return { problems, warnings, more: Effect.map(more, (found) => found.map(placed)) }
}

/** What keeps a run of the file from beginning in its project; nothing is loaded where no plugin is named. */
const pluginProblems = (paths: ProjectPaths): Validated["more"] =>
  projectConfig(paths).pipe(
    Effect.flatMap((config) =>
      config.plugins.length === 0 ? Effect.succeed([]) : projectProblems(paths.root, config)
    ),
    // what is wrong with that file is no fault of this one
    Effect.catchTag("Stop", () => Effect.succeed([]))
  )

/** The built-in ones are always there; of any other, the project in which this is asked says whether it is. */
const unknownStrategies = (
  document: RequirementsDocument | null,
  file: string,
  paths: ProjectPaths
): Validated["more"] =>
  Effect.gen(function* () {
    if (document === null || isBuiltIn(document.definition)) return []
    const composition = yield* checkedComposition(paths, yield* projectConfig(paths))
    return strategyProblems(composition, { ...document, shown: file })
  }).pipe(Effect.catchTag("Stop", ({ problems }) => Effect.succeed(problems)))
