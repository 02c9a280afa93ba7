/** What crosses the border of the HTTP API, beside the views of the kernel. Names and units as in the log. */
import {
  AttemptView,
  BlobRef,
  Budget,
  ItemView,
  ProofCounts,
  Receipt,
  RunProof,
  RunReceipts,
  ShownBy,
  TaskRow,
  TaskView,
  Verdict,
  WeakReason
} from "@proofline/kernel"
import { Schema } from "effect"

export { AttemptView, ItemView, Receipt, RunReceipts, TaskRow, TaskView }

/** `stopped`: its budget is used up, and a resume goes on. */
const RunStatus = Schema.Literals(["running", "completed", "incomplete", "failed", "stopped", "cancelled"])

/** One line about a run. Times: ISO 8601, UTC, ms. */
export const RunRow = Schema.Struct({
  run_id: Schema.String,
  /** `tasks`, `requirements`, `prompt`, `session`, or one of a plugin. */
  kind: Schema.String,
  name: Schema.String,
  status: RunStatus,
  /** What it has shown, `unproven` while it is not completed; null: it was not recorded in its time, see the run itself. */
  verdict: Schema.NullOr(RunProof.fields.verdict),
  /** Null: what it has shown so far is to be seen in the run itself. */
  counts: Schema.NullOr(ProofCounts),
  /** Who reviewed something, by name. */
  reviewers: RunProof.fields.reviewers,
  /** Reasons that the user accepts and that hold for something. */
  weak: RunProof.fields.weak,
  started_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String),
  parent_run_id: Schema.NullOr(Schema.String),
  tasks_total: Schema.Int,
  tasks_completed: Schema.Int,
  tasks_failed: Schema.Int,
  tasks_skipped: Schema.Int,
  items_total: Schema.Int,
  /** Items proven or waived in completed checklists. */
  items_closed: Schema.Int,
  subtasks_total: Schema.Int,
  subtasks_completed: Schema.Int,
  /** Tasks that are being worked on, by id. */
  active: Schema.Array(Schema.String),
  /** Of a session run; null in any other. */
  phase: Schema.NullOr(Schema.String),
  /** Of a requirements run; null in any other. */
  loop: Schema.NullOr(
    Schema.Struct({
      status: Schema.String,
      iteration: Schema.Int,
      max_iterations: Schema.Int,
      requirements_total: Schema.Int,
      requirements_met: Schema.Int
    })
  )
})
export type RunRow = typeof RunRow.Type

/** What waits for a person. */
export const Approval = Schema.Struct({
  run_id: Schema.String,
  run_name: Schema.String,
  /** `question`: answered with `answer` or `approve`; `conflict`: decided by a person and taken up again with `resume`. */
  kind: Schema.Literals(["question", "conflict"]),
  /** Names this question, so that no answer is taken for a later one; null for a conflict. */
  question_id: Schema.NullOr(Schema.String),
  /** Of a question; null for a conflict. */
  phase: Schema.NullOr(Schema.String),
  /** Of a conflict; null for a question. */
  task_id: Schema.NullOr(Schema.String),
  question: Schema.String,
  /** Answers that the contract names, and where they lead; empty: any text. */
  answers: Schema.Array(Schema.Struct({ answer: Schema.Array(Schema.String), goes_on_with: Schema.String })),
  /** Files about which is to be decided. */
  files: Schema.Array(Schema.String)
})
export type Approval = typeof Approval.Type

/** A run as it stands. */
export const RunView = Schema.Struct({
  ...RunRow.fields,
  ...RunProof.fields,
  /** Why it ended as it did; empty while there is nothing to say. */
  message: Schema.String,
  /** By what it failed; null: it did not. */
  failed_by: Schema.NullOr(Schema.Literals(["failed", "fail_fast", "breaker", "budget"])),
  agent: Schema.String,
  reviewer: Schema.NullOr(Schema.String),
  workers: Schema.Int,
  input: Schema.NullOr(Schema.Struct({ path: Schema.String, sha256: Schema.String })),
  base_commit: Schema.NullOr(Schema.String),
  /** The process that drives it, or drove it last. */
  driver: Schema.NullOr(Schema.Struct({ pid: Schema.Int, host: Schema.String, since: Schema.String })),
  spent: Schema.Struct({
    attempts: Schema.Int,
    calls: Schema.Int,
    tokens: Schema.Number,
    cost_usd: Schema.Number
  }),
  budget: Budget,
  /** Events in its log. */
  version: Schema.Int,
  /** Place of the last of them in the whole log. */
  position: Schema.Int,
  hash: Schema.String,
  updated_at: Schema.String,
  child_run_ids: Schema.Array(Schema.String),
  approvals: Schema.Array(Approval)
})
export type RunView = typeof RunView.Type

