import {
  type Budget,
  defaultProof,
  defaultRunConfig,
  meant,
  type ProofConfig,
  type RunConfig,
  WeakReason
} from "@proofline/kernel"
import type { AgentSpec } from "@proofline/plugins/adapters/command-agent"
import { type ChunkingSettings, mergeChunking, type RunDefaults } from "@proofline/plugins/adapters/project-files"
import { Result } from "effect"
import type { Problem } from "./problems.ts"

/** What was said on the command line about how to run. Undefined: nothing. */
export interface RunFlags extends ProofFlags {
  readonly agent?: string | undefined
  readonly agentCommand?: string | undefined
  readonly model?: string | undefined
  readonly reviewer?: string | undefined
  readonly reviewerCommand?: string | undefined
  readonly workers?: number | undefined
  readonly maxRetries?: number | undefined
  readonly retryDelayMs?: number | undefined
  readonly timeoutMs?: number | undefined
  readonly checkTimeoutMs?: number | undefined
  readonly failFast?: boolean | undefined
  readonly maxAttempts?: number | undefined
  readonly maxDurationMs?: number | undefined
  readonly maxTokens?: number | undefined
  /** US dollars. */
  readonly maxCost?: number | undefined
  /** Stops after every call of an agent. */
  readonly step?: boolean | undefined
}

/** What was said on the command line about what counts as proof. */
export interface ProofFlags {
  /** Reasons with commas between, as often as the flag was given. */
  readonly accept?: ReadonlyArray<string> | undefined
  /** From 0 to 1. */
  readonly maxWaived?: number | undefined
}

/** What was said on the command line about splitting tasks. */
export interface ChunkFlags {
  readonly analyzer?: string | undefined
  readonly executionMode?: "auto" | "parallel" | "sequential" | undefined
  readonly minSubtasks?: number | undefined
  readonly maxSubtasks?: number | undefined
  readonly maxIterations?: number | undefined
  readonly workspace?: "auto" | "shared" | "worktree" | undefined
  readonly conflictResolution?: "fail" | "overwrite" | "manual" | undefined
}

export type Agents = Readonly<Record<string, AgentSpec>>

/** Clients that need no command line of the user. */
export const presets = ["claude", "codex", "gemini", "opencode"] as const
type Preset = (typeof presets)[number]
const isPreset = (name: string): name is Preset => (presets as ReadonlyArray<string>).includes(name)

