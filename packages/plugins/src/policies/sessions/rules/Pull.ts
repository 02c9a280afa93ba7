import { Schema } from "effect"
import { CheckRun } from "./CheckRun.ts"
import { PullSetup } from "./PhaseContract.ts"
import { BlobRef, Failure } from "./Report.ts"

/** What a task is to the agents of a session run. Source: progress tools. */
export const BoardStatus = Schema.Literals(["backlog", "todo", "in_progress", "blocked", "done", "cancelled"])
export type BoardStatus = typeof BoardStatus.Type

/** Most urgent first. */
export const BoardPriority = Schema.Literals(["urgent", "high", "medium", "low"])
export type BoardPriority = typeof BoardPriority.Type

/** What can be said of a place before something is written there; recorded with the answer. */
export const WriteTarget = Schema.Struct({
  /**
   * `/` separated, relative to the root (`.`: the root itself), without `.`, `..`, repeated or final slashes, links
   * resolved; null when it lies outside or cannot be a path.
   */
  path: Schema.NullOr(Schema.String),
  /** What is there; `other` also where nobody looked. */
  kind: Schema.Literals(["file", "directory", "other", "missing"]),
  /** Why nothing may be written there: outside the root, kept by git or Proofline, or not to be made a file. */
  fault: Schema.NullOr(Schema.Literals(["outside_root", "housekeeping", "invalid"])),
  /** A sentence. */
  message: Schema.String
})
export type WriteTarget = typeof WriteTarget.Type

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
  priority: BoardPriority,
  status: Schema.Literals(["backlog", "todo"])
})
export type NewTask = typeof NewTask.Type

/** Who asked, and when: ISO 8601, UTC, ms. */
const By = { session_id: Schema.String, at: Schema.String }

/** Events of pull mode by type. */
export const pullContents = {
  PHASE_CONTRACT_ADOPTED: PullSetup,

  SESSION_OPENED: Schema.Struct({
    ...By,
    agent: Schema.String,
    /** Lower-case hex SHA-256 of the token, which itself is never stored. */
    token_sha256: Schema.String,
    /** It ends with the process that opened it; false: by expiry or revocation. */
    of_process: Schema.Boolean,
    /** It ends when nothing was asked for so long, ms. */
    ttl_ms: Schema.Int
  }),
  SESSION_CLOSED: Schema.Struct({
    ...By,
    /** `reported`, `revoked`, `expired`, `process_ended`, `closed`. */
    reason: Schema.String
  }),
  NEXT_ACTION_ISSUED: Schema.Struct({
    ...By,
    /** The operation that was asked for it. */
    tool: Schema.String,
    action: Schema.String,
    task_id: Schema.NullOr(Schema.String)
  }),
  COMPLETION_REPORTED: Schema.Struct({
    ...By,
    result: Schema.Literals(["success", "failed", "blocked"]),
    summary: Schema.NullOr(Schema.String),
    next_steps: Schema.NullOr(Schema.String),
    /** What was assigned to the agent and not over: empty unless it gave up. */
    open: Schema.Array(Schema.String)
  }),

  PHASE_ENTERED: Schema.Struct({
    phase: Schema.String,
    /** Null: the run begins there. */
    from: Schema.NullOr(Schema.String),
    /** How often it was entered, this time included. */
    visit: Schema.Int,
    /** The counter that went up, and those that went back to 0. */
    count: Schema.NullOr(Schema.String),
    reset: Schema.Array(Schema.String)
  }),
  PHASE_SUBMITTED: Schema.Struct({
    phase: Schema.String,
    by: Schema.Literals(["agent", "person"]),
    /** Null: a person. */
    session_id: Schema.NullOr(Schema.String),
    at: Schema.String,
    payload: Schema.Json,
    /** It was handed in as the report of a task. */
    report: Schema.Boolean,
    /** What was asked of the agent when it worked on a task, as a blob; null: no task was reported. */
    prompt: Schema.NullOr(BlobRef),
    /** What was taken although it is not as it should be. */
    warnings: Schema.Array(Schema.Struct({ code: Schema.String, message: Schema.String }))
  }),
  PHASE_REJECTED: Schema.Struct({
    phase: Schema.String,
    ...By,
    error: Schema.Literal("payload_mismatch"),
    payload: Schema.Json,
    report: Schema.Boolean,
    failures: Schema.Array(Failure)
  }),
  PHASE_VERIFIED: Schema.Struct({
    phase: Schema.String,
    /** Number of the submission that was verified. */
    submission: Schema.Int,
    passed: Schema.Boolean,
    /** It failed, and the work goes on in another phase. */
    sent_back: Schema.Boolean,
    checks: Schema.Array(CheckRun)
  }),
  WRITE_TARGET_CHECKED: Schema.Struct({
    ...By,
    file_path: Schema.String,
    allow_new_files: Schema.Boolean,
    target: WriteTarget,
    allowed: Schema.Boolean,
    /** `allowed`, or why not. */
    code: Schema.String
  }),

  TASKS_CREATED: Schema.Struct({
    ...By,
    tasks: Schema.Array(NewTask),
    /** Their ids, in the same order. */
    ids: Schema.Array(Schema.String)
  }),
  TASK_ASSIGNED: Schema.Struct({
    task_id: Schema.String,
    /** Null: to nobody. */
    assignee: Schema.NullOr(Schema.String),
    created_by: Schema.String,
    parent_task_id: Schema.NullOr(Schema.String),
    priority: BoardPriority,
    /** Not to be begun before somebody moves it to `todo`. */
    backlog: Schema.Boolean
  })
} as const