/** An event of the log, keys in the order in which they are exported. */
export const EventView = Schema.Struct({
  event_type: Schema.String,
  timestamp: Schema.String,
  visibility: Schema.Literals(["summary", "full"]),
  content: Schema.Json,
  position: Schema.Int,
  stream: Schema.String,
  version: Schema.Int,
  schema_version: Schema.Int,
  command_id: Schema.String,
  causation_id: Schema.NullOr(Schema.String),
  correlation_id: Schema.String,
  prev_hash: Schema.String,
  hash: Schema.String
})
export type EventView = typeof EventView.Type

/** Whether a receipt holds in the files as they are now, with the lines it is about. */
export const EvidenceView = Schema.Struct({
  task_id: Schema.String,
  index: Schema.Int,
  item: Schema.String,
  /** As it was reported. */
  evidence: Schema.String,
  receipt: Receipt,
  /** `re_anchored`: the same lines, at another place; `stale`: they changed; `missing`: they are gone. */
  status: Schema.Literals(["proven", "re_anchored", "stale", "missing"]),
  /** Where the lines are now; null: nowhere. */
  now: Schema.NullOr(Schema.Struct({ path: Schema.String, start: Schema.Int, end: Schema.Int })),
  /** In words: why it holds no longer; empty while it does. */
  reason: Schema.String,
  weak: Schema.Array(Schema.String),
  /**
   * The lines as they were accepted, with some around them. `from` numbers the first, from 1. Null: they are kept
   * nowhere any more (the file changed and was not committed).
   */
  accepted: Schema.NullOr(Schema.Struct({ path: Schema.String, from: Schema.Int, lines: Schema.Array(Schema.String) })),
  /** The lines that stand in that place now, with some around them; null: the file cannot be read. */
  current: Schema.NullOr(Schema.Struct({ path: Schema.String, from: Schema.Int, lines: Schema.Array(Schema.String) }))
})
export type EvidenceView = typeof EvidenceView.Type

/** A piece of what an agent prints or was asked. Bytes that are no UTF-8 are replaced by U+FFFD. */
export const TextView = Schema.Struct({
  /** Offset of the first byte. */
  from: Schema.Int,
  /** Where to go on; the same as `total` when nothing is left for now. */
  next: Schema.Int,
  /** Bytes so far. */
  total: Schema.Int,
  text: Schema.String,
  /** More may come: the agent is at work. */
  is_live: Schema.Boolean
})
export type TextView = typeof TextView.Type

/** What became of a run and of everything it proved; nothing is started to find out. */
export const VerificationView = Schema.Struct({
  run_id: Schema.String,
  run_status: Schema.String,
  /** Everything that was asked for counts as done and still holds: `verdict` is not `unproven`. */
  whole: Schema.Boolean,
  /** What the run has shown, as far as that still holds. */
  verdict: RunProof.fields.verdict,
  reviewers: RunProof.fields.reviewers,
  weak: RunProof.fields.weak,
  chain: Schema.Struct({
    ok: Schema.Boolean,
    events: Schema.Int,
    code: Schema.optionalKey(Schema.String),
    version: Schema.optionalKey(Schema.Int),
    message: Schema.optionalKey(Schema.String)
  }),
  counts: Schema.Struct({
    /** What has to hold, by what it came to; what is lost is `stale`, or `missing`. */
    ...ProofCounts.fields,
    /** All of them, those at another place, and those that are gone. */
    receipts: Schema.Int,
    re_anchored: Schema.Int,
    missing: Schema.Int,
    /** Items that are neither shown nor waived. */
    open: Schema.Int
  }),
  receipts: Schema.Array(
    Schema.Struct({
      task_id: Schema.String,
      task_completed: Schema.Boolean,
      item: Schema.String,
      evidence: Schema.String,
      status: Schema.Literals(["proven", "re_anchored", "stale", "missing"]),
      /** `stale`: it does not hold any more. */
      verdict: Verdict,
      shown_by: Schema.NullOr(ShownBy),
      now: Schema.NullOr(Schema.String),
      reason: Schema.String,
      weak: Schema.Array(Schema.String)
    })
  )
})
export type VerificationView = typeof VerificationView.Type

