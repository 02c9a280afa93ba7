import { type Budget, defaultRunConfig, type ProofConfig, type RunConfig } from "@proofline/kernel"
import type { AgentSpec } from "@proofline/plugins/adapters/command-agent"
import type { ModelSpec } from "@proofline/plugins/adapters/language-models"
import { type ChunkingSettings, mergeChunking } from "@proofline/plugins/adapters/project-files"
import type { PlayedAgent } from "@proofline/plugins/adapters/recorded-agents"
import {
  closest,
  given,
  type loopOptions,
  type Preset,
  presets,
  proofOptions,
  type RunDefaults,
  type retryOptions,
  runDefaultsOf,
  type runOptions,
  type Said,
  splitOptions,
  type taskOptions
} from "@proofline/plugins/options"
import { Result, Struct } from "effect"
import type { Problem } from "../base/problems.ts"

/** What was said on the command line about how to run, what counts as proof, and how tasks are split. */
export type RunFlags = Said<typeof runOptions>
export type ProofFlags = Said<typeof proofOptions>
export type ChunkFlags = Said<typeof splitOptions>
export type LoopFlags = Said<typeof loopOptions>
export type TaskFlags = Said<typeof taskOptions>
export type RetryFlags = Said<typeof retryOptions>

/** How each agent of a run is started or asked, or which run it is played from. `record`: its exchanges are kept. */
export type RunAgent = ((AgentSpec | ModelSpec) & { readonly record?: true }) | PlayedAgent
export type Agents = Readonly<Record<string, RunAgent>>

const isPreset = (name: string): name is Preset => (presets as ReadonlyArray<string>).includes(name)

/** Later ones win: defaults, the project's configuration, the tasks file, the command line. */
export const resolveConfig = (
  flags: RunFlags,
  sources: ReadonlyArray<RunDefaults>,
  agents: Agents,
  before: RunConfig = defaultRunConfig
): Result.Result<RunConfig, Problem> => {
  const said = [...sources, runDefaultsOf(flags)]
  const { budget: _, ...settings }: RunDefaults = Object.assign({}, ...said)
  const files: RunDefaults = Object.assign({}, ...sources)
  for (const [role, name, command] of [
    ["agent", flags.agent, flags.agent_command],
    ["reviewer", flags.reviewer, flags.reviewer_command]
  ] as const) {
    if (name !== undefined && name !== "command" && command !== undefined) return Result.fail(agentConflict(role, name))
  }
  const agent =
    flags.agent ?? (flags.agent_command === undefined ? (files.agent ?? soleAgent(before, agents)) : "command")
  if (agent === undefined) return Result.fail(agentMissing)
  const reviewer = reviewerOf(flags, files, before, agent)
  const known = { ...(before.agents as unknown as Agents), ...agents }
  const fallback = (settings.fallback ?? before.fallback ?? []).filter((name) => name !== agent)
  const isRecorded = flags.record ?? Object.values(before.agents as unknown as Agents).some(hasRecord)
  const planner = settings.planner ?? before.planner ?? null
  const specs: Record<string, RunAgent> = {}
  for (const [name, command, role] of [
    [agent, flags.agent_command, "agent"],
    ...fallback.map((name) => [name, undefined, "agent"] as const),
    [planner, undefined, "planner"],
    [reviewer.name, flags.reviewer_command, "reviewer"]
  ] as const) {
    if (name === null || specs[name] !== undefined) continue
    const spec = specOf(name, command, flags.model, known)
    if (spec === undefined) return Result.fail(agentUnknown(name, role, Object.keys(known)))
    if (role !== "reviewer" && "judge" in spec) return Result.fail(agentOnlyJudges(name))
    if (role === "agent" && "api" in spec) return Result.fail(agentOnlyAnswers(name))
    specs[name] = recordedAs(spec, isRecorded)
  }
  return Result.succeed({
    ...before,
    // attempts beside each other need somebody each
    ...(settings.workers === undefined && settings.attempts !== undefined && before === defaultRunConfig
      ? { workers: Math.max(before.workers, settings.attempts) }
      : {}),
    attempts_looped: false,
    unshown_retried: true as const,
    commands_last: true as const,
    ...settings,
    agent,
    ...(fallback.length === 0 ? {} : { fallback: [...new Set(fallback)] }),
    ...(planner === null ? {} : { planner }),
    reviewer: reviewer.name,
    reviewer_named: reviewer.named,
    agents: specs as unknown as RunConfig["agents"],
    budget: budgetOf(flags, said, before.budget),
    ...(before === defaultRunConfig ? {} : { chunking: retriedAs(before.chunking, flags) })
  })
}

