import type { RetryConfig } from "../run/config.ts"
import type { AttemptOutcome } from "./schemas.ts"

/** The longest wait, ms: one day. */
export const maxDelayMs = 24 * 60 * 60_000

/**
 * Wait before the next attempt in ms: `retry_delay_ms · backoff_multiplier ^ retry_count`, where `retry_count` are the
 * retries used before this one. With the defaults 2,000, then 3,000. Source: task chunking §5.
 */
export const retryDelayMs = (config: RetryConfig, retryCount: number): number =>
  // 0 · Infinity is no number: a run that does not wait never does
  config.retry_delay_ms === 0
    ? 0
    : Math.min(maxDelayMs, Math.round(config.retry_delay_ms * config.backoff_multiplier ** retryCount))

/** Whether an attempt that ended like this may be tried again after `retryCount` retries. LOST has its own budget. */
export const mayRetry = (
  config: RetryConfig,
  outcome: Exclude<AttemptOutcome, "COMPLETE" | "LOST">,
  retryCount: number
): boolean => retryCount < config.max_retries && config.retry_on.includes(outcome)
