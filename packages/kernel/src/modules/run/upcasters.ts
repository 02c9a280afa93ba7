import type { Schema } from "effect"

// Steps of the schema versions of this module's events, in words and literals of their own, so that they never change.

type Json = Schema.Json
type Fields = Readonly<Record<string, Json>>

/** Values or keys that may be left out were added: what was written before means the same. */
export const widened = (content: Json): Json => content

// Version 2: strict evidence, ablation, messages of the project, the state before the run.

const config = (value: Json | undefined): Json =>
  value === null || value === undefined
    ? null
    : { ...(value as Fields), evidence: { strict: false, ablation: false }, messages: {} }

export const runStarted = (content: Json): Json => {
  const fields = content as Fields
  return { ...fields, config: config(fields["config"]), base: null }
}

export const runResumed = (content: Json): Json => {
  const fields = content as Fields
  return { ...fields, config: config(fields["config"]) }
}

// Version 3: splitting tasks.

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

// Version 4: a budget.

const budget: Json = {
  max_attempts: null,
  max_calls: null,
  max_duration_ms: null,
  max_tokens: null,
  max_cost_usd: null
}

/** Of RUN_STARTED and RUN_RESUMED. */
export const budgeted = (content: Json): Json => {
  const fields = content as Fields
  const config = fields["config"]
  return config === null || config === undefined ? content : { ...fields, config: { ...(config as Fields), budget } }
}

// Version 5: what counts as proof.

/** Of RUN_STARTED and RUN_RESUMED. */
export const provenAsBefore = (content: Json): Json => {
  const fields = content as Fields
  const config = fields["config"]
  return config === null || config === undefined
    ? content
    : { ...fields, config: { ...(config as Fields), proof: null } }
}