/**
 * What counts as proof and how evidence is judged, as proofline.yaml says. The command line accepts more: what it names is
 * recorded with the run, so that its log says by whose word something was weak.
 */
export const judgedBy = (
  config: RunConfig,
  {
    evidence,
    proof
  }: { readonly evidence: Partial<RunConfig["evidence"]>; readonly proof: Partial<ProofConfig> | null },
  flags: ProofFlags
): RunConfig => {
  // where checks lie is not recorded
  const { accept = [], checks_from: _, ...said } = proofSaid(flags)
  const before = config.proof
  return {
    ...config,
    evidence: { ...config.evidence, ...evidence },
    proof: { ...before, ...proof, ...said, accept: [...new Set([...(proof?.accept ?? before.accept), ...accept])] }
  }
}

/** What of it was said at all. */
const proofSaid = (flags: ProofFlags) => given(Struct.pick(flags, Struct.keys(proofOptions)))

/** Whether something was said of what counts as proof. */
export const saysProof = (flags: ProofFlags): boolean =>
  Object.values(proofSaid(flags)).some((one) => !Array.isArray(one) || one.length > 0)

/** Every limit for itself; a step is one of this invocation alone. */
const budgetOf = ({ step }: RunFlags, sources: ReadonlyArray<RunDefaults>, before: Budget): Budget => ({
  ...before,
  ...Object.assign({}, ...sources.map(({ budget }) => budget)),
  max_calls: step === true ? 1 : null
})

/** Work done at the same time. A step is one call of an agent: nobody else is asked meanwhile. */
export const workersOf = ({ budget, workers }: RunConfig): number => (budget.max_calls === null ? workers : 1)

/**
 * The configuration of a run that may split tasks. Later ones win: the defaults, how the run retries its tasks, the
 * project's files, the command line. `workers` and the limits of the files' sections take the place of the run's.
 */
export const resolveChunking = (
  config: RunConfig,
  flags: RunFlags & ChunkFlags,
  files: RunDefaults,
  sections: ReadonlyArray<ChunkingSettings>
): Result.Result<RunConfig, Problem> => {
  const { conflict_resolution, ...split } = given(Struct.pick(flags, Struct.keys(splitOptions)))
  const said: ChunkingSettings = {
    ...split,
    ...partsAs(runDefaultsOf(flags)),
    aggregation_strategy: given({ conflict_resolution })
  }
  return Result.map(mergeChunking(partsAs(files), ...sections, said), (merged) => {
    const chunking = { ...merged, fail_fast_apart: true as const }
    const { idle_timeout_ms, timeout_ms, workers }: ChunkingSettings = Object.assign({}, ...sections)
    const settings = given({ idle_timeout_ms, timeout_ms, workers })
    const isCustom = chunking.aggregation_strategy.type === "custom"
    const looked = isCustom ? { ...chunking, custom_looked_at: true as const } : chunking
    return { ...config, chunking: looked, ...settings, ...given(Struct.pick(flags, Struct.keys(settings))) }
  })
}

/** What is said of tasks, as it holds for their parts where nothing else is said of these. */
const partsAs = (said: RunDefaults): ChunkingSettings => ({
  retry: retryOf(said),
  ...given(Struct.pick(said, ["fail_fast"]))
})

/** How a task is tried again, and so its subtasks. */
const retryOf = (said: RunDefaults) =>
  given(Struct.pick(said, ["max_retries", "retry_delay_ms", "backoff_multiplier", "retry_on"]))

/** On a resume: what could not be put together may be put together in another way. */
export const withConflictResolution = (
  config: RunConfig,
  conflict_resolution: ChunkFlags["conflict_resolution"]
): RunConfig =>
  conflict_resolution === undefined
    ? config
    : {
        ...config,
        chunking: {
          ...config.chunking,
          aggregation_strategy: { ...config.chunking.aggregation_strategy, conflict_resolution }
        }
      }