/** Later ones win: defaults, the project's configuration, the tasks file, the command line. */
export const resolveConfig = (
  flags: RunFlags,
  sources: ReadonlyArray<RunDefaults>,
  agents: Agents,
  before: RunConfig = defaultRunConfig
): Result.Result<RunConfig, Problem> => {
  const { budget: _, ...files }: RunDefaults = Object.assign({}, ...sources)
  for (const [role, name, command] of [
    ["agent", flags.agent, flags.agentCommand],
    ["reviewer", flags.reviewer, flags.reviewerCommand]
  ] as const) {
    if (name !== undefined && name !== "command" && command !== undefined) return Result.fail(agentConflict(role, name))
  }
  const agent =
    flags.agent ?? (flags.agentCommand === undefined ? (files.agent ?? soleAgent(before, agents)) : "command")
  if (agent === undefined) return Result.fail(agentMissing)
  const reviewer = reviewerOf(flags, files, before, agent)
  const known = { ...(before.agents as unknown as Agents), ...agents }
  const specs: Record<string, AgentSpec> = {}
  for (const [name, command, role] of [
    [agent, flags.agentCommand, "agent"],
    [reviewer.name, flags.reviewerCommand, "reviewer"]
  ] as const) {
    if (name === null || specs[name] !== undefined) continue
    const spec = specOf(name, command, flags.model, known)
    if (spec === undefined) return Result.fail(agentUnknown(name, role, Object.keys(known)))
    if (role === "agent" && "judge" in spec) return Result.fail(agentOnlyJudges(name))
    specs[name] = spec
  }
  return Result.succeed({
    ...before,
    ...files,
    agent,
    reviewer: reviewer.name,
    reviewer_named: reviewer.named,
    agents: specs as unknown as RunConfig["agents"],
    budget: budgetOf(flags, sources, before.budget),
    ...(before === defaultRunConfig ? {} : { chunking: retriedAs(before.chunking, flags) }),
    ...defined({
      workers: flags.workers,
      max_retries: flags.maxRetries,
      retry_delay_ms: flags.retryDelayMs,
      timeout_ms: flags.timeoutMs,
      check_timeout_ms: flags.checkTimeoutMs,
      fail_fast: flags.failFast
    })
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
  { accept = [], maxWaived }: ProofFlags
): Result.Result<RunConfig, Problem> => {
  const isSaid = accept.length > 0 || maxWaived !== undefined
  const before = config.proof === null && proof === null && !isSaid ? null : (config.proof ?? defaultProof)
  return Result.map(acceptedReasons(accept), (accepted) => ({
    ...config,
    evidence: { ...config.evidence, ...evidence },
    proof:
      before === null
        ? null
        : {
            accept: [...new Set([...(proof?.accept ?? before.accept), ...accepted])],
            max_waived: maxWaived ?? proof?.max_waived ?? before.max_waived
          }
  }))
}

const acceptedReasons = (said: ReadonlyArray<string>): Result.Result<ReadonlyArray<WeakReason>, Problem> => {
  const known = WeakReason.literals
  const named = said.flatMap((one) => one.split(",")).map((one) => one.trim())
  const unknown = named.find((one) => !known.some((reason) => reason === one))
  if (unknown === undefined) return Result.succeed(known.filter((reason) => named.includes(reason)))
  const near = meant(unknown.toLowerCase().replaceAll("-", "_"), known)
  return Result.fail({
    code: "accept_unknown",
    message: `--accept ${JSON.stringify(unknown.slice(0, 100))} is no reason for which evidence is refused.`,
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}Reasons: ${known.join(", ")}.`
  })
}

/** Every limit for itself; a step is one of this invocation alone. */
const budgetOf = (flags: RunFlags, sources: ReadonlyArray<RunDefaults>, before: Budget): Budget => ({
  ...before,
  ...Object.assign({}, ...sources.map(({ budget }) => budget)),
  ...defined({
    max_attempts: flags.maxAttempts,
    max_duration_ms: flags.maxDurationMs,
    max_tokens: flags.maxTokens,
    max_cost_usd: flags.maxCost
  }),
  max_calls: flags.step === true ? 1 : null
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
  const { backoff_multiplier, max_retries, retry_delay_ms, retry_on } = files
  const asTheRun: ChunkingSettings = {
    retry: defined({ backoff_multiplier, max_retries, retry_delay_ms, retry_on })
  }
  const said: ChunkingSettings = defined({
    analyzer: flags.analyzer,
    execution_mode: flags.executionMode,
    min_subtasks: flags.minSubtasks,
    max_subtasks: flags.maxSubtasks,
    max_iterations: flags.maxIterations,
    workspace: flags.workspace,
    retry: defined({ max_retries: flags.maxRetries, retry_delay_ms: flags.retryDelayMs }),
    aggregation_strategy: defined({ conflict_resolution: flags.conflictResolution })
  })
  return Result.map(mergeChunking(asTheRun, ...sections, said), (chunking) => {
    const section: ChunkingSettings = Object.assign({}, ...sections)
    return {
      ...config,
      chunking,
      ...(flags.workers === undefined && section.workers !== undefined ? { workers: section.workers } : {}),
      ...(flags.timeoutMs === undefined && section.timeout_ms !== undefined ? { timeout_ms: section.timeout_ms } : {}),
      ...(section.idle_timeout_ms === undefined ? {} : { idle_timeout_ms: section.idle_timeout_ms })
    }
  })
}

const defined = <T extends object>(values: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never

/** On a resume: what could not be put together may be put together in another way. */
export const withConflictResolution = (
  config: RunConfig,
  conflict_resolution: ChunkFlags["conflictResolution"]
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

/** On a resume: subtasks are tried again as the command line says of tasks. */
const retriedAs = (chunking: RunConfig["chunking"], flags: RunFlags): RunConfig["chunking"] => ({
  ...chunking,
  retry: { ...chunking.retry, ...defined({ max_retries: flags.maxRetries, retry_delay_ms: flags.retryDelayMs }) }
})

/** On a resume: the agent of before; otherwise the only one that the project configures. */
const soleAgent = (before: RunConfig, agents: Agents): string | undefined => {
  if (before !== defaultRunConfig) return before.agent
  // what only judges works for nobody
  const names = Object.keys(agents).filter((name) => !("judge" in (agents[name] as AgentSpec)))
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
  if (flags.reviewerCommand !== undefined) return { name: "reviewer", named: true }
  if (flags.reviewer !== undefined) return { name: flags.reviewer, named: true }
  if (files.reviewer !== undefined) return { name: files.reviewer, named: true }
  if (before !== defaultRunConfig && before.reviewer_named) return { name: before.reviewer, named: true }
  return { name: agent, named: false }
}

const specOf = (
  name: string,
  command: string | undefined,
  model: string | undefined,
  known: Agents
): AgentSpec | undefined => {
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
  hint: `Name one: --agent ${presets.join("|")}, or --agent command --agent-command '<shell command>', or \`agent:\` in proofline.yaml.`
}

const agentOnlyJudges = (name: string): Problem => ({
  code: "agent_invalid",
  message: `"${name}" only judges by its exit code; it cannot work.`,
  hint: `Name it with --reviewer ${name}, and another one as the agent.`
})

const agentUnknown = (name: string, role: string, known: ReadonlyArray<string>): Problem => ({
  code: "agent_unknown",
  message:
    name === "command" ? `The ${role} is a command, but no command is given.` : `There is no ${role} called "${name}".`,
  hint:
    name === "command"
      ? `Give it with --${role}-command '<shell command>', or \`agent_command:\` in proofline.yaml.`
      : `Known: ${[...new Set([...known, ...presets])].join(", ")}. Others are defined under \`agents:\` in proofline.yaml.`
})

/** `90`, `90s`, `5m`, `1h`, `500ms` → ms; undefined when it is none of them. A bare number is seconds. */
export const durationMs = (text: string): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim())
  if (match === null) return undefined
  const factor = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[match[2] ?? "s"] ?? 1_000
  const ms = Math.round(Number(match[1]) * factor)
  return ms >= 1 && ms <= 2_147_483_647 ? ms : undefined
}
