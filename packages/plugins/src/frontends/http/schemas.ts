/** What crosses the border of the HTTP API, beside the views of the kernel. Names and units as in the log. */
import {
  AttemptView,
  BlobRef,
  Count,
  described,
  EventView,
  ItemView,
  RunRow as KernelRow,
  LogVerification,
  Problem,
  Receipt,
  ReceiptStatus,
  RunDetail,
  RunReceipts,
  TaskRow,
  TaskView,
  WeakReason
} from "@proofline/kernel"
import { Schema } from "effect"
import { LoopProgress } from "../../policies/requirements/contract.ts"

export { AttemptView, EventView, ItemView, LogVerification, Receipt, RunReceipts, TaskRow, TaskView }

const { loop_status: status, ...loopFields } = LoopProgress.fields

/** What plugins add to a run of a list. */
const ofPlugins = {
  phase: described("Of a session run; null in any other.", Schema.NullOr(Schema.String)),
  loop: described("Of a requirements run; null in any other.", Schema.NullOr(Schema.Struct({ status, ...loopFields })))
}

/** One line about a run. */
export const RunRow = Schema.Struct({ ...KernelRow.fields, ...ofPlugins }).annotate({
  identifier: "RunRow",
  description: "One run of a list, as far as it is known without its events."
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
}).annotate({ identifier: "Approval", description: "What waits for a person." })
export type Approval = typeof Approval.Type

/** A run as it stands. */
export const RunView = Schema.Struct({
  ...RunDetail.fields,
  ...ofPlugins,
  approvals: Schema.Array(Approval)
}).annotate({ identifier: "Run", description: "A run as it stands." })
export type RunView = typeof RunView.Type

/** Whether a receipt holds in the files as they are now, with the lines it is about. */
export const EvidenceView = Schema.Struct({
  task_id: Schema.String,
  index: Schema.Int,
  item: Schema.String,
  /** As it was reported. */
  evidence: Schema.String,
  receipt: Receipt,
  status: ReceiptStatus,
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
}).annotate({
  identifier: "Evidence",
  description: "Whether a receipt holds in the files as they are now, with the lines it is about."
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
}).annotate({
  identifier: "TextPiece",
  description: "A piece of what an agent prints or was asked. Bytes that are no UTF-8 are replaced by U+FFFD."
})
export type TextView = typeof TextView.Type

/** A file of the project that can be run. */
export const InputFile = Schema.Struct({
  /** From the project directory, with `/`. */
  path: Schema.String,
  kind: Schema.Literals(["tasks", "requirements"]),
  bytes: Schema.Int
}).annotate({ identifier: "InputFile", description: "A file of the project that can be run." })
export type InputFile = typeof InputFile.Type

/** A value that is handed to a process in one word, which systems bound. */
const Word = Schema.String.check(Schema.isMaxLength(20_000), Schema.isPattern(/^[^\0]*$/u))

const Limit = Count.check(Schema.isLessThanOrEqualTo(1_000_000_000))

/** What may be spent until it stops; left out: as the file and proofline.yaml say. */
const budget = {
  max_attempts: Schema.optionalKey(Limit),
  /** `30m`, `2h`. */
  max_duration: Schema.optionalKey(Word),
  max_tokens: Schema.optionalKey(Limit),
  /** US dollars. */
  max_cost: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0)))
}

/** What counts as proof, beside what proofline.yaml says. */
const proof = {
  /** Reasons for which evidence would be refused, and that are accepted: what they hold for is called weak. */
  accept: Schema.optionalKey(Schema.Array(WeakReason)),
  /** Share of the items of a task that may be skipped with a reason. */
  max_waived: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
}

/** What is to be run, and how; what is left out is as the file and proofline.yaml say. */
export const StartRequest = Schema.Struct({
  /** A tasks.yaml or requirements.yaml inside the project. */
  file: Schema.String,
  agent: Schema.optionalKey(Word),
  agent_command: Schema.optionalKey(Word),
  reviewer: Schema.optionalKey(Word),
  model: Schema.optionalKey(Word),
  workers: Schema.optionalKey(Limit.check(Schema.isGreaterThan(0))),
  max_retries: Schema.optionalKey(Limit),
  ...budget,
  ...proof,
  fail_fast: Schema.optionalKey(Schema.Boolean),
  /** Of a tasks file: begin with this task; what it depends on is taken as completed. */
  from: Schema.optionalKey(Word),
  /** Of a tasks file: this task alone. */
  only: Schema.optionalKey(Word),
  /** Tasks that say nothing of it may be split. */
  chunk: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "StartRequest",
  description: "What is to be run, and how; what is left out is as the file and proofline.yaml say."
})
export type StartRequest = typeof StartRequest.Type

export const ResumeRequest = Schema.Struct({
  agent: Schema.optionalKey(Word),
  agent_command: Schema.optionalKey(Word),
  reviewer: Schema.optionalKey(Word),
  model: Schema.optionalKey(Word),
  workers: Schema.optionalKey(Limit.check(Schema.isGreaterThan(0))),
  max_retries: Schema.optionalKey(Limit),
  ...budget,
  ...proof,
  conflict_resolution: Schema.optionalKey(Schema.Literals(["fail", "overwrite", "manual"])),
  /** A requirements file that changed while the run was at work is taken as it is now. */
  take_over: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "ResumeRequest" })
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
  .annotate({ identifier: "Begun", description: "The run that was started or taken up again." })
  .annotate({ identifier: "About" })
export type AboutView = typeof AboutView.Type

/** A refusal with its place, as the CLI prints it. */
export const ProblemItem = Schema.Struct({
  ...Problem.fields,
  field: Schema.optionalKey(
    described("Of the arguments of an operation: the path of the one that it is about.", Schema.String)
  )
}).annotate({ identifier: "ProblemItem", description: "One thing that is wrong." })
export type ProblemItem = typeof ProblemItem.Type

export { BlobRef }
