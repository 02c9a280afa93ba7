import { existsSync, readFileSync, statSync } from "node:fs"
import * as Path from "node:path"
import type { RunConfig } from "@proofline/kernel"
import type { AgentSpec } from "@proofline/plugins/adapters/command-agent"
import type { ModelSpec } from "@proofline/plugins/adapters/language-models"
import {
  type AgentDefinition,
  type ChunkingSettings,
  type ConfigDocument,
  type PluginEntry,
  parseChunking,
  parseConfig,
  readTextFile,
  type SessionRunSettings
} from "@proofline/plugins/adapters/project-files"
import type { RunDefaults } from "@proofline/plugins/options"
import { Effect } from "effect"
import { sayProblems } from "../output.ts"
import { type ProjectPaths, pathsOf, type Where } from "../paths.ts"
import { exitCodes, type Stop, stop } from "../problems.ts"
import type { Agents } from "../settings.ts"

/** A text file of the user, or a clear refusal. `shown` is the path as the user knows it. */
export const readText = (file: string, shown: string) =>
  readTextFile(file).pipe(
    Effect.mapError(({ code, column, hint, line, message }) =>
      stop(exitCodes.usage, {
        code,
        message,
        file: shown,
        hint,
        ...(line === undefined ? {} : { line }),
        ...(column === undefined ? {} : { column })
      })
    )
  )

/** Where things are in a project that exists. */
export const existingProject = Effect.fnUntraced(function* (where: Where) {
  const paths = pathsOf(where)
  if (statSync(paths.root, { throwIfNoEntry: false })?.isDirectory() === true) return paths
  return yield* stop(exitCodes.usage, {
    code: "directory_missing",
    message: `There is no directory ${paths.root}.`,
    hint: "Name an existing project directory with --cwd."
  })
})

/** All of standard input; `what` it is, in one word, for who gives something else. */
export const stdinText = (what: string): Effect.Effect<string, Stop> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(0)),
    catch: () =>
      stop(exitCodes.usage, {
        code: `${what}_unreadable`,
        message: "What came on stdin is not valid UTF-8 text, or could not be read.",
        hint: `Give the ${what} as UTF-8 text.`
      })
  })

export interface ProjectConfig {
  readonly agents: Agents
  readonly defaults: RunDefaults
  readonly evidence: Partial<RunConfig["evidence"]>
  readonly proof: ConfigDocument["proof"]
  readonly checks_from: ConfigDocument["checks_from"]
  /** Of .claude/task-chunking.json, then of proofline.yaml; empty: nobody speaks of splitting tasks. */
  readonly chunking: ReadonlyArray<ChunkingSettings>
  readonly plugins: ReadonlyArray<PluginEntry>
  /** Where proofline.yaml names an analyzer; null: nowhere. */
  readonly analyzerAt: ConfigDocument["analyzerAt"]
  readonly verifiers: ReadonlyArray<string>
  readonly pull: SessionRunSettings
}

/** The project's proofline.yaml; everything in it is optional, and so is the file. */
export const projectConfig = Effect.fnUntraced(function* (paths: ProjectPaths) {
  const file = Path.join(paths.root, "proofline.yaml")
  const beside = yield* chunkingFile(paths)
  if (!existsSync(file)) {
    return {
      agents: {},
      defaults: {},
      evidence: {},
      proof: null,
      checks_from: null,
      chunking: beside,
      plugins: [],
      analyzerAt: null,
      verifiers: [],
      pull: {}
    } satisfies ProjectConfig
  }
  const shown = Path.relative(process.cwd(), file)
  const { config, problems, warnings } = parseConfig(yield* readText(file, shown), shown)
  yield* sayProblems(warnings, "warning")
  if (config === null) return yield* stop(exitCodes.usage, ...problems)
  const agents = Object.fromEntries([...config.agents].map(([name, definition]) => [name, specOf(definition)]))
  const { analyzerAt, checks_from, defaults, evidence, plugins, proof, pull, verifiers } = config
  const chunking = config.chunking === null ? beside : [...beside, config.chunking]
  return {
    ...{ agents, defaults, evidence, proof, checks_from, chunking },
    ...{ plugins, analyzerAt, verifiers, pull }
  } satisfies ProjectConfig
})

/** The file in which other tools look for the same settings. */
const chunkingFile = Effect.fnUntraced(function* (paths: ProjectPaths) {
  const file = Path.join(paths.root, ".claude", "task-chunking.json")
  if (!existsSync(file)) return []
  const shown = Path.relative(process.cwd(), file)
  const { chunking, problems, warnings } = parseChunking(yield* readText(file, shown), shown)
  yield* sayProblems(warnings, "warning")
  return chunking === null ? yield* stop(exitCodes.usage, ...problems) : [chunking]
})

const specOf = (definition: AgentDefinition): AgentSpec | ModelSpec =>
  "preset" in definition
    ? { preset: definition.preset, ...(definition.model === null ? {} : { model: definition.model }) }
    : definition
