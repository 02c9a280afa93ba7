/** How tasks are shown: their checklists, their attempts and what these came to. Fields say in the published schemas what they hold. */
import { Schema } from "effect"
import { BlobRef } from "../base/Blob.ts"
import { ProofCounts, ShownBy, Verdict } from "../modules/run/obligations.ts"
import { AttemptTrees } from "../modules/tasks/AttemptTrees.ts"
import { CheckRun } from "../modules/tasks/CheckRun.ts"
import { Failure, Receipt, ReportedItem, ReviewCheck, Weakness } from "../modules/tasks/Report.ts"
import { AttemptOutcome, PersonAnswer, TaskStatus } from "../modules/tasks/schemas.ts"
import { AttemptError } from "../port/Agent.ts"
import { Count, described, Ordinal, Text, Texts, Time } from "./fields.ts"
import { ShownAs } from "./RunShapes.ts"

/** A claim of one attempt that was not accepted. */
export const Refusal = Schema.Struct({
  index: described("Of the registered item, from 0; null: the report as a whole.", Schema.NullOr(Count)),
  ...Failure.fields
}).annotate({ identifier: "Refusal", description: "A claim of one attempt that was not accepted." })
export type Refusal = typeof Refusal.Type

/** The judgement of an attempt. */
export const Judgment = Schema.Struct({
  reviewer: Text,
  judgment: Schema.Literals(["PASS", "REJECT", "RETRY"]),
  checks: Schema.Array(ReviewCheck)
})

/** One execution of a task by one agent, from its start to what became of it. */
export const AttemptView = Schema.Struct({
  task_id: Text,
  attempt: Ordinal,
  agent: described(
    "Empty: nobody worked, what the parts of the task had shown was looked at once more as a whole.",
    Text
  ),
  worker_id: Text,
  host: described("The machine on which it was carried out; null: nobody said.", Schema.NullOr(Text)),
  started_at: Time,
  ended_at: described("Null while the agent works.", Schema.NullOr(Time)),
  outcome: Schema.NullOr(AttemptOutcome),
  cancelled: described("Why it was taken back; null: it was not.", Schema.NullOr(Text)),
  exit_code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Text),
  duration_ms: Schema.NullOr(Count),
  error: Schema.NullOr(AttemptError),
  files_modified: described("Null: nobody looked.", Schema.NullOr(Texts)),
  files_undecided: described(
    "Files that changed while others worked in the same directory: nobody can tell who changed them. Left out: none.",
    Schema.optionalKey(Texts)
  ),
  trees: described(
    "The files around it, as far as somebody looked: commits of the repository, or blobs where there is none. Left out: nobody looked, or nothing had changed.",
    Schema.optionalKey(AttemptTrees)
  ),
  prompt: described("What the agent was asked; null where nobody was.", Schema.NullOr(BlobRef)),
  stdout: Schema.NullOr(BlobRef),
  stderr: Schema.NullOr(BlobRef),
  /** What the agent told of itself while it worked. */
  steps: Schema.NullOr(BlobRef),
  output_tail: described("The end of what the agent printed, at most 2,000 characters.", Text),
  summary: described("What it said at its end; null: nothing that could be read.", Schema.NullOr(Text)),
  claims: described(
    "What it claimed, item by item; null: no usable checklist.",
    Schema.NullOr(Schema.Array(ReportedItem))
  ),
  problems: described("What was wrong with the report itself.", Texts),
  accepted: described("Indexes of the items that were accepted because of it.", Schema.Array(Count)),
  refusals: Schema.Array(Refusal),
  passed: described("Null: not verified.", Schema.NullOr(Schema.Boolean)),
  checks: Schema.Array(CheckRun),
  judgment: described(
    "Null: nobody judged.",
    Schema.NullOr(Schema.Struct({ ...Judgment.fields, modification_prompt: Schema.NullOr(Text) }))
  ),
  from_version: described("Version of its first event.", Ordinal),
  to_version: described("Version of its last event so far.", Ordinal)
}).annotate({
  identifier: "Attempt",
  description: "One execution of a task by one agent, from its start to what became of it."
})
export type AttemptView = typeof AttemptView.Type

