import { rmSync } from "node:fs"
import * as Path from "node:path"
import { Agents } from "@proofline/kernel"
import { layer as attemptTokens } from "@proofline/plugins/adapters/attempt-tokens"
import {
  type AgentFound,
  type AgentSpec,
  layer as commandAgents,
  look
} from "@proofline/plugins/adapters/command-agent"
import {
  layer as languageModels,
  lookAt,
  type ModelFound,
  type ModelSpec
} from "@proofline/plugins/adapters/language-models"
import { makeTemporary } from "@proofline/plugins/adapters/node-process"
import { presets } from "@proofline/plugins/options"
import { Effect, Layer } from "effect"
import { exitCodes } from "../base/problems.ts"
import { agentsDocument } from "../documents/agents.ts"
import { print, printDocument } from "../process/output.ts"
import { existingProject, projectConfig } from "../project/files.ts"
import { oneLine } from "../render/style.ts"

export interface AgentsOptions {
  readonly cwd?: string | undefined
  readonly ask: boolean
  readonly json: boolean
}

type AgentSeen = (AgentFound | ModelFound) & { readonly answers: boolean | null }

/** `proofline agents`: those of the project and the known programs, as they are found on this machine. */
export const listAgents = Effect.fnUntraced(function* (options: AgentsOptions) {
  const paths = yield* existingProject(options)
  const { agents } = yield* projectConfig(paths)
  const specs: Readonly<Record<string, AgentSpec | ModelSpec>> = {
    ...agents,
    ...Object.fromEntries(presets.filter((name) => !Object.hasOwn(agents, name)).map((preset) => [preset, { preset }]))
  }
  const seen = yield* Effect.forEach(
    Object.entries(specs),
    ([name, spec]) =>
      Effect.flatMap(lookFor(name, spec, paths.root), (found) =>
        options.ask ? asked(found, spec, paths.root) : Effect.succeed<AgentSeen>({ ...found, answers: null })
      ),
    { concurrency: 4 }
  )
  yield* options.json ? printDocument(agentsDocument, { agents: seen }) : print(seen.map(linesOf).join(""))
  return seen.some(({ problem, roles }) => roles.includes("work") && problem === null)
    ? exitCodes.proven
    : exitCodes.unmet
})

const lookFor = (name: string, spec: AgentSpec | ModelSpec, root: string): Effect.Effect<AgentFound | ModelFound> =>
  "api" in spec ? lookAt(name, spec, { root, env: process.env }) : look(name, spec, root)

const ANSWER_LIMIT_MS = 120_000
const question = "Answer with this line and nothing else, and use no tools: proofline-hears-you\n"

/** Whether it answers a question, in an empty directory. What it needs for that is asked of its provider. */
const asked = (found: AgentFound | ModelFound, spec: AgentSpec | ModelSpec, root: string): Effect.Effect<AgentSeen> =>
  found.problem !== null || found.kind === "judge"
    ? Effect.succeed({ ...found, answers: null })
    : Effect.acquireUseRelease(
        Effect.sync(() => makeTemporary()),
        (directory) => {
          const tokens = attemptTokens({ stateDir: directory })
          const [agents, models] = "api" in spec ? [{}, { [found.name]: spec }] : [{ [found.name]: spec }, {}]
          const one = languageModels({ root, env: process.env, models }).pipe(
            Layer.provide(commandAgents({ root: directory, stateDir: directory, agents }))
          )
          return Effect.flatMap(Agents, (service) =>
            service.run(
              found.name,
              {
                // what it leaves behind is found by these, and ended
                run_id: Path.basename(directory),
                task_id: found.name,
                attempt: 1,
                role: "verify",
                prompt: question,
                directory,
                timeout_ms: ANSWER_LIMIT_MS,
                idle_timeout_ms: null
              },
              { permission: () => Effect.succeed("deny") }
            )
          ).pipe(
            Effect.map(({ error, outcome }) => ({
              ...found,
              answers: outcome === "COMPLETE",
              problem: outcome === "COMPLETE" ? null : (error?.message ?? "It did not end well.")
            })),
            Effect.catch(({ message }) => Effect.succeed({ ...found, answers: false, problem: message })),
            Effect.provide(Layer.provide(one, tokens))
          )
        },
        (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
      )

const linesOf = ({ answers, driven_by, kind, name, path, problem, roles, supports, version }: AgentSeen): string => {
  const state =
    problem ??
    (answers === true
      ? "answers"
      : (path ?? (kind === "model" ? "asked when it is needed" : "found when it is started")))
  return [
    `${problem === null ? "✔" : "✗"} ${name}${version === null ? "" : ` ${version}`}  ${oneLine(state, 200)}`,
    `    ${kind}: ${oneLine(driven_by, 200)}`,
    ...(roles.includes("work") ? [] : [`    for ${roles.join(", ")}`]),
    ...(supports.length === 0 ? [] : [`    supports ${supports.join(", ")}`]),
    ""
  ].join("\n")
}
