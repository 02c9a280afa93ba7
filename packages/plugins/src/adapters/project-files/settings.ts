/** Settings of a run as files give them: at the top of proofline.yaml, under `defaults` elsewhere. */
import { type Budget, defaultRunConfig, RetryCondition, type RunConfig } from "@proofline/kernel"
import { Schema } from "effect"
import { given } from "./decodeFile.ts"
import { list, number, oneOf, optional, text, textLike, trueOrFalse, wholeNumber } from "./fileSchema.ts"
import { quoted } from "./words.ts"

/** What a file says about how to run; what it leaves open is decided elsewhere. `reviewer: none` is null. */
export type RunDefaults = Partial<
  Pick<
    RunConfig,
    | "agent"
    | "reviewer"
    | "workers"
    | "max_retries"
    | "retry_delay_ms"
    | "backoff_multiplier"
    | "retry_on"
    | "timeout_ms"
    | "check_timeout_ms"
    | "idle_timeout_ms"
    | "fail_fast"
  >
> & {
  /** Limits that are left out are decided elsewhere. */
  readonly budget?: Partial<Budget>
}

/** The longest time a timer of Node can wait: 24.8 days. */
const maxDelayMs = 2_147_483_647

const limitMs = wholeNumber(1, maxDelayMs)
const limit = wholeNumber(1, 1_000_000_000_000)

/** What a timer can wait, at most. */
const durationPattern = /^(?:[1-9][0-9]{0,8}ms|[1-9][0-9]{0,5}s|[1-9][0-9]{0,3}m|[1-9][0-9]?h)$/
const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

const duration = textLike("a duration such as 90s, 30m or 2h", durationPattern, (value, name) => ({
  code: "duration_invalid",
  message: `${name} cannot be ${quoted(value)}.`,
  hint: "Write a whole number and its unit, at most 99h: 500ms, 90s, 30m or 2h."
}))

const msOf = (value: string): number =>
  Number.parseInt(value, 10) * units[value.replace(/\d+/, "") as keyof typeof units]

export const runFields = {
  agent: optional(text("the name of an agent"), {
    title: "Agent",
    description: "Name of the agent that works.",
    examples: ["claude", "command"]
  }),
  reviewer: optional(text("the name of an agent, or `none`"), {
    title: "Reviewer",
    description:
      "Name of the agent that judges `validation`, or `none` for nobody. When left out, the working agent is asked.",
    examples: ["none", "codex"]
  }),
  workers: optional(wholeNumber(1, 10_000), {
    title: "Workers",
    description: "Attempts that may run at the same time.",
    default: defaultRunConfig.workers
  }),
  max_retries: optional(wholeNumber(0, 10_000), {
    title: "Retries",
    description: "How often a task is tried again after its first attempt.",
    default: defaultRunConfig.max_retries
  }),
  retry_delay_ms: optional(wholeNumber(0, maxDelayMs), {
    title: "Wait before a retry",
    description: "Milliseconds before the first retry; each further wait is `backoff_multiplier` times as long.",
    default: defaultRunConfig.retry_delay_ms
  }),
  backoff_multiplier: optional(number(0, 1_000), {
    title: "Growth of the wait",
    description: "The wait before retry n (from 0) is `retry_delay_ms` · `backoff_multiplier` ^ n.",
    default: defaultRunConfig.backoff_multiplier
  }),
  retry_on: optional(list(oneOf(RetryCondition.literals), "any of INCOMPLETE, ERROR and TIMEOUT"), {
    title: "What is tried again",
    description: "Endings of an attempt after which the task is tried again.",
    examples: [["ERROR", "TIMEOUT"]],
    default: defaultRunConfig.retry_on
  }),
  timeout_ms: optional(limitMs, {
    title: "Limit of an attempt",
    description: "Milliseconds after which an attempt is ended.",
    default: defaultRunConfig.timeout_ms
  }),
  check_timeout_ms: optional(limitMs, {
    title: "Limit of a check",
    description: "Milliseconds after which a check command is ended and counts as failed.",
    default: defaultRunConfig.check_timeout_ms
  }),
  idle_timeout_ms: optional(Schema.NullOr(limitMs), {
    title: "Limit of silence",
    description:
      "Milliseconds without any output after which an attempt is ended; null: silence is no reason to end it.",
    default: defaultRunConfig.idle_timeout_ms
  }),
  fail_fast: optional(trueOrFalse, {
    title: "Stop at the first failure",
    description: "true: one failed task ends the run. false: tasks that do not depend on it go on.",
    default: defaultRunConfig.fail_fast
  }),
  max_attempts: optional(limit, {
    title: "Most attempts",
    description: "The run stops before it begins more attempts than this; `resume` goes on with a new budget.",
    examples: [20]
  }),
  max_duration: optional(duration, {
    title: "Longest time",
    description: "The run is stopped after so long, a whole number with its unit; `resume` goes on with a new budget.",
    examples: ["30m", "2h"]
  }),
  max_tokens: optional(limit, {
    title: "Most tokens",
    description:
      "No agent is asked any more once those that say what they use have used so many, input and output together.",
    examples: [2_000_000]
  }),
  max_cost: optional(number(0.0001, 1_000_000), {
    title: "Highest cost",
    description: "No agent is asked any more once those that say what they cost have cost so many US dollars.",
    examples: [5]
  })
}

const Settings = Schema.Struct(runFields)

/** What people write instead of a key. */
export const runSynonyms = {
  workers: ["concurrency", "parallel", "max_workers", "parallelism"],
  max_retries: ["retries"],
  retry_delay_ms: ["retry_delay"],
  backoff_multiplier: ["backoff"],
  timeout_ms: ["timeout"],
  check_timeout_ms: ["check_timeout"],
  idle_timeout_ms: ["idle_timeout"],
  max_attempts: ["attempts"],
  max_duration: ["max_duration_ms", "duration", "max_time"],
  max_tokens: ["tokens", "token_budget"],
  max_cost: ["max_cost_usd", "cost", "budget"]
} as const

/** Picks the run defaults out of a mapping that also has other keys. */
export const runDefaultsOf = (written: typeof Settings.Type): RunDefaults => {
  const { agent, reviewer, workers, max_retries, retry_delay_ms, backoff_multiplier } = written
  const { retry_on, timeout_ms, check_timeout_ms, idle_timeout_ms, fail_fast } = written
  const budget = given({
    max_attempts: written.max_attempts,
    max_duration_ms: written.max_duration === undefined ? undefined : msOf(written.max_duration),
    max_tokens: written.max_tokens,
    max_cost_usd: written.max_cost
  }) as Partial<Budget>
  return given({
    agent: agent?.trim(),
    reviewer: reviewer?.trim() === "none" ? null : reviewer?.trim(),
    workers,
    max_retries,
    retry_delay_ms,
    backoff_multiplier,
    retry_on: retry_on === undefined ? undefined : Array.from(new Set(retry_on)),
    timeout_ms,
    check_timeout_ms,
    idle_timeout_ms,
    fail_fast,
    budget: Object.keys(budget).length === 0 ? undefined : budget
  }) as RunDefaults
}