/** A checklist item as it stands. */
export const ItemView = Schema.Struct({
  index: described("In the checklist of the task, from 0.", Count),
  item: Text,
  check: described("The command that shows it; null: none does.", Schema.NullOr(Text)),
  existing: described("Lines that were there before the run may show it.", Schema.optionalKey(Schema.Boolean)),
  covers: described("Ids of the acceptance criteria that it is to meet.", Texts),
  status: described(
    "`cannot`: its agent cannot do it, and a person is asked once nothing else is left of the task.",
    Schema.Literals(["pending", "done", "skipped", "cannot"])
  ),
  verdict: Verdict,
  shown_by: described(
    "What shows it, or `person` where a person has waived it; null: nothing does.",
    Schema.NullOr(ShownBy)
  ),
  evidence: Schema.NullOr(Text),
  answer: described(
    "What a person has said of it when it was `cannot`; left out: nothing.",
    Schema.optionalKey(Schema.Struct({ answer: PersonAnswer, text: Text, at: Time }))
  ),
  guidance: described("What a person has said of how it can be done; left out: nothing.", Schema.optionalKey(Texts)),
  reason: described(
    "Why it was left out, why it cannot be done, or why it is not shown; null: there is nothing to say.",
    Schema.NullOr(Text)
  ),
  receipt: described("Set exactly when evidence shows it.", Schema.NullOr(Receipt)),
  weak: described("Why it shows less than it seems to.", Schema.Array(Weakness))
}).annotate({
  identifier: "Item",
  description: "A checklist item as it stands.",
  examples: [
    {
      index: 0,
      item: "Add the function login",
      check: null,
      covers: [],
      status: "skipped",
      verdict: "waived",
      shown_by: null,
      evidence: null,
      reason: "It was there before the run",
      receipt: null,
      weak: []
    }
  ]
})
export type ItemView = typeof ItemView.Type

/** How a task stands, in every view of it. */
export const TaskStanding = Schema.Struct({
  title: Text,
  status: TaskStatus,
  verdict: Verdict,
  reason: described("Why it failed, was skipped, is blocked or is set aside, as a stable code; empty otherwise.", Text),
  message: described("The same in words.", Text),
  attempts: Count
})
export type TaskStanding = typeof TaskStanding.Type

/** A task or subtask in one line. */
export const TaskRow = Schema.Struct({
  task_id: Text,
  parent_task_id: described("The task it is a part of; null: of none.", Schema.NullOr(Text)),
  depth: described("0 for a task that is part of none.", Count),
  ...TaskStanding.fields,
  retry_count: Count,
  iteration: described("In the review loop.", Count),
  shown_as: ShownAs,
  counts: described(
    "All that has to hold for it and its parts, each once: items, criteria that are no items, commands where there is nothing else.",
    ProofCounts
  ),
  items_total: described("Items of its checklist, without those that another task shows in its place.", Count),
  items_closed: described("Those that count as done.", Count),
  checks_failed: described(
    "Its check commands that did not pass in its last attempt; left out: none.",
    Schema.optionalKey(Count)
  ),
  refusals: described("Claims that were refused so far, in all attempts.", Count),
  subtasks_total: described("Of a task that was split; 0 for any other.", Count),
  subtasks_completed: Count,
  agent: described("Who works on it, or did last; null: nobody so far.", Schema.NullOr(Text)),
  worker_id: Schema.NullOr(Text),
  waiting_for: described("Ids of the tasks it waits for.", Texts),
  started_at: Schema.NullOr(Time),
  ended_at: Schema.NullOr(Time)
}).annotate({ identifier: "TaskRow", description: "A task or subtask in one line." })
export type TaskRow = typeof TaskRow.Type

/** A retry that was decided: why, and how long was waited before it. */
export const RetryView = Schema.Struct({
  retry_count: described("Retries used, this one included; what was lost uses none.", Count),
  reason: Text,
  delay_ms: described("Wait before the next attempt.", Count),
  at: Time
}).annotate({ identifier: "Retry", description: "A retry that was decided: why, and how long was waited before it." })
export type RetryView = typeof RetryView.Type

/** Why a task failed, as whoever mends it looks for it. */
export const FailureView = Schema.Struct({
  task_id: Text,
  title: Text,
  reason: described("As a stable code.", Text),
  message: described("The same in words.", Text),
  attempt: described("Its last attempt, of which the following is; null: there was none.", Schema.NullOr(Ordinal)),
  exit_code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Text),
  timed_out: described("Its agent took too long, and was ended for that.", Schema.Boolean),
  printed: described("The last lines that its agent printed, errors among them.", Texts),
  refusals: described("Claims that were refused.", Schema.Array(Refusal)),
  checks: described("Commands that did not pass.", Schema.Array(CheckRun)),
  blocks: described("Ids of the tasks that wait for it, directly or not.", Texts)
}).annotate({ identifier: "TaskFailure", description: "A task at which a run failed, with what it failed by." })
export type FailureView = typeof FailureView.Type

/** A task with everything that is known of it. */
export const TaskView = Schema.Struct({
  ...TaskRow.fields,
  instruction: Text,
  validation: Texts,
  checks: Texts,
  depends_on: Texts,
  subtasks: described("Ids of its parts in the order of the plan.", Texts),
  files: Texts,
  guidance: described(
    "What a person has said of it when they had it tried again; left out: nothing.",
    Schema.optionalKey(Texts)
  ),
  checklist: Schema.Array(ItemView),
  retries: Schema.Array(RetryView),
  history: Schema.Array(AttemptView)
}).annotate({ identifier: "Task", description: "A task with everything that is known of it." })
export type TaskView = typeof TaskView.Type
