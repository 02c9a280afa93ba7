import { Schema } from "effect"
import { CheckRun } from "./CheckRun.ts"
import { Aggregation, AggregationStrategy, Analysis, ExecutionMode, RetryCondition, SubtaskResult } from "./Chunking.ts"
import { BoardStatus, pullContents } from "./Pull.ts"
import { BlobRef, Failure, Receipt, ReportedItem, ReviewCheck, Weakness } from "./Report.ts"
import { ChecklistItemSpec, RunConfig } from "./Task.ts"

/** Who drives a run: enough to find the process again and to tell whether it still lives. */
export const Driver = Schema.Struct({ pid: Schema.Int, host: Schema.String, since: Schema.String })
export type Driver = typeof Driver.Type

/** What the project was before a run, to tell what the run changed. */
export const Base = Schema.Struct({
  /** HEAD; null outside a repository and before the first commit. */
  commit: Schema.NullOr(Schema.String),
  /** Digests of the lines of every file that the commit does not hold as it was; the `Baseline` port reads it. */
  snapshot: BlobRef
})
export type Base = typeof Base.Type

/** What a call of an agent used, as far as it says so itself. */
export const Usage = Schema.Struct({
  input_tokens: Schema.NullOr(Schema.Int),
  output_tokens: Schema.NullOr(Schema.Int),
  cost_usd: Schema.NullOr(Schema.Number)
})
export type Usage = typeof Usage.Type

const TaskRef = { task_id: Schema.String }

/** A task that was completed in an earlier run, for those who build on it. */
export const EarlierTask = Schema.Struct({
  ...TaskRef,
  title: Schema.String,
  /** What its agent said at its end. */
  summary: Schema.String,
  files: Schema.Array(Schema.String)
})
export type EarlierTask = typeof EarlierTask.Type

const SubtaskRef = { parent_task_id: Schema.String, subtask_id: Schema.String }
const AttemptRef = { task_id: Schema.String, attempt: Schema.Int }
const Counts = {
  total: Schema.Int,
  completed: Schema.Int,
  failed: Schema.Int,
  skipped: Schema.Int
}

export const TaskStatus = Schema.Literals([
  "backlog",
  "pending",
  "in_progress",
  "blocked",
  "retrying",
  "completed",
  "failed",
  "skipped"
])
export type TaskStatus = typeof TaskStatus.Type

export const AttemptOutcome = Schema.Literals(["COMPLETE", "INCOMPLETE", "ERROR", "TIMEOUT", "LOST"])
export type AttemptOutcome = typeof AttemptOutcome.Type

/** Why an attempt ended badly. `terminal`: trying again cannot help (quota, credentials, no such program). */
export const AttemptError = Schema.Struct({ code: Schema.String, message: Schema.String, terminal: Schema.Boolean })
export type AttemptError = typeof AttemptError.Type

/** What the world said about one piece of evidence; the verdict is derived from it and can be derived again. */
export const EvidenceFact = Schema.Struct({
  /** Index of the reported item. */
  index: Schema.Int,
  evidence: Schema.String,
  /** `ok`: the lines exist and `receipt` describes them. Anything else says why they could not be read. */
  outcome: Schema.Literals(["ok", "format_invalid", "file_not_found", "out_of_range", "empty"]),
  /** In words, for people; empty when there is nothing to add. */
  detail: Schema.String,
  path: Schema.NullOr(Schema.String),
  start: Schema.NullOr(Schema.Int),
  end: Schema.NullOr(Schema.Int),
  /** Lines of the file; null when it could not be read. */
  total: Schema.NullOr(Schema.Int),
  /** Name of the declaration around the lines; null where there is none or none is known. */
  declaration: Schema.NullOr(Schema.String),
  /** True: nothing of what is cited was changed since the run began; null: nobody knows. */
  untouched: Schema.NullOr(Schema.Boolean),
  receipt: Schema.NullOr(Receipt)
})
export type EvidenceFact = typeof EvidenceFact.Type

