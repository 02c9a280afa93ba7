/** What crosses the border of the HTTP API, beside the views of the kernel. Names and units as in the log. */
import {
  AttemptView,
  BlobRef,
  described,
  EventView,
  FailureView,
  ItemView,
  RunRow as KernelRow,
  LogVerification,
  Problem,
  Receipt,
  ReceiptStatus,
  RunDetail,
  RunReceipts,
  TakingUp,
  TaskRow,
  TaskView,
  WorkerOverview
} from "@proofline/kernel"
import { Schema } from "effect"
import {
  fieldsOf,
  promptOptions,
  type RunOption,
  type RunOptions,
  resumeOptions,
  startOptions
} from "../../options/index.ts"
import { LoopProgress } from "../../policies/requirements/contract.ts"

export { AttemptView, EventView, ItemView, LogVerification, Receipt, RunReceipts, TakingUp, TaskRow, TaskView }

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

/** Who takes work of the log. */
export const WorkerView = WorkerOverview.annotate({
  identifier: "Worker",
  description: "A process that takes work of a log that several machines share, and what it is at."
})
export type WorkerView = typeof WorkerView.Type

/** What changed in the project between two moments. */
export const ChangesView = Schema.Struct({
  files: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      /** Lines; null: it is no text on both sides, or cannot be had any more. */
      added: Schema.NullOr(Schema.Int),
      removed: Schema.NullOr(Schema.Int),
      /** Unified diff; null: there is none, or it is too long. */
      patch: Schema.NullOr(Schema.String)
    })
  ),
  /** Files that are not named. */
  left_out: Schema.Int
}).annotate({ identifier: "Changes", description: "What changed in the project between two moments." })
export type ChangesView = typeof ChangesView.Type

/** What waits for a person. */
export const Approval = Schema.Struct({
  run_id: Schema.String,
  run_name: Schema.String,
  /**
   * `permission`: an agent asks leave for something and waits, answered with `answer`; `cannot`: an item that an agent cannot do,
   * answered with `answer`; `question`: answered with `answer` or `approve`; `conflict`: decided by a person and taken up
   * again with `resume`.
   */
  kind: Schema.Literals(["permission", "cannot", "question", "conflict"]),
  /** Names this question, so that no answer is taken for a later one; null for a conflict. */
  question_id: Schema.NullOr(Schema.String),
  /** Of a question; null for anything else. */
  phase: Schema.NullOr(Schema.String),
  /** Null for a question. */
  task_id: Schema.NullOr(Schema.String),
  /** Of `cannot` the item, of `permission` what the agent wants to do. */
  question: Schema.String,
  /** Why the agent cannot do it; left out for anything but `cannot`. */
  reason: Schema.optionalKey(Schema.String),
  /** What shows that; null: nothing was cited. Left out for anything but `cannot`. */
  evidence: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Who asks for a permission; left out for anything else. */
  agent: Schema.optionalKey(Schema.String),
  /** As what that agent works: `work`, `review`, …; left out for anything but `permission`. */
  role: Schema.optionalKey(Schema.String),
  /** What its tool is called with, as the agent says; empty: it does not. Left out for anything but `permission`. */
  detail: Schema.optionalKey(Schema.String),
  /** How often the task was attempted, this time included; left out for a question or a conflict. */
  attempts: Schema.optionalKey(Schema.Int),
  /** Since when it waits, ISO 8601; null: that is not known yet. */
  asked_at: Schema.NullOr(Schema.String),
  /** Commands that did not pass before it was asked, with the end of what they printed. */
  failed: Schema.Array(
    Schema.Struct({
      command: Schema.String,
      /** Null: it did not start, was ended, or took too long. */
      exit_code: Schema.NullOr(Schema.Int),
      /** Of a command that was ended; null: it was not. */
      signal: Schema.NullOr(Schema.String),
      /** It took too long, and was ended for that. */
      timed_out: Schema.Boolean,
      output: Schema.String
    })
  ),
  /**
   * What the work has changed: since the last attempt of the task began, else since the run began. Null: that cannot be
   * told, or is not known yet.
   */
  changes: Schema.NullOr(ChangesView),
  /** Answers that there are, and where each leads, in words for a person. */
  answers: Schema.Array(
    Schema.Struct({
      answer: Schema.Array(Schema.String),
      /** Of a question the phase that follows; empty: the contract names none. */
      goes_on_with: Schema.String,
      leads_to: Schema.String
    })
  ),
  /** Where any other text leads; null: none is taken. */
  other_leads_to: Schema.NullOr(Schema.String),
  /** What becomes of the run with an answer, in words; null: it goes on with it by itself. */
  after: Schema.NullOr(Schema.String),
  /** Files about which is to be decided; of `cannot` those that the task has changed, of `permission` those it is about. */
  files: Schema.Array(Schema.String)
}).annotate({ identifier: "Approval", description: "What waits for a person." })
export type Approval = typeof Approval.Type

