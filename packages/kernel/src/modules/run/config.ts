import { Schema } from "effect"

/** The endings of an attempt that may be tried again. */
export const RetryCondition = Schema.Literals(["INCOMPLETE", "ERROR", "TIMEOUT"])
export type RetryCondition = typeof RetryCondition.Type

/** How failed attempts are tried again. Source: task chunking §5.1. */
export const RetryConfig = Schema.Struct({
  max_retries: Schema.Int,
  retry_delay_ms: Schema.Int,
  backoff_multiplier: Schema.Finite,
  retry_on: Schema.Array(RetryCondition)
})
export type RetryConfig = typeof RetryConfig.Type

/** What becomes of files that several subtasks changed. Source: task chunking §3.2. */
export const AggregationStrategy = Schema.Struct({
  /** `merge_all`: all changes together; `last_wins`: the later subtask's file; `custom`: a plugin decides. */
  type: Schema.Literals(["merge_all", "last_wins", "custom"]),
  /** Where changes cannot be had together: the task fails, the later one is taken, or a person decides. */
  conflict_resolution: Schema.Literals(["fail", "overwrite", "manual"])
})
export type AggregationStrategy = typeof AggregationStrategy.Type

/** How tasks are split and their parts are run. Source: task chunking §10. */
export const ChunkingConfig = Schema.Struct({
  enabled: Schema.Boolean,
  /** False: only what was asked to be split is analysed. */
  auto_detect: Schema.Boolean,
  min_subtasks: Schema.Int,
  max_subtasks: Schema.Int,
  execution_mode: Schema.Literals(["auto", "parallel", "sequential"]),
  retry: RetryConfig,
  fail_fast: Schema.Boolean,
  /**
   * Whether the first failed subtask ends its task is said by `fail_fast` here alone. Left out, as in logs of before there was
   * this: that of the run counts too.
   */
  fail_fast_apart: Schema.optionalKey(Schema.Literal(true)),
  /** Every subtask is judged and done again until it passes, before a retry is spent. */
  review_loop_per_subtask: Schema.Boolean,
  /** Attempts in one review loop. */
  max_iterations: Schema.Int,
  /** Which analyzer plans: the activity `analyzer-<name>`. `auto`: the agent, and the rules where it fails. */
  analyzer: Schema.String,
  /**
   * `worktree`: every subtask works in a git worktree of its own. `auto`: as its plan needs it; what was chosen is
   * recorded with the plan.
   */
  workspace: Schema.Literals(["auto", "shared", "worktree"]),
  aggregation_strategy: AggregationStrategy,
  /**
   * What a plugin has put together (`custom`) is looked at before the task goes on. Left out, as in logs of before there was
   * this: it is what the plugin says.
   */
  custom_looked_at: Schema.optionalKey(Schema.Literal(true))
})
export type ChunkingConfig = typeof ChunkingConfig.Type

/** Defaults; source of the figures: task chunking §5.1 and §10.1, review loop §3. */
export const defaultChunkingConfig: ChunkingConfig = {
  enabled: true,
  auto_detect: true,
  min_subtasks: 2,
  max_subtasks: 10,
  execution_mode: "auto",
  retry: {
    max_retries: 2,
    retry_delay_ms: 2_000,
    backoff_multiplier: 1.5,
    retry_on: ["INCOMPLETE", "ERROR", "TIMEOUT"]
  },
  fail_fast: false,
  review_loop_per_subtask: true,
  max_iterations: 3,
  analyzer: "auto",
  workspace: "auto",
  aggregation_strategy: { type: "merge_all", conflict_resolution: "fail" }
}

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
  max_cost_usd: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "Budget", description: "What a run may spend until it is resumed; null: no limit." })
export type Budget = typeof Budget.Type

/** No limit at all. */
export const unlimited: Budget = {
  max_attempts: null,
  max_calls: null,
  max_duration_ms: null,
  max_tokens: null,
  max_cost_usd: null
}

/** Reasons for which evidence is refused as weak; a user may accept any of them. */
export const WeakReason = Schema.Literals([
  "untouched",
  "cosmetic",
  "ignored",
  "elsewhere",
  "name_missing",
  "still_there",
  "prose",
  "not_its_own",
  "hidden",
  "test_never_runs",
  "check_changed",
  "was_green",
  "agents_check",
  "self_review"
]).annotate({ identifier: "WeakReason" })
export type WeakReason = typeof WeakReason.Type

/** A check that nobody but Proofline sees: what it is about, and never what it runs. */
export const EscrowedCheck = Schema.Struct({
  /** What it shows. It names the check. */
  criterion: Schema.String,
  /** Ids of the tasks that it judges; left out: every task, unless it is about a requirement. */
  tasks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Id of the requirement, or of the acceptance criterion, about which it decides. */
  requirement: Schema.optionalKey(Schema.String)
})
export type EscrowedCheck = typeof EscrowedCheck.Type

