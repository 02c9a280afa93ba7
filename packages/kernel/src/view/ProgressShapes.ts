/** How far a run is, in the words of task chunking. Source: task chunking §3.1, §8, §9. */
import { Schema } from "effect"
import { ChunkedTaskStatus, ExecutionMode, FileConflict, SubtaskResult } from "../modules/chunking/schemas.ts"
import { AggregationStrategy } from "../modules/run/config.ts"
import { RunProof } from "../modules/run/obligations.ts"
import { Count, described, Ordinal, Text, Texts, Time } from "./fields.ts"
import { AskedOfPerson, HeldTask, PermissionWanted, ShownStatus } from "./RunShapes.ts"
import { RetryView } from "./TaskShapes.ts"

export const SubtaskStatus = Schema.Literals(["PENDING", "RUNNING", "COMPLETE", "FAILED", "RETRYING"])
export type SubtaskStatus = typeof SubtaskStatus.Type

/** How a task that was split ended, when it was not completed. */
const ChunkedOutcome = described(
  "Some subtasks are completed, or none, or the first failure stopped it.",
  Schema.Literals(["INCOMPLETE", "ERROR", "FAILED"])
)

export const Retry = Schema.Struct({ ...RetryView.fields, failure_reason: Text }).annotate({
  identifier: "SubtaskRetry",
  description: "One retry of a subtask."
})
export type Retry = typeof Retry.Type

/** Source: task chunking §3.1; beside its fields, what §9 shows. */
export const SubtaskProgress = Schema.Struct({
  subtask_id: Text,
  parent_task_id: Text,
  title: Text,
  prompt: Text,
  dependencies: Texts,
  status: SubtaskStatus,
  retry_count: Count,
  iteration: described("In the review loop, from 1.", Ordinal),
  attempts: Count,
  retries: Schema.Array(Retry),
  failure_reason: Schema.optionalKey(Text),
  worker_id: Schema.optionalKey(Text),
  result: Schema.optionalKey(SubtaskResult)
}).annotate({ identifier: "SubtaskProgress" })
export type SubtaskProgress = typeof SubtaskProgress.Type

/** How a task that was split stands, in every view of it. */
export const ChunkedStanding = Schema.Struct({
  status: ChunkedTaskStatus,
  outcome: Schema.optionalKey(ChunkedOutcome),
  execution_mode: ExecutionMode,
  completed_subtasks: Count,
  total_subtasks: Count,
  total_retries: described("Of all subtasks, and of the whole.", Count)
})
export type ChunkedStanding = typeof ChunkedStanding.Type

/** Source: task chunking §3.1. */
export const ChunkedTask = Schema.Struct({
  parent_task_id: Text,
  title: Text,
  ...ChunkedStanding.fields,
  aggregation_strategy: AggregationStrategy,
  given_up: described(
    "Files in which the last of these parts has the last word: what the others did there is given up where that has something else; left out: none.",
    Schema.optionalKey(Schema.Array(FileConflict))
  ),
  started_at: Time,
  ended_at: Schema.optionalKey(Time),
  subtasks: Schema.Array(SubtaskProgress)
}).annotate({ identifier: "ChunkedTask" })
export type ChunkedTask = typeof ChunkedTask.Type

/** Source: task chunking §8. */
export const QueueItem = Schema.Struct({
  task_id: Text,
  status: described(
    "A parent is RUNNING until the end.",
    Schema.Literals(["QUEUED", "RUNNING", "COMPLETE", "ERROR", "CANCELLED"])
  ),
  prompt: Text,
  reason: Schema.optionalKey(
    described("Of ERROR: whether some of its subtasks are completed.", Schema.Literals(["incomplete", "failed"]))
  ),
  error_message: Schema.optionalKey(Text),
  is_subtask: Schema.Boolean,
  parent_task_id: Schema.optionalKey(Text),
  subtask_index: Schema.optionalKey(Ordinal),
  total_subtasks: Schema.optionalKey(Count),
  chunked_task_ref: Schema.optionalKey(
    described("Of a task that was split: the `parent_task_id` of its chunked task.", Text)
  )
}).annotate({ identifier: "QueueItem" })
export type QueueItem = typeof QueueItem.Type

/** How far a run is, whatever its kind. */
export const RunProgress = Schema.StructWithRest(
  Schema.Struct({
    run_id: Text,
    name: Text,
    status: Schema.Union([ShownStatus, Schema.Literal("none")]),
    asked: described(
      "What waits for a person; left out: nothing does.",
      Schema.optionalKey(Schema.Array(AskedOfPerson))
    ),
    permissions: described(
      "What agents ask leave for; left out: they wait for nobody.",
      Schema.optionalKey(Schema.Array(PermissionWanted))
    ),
    held: described(
      "Tasks that wait for the gate of a plugin; left out: none does.",
      Schema.optionalKey(Schema.Array(HeldTask))
    ),
    ...RunProof.fields,
    completed: described("Subtasks count in place of the task they came from.", Count),
    total: Count,
    chunked_tasks: Schema.Array(ChunkedTask),
    queue: Schema.Array(QueueItem)
  }),
  // what the kind of the run shows beside its tasks, e.g. the phase of a session run
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type RunProgress = typeof RunProgress.Type