/** A run as it stands. */
export const RunView = Schema.Struct({
  ...RunDetail.fields,
  ...ofPlugins,
  approvals: Schema.Array(Approval),
  /** The tasks at which it failed, at most 20. */
  failures: Schema.Array(FailureView)
}).annotate({ identifier: "Run", description: "A run as it stands." })
export type RunView = typeof RunView.Type

/** By value, how many runs it would find with the other filters as they are; a value that finds none is left out. */
const found = Schema.Record(Schema.String, Schema.Int)

export const RunFacets = Schema.Struct({ status: found, kind: found }).annotate({
  identifier: "RunFacets",
  description: "By filter and value, how many runs there are, with the other filters as they are."
})
export type RunFacets = typeof RunFacets.Type

/** Lines of a file. `from` numbers the first, from 1. */
const Lines = Schema.Struct({ path: Schema.String, from: Schema.Int, lines: Schema.Array(Schema.String) })
export type Lines = typeof Lines.Type

const LineRange = Schema.Struct({ path: Schema.String, start: Schema.Int, end: Schema.Int })

/** What stands in the lines that an attempt cited, with some around them. */
export const CitedView = Schema.Struct({
  /** Null: the evidence cites no lines. */
  cited: Schema.NullOr(LineRange),
  /** The lines as the attempt left them; null: there was no such file, or nobody kept it. */
  was: Schema.NullOr(Lines),
  /** The lines of the file as it is now; null: it cannot be read. */
  now: Schema.NullOr(Lines)
}).annotate({
  identifier: "CitedLines",
  description: "What stands in the lines that an attempt cited, with some around them."
})
export type CitedView = typeof CitedView.Type

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
  now: Schema.NullOr(LineRange),
  /** In words: why it holds no longer; empty while it does. */
  reason: Schema.String,
  weak: Schema.Array(Schema.String),
  /** What its subtask did is in the worktree of that, and not in the project yet. Left out: no. */
  in_worktree: Schema.optionalKey(Schema.Literal(true)),
  /**
   * The lines as they were accepted, with some around them. `from` numbers the first, from 1. Null: they are kept
   * nowhere any more (the file changed and was not committed).
   */
  accepted: Schema.NullOr(Lines),
  /** The lines that stand in that place now, with some around them; null: the file cannot be read. */
  current: Schema.NullOr(Lines)
}).annotate({
  identifier: "Evidence",
  description: "Whether a receipt holds in the files as they are now, with the lines it is about."
})
export type EvidenceView = typeof EvidenceView.Type

/** What an attempt prints, or tells of itself: `TimedStep`s, one a line. */
export const OutputStream = Schema.Literals(["stdout", "stderr", "steps"])
export type OutputStream = typeof OutputStream.Type

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

/** As it is asked for: what is left out has no default, and a text is handed to a process in one word, which systems bound. */
const asked = ({ default: _, ...option }: RunOption): RunOption =>
  option.schema.ast._tag === "String"
    ? { ...option, schema: (option.schema as unknown as Schema.String).check(Schema.isMaxLength(20_000)) }
    : option

