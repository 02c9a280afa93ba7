import { Schema } from "effect"

/** What speaks for splitting a task. Source: task chunking §2.2. */
export const SplitCriterion = Schema.Literals([
  "multiple_files",
  "independent_parts",
  "explicit_enumeration",
  "large_scope"
])
export type SplitCriterion = typeof SplitCriterion.Type

/** One criterion as the analyzer saw it, with the words of the task that led there. */
export const SplitFinding = Schema.Struct({
  criterion: SplitCriterion,
  met: Schema.Boolean,
  words: Schema.Array(Schema.String)
})
export type SplitFinding = typeof SplitFinding.Type

/** One part of a task as an analyzer plans it. */
export const PlannedSubtask = Schema.Struct({
  /** A few words for people. */
  title: Schema.String,
  /** What is to be done, in the words of the user as far as they go. */
  prompt: Schema.String,
  /** Numbers of the parts it needs, counted from 1 in the order of the plan. */
  dependencies: Schema.Array(Schema.Int),
  /** What must be true in the end; each can be checked by itself. */
  acceptance_criteria: Schema.Array(Schema.String),
  /** Indexes, from 0, of the items of the task's own checklist that this part must prove. */
  checklist: Schema.Array(Schema.Int),
  /** Files that the task names for this part. */
  paths: Schema.Array(Schema.String),
  /** False: it only asks for information, so nothing needs to be changed. */
  changes_files: Schema.Boolean
})
export type PlannedSubtask = typeof PlannedSubtask.Type

/** What an analyzer makes of a task. `subtasks` is empty unless it is decomposable. */
export const Analysis = Schema.Struct({
  is_decomposable: Schema.Boolean,
  decomposition_reason: Schema.String,
  /** The four criteria, each once. */
  criteria: Schema.Array(SplitFinding),
  subtasks: Schema.Array(PlannedSubtask)
})
export type Analysis = typeof Analysis.Type

/** The endings of an attempt that may be tried again. */
export const RetryCondition = Schema.Literals(["INCOMPLETE", "ERROR", "TIMEOUT"])
export type RetryCondition = typeof RetryCondition.Type

/** How failed attempts are tried again. Source: task chunking §5.1. */
export const RetryConfig = Schema.Struct({
  max_retries: Schema.Int,
  retry_delay_ms: Schema.Int,
  backoff_multiplier: Schema.Number,
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

/** `hybrid`: some subtasks wait for others, and some may run together. */
export const ExecutionMode = Schema.Literals(["parallel", "sequential", "hybrid"])
export type ExecutionMode = typeof ExecutionMode.Type

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
  /** Every subtask is judged and done again until it passes, before a retry is spent. */
  review_loop_per_subtask: Schema.Boolean,
  /** Attempts in one review loop. */
  max_iterations: Schema.Int,
  /** Which analyzer plans: the activity `analyzer-<name>`. */
  analyzer: Schema.String,
  /** `worktree`: every subtask works in a git worktree of its own. */
  workspace: Schema.Literals(["shared", "worktree"]),
  aggregation_strategy: AggregationStrategy
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
  analyzer: "heuristic",
  workspace: "shared",
  aggregation_strategy: { type: "merge_all", conflict_resolution: "fail" }
}

/** Files that subtasks changed in ways that cannot be had together. */
export const FileConflict = Schema.Struct({
  file: Schema.String,
  /** Ids of the subtasks, in order of execution; `project` stands for changes somebody made in the project meanwhile. */
  sources: Schema.Array(Schema.String)
})
export type FileConflict = typeof FileConflict.Type

/** What putting the subtasks' changes together came to. */
export const AggregationOutcome = Schema.Struct({
  /** `merged`: everything is in the project; `conflict`: refused; `needs_person`: somebody must decide. */
  outcome: Schema.Literals(["merged", "conflict", "needs_person"]),
  /** Paths that the subtasks changed, relative to the project, each once. */
  files_modified: Schema.Array(Schema.String),
  conflicts: Schema.Array(FileConflict),
  /** For people: what to do about it, with exact commands; empty when nothing is to be done. */
  message: Schema.String
})
export type AggregationOutcome = typeof AggregationOutcome.Type

/** Where what was cited for an item of the parent's checklist, counted from 0, stands now; null: it is gone. */
export const CarriedEvidence = Schema.Struct({ index: Schema.Int, evidence: Schema.NullOr(Schema.String) })
export type CarriedEvidence = typeof CarriedEvidence.Type

/** What a subtask has shown and the whole does not show any more: somebody changed the lines since. */
export const LostProof = Schema.Struct({
  subtask_id: Schema.String,
  item: Schema.String,
  /** As it was cited. */
  evidence: Schema.String
})
export type LostProof = typeof LostProof.Type

/** The subtasks put together, as recorded. Items that `evidence` leaves out stand where they were cited. */
export const Aggregation = Schema.Struct({
  ...AggregationOutcome.fields,
  evidence: Schema.Array(CarriedEvidence),
  /** Becomes part of what the whole has to show. */
  lost: Schema.Array(LostProof)
})
export type Aggregation = typeof Aggregation.Type

/** How the part of a finished subtask ended. Source: task chunking §3.1. */
export const SubtaskResult = Schema.Struct({
  status: Schema.Literals(["COMPLETE", "INCOMPLETE", "ERROR"]),
  output_summary: Schema.String,
  files_modified: Schema.Array(Schema.String),
  review_loop_iterations: Schema.optionalKey(Schema.Int)
})
export type SubtaskResult = typeof SubtaskResult.Type

export const ChunkedTaskStatus = Schema.Literals(["ANALYZING", "EXECUTING", "AGGREGATING", "COMPLETE", "FAILED"])
export type ChunkedTaskStatus = typeof ChunkedTaskStatus.Type
