import { type Budget, RetryCondition, type RunConfig } from "@proofline/kernel"
import {
  list,
  mapped,
  number,
  oneOf,
  optional,
  orNull,
  type Read,
  refined,
  type Shape,
  text,
  trimmed,
  trueOrFalse
} from "./shape.ts"
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

const waitMs = number({ whole: true, min: 0, max: maxDelayMs })
const limitMs = number({ whole: true, min: 1, max: maxDelayMs })

/** What a timer can wait, at most. */
const durationPattern = /^(?:[1-9]\d{0,8}ms|[1-9]\d{0,5}s|[1-9]\d{0,3}m|[1-9]\d?h)$/
const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** A duration with its unit, in ms. */
const duration: Shape<number> = mapped(
  refined(text("a duration such as 90s, 30m or 2h"), (value, subject) =>
    durationPattern.test(value)
      ? undefined
      : {
          code: "duration_invalid",
          message: `${subject.name} cannot be ${quoted(value)}.`,
          hint: "Write a whole number and its unit, at most 99h: 500ms, 90s, 30m or 2h."
        }
  ),
  (value) => Number.parseInt(value, 10) * units[value.replace(/\d+/, "") as keyof typeof units]
)

const limit = number({ whole: true, min: 1, max: 1_000_000_000_000 })

export const runFields = {
  agent: optional(trimmed("the name of an agent")),
  reviewer: optional(mapped(trimmed("the name of an agent, or `none`"), (name) => (name === "none" ? null : name))),
  workers: optional(number({ whole: true, min: 1, max: 10_000 })),
  max_retries: optional(number({ whole: true, min: 0, max: 10_000 })),
  retry_delay_ms: optional(waitMs),
  backoff_multiplier: optional(number({ whole: false, min: 0, max: 1_000 })),
  retry_on: optional(
    mapped(list(oneOf(RetryCondition.literals), "any of INCOMPLETE, ERROR and TIMEOUT"), (values) =>
      Array.from(new Set(values))
    )
  ),
  timeout_ms: optional(limitMs),
  check_timeout_ms: optional(limitMs),
  idle_timeout_ms: optional(orNull(limitMs)),
  fail_fast: optional(trueOrFalse),
  max_attempts: optional(limit),
  max_duration: optional(duration),
  max_tokens: optional(limit),
  max_cost: optional(number({ whole: false, min: 0.0001, max: 1_000_000 }))
}

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
export const runDefaultsOf = (read: Read<typeof runFields>): RunDefaults => {
  const { agent, reviewer, workers, max_retries, retry_delay_ms, backoff_multiplier } = read
  const { retry_on, timeout_ms, check_timeout_ms, idle_timeout_ms, fail_fast } = read
  const budget = budgetOf(read)
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(reviewer === undefined ? {} : { reviewer }),
    ...(workers === undefined ? {} : { workers }),
    ...(max_retries === undefined ? {} : { max_retries }),
    ...(retry_delay_ms === undefined ? {} : { retry_delay_ms }),
    ...(backoff_multiplier === undefined ? {} : { backoff_multiplier }),
    ...(retry_on === undefined ? {} : { retry_on }),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    ...(check_timeout_ms === undefined ? {} : { check_timeout_ms }),
    ...(idle_timeout_ms === undefined ? {} : { idle_timeout_ms }),
    ...(fail_fast === undefined ? {} : { fail_fast }),
    ...(Object.keys(budget).length === 0 ? {} : { budget })
  }
}

const budgetOf = ({ max_attempts, max_cost, max_duration, max_tokens }: Read<typeof runFields>): Partial<Budget> => ({
  ...(max_attempts === undefined ? {} : { max_attempts }),
  ...(max_duration === undefined ? {} : { max_duration_ms: max_duration }),
  ...(max_tokens === undefined ? {} : { max_tokens }),
  ...(max_cost === undefined ? {} : { max_cost_usd: max_cost })
})