/** The escrowed checks of a run. Where they lie is not recorded. */
export const Escrow = Schema.Struct({
  /** Digest of all that lies beside them, which says what was in force. */
  sha256: Schema.String,
  checks: Schema.Array(EscrowedCheck)
})
export type Escrow = typeof Escrow.Type

/** What counts as proof. */
export const ProofConfig = Schema.Struct({
  /** Reasons that the user accepts: what they hold for counts as done, and is called weak. */
  accept: Schema.Array(WeakReason),
  /** Share of the items of a task, from 0 to 1, that may be skipped with a reason; one may be in any case. */
  max_waived: Schema.Finite,
  /** False: commands of the user are not run again in a clean room. Left out, as in old logs: they are. */
  clean_room: Schema.optionalKey(Schema.Boolean),
  /** Globs of files that checks rest on, beside those that are found: in the clean room they are what they were. */
  protected: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Globs of files that test runners write their reports to, beside those that are found. */
  test_reports: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Checks that agents do not see; left out: there are none. */
  escrow: Schema.optionalKey(Escrow)
})
export type ProofConfig = typeof ProofConfig.Type

/** How many of so many may be left out. */
export const allowedWaivers = (total: number, { max_waived }: ProofConfig): number =>
  Math.max(1, Math.floor(total * max_waived + Number.EPSILON * total))

/** What governs a run. Recorded in RUN_STARTED, so that a replay decides under the same rules. Durations in ms. */
export const RunConfig = Schema.Struct({
  /** Name of the agent that works, as registered with the `Agents` port. */
  agent: Schema.String,
  /** Who is asked in its place, in this order, while its breaker is open; left out: nobody. */
  fallback: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Name of the agent that plans and verifies; left out: the agent that works. */
  planner: Schema.optionalKey(Schema.String),
  /** Name of the agent that reviews; null: nobody does, and what needs a review stays unproven. */
  reviewer: Schema.NullOr(Schema.String),
  /** True when `reviewer` was chosen by the user; false when the working agent is merely asked. */
  reviewer_named: Schema.Boolean,
  /** How each agent is started, by name, so that a resume can start it again. Never holds secrets. */
  agents: Schema.Record(Schema.String, Schema.Json),
  /** Attempts that may run at the same time. */
  workers: Schema.Int,
  /** Attempts at each task that are made beside each other, of which the first that is proven wins; left out: one. */
  attempts: Schema.optionalKey(Schema.Int),
  /**
   * False: one of them that is refused is tried again as every attempt is. Left out, as in logs of before there was
   * this: in a review loop before each retry, as a part of a task is.
   */
  attempts_looped: Schema.optionalKey(Schema.Boolean),
  /**
   * A task of which nothing shows that it is done is tried again: while there are retries where its items were left out,
   * and whenever a resume names it. Left out, as in logs of before there was this: it ends unproven, and keeps its attempt.
   */
  unshown_retried: Schema.optionalKey(Schema.Literal(true)),
  /**
   * Commands of a task are counted only while no item and no criterion of it is open. Left out, as in logs of before there
   * was this: beside open ones too, until something is shown.
   */
  commands_last: Schema.optionalKey(Schema.Literal(true)),
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
  /** False: every attempt begins a session of its own. Left out: one goes on with that of the attempt before it. */
  resume_sessions: Schema.optionalKey(Schema.Boolean),
  budget: Budget,
  chunking: ChunkingConfig,
  evidence: Schema.Struct({
    /** Refuses evidence that is merely weak. */
    strict: Schema.Boolean,
    /** Every check of an item must show that the cited lines bear it. */
    ablation: Schema.Boolean
  }),
  proof: ProofConfig,
  /** The project's own sentences for failures, by failure key; keys left out have the built-in ones. */
  messages: Schema.Record(Schema.String, Schema.String),
  /** Labels a worker must offer to be given work of this run. */
  labels: Schema.Array(Schema.String)
})
export type RunConfig = typeof RunConfig.Type

/**
 * Nobody can judge criteria: only a reviewer whom the user named proves something, unless the user accepts what the
 * working agent says of its own work.
 */
export const needsEvidence = ({ proof, reviewer_named }: RunConfig): boolean =>
  !reviewer_named && !proof.accept.includes("self_review")

/** The first failed part of a task ends it. */
export const partsFailFast = ({ chunking, fail_fast }: Pick<RunConfig, "chunking" | "fail_fast">): boolean =>
  chunking.fail_fast || (fail_fast && chunking.fail_fast_apart !== true)

/** Criteria of parts are items, to be shown by evidence. */
export const areCriteriaItems = (config: RunConfig): boolean => config.reviewer === null || needsEvidence(config)

/** What counts as proof where the user says no more. */
export const defaultProof: ProofConfig = { accept: [], max_waived: 1 / 3 }

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
  proof: defaultProof,
  messages: {},
  labels: []
}
