import type { Schema } from "effect"
import type { CheckRun } from "./CheckRun.ts"
import type { TaskId } from "./Ids.ts"
import type { BoardStatus, NewTask, WriteTarget } from "./Pull.ts"
import type { BlobRef } from "./Report.ts"

/** What agents and people ask for in a session run. */
export type PullCommand =
  | OpenSession
  | CloseSession
  | IssueNextAction
  | SubmitPhase
  | AnswerPhase
  | RecordPhaseChecks
  | CheckWriteTarget
  | UpdateTaskStatus
  | CreateTasks
  | ReportCompleted
  | AdvancePhase

/** Who asks, and when: ISO 8601, UTC, ms. */
interface By {
  readonly session_id: string
  readonly at: string
}

export interface OpenSession extends By {
  readonly _tag: "OpenSession"
  readonly agent: string
  readonly token_sha256: string
  readonly of_process: boolean
  readonly ttl_ms: number
  /** Sessions whose process is gone. */
  readonly gone: ReadonlyArray<string>
}

export interface CloseSession extends By {
  readonly _tag: "CloseSession"
  readonly reason: string
}

/** An agent asks what to do next; what it is told is decided here. */
export interface IssueNextAction extends By {
  readonly _tag: "IssueNextAction"
  readonly tool: string
}

/** An agent hands in a phase, or the report of a task: `{task_id, summary?, checklist}`. */
export interface SubmitPhase extends By {
  readonly _tag: "SubmitPhase"
  readonly payload: Schema.Json
  /** What the agent was asked for its task; null where it reports none. */
  readonly prompt: BlobRef | null
  /** The payload is the report of a task, whatever the phase asks for. */
  readonly isReport: boolean
}

/** A person answers a phase that waits for one. */
export interface AnswerPhase {
  readonly _tag: "AnswerPhase"
  readonly at: string
  /** The question that is meant, as `questionId` names it; left out: whichever is asked. */
  readonly question_id?: string
  readonly payload: Schema.Json
}

/** How the commands of a phase ended. */
export interface RecordPhaseChecks {
  readonly _tag: "RecordPhaseChecks"
  readonly phase: string
  /** Number of the submission they were run for. */
  readonly submission: number
  readonly checks: ReadonlyArray<CheckRun>
}

export interface CheckWriteTarget extends By {
  readonly _tag: "CheckWriteTarget"
  /** As the agent wrote it. */
  readonly file_path: string
  readonly allow_new_files: boolean
  readonly target: WriteTarget
}

export interface UpdateTaskStatus extends By {
  readonly _tag: "UpdateTaskStatus"
  readonly task_id: TaskId
  readonly status: BoardStatus
  readonly reason: string
  readonly prompt: BlobRef | null
}

export interface CreateTasks extends By {
  readonly _tag: "CreateTasks"
  readonly tasks: ReadonlyArray<NewTask>
}

export interface ReportCompleted extends By {
  readonly _tag: "ReportCompleted"
  readonly result: "success" | "failed" | "blocked"
  readonly summary: string | null
  readonly next_steps: string | null
}

/** Follows when the last task of a phase is over. */
export interface AdvancePhase {
  readonly _tag: "AdvancePhase"
}