/** A file of the project that can be run. */
export const InputFile = Schema.Struct({
  /** From the project directory, with `/`. */
  path: Schema.String,
  kind: Schema.Literals(["tasks", "requirements"]),
  bytes: Schema.Int
})
export type InputFile = typeof InputFile.Type

/** A value that is handed to a process in one word, which systems bound. */
const Word = Schema.String.check(Schema.isMaxLength(20_000), Schema.isPattern(/^[^\0]*$/))

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0), Schema.isLessThanOrEqualTo(1_000_000_000))

/** What may be spent until it stops; left out: as the file and proofline.yaml say. */
const budget = {
  max_attempts: Schema.optionalKey(Count),
  /** `30m`, `2h`. */
  max_duration: Schema.optionalKey(Word),
  max_tokens: Schema.optionalKey(Count),
  /** US dollars. */
  max_cost: Schema.optionalKey(Schema.Number.check(Schema.isGreaterThan(0), Schema.isFinite()))
}

/** What counts as proof, beside what proofline.yaml says. */
const proof = {
  /** Reasons for which evidence would be refused, and that are accepted: what they hold for is called weak. */
  accept: Schema.optionalKey(Schema.Array(WeakReason)),
  /** Share of the items of a task that may be skipped with a reason. */
  max_waived: Schema.optionalKey(Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
}

/** What is to be run, and how; what is left out is as the file and proofline.yaml say. */
export const StartRequest = Schema.Struct({
  /** A tasks.yaml or requirements.yaml inside the project. */
  file: Schema.String,
  agent: Schema.optionalKey(Word),
  agent_command: Schema.optionalKey(Word),
  reviewer: Schema.optionalKey(Word),
  model: Schema.optionalKey(Word),
  workers: Schema.optionalKey(Count.check(Schema.isGreaterThan(0))),
  max_retries: Schema.optionalKey(Count),
  ...budget,
  ...proof,
  fail_fast: Schema.optionalKey(Schema.Boolean),
  /** Of a tasks file: begin with this task; what it depends on is taken as completed. */
  from: Schema.optionalKey(Word),
  /** Of a tasks file: this task alone. */
  only: Schema.optionalKey(Word),
  /** Tasks that say nothing of it may be split. */
  chunk: Schema.optionalKey(Schema.Boolean)
})
export type StartRequest = typeof StartRequest.Type

export const ResumeRequest = Schema.Struct({
  agent: Schema.optionalKey(Word),
  agent_command: Schema.optionalKey(Word),
  reviewer: Schema.optionalKey(Word),
  model: Schema.optionalKey(Word),
  workers: Schema.optionalKey(Count.check(Schema.isGreaterThan(0))),
  max_retries: Schema.optionalKey(Count),
  ...budget,
  ...proof,
  conflict_resolution: Schema.optionalKey(Schema.Literals(["fail", "overwrite", "manual"])),
  /** A requirements file that changed while the run was at work is taken as it is now. */
  take_over: Schema.optionalKey(Schema.Boolean)
})
export type ResumeRequest = typeof ResumeRequest.Type

/** The run that was started or taken up again. */
export const Begun = Schema.Struct({ run_id: Schema.String })

/** The arguments of an operation, by name. */
export const OperationArguments = Schema.Record(Schema.String, Schema.Json)

/** What an operation answers: the fields it declares, and others. */
export const OperationAnswer = Schema.Record(Schema.String, Schema.Json)
export type OperationAnswer = typeof OperationAnswer.Type

export const AboutView = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  /** The project directory. */
  root: Schema.String,
  /** Runs can be started and taken up again here. */
  can_start: Schema.Boolean,
  /** Names of the agents of the project. */
  agents: Schema.Array(Schema.String),
  /** Where the log ends. */
  position: Schema.Int
})
export type AboutView = typeof AboutView.Type

/** A refusal with its place, as the CLI prints it. */
export const ProblemItem = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  /** Of the arguments of an operation: the path of the one that it is about. */
  field: Schema.optionalKey(Schema.String),
  hint: Schema.String
})
export type ProblemItem = typeof ProblemItem.Type

export { BlobRef }
