/** How a run is shown: its tasks, their attempts and what these came to. */
import { Schema } from "effect"
import { BlobRef } from "../base/Blob.ts"
import { ShownBy, Verdict } from "../modules/run/obligations.ts"
import { CheckRun } from "../modules/tasks/CheckRun.ts"
import { Failure, Receipt, ReportedItem, ReviewCheck, Weakness } from "../modules/tasks/Report.ts"
import { AttemptOutcome, TaskStatus } from "../modules/tasks/schemas.ts"
import { AttemptError } from "../port/Agent.ts"

/** A claim of one attempt that was not accepted. */
export const Refusal = Schema.Struct({
  /** Of the registered item, from 0; null: the report as a whole. */
  index: Schema.NullOr(Schema.Int),
  ...Failure.fields
})
export type Refusal = typeof Refusal.Type

/** One execution of a task by one agent, from its start to what became of it. Times: ISO 8601, UTC, ms. */
export const AttemptView = Schema.Struct({
  task_id: Schema.String,
  /** From 1. */
  attempt: Schema.Int,
  /** Empty: nobody worked, what the parts of the task had shown was looked at once more as a whole. */
  agent: Schema.String,
  worker_id: Schema.String,
  started_at: Schema.String,
  /** Null while the agent works. */
  ended_at: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(AttemptOutcome),
  /** Why it was taken back; null: it was not. */
  cancelled: Schema.NullOr(Schema.String),
  exit_code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  duration_ms: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(AttemptError),
  /** Null: nobody looked. */
  files_modified: Schema.NullOr(Schema.Array(Schema.String)),
  /** What the agent was asked; null where nobody was. */
  prompt: Schema.NullOr(BlobRef),
  stdout: Schema.NullOr(BlobRef),
  stderr: Schema.NullOr(BlobRef),
  /** The end of what the agent printed, at most 2,000 characters. */
  output_tail: Schema.String,
  /** What it said at its end; null: nothing that could be read. */
  summary: Schema.NullOr(Schema.String),
  /** What it claimed, item by item; null: no usable checklist. */
  claims: Schema.NullOr(Schema.Array(ReportedItem)),
  /** What was wrong with the report itself. */
  problems: Schema.Array(Schema.String),
  /** Indexes of the items that were accepted because of it. */
  accepted: Schema.Array(Schema.Int),
  refusals: Schema.Array(Refusal),
  /** Null: not verified. */
  passed: Schema.NullOr(Schema.Boolean),
  checks: Schema.Array(CheckRun),
  /** Null: nobody judged. */
  judgment: Schema.NullOr(
    Schema.Struct({
      reviewer: Schema.String,
      judgment: Schema.Literals(["PASS", "REJECT", "RETRY"]),
      checks: Schema.Array(ReviewCheck),
      modification_prompt: Schema.NullOr(Schema.String)
    })
  ),
  /** Versions of its first and its last event so far. */
  from_version: Schema.Int,
  to_version: Schema.Int
})
export type AttemptView = typeof AttemptView.Type

/** A checklist item as it stands. `receipt` is set exactly when something shows it. */
export const ItemView = Schema.Struct({
  index: Schema.Int,
  item: Schema.String,
  check: Schema.NullOr(Schema.String),
  covers: Schema.Array(Schema.String),
  status: Schema.Literals(["pending", "done", "skipped"]),
  verdict: Verdict,
  /** What shows it; null: nothing does. */
  shown_by: Schema.NullOr(ShownBy),
  evidence: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  receipt: Schema.NullOr(Receipt),
  weak: Schema.Array(Weakness)
})
export type ItemView = typeof ItemView.Type

/** A task or subtask in one line. */
export const TaskRow = Schema.Struct({
  task_id: Schema.String,
  title: Schema.String,
  /** The task it is a part of; null: of none. */
  parent_task_id: Schema.NullOr(Schema.String),
  /** 0 for a task that is part of none. */
  depth: Schema.Int,
  status: TaskStatus,
  verdict: Verdict,
  /** Why it failed, was skipped or is blocked: a stable code, and in words; empty otherwise. */
  reason: Schema.String,
  message: Schema.String,
  attempts: Schema.Int,
  retry_count: Schema.Int,
  /** In the review loop, from 1. */
  iteration: Schema.Int,
  items_total: Schema.Int,
  /** Proven or waived. */
  items_closed: Schema.Int,
  /** Claims that were refused so far, in all attempts. */
  refusals: Schema.Int,
  /** Of a task that was split; 0 for any other. */
  subtasks_total: Schema.Int,
  subtasks_completed: Schema.Int,
  /** Who works on it, or did last; null: nobody so far. */
  agent: Schema.NullOr(Schema.String),
  worker_id: Schema.NullOr(Schema.String),
  /** Ids of the tasks it waits for. */
  waiting_for: Schema.Array(Schema.String),
  started_at: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Schema.String)
})
export type TaskRow = typeof TaskRow.Type

/** A retry that was decided: why, and how long was waited before it. */
export const RetryView = Schema.Struct({
  /** Retries used, this one included. */
  retry_count: Schema.Int,
  reason: Schema.String,
  /** Wait before the next attempt, ms. */
  delay_ms: Schema.Int,
  at: Schema.String
})
export type RetryView = typeof RetryView.Type

/** A task with everything that is known of it. */
export const TaskView = Schema.Struct({
  ...TaskRow.fields,
  instruction: Schema.String,
  validation: Schema.Array(Schema.String),
  checks: Schema.Array(Schema.String),
  depends_on: Schema.Array(Schema.String),
  /** Ids of its parts in the order of the plan. */
  subtasks: Schema.Array(Schema.String),
  files: Schema.Array(Schema.String),
  checklist: Schema.Array(ItemView),
  retries: Schema.Array(RetryView),
  history: Schema.Array(AttemptView)
})
export type TaskView = typeof TaskView.Type
