import { AssignmentStatus, BlobRef, CheckRun } from "@proofline/kernel"
import { Schema } from "effect"
import { By, Looked, openedFields, reportFields, targetFields } from "./events.ts"
import { NewTask } from "./schemas.ts"

// What agents and people ask for in a session run: the arguments of the commands.

export const OpenSessionArgs = Schema.Struct({
  ...openedFields,
  /** SessionRun whose process is gone. */
  gone: Schema.Array(Schema.String)
})
export type OpenSessionArgs = typeof OpenSessionArgs.Type

export const CloseSessionArgs = Schema.Struct({ ...By, reason: Schema.String })
export type CloseSessionArgs = typeof CloseSessionArgs.Type

export const IssueNextActionArgs = Schema.Struct({ ...By, tool: Schema.String })
export type IssueNextActionArgs = typeof IssueNextActionArgs.Type

export const SubmitPhaseArgs = Schema.Struct({
  ...By,
  payload: Schema.Json,
  /** What the agent was asked for its task; null where it reports none. */
  prompt: Schema.NullOr(BlobRef),
  /** The payload is the report of a task, whatever the phase asks for. */
  isReport: Schema.Boolean,
  /** What was read from the disk for it. Left out: nothing. */
  looked: Schema.optionalKey(Schema.NullOr(Looked))
})
export type SubmitPhaseArgs = typeof SubmitPhaseArgs.Type

export const AnswerPhaseArgs = Schema.Struct({
  at: Schema.String,
  /** The question that is meant, as `questionId` names it; left out: whichever is asked. */
  question_id: Schema.optionalKey(Schema.String),
  payload: Schema.Json
})
export type AnswerPhaseArgs = typeof AnswerPhaseArgs.Type

export const RecordPhaseChecksArgs = Schema.Struct({
  phase: Schema.String,
  /** Number of the submission they were run for. */
  submission: Schema.Int,
  checks: Schema.Array(CheckRun)
})
export type RecordPhaseChecksArgs = typeof RecordPhaseChecksArgs.Type

export const CheckWriteTargetArgs = Schema.Struct({
  ...targetFields,
  /** The file differs from the base of the run. Left out: nobody looked. */
  changed: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
})
export type CheckWriteTargetArgs = typeof CheckWriteTargetArgs.Type

export const UpdateTaskStatusArgs = Schema.Struct({
  ...By,
  task_id: Schema.String,
  status: AssignmentStatus,
  reason: Schema.String,
  prompt: Schema.NullOr(BlobRef)
})
export type UpdateTaskStatusArgs = typeof UpdateTaskStatusArgs.Type

export const CreateTasksArgs = Schema.Struct({ ...By, tasks: Schema.Array(NewTask) })
export type CreateTasksArgs = typeof CreateTasksArgs.Type

export const ReportCompletedArgs = Schema.Struct(reportFields)
export type ReportCompletedArgs = typeof ReportCompletedArgs.Type
