import { defaultRunConfig, type RunConfig } from "@proofline/kernel"
import type { AgentFound, AgentSpec } from "@proofline/plugins/adapters/command-agent"
import { presets, type RunDefaults } from "@proofline/plugins/options"
import { Effect, Result } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import type { Problem } from "../base/problems.ts"
import { say } from "../process/output.ts"
import { type Agents, type RunFlags, resolveConfig } from "../project/settings.ts"

const auto = "auto"

type Seen = readonly [name: string, found: AgentFound]

/**
 * The configuration of a run. Where the agent is `auto`, those are in it that were found on this machine, so that the log names them; where
 * it is `replay:<run>`, those of that run. A run that is taken up keeps its own, unless the command line asks for others.
 */
export const resolveAgents = Effect.fnUntraced(function* (
  flags: RunFlags,
  sources: ReadonlyArray<RunDefaults>,
  agents: Agents,
  paths: ProjectPaths,
  before: RunConfig = defaultRunConfig
) {
  const missing = flags.record === true ? yield* filesMissingIn(paths) : null
  if (missing !== null) yield* say(`NOTE: what agents change in files is not recorded. ${missing}`)
  const named = playedRunOf(flags)
  if (named !== null) {
    const { withPlayed } = yield* Effect.promise(() => import("./playedRun.ts"))
    const played = yield* withPlayed(named, flags, sources, paths)
    return resolveConfig(played.flags, played.sources, { ...agents, ...played.agents }, before)
  }
  const found = yield* withFound(flags, sources, agents, paths, before)
  const known = { ...agents, ...playedBefore(flags, before) }
  return Result.flatMap(found, (said) => resolveConfig(said, sources, known, before))
})

const filesMissingIn = ({ root }: ProjectPaths) =>
  Effect.flatMap(
    Effect.promise(() => import("@proofline/plugins/adapters/recorded-agents")),
    ({ filesMissing }) => filesMissing(root)
  )

const prefix = "replay:"

/** The run whose agents are to be played; null: programs are to be started. */
const playedRunOf = ({ agent, agent_command }: RunFlags): string | null =>
  agent?.startsWith(prefix) === true && agent_command === undefined ? agent.slice(prefix.length) : null

/** A run that plays another one goes on with that, unless somebody else is asked for. */
const playedBefore = ({ agent, agent_command }: RunFlags, { agents }: RunConfig): Agents =>
  agent !== undefined || agent_command !== undefined
    ? {}
    : Object.fromEntries(Object.entries(agents as unknown as Agents).filter(([, spec]) => "replay" in spec))

const withFound = Effect.fnUntraced(function* (
  flags: RunFlags,
  sources: ReadonlyArray<RunDefaults>,
  agents: Agents,
  { root }: ProjectPaths,
  before: RunConfig
) {
  const files: RunDefaults = Object.assign({}, ...sources)
  const asked = flags.agent ?? (flags.agent_command === undefined ? files.agent : "command")
  // one that is called so is meant
  if (asked?.trim() !== auto || Object.hasOwn(agents, auto) || flags.agent_command !== undefined)
    return Result.succeed(flags)
  if (flags.agent === undefined && before !== defaultRunConfig) return Result.succeed({ ...flags, agent: before.agent })
  const known = { ...(before.agents as unknown as Agents), ...agents }
  const specs = specsOf(namesOf(flags, files, known, before), known)
  const { look } = yield* Effect.promise(() => import("@proofline/plugins/adapters/command-agent"))
  const seen = yield* Effect.forEach(
    specs,
    ([name, spec]) => Effect.map(look(name, spec, root), (found): Seen => [name, found]),
    { concurrency: 4 }
  )
  const [agent, ...fallback] = seen.flatMap(([name, { problem }]) => (problem === null ? [name] : []))
  if (agent === undefined) return Result.fail(noneInstalled(seen))
  yield* say(saying(seen, agent, fallback))
  return Result.succeed({ ...flags, agent, fallback })
})

/** In which order they are looked for; who is to judge works only where nobody else can. */
const namesOf = (flags: RunFlags, files: RunDefaults, known: Agents, before: RunConfig): ReadonlyArray<string> => {
  const reviewer = flags.reviewer ?? files.reviewer ?? (before.reviewer_named ? before.reviewer : null)
  const named = [files.agent ?? auto, ...(flags.fallback ?? files.fallback ?? []), ...Object.keys(known), ...presets]
  const names = [...new Set(named)].filter((name) => name !== auto)
  return reviewer != null && names.includes(reviewer) ? [...names.filter((name) => name !== reviewer), reviewer] : names
}

/** Of those that can work. */
const specsOf = (
  names: ReadonlyArray<string>,
  known: Agents
): ReadonlyArray<readonly [name: string, spec: AgentSpec]> =>
  names.flatMap((name) => {
    const preset = presets.find((one) => one === name)
    const spec = known[name] ?? (preset === undefined ? undefined : { preset })
    return spec === undefined || "judge" in spec || "api" in spec || "replay" in spec ? [] : [[name, spec] as const]
  })

const isPreset = (name: string): boolean => (presets as ReadonlyArray<string>).includes(name)

const saying = (seen: ReadonlyArray<Seen>, agent: string, fallback: ReadonlyArray<string>): string => {
  const version = seen.find(([name]) => name === agent)?.[1].version ?? null
  const missed = seen.flatMap(([name, { path, problem }]) =>
    // that a preset is not installed is nothing to be told
    problem === null || (isPreset(name) && path === null) ? [] : [`Not used: ${name}. ${problem}`]
  )
  const next = fallback.length === 0 ? "No other is installed." : `When it cannot work: ${fallback.join(", ")}.`
  return [`Agent: ${agent}${version === null ? "" : ` ${version}`}. ${next}`, ...missed].join("\n")
}

const noneInstalled = (seen: ReadonlyArray<Seen>): Problem => ({
  code: "no_agent_installed",
  message: `No agent can be used here. ${seen.map(([name, { problem }]) => `${name}: ${problem}`).join(" ")}`,
  hint: `Install one of ${presets.join(", ")} and log in, or name your own with --agent command --agent-command '<shell command>'. \`proofline agents\` shows what is found.`
})
