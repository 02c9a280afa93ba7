import { RetryCondition, type RunConfig } from "@proofline/kernel"
import { list, mapped, number, oneOf, optional, orNull, type Read, trimmed, trueOrFalse } from "./shape.ts"

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
>

/** The longest time a timer of Node can wait: 24.8 days. */
const maxDelayMs = 2_147_483_647

const waitMs = number({ whole: true, min: 0, max: maxDelayMs })
const limitMs = number({ whole: true, min: 1, max: maxDelayMs })

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
  fail_fast: optional(trueOrFalse)
}

/** What people write instead of a key. */
export const runSynonyms = {
  workers: ["concurrency", "parallel", "max_workers", "parallelism"],
  max_retries: ["retries"],
  retry_delay_ms: ["retry_delay"],
  backoff_multiplier: ["backoff"],
  timeout_ms: ["timeout"],
  check_timeout_ms: ["check_timeout"],
  idle_timeout_ms: ["idle_timeout"]
} as const

/** Picks the run defaults out of a mapping that also has other keys. */
export const runDefaultsOf = (read: Read<typeof runFields>): RunDefaults => {
  const { agent, reviewer, workers, max_retries, retry_delay_ms, backoff_multiplier } = read
  const { retry_on, timeout_ms, check_timeout_ms, idle_timeout_ms, fail_fast } = read
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
    ...(fail_fast === undefined ? {} : { fail_fast })
  }
}