const requestOf = <O extends RunOptions>(options: O) =>
  fieldsOf(Object.fromEntries(Object.entries(options).map(([key, option]) => [key, asked(option)])) as unknown as O)

const Texts = Schema.Array(Schema.String.check(Schema.isMaxLength(20_000))).check(Schema.isMaxLength(200))

/** What is to be run, and how; what is left out is as the file and proofline.yaml say. */
export const StartRequest = Schema.Struct({
  file: Schema.optionalKey(
    described("A tasks.yaml or requirements.yaml inside the project; left out: there is a prompt.", Schema.String)
  ),
  prompt: Schema.optionalKey(
    described(
      "One large task in words, which is split where that helps; in the place of a file.",
      Schema.String.check(Schema.isMaxLength(200_000))
    )
  ),
  checks: Schema.optionalKey(described("Of a prompt: commands that must exit with 0 when all is done.", Texts)),
  checklist: Schema.optionalKey(described("Of a prompt: items that need evidence.", Texts)),
  ...requestOf({ ...startOptions, ...promptOptions })
}).annotate({
  identifier: "StartRequest",
  description:
    "What is to be run, and how; what is left out is as the file and proofline.yaml say. `from`, `only` and `chunk` are for " +
    "files; `checks`, `checklist` and what says how to split for prompts."
})
export type StartRequest = typeof StartRequest.Type

export const ResumeRequest = Schema.Struct(requestOf(resumeOptions)).annotate({
  identifier: "ResumeRequest",
  description: "How the run goes on, and for which tasks; what is left out is as before."
})
export type ResumeRequest = typeof ResumeRequest.Type

export const Begun = Schema.Struct({ run_id: Schema.String }).annotate({
  identifier: "Begun",
  description: "The run that was started or taken up again."
})

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
}).annotate({ identifier: "About" })
export type AboutView = typeof AboutView.Type

/** A refusal with its place, as the CLI prints it. */
export const ProblemItem = Schema.Struct({
  ...Problem.fields,
  field: Schema.optionalKey(
    described("Of the arguments of an operation: the path of the one that it is about.", Schema.String)
  )
}).annotate({ identifier: "ProblemItem", description: "One thing that is wrong." })
export type ProblemItem = typeof ProblemItem.Type

/** A project of a server. */
export const ServedProject = Schema.Struct({
  id: described("Names it in addresses. The same each time that this directory is served.", Schema.String),
  name: described("The last part of its directory. Several may be called so.", Schema.String),
  root: described("The project directory.", Schema.String),
  path: described(
    "What stands in its addresses before `/api/v1`, `/mcp` and `/openapi.json`, also where a server has no other project.",
    Schema.String
  ),
  status: described(
    "`opening`: it is not ready yet; `unusable`: it cannot be served now, as `problems` says. It is tried again by itself.",
    Schema.Literals(["open", "opening", "unusable"])
  ),
  problems: described(
    "Why it cannot be served, or its log cannot be read now; empty: nothing is wrong.",
    Schema.Array(ProblemItem)
  ),
  waiting: described(
    "What waits for a person in it, as `/approvals` lists it; null: that is not known now.",
    Schema.NullOr(Schema.Int)
  ),
  running: described(
    "Runs that go on, without those that are a part of another; null: that is not known now.",
    Schema.NullOr(Schema.Int)
  ),
  same_log_as: described(
    "The id of an earlier project of the list that has the same log, and so the same runs; null: none has.",
    Schema.NullOr(Schema.String)
  )
}).annotate({ identifier: "ServedProject", description: "A project of a server, and where one is needed in it." })
export type ServedProject = typeof ServedProject.Type

/** The projects of a server. */
export const ServedProjects = Schema.Struct({
  projects: Schema.Array(ServedProject),
  waiting: described("What waits for a person in all of them, each log counted once.", Schema.Int),
  running: described("Runs that go on in all of them, each log counted once.", Schema.Int)
}).annotate({ identifier: "ServedProjects", description: "The projects of a server." })
export type ServedProjects = typeof ServedProjects.Type

export { BlobRef }
