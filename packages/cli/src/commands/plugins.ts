import type { Composition } from "@proofline/kernel"
import { Effect } from "effect"
import { compositionOf } from "../compose.ts"
import { print, printDocument } from "../output.ts"
import { type ProjectPaths, projectPaths } from "../paths.ts"
import { exitCodes, type Problem, type Stop, stop } from "../problems.ts"
import { count } from "../render/lines.ts"
import { existingProject, type ProjectConfig, projectConfig } from "./files.ts"
import { analyzerProblems } from "./strategies.ts"

export interface PluginsOptions {
  readonly cwd?: string | undefined
  readonly json: boolean
}

/** `proofline plugins check`: loads and composes the plugins of a project as a run would, and runs nothing. */
export const checkPlugins = Effect.fnUntraced(function* (options: PluginsOptions) {
  const paths = yield* existingProject(options)
  const { versions } = yield* checkedComposition(paths, yield* projectConfig(paths))
  if (options.json) yield* printDocument("plugins", { plugins: versions, problems: [] })
  else {
    yield* print(
      [
        ...versions.map(({ name, version }) => `${name} ${version}`),
        `${count(versions.length, "plugin")} fit.`,
        ""
      ].join("\n")
    )
  }
  return exitCodes.proven
})

/** The plugins of a project as one, as its configuration needs them; stops with everything that is wrong at once. */
export const checkedComposition = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  config: Pick<ProjectConfig, "analyzerAt" | "chunking" | "plugins">
): Effect.fn.Return<Composition, Stop> {
  const { composition, problems } = yield* compositionOf(paths, config.plugins)
  const all = [...problems, ...analyzerFaults(composition, config)]
  return all.length === 0 ? composition : yield* stop(exitCodes.usage, ...all)
})

/** What is wrong with the plugins that a proofline.yaml names; the project is the directory it lies in. */
export const projectProblems = (
  directory: string,
  config: Pick<ProjectConfig, "analyzerAt" | "chunking" | "plugins">
): Effect.Effect<ReadonlyArray<Problem>> =>
  checkedComposition(projectPaths(directory, undefined), config).pipe(
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
