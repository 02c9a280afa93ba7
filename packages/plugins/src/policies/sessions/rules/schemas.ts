import { AssignmentStatus } from "@proofline/kernel"
import { Schema } from "effect"
import { WriteTarget } from "../../../port/index.ts"

/** Most urgent first. */
export const AssignmentPriority = Schema.Literals(["urgent", "high", "medium", "low"])
export type AssignmentPriority = typeof AssignmentPriority.Type

/** A task as an agent asks for it. */
export const NewTask = Schema.Struct({
  /** Names it within its batch. */
  local_id: Schema.NullOr(Schema.String),
  title: Schema.String,
  description: Schema.String,
  /** Id of a task, or local id of one of the batch. */
  parent_task_id: Schema.NullOr(Schema.String),
  /** Ids of tasks, or local ids of the batch. */
  dependencies: Schema.Array(Schema.String),
  checklist: Schema.Array(Schema.String),
  /** Null: whoever asks. */
  assignee: Schema.NullOr(Schema.String),
  priority: AssignmentPriority,
  status: Schema.Literals(["backlog", "todo"])
})
export type NewTask = typeof NewTask.Type

export { AssignmentStatus, WriteTarget }
