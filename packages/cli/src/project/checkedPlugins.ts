import type { Composition } from "@proofline/kernel"
import { phases } from "@proofline/plugins/policies/sessions"
import { Effect } from "effect"
import { type ProjectPaths, projectPaths } from "../base/paths.ts"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { compositionOf } from "./compose.ts"
import type { ProjectConfig } from "./files.ts"
import { projectContract } from "./phaseContract.ts"
import { phaseProblems } from "./phaseProblems.ts"
import { analyzerProblems } from "./strategies.ts"

type Needed = Pick<ProjectConfig, "analyzerAt" | "chunking" | "plugins">

/** The plugins of a project as one, as its configuration needs them; stops with everything that is wrong at once. */
export const checkedComposition = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  config: Needed
): Effect.fn.Return<Composition, Stop> {
  const { composition, problems } = yield* looked(paths, config)
  return problems.length === 0 ? composition : yield* stop(exitCodes.usage, ...problems)
})

/** The same, as session runs of the project need them too. */
export const checkedProject = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  config: Needed & Pick<ProjectConfig, "pull">
): Effect.fn.Return<Composition, Stop> {
  const { composition, problems } = yield* looked(paths, config)
  const all = [...problems, ...(yield* phaseFaults(paths, config.pull.contract, composition))]
  return all.length === 0 ? composition : yield* stop(exitCodes.usage, ...all)
})

const looked = Effect.fnUntraced(function* (paths: ProjectPaths, config: Needed) {
  const { composition, problems } = yield* compositionOf(paths, config.plugins)
  return { composition, problems: [...problems, ...analyzerFaults(composition, config)] }
})

/** Phases of plugins that do not fit the contract of the project, or a contract that cannot be read for them. */
const phaseFaults = (
  paths: ProjectPaths,
  contract: string | undefined,
  composition: Composition
): Effect.Effect<ReadonlyArray<Problem>> => {
  if (phases(composition.initial.state).length === 0) return Effect.succeed([])
  return projectContract(paths, contract).pipe(
    Effect.map((read) => phaseProblems(read, composition)),
    Effect.catchTag("Stop", ({ problems }) => Effect.succeed(problems))
  )
}

/** What is wrong with the plugins that a proofline.yaml names; the project is the directory it lies in. */
export const projectProblems = (
  directory: string,
  config: Needed & Pick<ProjectConfig, "pull">
): Effect.Effect<ReadonlyArray<Problem>> => pluginProblems(projectPaths(directory, undefined), config)

/** The same of a project that is known. */
export const pluginProblems = (
  paths: ProjectPaths,
  config: Needed & Pick<ProjectConfig, "pull">
): Effect.Effect<ReadonlyArray<Problem>> =>
  checkedProject(paths, config).pipe(
    Effect.map((): ReadonlyArray<Problem> => []),
    Effect.catchTag("Stop", ({ problems }) => Effect.succeed(problems))
  )

/** An analyzer that is named and that nobody offers: no task would be split, and nobody would say so before. */
const analyzerFaults = (
  composition: Composition,
  { analyzerAt, chunking }: Pick<ProjectConfig, "analyzerAt" | "chunking">
): ReadonlyArray<Problem> => {
  const named = chunking.findLast(({ analyzer }) => analyzer !== undefined)?.analyzer
  const place = analyzerAt === null ? { file: ".claude/task-chunking.json" } : { file: "proofline.yaml", ...analyzerAt }
  return named === undefined ? [] : analyzerProblems(composition, named).map((problem) => ({ ...problem, ...place }))
}