/** Content of every kernel event by type; field names are part of the log format. */
export const contents = {
  RUN_STARTED: Schema.Struct({
    run_id: Schema.String,
    kind: Schema.Literals(["tasks", "requirements", "prompt", "session"]),
    name: Schema.String,
    /** Project directory at the time of the run; informative, never used to find files on replay. */
    root: Schema.String,
    input: Schema.NullOr(Schema.Struct({ path: Schema.String, sha256: Schema.String })),
    parent_run_id: Schema.NullOr(Schema.String),
    /** Tasks completed in earlier runs that tasks of this run may depend on. */
    completed_task_ids: Schema.Array(Schema.String),
    config: RunConfig,
    plugins: Schema.Array(Schema.Struct({ name: Schema.String, version: Schema.String })),
    driver: Schema.NullOr(Driver),
    /** Null: nobody looked. */
    base: Schema.NullOr(Base),
    /** What the whole is for, in words for agents; left out where the tasks say it all. */
    goal: Schema.optionalKey(Schema.String),
    /** What came of those of `completed_task_ids` about which it is known. */
    completed_tasks: Schema.optionalKey(Schema.Array(EarlierTask))
  }),
  RUN_RESUMED: Schema.Struct({
    driver: Schema.NullOr(Driver),
    config: Schema.NullOr(RunConfig),
    reopened: Schema.Array(Schema.String)
  }),
  RUN_COMPLETED: Schema.Struct({ ...Counts, proven: Schema.Int, waived: Schema.Int }),
  RUN_INCOMPLETE: Schema.Struct({ ...Counts, reason: Schema.String }),
  RUN_FAILED: Schema.Struct({
    ...Counts,
    reason: Schema.Literals(["failed", "fail_fast", "breaker", "budget"]),
    message: Schema.String
  }),
  RUN_CANCELLED: Schema.Struct({ reason: Schema.String }),

  TASK_REGISTERED: Schema.Struct({
    ...TaskRef,
    title: Schema.String,
    instruction: Schema.String,
    validation: Schema.Array(Schema.String),
    checks: Schema.Array(Schema.String),
    depends_on: Schema.Array(Schema.String),
    /** Length of the longest chain of tasks that begins here; ready tasks with a longer one go first. */
    priority: Schema.Int,
    chunk: Schema.Literals(["no", "auto", "asked"])
  }),
  TASK_STARTED: Schema.Struct(TaskRef),
  TASK_STATUS_CHANGED: Schema.Struct({
    ...TaskRef,
    from: TaskStatus,
    to: TaskStatus,
    reason: Schema.String,
    /** Retries used so far, this one included. */
    retry_count: Schema.Int,
    /** Wait before the next attempt, in ms. */
    delay_ms: Schema.Int,
    /** Items of a task that was completed and are to be shown again. */
    reopened_items: Schema.optionalKey(Schema.Int),
    /** Set where an agent asked for it in pull mode: who, when, and for what. */
    by: Schema.optionalKey(
      Schema.Struct({
        session_id: Schema.String,
        at: Schema.String,
        asked: BoardStatus,
        prompt: Schema.NullOr(BlobRef)
      })
    )
  }),
  TASK_COMPLETED: Schema.Struct({
    ...TaskRef,
    attempts: Schema.Int,
    proven: Schema.Int,
    waived: Schema.Int,
    /** It is over by the word of an agent alone: nothing was asked for that could prove it. */
    verdict: Schema.optionalKey(Schema.Literal("unproven"))
  }),
  TASK_FAILED: Schema.Struct({
    ...TaskRef,
    attempts: Schema.Int,
    /** `refuted`: tried and found wanting; `unproven`: nothing spoke against it, but nothing proved it. */
    verdict: Schema.Literals(["refuted", "unproven"]),
    reason: Schema.String,
    message: Schema.String
  }),
  TASK_SKIPPED: Schema.Struct({ ...TaskRef, reason: Schema.String, waiting_for: Schema.Array(Schema.String) }),

  CHUNKING_START: Schema.Struct({
    parent_task_id: Schema.String,
    original_prompt: Schema.String,
    analysis_started: Schema.Literal(true)
  }),
  CHUNKING_ANALYSIS: Schema.Struct({
    parent_task_id: Schema.String,
    analyzer: Schema.String,
    started_at: Schema.String,
    is_decomposable: Schema.Boolean,
    decomposition_reason: Schema.String,
    subtask_count: Schema.Int,
    dependencies_detected: Schema.Boolean,
    /** How the parts will be run; null when it is not split. */
    execution_mode: Schema.NullOr(ExecutionMode),
    criteria: Analysis.fields.criteria,
    /** The plan as the analyzer made it. */
    subtasks: Analysis.fields.subtasks
  }),
  CHUNKING_SKIPPED: Schema.Struct({
    parent_task_id: Schema.String,
    chunking_skipped: Schema.Literal(true),
    /** `disabled`, `not_decomposable`, or why the plan could not be used. */
    reason: Schema.String,
    message: Schema.String,
    /** What the task is judged by where it says nothing of that itself. */
    acceptance_criteria: Schema.Array(Schema.String)
  }),
  SUBTASK_CREATED: Schema.Struct({
    ...SubtaskRef,
    prompt: Schema.String,
    dependencies: Schema.Array(Schema.String),
    /** From 1: a subtask comes after all it depends on. */
    execution_order: Schema.Int,
    title: Schema.String,
    /** From 1, in the order of the plan. */
    subtask_index: Schema.Int,
    total_subtasks: Schema.Int,
    acceptance_criteria: Schema.Array(Schema.String),
    /** Criteria among them that a reviewer judges. */
    validation: Schema.Array(Schema.String),
    /** Items that need evidence; the first of them are the parent's. */
    checklist: Schema.Array(ChecklistItemSpec),
    /** Indexes of those items in the parent's checklist. */
    carries: Schema.Array(Schema.Int),
    paths: Schema.Array(Schema.String),
    changes_files: Schema.Boolean,
    priority: Schema.Int
  }),
  SUBTASK_START: Schema.Struct({
    ...SubtaskRef,
    prompt: Schema.String,
    /** Retries used before: 0 at the first start. */
    retry_count: Schema.Int,
    worker_id: Schema.String
  }),
  SUBTASK_COMPLETE: Schema.Struct({
    ...SubtaskRef,
    subtask_result: SubtaskResult,
    retry_count: Schema.Int,
    attempts: Schema.Int,
    proven: Schema.Int,
    waived: Schema.Int
  }),
  SUBTASK_FAILED: Schema.Struct({
    ...SubtaskRef,
    /** Stable, e.g. `checks_failed`, `dependency_failed`, `fail_fast`. */
    failure_reason: Schema.String,
    message: Schema.String,
    retry_count: Schema.Int,
    attempts: Schema.Int,
    /** `refuted`: tried and found wanting; `unproven`: nothing proved it; null: it was never tried to its end. */
    verdict: Schema.NullOr(Schema.Literals(["refuted", "unproven"])),
    subtask_result: SubtaskResult
  }),
  SUBTASK_RETRY: Schema.Struct({
    ...SubtaskRef,
    /** Retries used, this one included. */
    retry_count: Schema.Int,
    /** How the attempt ended. */
    reason: RetryCondition,
    failure_reason: Schema.String,
    message: Schema.String,
    /** Wait before the next attempt, in ms. */
    delay_ms: Schema.Int
  }),
  CHUNKING_AGGREGATION: Schema.Struct({
    parent_task_id: Schema.String,
    aggregation_strategy: AggregationStrategy.fields.type,
    conflict_resolution: AggregationStrategy.fields.conflict_resolution,
    aggregation_result: Schema.Struct({
      total_files_modified: Schema.Int,
      conflicts_detected: Schema.Boolean,
      ...Aggregation.fields
    }),
    /** From the beginning of the analysis. */
    duration_ms: Schema.Int
  }),
  CHUNKING_COMPLETE: Schema.Struct({
    parent_task_id: Schema.String,
    total_subtasks: Schema.Int,
    completed_subtasks: Schema.Int,
    failed_subtasks: Schema.Int,
    total_retries: Schema.Int,
    /** From the beginning of the analysis to the end of the aggregation. */
    total_duration_ms: Schema.Int
  }),

  CHECKLIST_REGISTERED: Schema.Struct({
    ...TaskRef,
    items: Schema.Array(ChecklistItemSpec),
    /** How many of them are new, where the task had some before. */
    added: Schema.optionalKey(Schema.Int),
    /** Acceptance criteria were added, because the agent offered evidence for them. */
    criteria: Schema.optionalKey(Schema.Literal(true))
  }),
  CHECKLIST_REPORTED: Schema.Struct({
    ...AttemptRef,
    summary: Schema.String,
    /** Null: the agent ended without a usable checklist. */
    checklist: Schema.NullOr(Schema.Array(ReportedItem)),
    /** What was wrong with the report itself (missing, not JSON, not the promised shape). */
    problems: Schema.Array(Schema.String)
  }),
  EVIDENCE_CHECKED: Schema.Struct({ ...AttemptRef, facts: Schema.Array(EvidenceFact) }),
  CHECKLIST_ITEM_ACCEPTED: Schema.Struct({
    ...AttemptRef,
    index: Schema.Int,
    item: Schema.String,
    status: Schema.Literals(["done", "skipped"]),
    verdict: Schema.Literals(["proven", "waived"]),
    evidence: Schema.NullOr(Schema.String),
    reason: Schema.NullOr(Schema.String),
    receipt: Schema.NullOr(Receipt),
    /** Empty unless the verdict is `proven`. */
    weak: Schema.Array(Weakness)
  }),
  CHECKLIST_ITEM_REJECTED: Schema.Struct({
    ...AttemptRef,
    /** Index of the registered item; null when the failure is about the report as a whole. */
    index: Schema.NullOr(Schema.Int),
    error: Schema.Literal("payload_mismatch"),
    ...Failure.fields
  }),
  CHECKLIST_COMPLETED: Schema.Struct({ ...AttemptRef, proven: Schema.Int, waived: Schema.Int }),

  ATTEMPT_STARTED: Schema.Struct({
    ...AttemptRef,
    agent: Schema.String,
    worker_id: Schema.String,
    item_id: Schema.String,
    lease: Schema.Int,
    prompt: BlobRef
  }),
  ATTEMPT_OUTPUT_SUMMARIZED: Schema.Struct({
    ...AttemptRef,
    /** The end of what the agent printed, at most 2,000 characters. */
    output_tail: Schema.String,
    stdout: Schema.NullOr(BlobRef),
    stderr: Schema.NullOr(BlobRef)
  }),
  ATTEMPT_ENDED: Schema.Struct({
    ...AttemptRef,
    outcome: AttemptOutcome,
    exit_code: Schema.NullOr(Schema.Int),
    signal: Schema.NullOr(Schema.String),
    duration_ms: Schema.Int,
    error: Schema.NullOr(AttemptError),
    /** Files that changed while it ran, as found on disk; null: nobody looked. */
    files_modified: Schema.NullOr(Schema.Array(Schema.String))
  }),
  ATTEMPT_CANCELLED: Schema.Struct({ ...AttemptRef, reason: Schema.String }),

  VERIFICATION_RUN: Schema.Struct({ ...AttemptRef, passed: Schema.Boolean, checks: Schema.Array(CheckRun) }),
  QUALITY_JUDGMENT: Schema.Struct({
    ...AttemptRef,
    reviewer: Schema.String,
    judgment: Schema.Literals(["PASS", "REJECT", "RETRY"]),
    checks: Schema.Array(ReviewCheck),
    modification_prompt: Schema.NullOr(Schema.String),
    output: Schema.NullOr(BlobRef)
  }),

  REVIEW_LOOP_START: Schema.Struct({
    ...AttemptRef,
    retry_count: Schema.Int,
    max_iterations: Schema.Int
  }),
  REVIEW_LOOP_END: Schema.Struct({
    ...AttemptRef,
    final_status: Schema.Literals(["COMPLETE", "INCOMPLETE", "ERROR"]),
    /** Attempts in this loop that were judged or failed; those a crash or a passing fault took do not count. */
    total_iterations: Schema.Int
  }),

  ...pullContents,

  /** An agent was asked in any role and has ended. Written where it says what it used, or where calls are counted. */
  AGENT_CALLED: Schema.Struct({
    agent: Schema.String,
    role: Schema.String,
    task_id: Schema.String,
    attempt: Schema.Int,
    /** Null: it did not say. */
    usage: Schema.NullOr(Usage)
  }),

  ACTIVITY_STARTED: Schema.Struct({ name: Schema.String, key: Schema.String, input_sha256: Schema.String }),
  ACTIVITY_RESULT: Schema.Struct({ name: Schema.String, key: Schema.String, input: Schema.Json, result: Schema.Json }),
  ACTIVITY_FAILED: Schema.Struct({
    name: Schema.String,
    key: Schema.String,
    input: Schema.Json,
    code: Schema.String,
    message: Schema.String,
    /** The agent that failed; with `terminal`, trying again with it cannot help. */
    agent: Schema.optionalKey(Schema.String),
    terminal: Schema.optionalKey(Schema.Boolean)
  })
} as const

