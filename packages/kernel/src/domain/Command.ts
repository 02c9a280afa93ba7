import type { CheckRun } from "./CheckRun.ts"
import type { Aggregation, Analysis } from "./Chunking.ts"
import type { AttemptError, AttemptOutcome, Base, Driver, EarlierTask, EvidenceFact, Usage } from "./Event.ts"
import type { RunId, TaskId } from "./Ids.ts"
import type { PullSetup } from "./PhaseContract.ts"
import type { PullCommand } from "./PullCommand.ts"
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
  | RecordAnalysis
  | RecordAggregation
  | RecordActivity
  | RecordActivityFailure
  | SettleAttempt
  | SkipTask
  | StartChunking
  | SkipChunking
  | SettleChunks
  | FinishRun
  | ConcludeRun
  | ExhaustBudget
  | RecordUsage
  | PullCommand

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
  /** What the whole is for, in words for agents. */
  readonly goal?: string
  /** What came of completed tasks of earlier runs. */
  readonly completed_tasks?: ReadonlyArray<EarlierTask>
  readonly tasks: ReadonlyArray<TaskSpec>
  /** How agents work in a session run; left out in any other. */
  readonly pull?: PullSetup
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
  /** Files that changed while it ran; null: nobody looked. */
  readonly files_modified: ReadonlyArray<string> | null
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

/** What an analyzer makes of a task that may be split. */
export interface RecordAnalysis {
  readonly _tag: "RecordAnalysis"
  readonly task_id: TaskId
  readonly analyzer: string
  /** ISO 8601, UTC, ms. */
  readonly started_at: string
  readonly analysis: Analysis
}

/** What putting the subtasks of a task together came to. */
export interface RecordAggregation {
  readonly _tag: "RecordAggregation"
  readonly task_id: TaskId
  /** From the beginning of the analysis until now. */
  readonly duration_ms: number
  readonly outcome: Aggregation
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

/** A task that may be split is ready: it is analysed first. */
export interface StartChunking {
  readonly _tag: "StartChunking"
  readonly task_id: TaskId
}

/** The analysis could not be made: the task is run in one piece. */
export interface SkipChunking {
  readonly _tag: "SkipChunking"
  readonly task_id: TaskId
}

/** Decides what follows for a task from the ends of its subtasks. */
export interface SettleChunks {
  readonly _tag: "SettleChunks"
  readonly task_id: TaskId
}

export interface FinishRun {
  readonly _tag: "FinishRun"
}

/**
 * Ends a run whose end a plugin decides: one without tasks of its own. The counts are of what the run is about, in a
 * requirements run of its requirements.
 */
export interface ConcludeRun {
  readonly _tag: "ConcludeRun"
  readonly outcome: "completed" | "incomplete" | "failed"
  /** Why it failed; `failed` unless said otherwise. */
  readonly reason: "failed" | "breaker" | "budget"
  readonly message: string
  readonly total: number
  readonly completed: number
  readonly proven: number
}

/** A limit that only a clock can see is reached: whatever runs is ended. */
export interface ExhaustBudget {
  readonly _tag: "ExhaustBudget"
  readonly message: string
}

export interface RecordUsage {
  readonly _tag: "RecordUsage"
  readonly agent: string
  readonly role: string
  readonly task_id: TaskId
  readonly attempt: number
  readonly usage: Usage | null
}
