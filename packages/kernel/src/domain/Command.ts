import type { AttemptError, AttemptOutcome, Base, CheckRun, Driver, EvidenceFact } from "./Event.ts"
import type { RunId, TaskId } from "./Ids.ts"
import type { BlobRef, ReportedItem, ReviewCheck } from "./Report.ts"
import type { RunConfig, TaskSpec } from "./Task.ts"

/** What may be asked. Facts about the world come in here and nowhere else. */
export type Command =
  | StartRun
  | ResumeRun
  | CancelRun
  | StartAttempt
  | EndAttempt
  | RecordEvidence
  | RecordVerification
  | RecordJudgment
  | RecordActivity
  | RecordActivityFailure
  | SettleAttempt
  | SkipTask
  | FinishRun

export interface StartRun {
  readonly _tag: "StartRun"
  readonly run_id: RunId
  readonly kind: "tasks" | "requirements" | "prompt" | "session"
  readonly name: string
  readonly root: string
  readonly input: { readonly path: string; readonly sha256: string } | null
  readonly parent_run_id: RunId | null
  readonly completed_task_ids: ReadonlyArray<TaskId>
  readonly config: RunConfig
  readonly plugins: ReadonlyArray<{ readonly name: string; readonly version: string }>
  readonly driver: Driver | null
  readonly base: Base | null
  readonly tasks: ReadonlyArray<TaskSpec>
}

/** Goes on with a run that stopped; tasks that failed get a new budget of attempts. */
export interface ResumeRun {
  readonly _tag: "ResumeRun"
  readonly driver: Driver | null
  /** Null: the settings of before stay. */
  readonly config: RunConfig | null
}

export interface CancelRun {
  readonly _tag: "CancelRun"
  readonly reason: string
}

export interface StartAttempt {
  readonly _tag: "StartAttempt"
  readonly task_id: TaskId
  readonly attempt: number
  readonly agent: string
  readonly worker_id: string
  readonly item_id: string
  readonly lease: number
  readonly prompt: BlobRef
}

export interface EndAttempt {
  readonly _tag: "EndAttempt"
  readonly task_id: TaskId
  readonly attempt: number
  readonly outcome: AttemptOutcome
  readonly exit_code: number | null
  readonly signal: string | null
  readonly duration_ms: number
  readonly error: AttemptError | null
  readonly output: {
    readonly output_tail: string
    readonly stdout: BlobRef | null
    readonly stderr: BlobRef | null
  } | null
  readonly report: {
    readonly summary: string
    readonly checklist: ReadonlyArray<ReportedItem> | null
    readonly problems: ReadonlyArray<string>
  } | null
}

/** Owned by the evidence policy: it judges the facts. */
export interface RecordEvidence {
  readonly _tag: "RecordEvidence"
  readonly task_id: TaskId
  readonly attempt: number
  readonly facts: ReadonlyArray<EvidenceFact>
}

export interface RecordVerification {
  readonly _tag: "RecordVerification"
  readonly task_id: TaskId
  readonly attempt: number
  readonly checks: ReadonlyArray<CheckRun>
}

export interface RecordJudgment {
  readonly _tag: "RecordJudgment"
  readonly task_id: TaskId
  readonly attempt: number
  readonly reviewer: string
  readonly judgment: "PASS" | "REJECT" | "RETRY"
  readonly checks: ReadonlyArray<ReviewCheck>
  readonly modification_prompt: string | null
  readonly output: BlobRef | null
}

/** The result of a plugin activity that has no event of its own. */
export interface RecordActivity {
  readonly _tag: "RecordActivity"
  readonly name: string
  readonly key: string
  readonly input: unknown
  readonly result: unknown
}

export interface RecordActivityFailure {
  readonly _tag: "RecordActivityFailure"
  readonly name: string
  readonly key: string
  readonly input: unknown
  readonly code: string
  readonly message: string
  readonly agent?: string
  readonly terminal?: boolean
}

/** Decides what follows from an attempt about which everything is known. */
export interface SettleAttempt {
  readonly _tag: "SettleAttempt"
  readonly task_id: TaskId
}

export interface SkipTask {
  readonly _tag: "SkipTask"
  readonly task_id: TaskId
}

export interface FinishRun {
  readonly _tag: "FinishRun"
}