export type KernelEventType = keyof typeof contents

/** What has happened, before it is recorded: its type and content. */
export type KernelEvent = {
  readonly [T in KernelEventType]: { readonly type: T; readonly content: (typeof contents)[T]["Type"] }
}[KernelEventType]

/** An event owned by a plugin. The kernel carries it and does not look inside. */
export interface PluginEvent {
  readonly type: string
  readonly content: Schema.Json
}

/** Events shown by default; the others only in the full view. Everything is stored either way. */
export const summaryTypes: ReadonlySet<string> = new Set<KernelEventType>([
  "RUN_STARTED",
  "RUN_RESUMED",
  "RUN_COMPLETED",
  "RUN_INCOMPLETE",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "TASK_STARTED",
  "TASK_STATUS_CHANGED",
  "TASK_COMPLETED",
  "TASK_FAILED",
  "TASK_SKIPPED",
  "CHUNKING_START",
  "CHUNKING_SKIPPED",
  "SUBTASK_START",
  "SUBTASK_COMPLETE",
  "SUBTASK_FAILED",
  "SUBTASK_RETRY",
  "CHUNKING_COMPLETE",
  "CHECKLIST_ITEM_ACCEPTED",
  "CHECKLIST_ITEM_REJECTED",
  "CHECKLIST_COMPLETED",
  "ATTEMPT_STARTED",
  "ATTEMPT_ENDED",
  "ATTEMPT_CANCELLED",
  "VERIFICATION_RUN",
  "QUALITY_JUDGMENT",
  "REVIEW_LOOP_START",
  "REVIEW_LOOP_END",
  "SESSION_OPENED",
  "SESSION_CLOSED",
  "COMPLETION_REPORTED",
  "PHASE_ENTERED",
  "PHASE_SUBMITTED",
  "PHASE_REJECTED",
  "PHASE_VERIFIED",
  "TASKS_CREATED"
])