/** On a resume: subtasks are tried again, and fail fast, as the command line says of tasks. */
const retriedAs = (chunking: RunConfig["chunking"], flags: RunFlags): RunConfig["chunking"] => ({
  ...chunking,
  ...(chunking.fail_fast_apart === true ? given(Struct.pick(flags, ["fail_fast"])) : {}),
  retry: { ...chunking.retry, ...retryOf(runDefaultsOf(flags)) }
})

/** A run under its rules of before, but for what a resume says of the first failure. */
export const failingAs = (config: RunConfig, flags: RunFlags): RunConfig => ({
  ...config,
  ...given(Struct.pick(flags, ["fail_fast"])),
  chunking: retriedAs(config.chunking, flags)
})

/** What only judges or answers works for nobody. */
const canWork = (spec: RunAgent): boolean => !("judge" in spec || "api" in spec)

/** On a resume: the agent of before; otherwise the only one that the project configures. */
const soleAgent = (before: RunConfig, agents: Agents): string | undefined => {
  if (before !== defaultRunConfig) return before.agent
  const names = Object.keys(agents).filter((name) => canWork(agents[name] as RunAgent))
  return names.length === 1 ? names[0] : undefined
}

/** Who reviews. Unless somebody is named, the working agent itself is asked in the role `review`. */
const reviewerOf = (
  flags: RunFlags,
  files: RunDefaults,
  before: RunConfig,
  agent: string
): { readonly name: string | null; readonly named: boolean } => {
  if (flags.reviewer === "none") return { name: null, named: true }
  // a command of its own is an agent of its own, whatever the working agent is called
  if (flags.reviewer_command !== undefined) return { name: "reviewer", named: true }
  if (flags.reviewer !== undefined) return { name: flags.reviewer, named: true }
  if (files.reviewer !== undefined) return { name: files.reviewer, named: true }
  if (before !== defaultRunConfig && before.reviewer_named) return { name: before.reviewer, named: true }
  return { name: agent, named: false }
}

const hasRecord = (spec: RunAgent): boolean => "record" in spec

const recordedAs = (spec: RunAgent, isRecorded: boolean): RunAgent => {
  if ("replay" in spec) return spec
  const { record: _, ...plain } = spec
  return isRecorded ? { ...plain, record: true } : plain
}

const specOf = (
  name: string,
  command: string | undefined,
  model: string | undefined,
  known: Agents
): RunAgent | undefined => {
  if (command !== undefined) return { command }
  const spec = known[name] ?? (isPreset(name) ? { preset: name } : undefined)
  return spec !== undefined && "preset" in spec && model !== undefined ? { ...spec, model } : spec
}

const agentConflict = (role: string, name: string): Problem => ({
  code: "agent_conflict",
  message: `--${role} names "${name}", and --${role}-command gives a command beside it.`,
  hint: `Leave one of them out; --${role}-command goes alone or with --${role} command.`
})

const agentMissing: Problem = {
  code: "agent_missing",
  message: "No agent is configured.",
  hint: `Name one: --agent auto for the first that is installed, --agent ${presets.join("|")}, or --agent command --agent-command '<shell command>', or \`agent:\` in proofline.yaml.`
}

const agentOnlyJudges = (name: string): Problem => ({
  code: "agent_invalid",
  message: `"${name}" only judges by its exit code; it cannot work.`,
  hint: `Name it with --reviewer ${name}, and another one as the agent.`
})

const agentOnlyAnswers = (name: string): Problem => ({
  code: "agent_invalid",
  message: `"${name}" is a model without tools: it can change no file, and so it cannot work.`,
  hint: `Name it with --planner ${name} or --reviewer ${name}, and another one as the agent.`
})

const agentUnknown = (name: string, role: string, configured: ReadonlyArray<string>): Problem => {
  if (name === "command")
    return {
      code: "agent_unknown",
      message: `The ${role} is a command, but no command is given.`,
      hint: `Give it with --${role}-command '<shell command>', or \`agent_command:\` in proofline.yaml.`
    }
  const known = [...new Set([...configured, ...presets, "command", ...(role === "agent" ? ["auto"] : [])])]
  const near = closest(name, known)
  return {
    code: "agent_unknown",
    message: `There is no ${role} called "${name}".`,
    hint: `${near === undefined ? "" : `Did you mean \`${near}\`? `}Known: ${known.join(", ")}. Others are defined under \`agents:\` in proofline.yaml.`
  }
}
