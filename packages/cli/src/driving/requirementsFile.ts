import { accessSync, constants, existsSync } from "node:fs"
import * as Path from "node:path"
import { type CommandOf, Engine } from "@proofline/kernel"
import { parseRequirements, type RequirementsDocument } from "@proofline/plugins/adapters/project-files"
import { makeDirectoryNow } from "@proofline/plugins/log"
import { loopOptions } from "@proofline/plugins/options"
import {
  type Carried,
  Load,
  type Loop,
  loopOf,
  type RequirementDefinition
} from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { fileNamed, type ProjectPaths, statOf } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { sayProblems } from "../process/output.ts"
import { readText } from "../project/files.ts"
import type { LoopFlags, resolveConfig } from "../project/settings.ts"
import { stateOf } from "../project/state.ts"
import { strategyProblems } from "../project/strategies.ts"
import { readRows } from "../reading/rows.ts"

/** Source: requirements loop, its CLI. */
export const defaultIterations = loopOptions.max_iterations.default

/** A requirements file as it was read. */
export interface RequirementsInput {
  /** Relative to the project. */
  readonly path: string
  readonly file: string
  /** As people know it. */
  readonly shown: string
  readonly text: string
  readonly definition: RequirementDefinition
  readonly at: RequirementsDocument["at"]
  readonly defaults: Parameters<typeof resolveConfig>[1][number]
}

/** Ids of requirements, and of their acceptance criteria. */
export const requirementIds = ({ requirements }: RequirementDefinition): ReadonlyArray<string> =>
  requirements.flatMap(({ acceptance_criteria, id }) => [id, ...acceptance_criteria.map((criterion) => criterion.id)])

/** Reads the file, or tells everything that is wrong with it. */
export const readRequirements = Effect.fnUntraced(function* (
  { file: named }: { readonly file: string },
  paths: ProjectPaths
) {
  const { file, shown } = fileNamed(named, paths)
  const text = yield* readText(file, shown)
  const { problems, requirements, warnings } = parseRequirements(text, shown)
  yield* sayProblems(warnings, "warning")
  if (requirements === null) return yield* stop(exitCodes.usage, ...problems)
  const { at, defaults, definition } = requirements
  const missing = definition.generation.tasks.filter((one) => !existsSync(Path.resolve(Path.dirname(file), one)))
  if (missing.length > 0) {
    return yield* stop(
      exitCodes.usage,
      ...missing.map((one) => ({
        code: "plan_missing",
        message: `The tasks file ${one} of generation.tasks does not exist.`,
        file: shown,
        hint: "Write it, or take it out of the list; it is read when its iteration begins."
      }))
    )
  }
  return {
    path: slashed(Path.relative(paths.root, file)),
    file,
    shown,
    text,
    at,
    definition: { ...definition, generation: inProject(definition.generation, file, paths) },
    defaults
  } satisfies RequirementsInput
})

const slashed = (path: string): string => path.split(Path.sep).join("/")

/** Tasks files are named beside the requirements; the run knows them from the project on. */
const inProject = (generation: RequirementDefinition["generation"], file: string, { root }: ProjectPaths) => ({
  ...generation,
  tasks: generation.tasks.map((one) => slashed(Path.relative(root, Path.resolve(Path.dirname(file), one))))
})

/** The newest run of a file but for one; null: there is none. */
export const runOf = Effect.fnUntraced(function* (path: string, paths: ProjectPaths, but: string | null = null) {
  const engine = yield* Engine
  for (const { kind, run_id } of yield* readRows(paths)) {
    if (kind !== "requirements" || run_id === but) continue
    const snapshot = yield* engine.load(run_id)
    const { run } = stateOf(snapshot)
    if (run.input?.path !== path) continue
    return { run_id, status: run.status, base: run.base, loop: loopOf(snapshot) }
  }
  return null
})

/** What a completed run leaves to the next one of the same file. */
export const carriedOf = (run_id: string, { completed, iteration, planned }: Loop): Carried => ({
  run_id,
  iteration,
  planned,
  completed
})

/** What the newest completed run of a file leaves to another one. */
export const carriedTo = Effect.fnUntraced(function* (path: string, run: string, paths: ProjectPaths) {
  const before = yield* runOf(path, paths, run)
  return before?.status === "completed" ? carriedOf(before.run_id, before.loop) : null
})

/** What is loaded of a file. */
export type Loading = CommandOf<typeof Load>

/** How a file is loaded into a run. */
export const loadOf = (
  { at, definition, path, text }: RequirementsInput,
  sha256: (text: string) => string,
  options: Pick<LoopFlags, "max_iterations" | "tasks_output_dir">,
  { root }: ProjectPaths,
  {
    user_commands,
    ...more
  }: Pick<Loading, "chunk" | "carried" | "intent"> & { readonly user_commands: ReadonlyArray<string> }
) =>
  Load({
    definition,
    requirements_path: path,
    sha256: sha256(text),
    tasks_output_dir: outputDirOf(path, options, root),
    feature: featureOf(path),
    max_iterations: options.max_iterations ?? defaultIterations,
    proof: { verifier_named: isVerifierChosen(at, definition), user_commands },
    ...more
  })

const outputDirOf = (path: string, { tasks_output_dir: said }: Pick<LoopFlags, "tasks_output_dir">, root: string) =>
  said === undefined
    ? Path.posix.join(Path.posix.dirname(path), "generated")
    : withinProject(Path.resolve(root, said), root)

/** Stops where files with generated tasks could not be written, so that no agent is asked for them in vain. Workers write to checkouts. */
export const checkOutputDir = (
  { path }: Pick<RequirementsInput, "path">,
  options: Pick<LoopFlags, "tasks_output_dir">,
  { databaseUrl, root }: ProjectPaths
): Effect.Effect<void, Stop> => {
  if (databaseUrl !== undefined) return Effect.void
  const directory = Path.resolve(root, outputDirOf(path, options, root))
  return Effect.try({
    try: () => {
      const found = statOf(directory)
      if (found?.isDirectory() === false) throw new Error("it is no directory")
      if (found !== undefined) accessSync(directory, constants.W_OK)
      else if (options.tasks_output_dir !== undefined) makeDirectoryNow(directory)
    },
    catch: (cause) =>
      stop(exitCodes.usage, {
        code: "output_dir_unusable",
        message: `Generated tasks cannot be written to ${directory}: ${(cause as Error).message}.`,
        hint: "Name a directory that can be written with --tasks-output-dir."
      })
  })
}

/** The user says who verifies, or that its word counts. */
const isVerifierChosen = (
  { verifier }: RequirementsInput["at"],
  { verification }: Pick<RequirementDefinition, "verification">
): boolean => verification.verifier !== "none" && (verifier !== null || verification.trust_agent)

/** Relative where it is in the project, so that the project can be moved. */
const withinProject = (directory: string, root: string): string => {
  const relative = slashed(Path.relative(root, directory))
  return relative.startsWith("../") || Path.isAbsolute(relative) ? directory : relative === "" ? "." : relative
}

/** `auth-requirements.yaml` → `auth`. Source: requirements loop, files. */
const featureOf = (path: string): string => {
  const stem = Path.posix.basename(path).replace(/\.(ya?ml|json)$/i, "")
  return stem.replace(/[-_.]requirements$/i, "") || stem
}

/** Stops before anything is started when nobody offers what the file asks for. */
export const checkStrategies = Effect.fnUntraced(function* (input: RequirementsInput) {
  const problems = strategyProblems((yield* Engine).composition, input)
  if (problems.length > 0) return yield* stop(exitCodes.usage, ...problems)
})
