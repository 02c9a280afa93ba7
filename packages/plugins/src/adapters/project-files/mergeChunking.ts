import { type ChunkingConfig, defaultChunkingConfig } from "@proofline/kernel"
import { Result } from "effect"
import type { ChunkingSettings } from "./chunking.ts"
import type { Problem } from "./Problem.ts"

/** What is wrong with settings of several sources taken together; it has no one place. */
export type ChunkingFault = Pick<Problem, "code" | "message" | "hint">

/** Settings by group, so that one of a group leaves the others of it as they are. */
const over = (config: ChunkingConfig, settings: ChunkingSettings): ChunkingConfig => {
  const { aggregation_strategy, idle_timeout_ms: _, retry, timeout_ms: __, workers: ___, ...plain } = settings
  const merged = { ...config.retry, ...retry }
  return {
    ...config,
    ...plain,
    retry: { ...merged, retry_on: Array.from(new Set(merged.retry_on)) },
    aggregation_strategy: { ...config.aggregation_strategy, ...aggregation_strategy }
  }
}

/**
 * The defaults with what the sources say, the later over the earlier; null says nothing. Fails with
 * `subtasks_bounds` when more subtasks are required than allowed. `workers`, `timeout_ms` and `idle_timeout_ms`
 * belong to the run and are left out.
 */
export const mergeChunking = (
  ...sources: ReadonlyArray<ChunkingSettings | null>
): Result.Result<ChunkingConfig, ChunkingFault> => {
  const given = sources.filter((source) => source !== null)
  const config = given.reduce(over, defaultChunkingConfig)
  if (config.min_subtasks <= config.max_subtasks) return Result.succeed(config)
  const said = (key: "min_subtasks" | "max_subtasks"): string =>
    `\`chunking.${key}\` is ${config[key]}${given.some((source) => source[key] !== undefined) ? "" : " by default"}`
  return Result.fail({
    code: "subtasks_bounds",
    message: `${said("min_subtasks")}, but ${said("max_subtasks")}.`,
    hint: "Raise `max_subtasks` or lower `min_subtasks`, in proofline.yaml, .claude/task-chunking.json or on the command line."
  })
}
