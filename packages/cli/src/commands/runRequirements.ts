import { Digest, Engine, IdGenerator, type RunConfig, StartRun } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import type { Carried } from "@proofline/plugins/policies/requirements"
import { Effect, Result } from "effect"
import type { ProjectPaths, Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { requirementsDocument } from "../documents/requirements.ts"
import { driveToEnd } from "../driving/drive.ts"
import { handedOver } from "../driving/handOver.ts"
import { holdRun } from "../driving/hold.ts"
import { checkAnalyzer, checkWorkspace } from "../driving/plan.ts"
import {
  carriedOf,
  checkOutputDir,
  checkStrategies,
  defaultIterations,
  type Loading,
  loadOf,
  type RequirementsInput,
  readRequirements,
  requirementIds,
  runOf
} from "../driving/requirementsFile.ts"
import { resolveAgents } from "../driving/resolveAgents.ts"
import { checkChanged } from "../driving/takeOver.ts"
import type { UiFlags } from "../driving/ui.ts"
import { type ClusterFlags, checkWhoWorks, labelsFor } from "../driving/whoWorks.ts"
import { withAgents } from "../driving/withAgents.ts"
import type { Handed } from "../process/handle.ts"
import { print, printDocument, say } from "../process/output.ts"
import { type BaseFlags, baseOf, checkBase } from "../project/base.ts"
import { checkedComposition } from "../project/checkedPlugins.ts"
import { withChecks } from "../project/checksFrom.ts"
import { existingProject, projectConfig } from "../project/files.ts"
import { projectMessages } from "../project/projectMessages.ts"
import { judgedBy, type LoopFlags, type RunFlags, resolveChunking, workersOf } from "../project/settings.ts"
import { withExistingStorage, withStorage } from "../project/storage.ts"
import { strategyProblems } from "../project/strategies.ts"
import { withKernel } from "../project/withKernel.ts"
import { count } from "../render/lines.ts"
import { oneLine } from "../render/style.ts"

export interface RunRequirementsOptions extends RunFlags, LoopFlags, UiFlags, BaseFlags, ClusterFlags, Where {
  readonly file: string
  /** Tasks that say nothing of it may be split. */
  readonly chunk?: boolean | undefined
  readonly dryRun: boolean
  readonly json: boolean
}

/**
 * `proofline run-requirements requirements.yaml`: makes tasks of requirements, runs them and verifies, until all are met.
 * Goes on with the run of this file that is not completed, if there is one, unless it is to count from another base. Reads and
 * checks everything first.
 */
export const runRequirements = Effect.fnUntraced(function* (
  options: RunRequirementsOptions,
  resume: Handed<RunRequirementsOptions & { readonly run: string }>
) {
  const paths = yield* existingProject(options)
  yield* checkWhoWorks(options, paths)
  const input = yield* readRequirements(options, paths)
  if (options.dryRun) {
    const { run } = yield* configOf(options, paths, input)
    const composition = yield* checkedComposition(paths, yield* projectConfig(paths))
    const problems = strategyProblems(composition, input)
    if (problems.length > 0) return yield* stop(exitCodes.usage, ...problems)
    yield* checkBase(paths, options)
    return yield* dryRun(options, input, run)
  }
  const before = yield* withExistingStorage(
    paths,
    Effect.succeed(null),
    withKernel(paths, {}, runBefore(input.path, options, paths))
  )
  const completed = before?.status === "completed" ? before : null
  if (before !== null && completed === null) {
    const { isSameBase, run_id, status } = before
    if (isSameBase || status === "running") {
      // what it has so far stays where it is
      if (options.tasks_output_dir !== undefined) yield* checkOutputDir(input, options, paths)
      yield* say(`Going on with ${run_id}, which is not completed.`)
      if (!isSameBase) yield* say("It goes on with the base it began with; once it has ended, --base begins a new run.")
      return yield* resume({ ...options, run: run_id })
    }
    yield* say(`Beginning a new run since ${options.base}: ${run_id}, which is not completed, began with another base.`)
  }
  yield* checkOutputDir(input, options, paths)
  if (completed !== null) yield* Effect.provide(checkChanged(input, completed.loop, options), nodeDigest)
  const config = yield* configOf(options, paths, input)
  const carried = completed === null ? null : carriedOf(completed.run_id, completed.loop)
  return yield* withStorage(paths, start(options, paths, input, config, carried))
})

/** The newest run of the file, and whether it counts from the base that is asked for. */
const runBefore = Effect.fnUntraced(function* (path: string, options: BaseFlags, paths: ProjectPaths) {
  const before = yield* runOf(path, paths)
  if (before === null) return null
  const isAsked = options.base !== undefined && before.status !== "completed"
  return { ...before, isSameBase: !isAsked || (yield* baseOf(options)).commit === before.base?.commit }
})

const configOf = Effect.fnUntraced(function* (
  options: RunRequirementsOptions,
  paths: ProjectPaths,
  { defaults: own, definition }: RequirementsInput
) {
  const project = yield* projectConfig(paths)
  const { agents, chunking, defaults, verifiers } = project
  const messages = yield* projectMessages(paths)
  const resolved = Result.flatMap(yield* resolveAgents(options, [defaults, own], agents, paths), (config) =>
    Result.map(resolveChunking(config, options, { ...defaults, ...own }, chunking), (split) =>
      judgedBy(split, project, options)
    )
  )
  if (Result.isFailure(resolved)) return yield* stop(exitCodes.usage, resolved.failure)
  const config = resolved.success
  const run: RunConfig = yield* withChecks(
    { ...config, messages },
    { said: options.checks_from, ofFile: project.checks_from },
    paths,
    { tasks: null, requirements: requirementIds(definition) }
  )
  const isAutomatic = chunking.length > 0 && config.chunking.enabled && config.chunking.auto_detect
  const chunk: Loading["chunk"] = options.chunk === true ? "asked" : isAutomatic ? "auto" : "no"
  return { run, chunk, verifiers }
})

const start = Effect.fnUntraced(function* (
  options: RunRequirementsOptions,
  paths: ProjectPaths,
  input: RequirementsInput,
  { chunk, run: settings, verifiers }: Effect.Success<ReturnType<typeof configOf>>,
  carried: Carried | null
) {
  return yield* withAgents(
    paths,
    settings,
    options,
    Effect.gen(function* () {
      const engine = yield* Engine
      const { sha256 } = yield* Digest
      yield* checkStrategies(input)
      const base = yield* baseOf(options)
      if (chunk !== "no") {
        yield* checkAnalyzer(settings)
        yield* checkWorkspace(settings, base)
      }
      const run_id = yield* (yield* IdGenerator).runId
      const driver = yield* holdRun(run_id, input.path)
      const labels = labelsFor(run_id, paths, options)
      const command = StartRun({
        run_id,
        kind: "requirements",
        name: input.definition.name,
        root: paths.root,
        input: { path: input.path, sha256: sha256(input.text) },
        parent_run_id: null,
        completed_task_ids: carried?.completed.map(({ id }) => id) ?? [],
        config: { ...settings, labels },
        plugins: engine.composition.versions,
        driver,
        base,
        tasks: []
      })
      const also = yield* handedOver(run_id, paths, options.remote)
      yield* engine.execute(run_id, command, also === undefined ? {} : { also })
      const load = loadOf(input, sha256, options, paths, { chunk, carried, user_commands: verifiers })
      return yield* driveToEnd(run_id, load, {
        paths,
        workers: workersOf(settings),
        labels,
        json: options.json
      })
    })
  )
})

/** What would be verified and asked, without touching anything. */
const dryRun = Effect.fnUntraced(function* (
  { json, max_iterations = defaultIterations }: RunRequirementsOptions,
  { definition, path }: RequirementsInput,
  config: RunConfig
) {
  const { generation, requirements, verification } = definition
  if (json) {
    yield* printDocument(requirementsDocument, {
      run_id: null,
      dry_run: true,
      status: "planned",
      name: definition.name,
      requirements_path: path,
      iterations: 0,
      max_iterations,
      generation,
      verification,
      config,
      requirements: requirements.map(({ acceptance_criteria, id, priority }) => ({
        id,
        priority,
        verdict: "unproven" as const,
        met: false as const,
        criteria: acceptance_criteria.map(({ check, criterion, id: criterion_id, verify }) => ({
          id: criterion_id,
          criterion,
          verdict: "unproven" as const,
          check,
          verify
        }))
      }))
    })
    return exitCodes.proven
  }
  yield* print(
    [
      `Would verify ${count(requirements.length, "requirement")}, then make tasks of what is not met with the generator ${generation.generator} and run them with agent ${config.agent}, at most ${count(max_iterations, "time")}; nothing was started.`,
      ...requirements.flatMap(({ acceptance_criteria, description, id, name, priority }) => [
        `  ${id}${priority === "optional" ? " (optional)" : ""}: ${oneLine(name ?? description, 80)}`,
        ...acceptance_criteria.map(
          (criterion) =>
            `    ${criterion.id}: ${oneLine(criterion.criterion, 80)}${criterion.check === null ? "" : `; check: ${oneLine(criterion.check, 80)}`}`
        )
      ]),
      ""
    ].join("\n")
  )
  return exitCodes.proven
})
