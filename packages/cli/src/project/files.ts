import { existsSync } from "node:fs"
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
import { noDirectory, type ProjectPaths, pathsOf, type Where } from "../base/paths.ts"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { InputTooLarge, wholeOf } from "../base/stdinLines.ts"
import { sayProblems } from "../process/output.ts"

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

/** Where things are in a project that exists. `flag`: by what it is named. */
export const existingProject = Effect.fnUntraced(function* (where: Where, flag = "--cwd") {
  const paths = pathsOf(where)
  const problem = noDirectory(paths.root, flag)
  return problem === null ? paths : yield* stop(exitCodes.usage, problem)
})

/** All of standard input; `what` it is, in one word, for who gives something else. */
export const stdinText = (what: string): Effect.Effect<string, Stop> =>
  Effect.tryPromise({
    try: async () => new TextDecoder("utf-8", { fatal: true }).decode(await wholeOf(process.stdin)),
    catch: (cause) =>
      stop(exitCodes.usage, {
        code: `${what}_unreadable`,
        message:
          cause instanceof InputTooLarge
            ? `What came on stdin cannot be taken: ${cause.message}.`
            : "What came on stdin is not valid UTF-8 text, or could not be read.",
        hint: `Give the ${what} as UTF-8 text.`
      })
  })

export interface ProjectConfig {
  readonly agents: Readonly<Record<string, AgentSpec | ModelSpec>>
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

/** What the files say of a project, and what is wrong with them; null exactly when there are problems. */
export interface ConfigRead extends Faults {
  readonly config: ProjectConfig | null
}

const nothingSaid: ProjectConfig = {
  agents: {},
  defaults: {},
  evidence: {},
  proof: null,
  checks_from: null,
  chunking: [],
  plugins: [],
  analyzerAt: null,
  verifiers: [],
  pull: {}
}

/** The project's proofline.yaml; everything in it is optional, and so is the file. */
export const projectConfig = Effect.fnUntraced(function* (paths: ProjectPaths) {
  const { config, problems, warnings } = yield* readConfig(paths)
  yield* sayProblems(warnings, "warning")
  return config ?? (yield* stop(exitCodes.usage, ...problems))
})

/** The same for whoever tells by itself what is wrong. */
export const readConfig = Effect.fnUntraced(function* (paths: ProjectPaths): Effect.fn.Return<ConfigRead> {
  const beside = yield* readParsed(Path.join(paths.root, ".claude", "task-chunking.json"), parseChunking)
  const own = yield* readParsed(Path.join(paths.root, "proofline.yaml"), parseConfig)
  const problems = [...(beside?.problems ?? []), ...(own?.problems ?? [])]
  const warnings = [...(beside?.warnings ?? []), ...(own?.warnings ?? [])]
  if (problems.length > 0) return { config: null, problems, warnings }
  const chunking = beside === null || !("chunking" in beside) || beside.chunking === null ? [] : [beside.chunking]
  const config = own === null || !("config" in own) ? null : own.config
  if (config === null) return { config: { ...nothingSaid, chunking }, problems, warnings }
  const agents = Object.fromEntries([...config.agents].map(([name, definition]) => [name, specOf(definition)]))
  const { analyzerAt, checks_from, defaults, evidence, plugins, proof, pull, verifiers } = config
  return {
    config: {
      ...{ agents, defaults, evidence, proof, checks_from, plugins, analyzerAt, verifiers, pull },
      chunking: config.chunking === null ? chunking : [...chunking, config.chunking]
    },
    problems,
    warnings
  }
})

interface Faults {
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<Problem>
}

/** A file of the project as it is understood; null: there is none. */
const readParsed = <A extends Faults>(
  file: string,
  parse: (text: string, shown: string) => A
): Effect.Effect<A | Faults | null> => {
  if (!existsSync(file)) return Effect.succeed(null)
  const shown = Path.relative(process.cwd(), file)
  return readText(file, shown).pipe(
    Effect.map((text) => parse(text, shown)),
    Effect.catch(({ problems }): Effect.Effect<Faults> => Effect.succeed({ problems, warnings: [] }))
  )
}

const specOf = (definition: AgentDefinition): AgentSpec | ModelSpec =>
  "preset" in definition
    ? { preset: definition.preset, ...(definition.model === null ? {} : { model: definition.model }) }
    : definition
