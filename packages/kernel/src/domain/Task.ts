import { Schema } from "effect"
import { ChunkingConfig, defaultChunkingConfig, RetryConfig } from "./Chunking.ts"

/** One thing that must be true for a task. `check` is a shell command that must exit 0 for the item to hold. */
export const ChecklistItemSpec = Schema.Struct({
  item: Schema.String,
  check: Schema.optionalKey(Schema.String),
  /** The check must also fail without the lines that are cited; left out: as the run is configured. */
  ablation: Schema.optionalKey(Schema.Boolean),
  /** Ids of the acceptance criteria it shows; left out: those that its task covers. */
  covers: Schema.optionalKey(Schema.Array(Schema.String))
})
export type ChecklistItemSpec = typeof ChecklistItemSpec.Type

/** A unit of work as registered. `title` is the `name` of a tasks.yaml. */
export const TaskSpec = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  instruction: Schema.String,
  /** Criteria judged by the reviewer. */
  validation: Schema.Array(Schema.String),
  /** Shell commands, all of which must exit 0. */
  checks: Schema.Array(Schema.String),
  depends_on: Schema.Array(Schema.String),
  checklist: Schema.Array(ChecklistItemSpec),
  /** Whether it is analysed and split: never, when the run splits by itself, or because somebody asked for it. */
  chunk: Schema.Literals(["no", "auto", "asked"])
})
export type TaskSpec = typeof TaskSpec.Type

/** What a run may spend until it is resumed; null: no limit. */
export const Budget = Schema.Struct({
  /** Attempts at tasks. */
  max_attempts: Schema.NullOr(Schema.Int),
  /** Calls of agents in any role; 1 lets a person look at every one. */
  max_calls: Schema.NullOr(Schema.Int),
  /** From the start or the last resume, in ms. */
  max_duration_ms: Schema.NullOr(Schema.Int),
  /** Input and output together, as far as agents report it. */
  max_tokens: Schema.NullOr(Schema.Int),
  /** US dollars, as far as agents report it. */
  max_cost_usd: Schema.NullOr(Schema.Number)
})
export type Budget = typeof Budget.Type

/** No limit at all. */
export const unlimited: Budget = {
  max_attempts: null,
  max_calls: null,
  max_duration_ms: null,
  max_tokens: null,
  max_cost_usd: null
}

/** What governs a run. Recorded in RUN_STARTED, so that a replay decides under the same rules. Durations in ms. */
export const RunConfig = Schema.Struct({
  /** Name of the agent that works, as registered with the `Agents` port. */
  agent: Schema.String,
  /** Name of the agent that reviews; null: nobody does, and what needs a review stays unproven. */
  reviewer: Schema.NullOr(Schema.String),
  /** True when `reviewer` was chosen by the user; false when the working agent is merely asked. */
  reviewer_named: Schema.Boolean,
  /** How each agent is started, by name, so that a resume can start it again. Never holds secrets. */
  agents: Schema.Record(Schema.String, Schema.Json),
  /** Attempts that may run at the same time. */
  workers: Schema.Int,
  ...RetryConfig.fields,
  /** Hard limit of one attempt. */
  timeout_ms: Schema.Int,
  /** Hard limit of one check command. */
  check_timeout_ms: Schema.Int,
  /** Ends an attempt that has printed nothing for so long; null: silence is no reason to kill. */
  idle_timeout_ms: Schema.NullOr(Schema.Int),
  /** Attempts of one task that may be lost to a crash of Proofline itself before the task fails. */
  max_lost_attempts: Schema.Int,
  fail_fast: Schema.Boolean,
  budget: Budget,
  chunking: ChunkingConfig,
  evidence: Schema.Struct({
    /** Refuses evidence that is merely weak. */
    strict: Schema.Boolean,
    /** Every check of an item must show that the cited lines bear it. */
    ablation: Schema.Boolean
  }),
  /** The project's own sentences for failures, by failure key; keys left out have the built-in ones. */
  messages: Schema.Record(Schema.String, Schema.String),
  /** Labels a worker must offer to be given work of this run. */
  labels: Schema.Array(Schema.String)
})
export type RunConfig = typeof RunConfig.Type

/** Defaults; source of the retry figures: task chunking §5.1. */
export const defaultRunConfig: RunConfig = {
  agent: "command",
  reviewer: null,
  reviewer_named: false,
  agents: {},
  workers: 3,
  max_retries: 2,
  retry_delay_ms: 2_000,
  backoff_multiplier: 1.5,
  retry_on: ["INCOMPLETE", "ERROR", "TIMEOUT"],
  timeout_ms: 30 * 60_000,
  check_timeout_ms: 10 * 60_000,
  idle_timeout_ms: null,
  max_lost_attempts: 100,
  fail_fast: false,
  budget: unlimited,
  chunking: defaultChunkingConfig,
  evidence: { strict: false, ablation: false },
  messages: {},
  labels: []
}
