import type { Schema } from "effect"

// What versions 1 and 2 did not know: splitting tasks, and the files that changed during an attempt. Everything in words
// and literals of its own, so that it never changes.

type Json = Schema.Json
type Fields = Readonly<Record<string, Json>>

const chunking: Json = {
  enabled: true,
  auto_detect: true,
  min_subtasks: 2,
  max_subtasks: 10,
  execution_mode: "auto",
  retry: {
    max_retries: 2,
    retry_delay_ms: 2000,
    backoff_multiplier: 1.5,
    retry_on: ["INCOMPLETE", "ERROR", "TIMEOUT"]
  },
  fail_fast: false,
  review_loop_per_subtask: true,
  max_iterations: 3,
  analyzer: "heuristic",
  workspace: "shared",
  aggregation_strategy: { type: "merge_all", conflict_resolution: "fail" }
}

/** Of RUN_STARTED and RUN_RESUMED. */
export const configured = (content: Json): Json => {
  const fields = content as Fields
  const config = fields["config"]
  return config === null || config === undefined ? content : { ...fields, config: { ...(config as Fields), chunking } }
}

export const taskRegistered = (content: Json): Json => ({ ...(content as Fields), chunk: "no" })

export const attemptEnded = (content: Json): Json => ({ ...(content as Fields), files_modified: null })
