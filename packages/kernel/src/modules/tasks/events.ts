import { HashSet, Schema } from "effect"
import { BlobRef } from "../../base/Blob.ts"
import type { TaskId } from "../../base/Ids.ts"
import { counted } from "../../core/words.ts"
import { AgentSession, AttemptError } from "../../port/Agent.ts"
import { attemptSpent, breakerOpened } from "../run/events.ts"
import type { Verdict } from "../run/obligations.ts"
import { callEnded } from "../run/permissions.ts"
import { AttemptTrees } from "./AttemptTrees.ts"
import { BaseCheck } from "./BaseCheck.ts"
import { CheckRun } from "./CheckRun.ts"
import { completed, failed, registered, skipped, started, withYielded } from "./changes.ts"
import { Failure, Receipt, ReportedItem, ReviewCheck, Weakness } from "./Report.ts"
import { AssignmentStatus, AttemptOutcome, Completion, evidenceFields, TaskStatus } from "./schemas.ts"
import { whySkipped } from "./skips.ts"
import {
  type AttemptState,
  answered,
  hasUserCommands,
  nothingKnown,
  refusedAttempt,
  reset,
  type TaskState,
  Tasks,
  type TasksState,
  taskOf,
  unasked,
  unrevisited,
  untouched,
  withAttempt,
  withItem,
  withTask
} from "./state.ts"
import { ChecklistItemSpec } from "./TaskSpec.ts"

const TaskRef = { task_id: Schema.String }
export const AttemptRef = { task_id: Schema.String, attempt: Schema.Int }

// What this module records. Field names are part of the log format.

export const TaskRegistered = Tasks.event("TASK_REGISTERED", {
  schema: Schema.Struct({
    ...TaskRef,
    title: Schema.String,
    instruction: Schema.String,
    validation: Schema.Array(Schema.String),
    checks: Schema.Array(Schema.String),
    depends_on: Schema.Array(Schema.String),
    /** Length of the longest chain of tasks that begins here; ready tasks with a longer one go first. */
    priority: Schema.Int,
    chunk: Schema.Literals(["no", "auto", "asked"]),
    /** Who wrote its commands; left out: the user. */
    commands_by: Schema.optionalKey(Schema.Literal("agent")),
    /** Attempts at it that are made beside each other; left out: as many as the run makes. */
    attempts: Schema.optionalKey(Schema.Int)
  }),
  visibility: "full",
  changes: ({ priority, task_id: id, ...spec }) => [
    registered({ spec: { id, ...spec, checklist: [] }, priority, parent_task_id: null, carried: 0, alternative: false })
  ],
  sentence: ({ task_id, title }) => `Task ${task_id} was registered: ${title}`
})

export const TaskStarted = Tasks.event("TASK_STARTED", {
  schema: Schema.Struct(TaskRef),
  visibility: "summary",
  changes: (content) => [started(content)],
  sentence: ({ task_id }) => `Task ${task_id} was started.`
})

export const TaskStatusChanged = Tasks.event("TASK_STATUS_CHANGED", {
  schema: Schema.Struct({
    ...TaskRef,
    from: TaskStatus,
    to: TaskStatus,
    reason: Schema.String,
    /** Retries used so far, this one included. */
    retry_count: Schema.Int,
    /** Wait before the next attempt, in ms. */
    delay_ms: Schema.Int,
    /** Items of a task that was completed and are to be shown again. */
    reopened_items: Schema.optionalKey(Schema.Int),
    /** Set where an agent asked for it in pull mode: who, when, and for what. */
    by: Schema.optionalKey(
      Schema.Struct({
        session_id: Schema.String,
        at: Schema.String,
        asked: AssignmentStatus,
        prompt: Schema.NullOr(BlobRef)
      })
    )
  }),
  visibility: "summary",
  evolve: (own, content) =>
    withTask(own, content.task_id, (task) => ({
      ...unasked(task),
      status: content.to,
      retry_count: content.retry_count,
      delay_ms: content.delay_ms,
      blocked: null,
      verdict: content.to === "retrying" ? "unproven" : task.verdict,
      items:
        content.reopened_items === undefined
          ? task.items
          : task.items.map((item) => (item.verdict === "stale" ? item : reset(item))),
      refused: refusedBefore(task, content)
    })),
  sentence: ({ reason, task_id, to }) => `Task ${task_id} is ${to}${reason === "" ? "" : `: ${reason}`}.`
})

/** What was done is judged on: a person has waived what could not be. */
const isWaived = ({ reason, to }: { readonly to: TaskStatus; readonly reason: string }): boolean =>
  to === "in_progress" && reason === answered

/** What the next attempt is told of the last one. */
const refusedBefore = (
  task: TaskState,
  content: {
    readonly to: TaskStatus
    readonly reason: string
    readonly retry_count: number
    readonly reopened_items?: number
    readonly by?: unknown
  }
): AttemptState | null => {
  // an agent moves it, or the work was sent back as a whole: nothing was said of the attempt
  const isSentBack = content.reopened_items !== undefined && task.items.every(({ verdict }) => verdict !== "stale")
  if (content.by !== undefined || isSentBack || content.to === "blocked" || isWaived(content)) return task.refused
  // the same again: what the reviewer said is no news for the agent
  const isSameAgain = content.reason === "review_retry" && content.retry_count === task.retry_count
  return isSameAgain ? task.refused : refusedAttempt(task)
}

export const TaskCompleted = Tasks.event("TASK_COMPLETED", {
  schema: Schema.Struct({
    ...TaskRef,
    attempts: Schema.Int,
    ...Completion.fields
  }),
  visibility: "summary",
  changes: ({ proven, task_id, verdict, waived }) => [
    completed({ task_id, verdict: verdict ?? shown(proven, waived) })
  ],
  sentence: ({ proven, task_id, verdict, waived, weak = 0 }) =>
    verdict === "unproven"
      ? `Task ${task_id} is completed by word alone.`
      : `Task ${task_id} is completed: ${proven} proven, ${waived} waived${weak === 0 ? "" : `, ${weak} weak`}.`
})

/** What items that are all proven or waived come to. */
export const shown = (proven: number, waived: number): Verdict => (proven === 0 && waived > 0 ? "waived" : "proven")

export const TaskFailed = Tasks.event("TASK_FAILED", {
  schema: Schema.Struct({
    ...TaskRef,
    attempts: Schema.Int,
    /** `refuted`: tried and found wanting; `unproven`: nothing spoke against it, but nothing proved it. */
    verdict: Schema.Literals(["refuted", "unproven"]),
    reason: Schema.String,
    message: Schema.String
  }),
  visibility: "summary",
  changes: ({ attempts, ...content }) => [failed(content)],
  sentence: ({ message, task_id }) => `Task ${task_id} failed: ${message}`
})

export const TaskSkipped = Tasks.event("TASK_SKIPPED", {
  schema: Schema.Struct({ ...TaskRef, reason: Schema.String, waiting_for: Schema.Array(Schema.String) }),
  visibility: "summary",
  changes: ({ reason, task_id, waiting_for }) => [
    skipped({ task_id, reason, message: whySkipped({ reason, waiting_for }) })
  ],
  sentence: ({ reason, task_id, waiting_for }) => `Task ${task_id} was skipped: ${whySkipped({ reason, waiting_for })}.`
})

export const ChecklistRegistered = Tasks.event("CHECKLIST_REGISTERED", {
  schema: Schema.Struct({
    ...TaskRef,
    items: Schema.Array(ChecklistItemSpec),
    /** How many of them are new, where the task had some before. */
    added: Schema.optionalKey(Schema.Int),
    /** None of those that were asked for are added: acceptance criteria, or what a part does not show any more. */
    criteria: Schema.optionalKey(Schema.Literal(true))
  }),
  visibility: "full",
  evolve: (own, { added, items, task_id }) => {
    const known = withTask(own, task_id, (task) => ({
      ...task,
      spec: { ...task.spec, checklist: items },
      // items that are added to others leave those as they are
      items: items.map((item, i) =>
        added !== undefined && task.items[i] !== undefined ? task.items[i] : { ...item, ...untouched }
      )
    }))
    const task = taskOf({ tasks: known }, task_id)
    return known.has_commands || task === undefined || !hasUserCommands(task.spec)
      ? known
      : { ...known, has_commands: true }
  },
  sentence: ({ items, task_id }) => `Task ${task_id} has a checklist of ${counted(items.length, "item")}.`
})

export const reportFields = {
  summary: Schema.String,
  /** Null: the agent ended without a usable checklist. */
  checklist: Schema.NullOr(Schema.Array(ReportedItem)),
  /** What was wrong with the report itself (missing, not JSON, not the promised shape). */
  problems: Schema.Array(Schema.String)
}

export const ChecklistReported = Tasks.event("CHECKLIST_REPORTED", {
  schema: Schema.Struct({ ...AttemptRef, ...reportFields }),
  visibility: "full",
  evolve: (own, { attempt, task_id, ...report }) =>
    withAttempt(own, { attempt, task_id }, (current) => ({ ...current, report })),
  sentence: ({ attempt, summary, task_id }) =>
    `Attempt ${attempt} of ${task_id} reported its checklist${summary === "" ? "." : `: ${summary}`}`
})

export const EvidenceChecked = Tasks.event("EVIDENCE_CHECKED", {
  schema: Schema.Struct({ ...AttemptRef, ...evidenceFields }),
  visibility: "full",
  // judged anew: what an earlier attempt had shown may have been changed since
  evolve: (own, content) =>
    withTask(
      withAttempt(unrevisited(own), content, (attempt) => ({ ...attempt, facts: content.facts })),
      content.task_id,
      (task) => ({ ...task, items: task.items.map(reset) })
    ),
  sentence: ({ facts, task_id }) =>
    `${counted(facts.length, `piece of evidence of ${task_id} was`, `pieces of evidence of ${task_id} were`)} looked at.`
})

export const ItemAccepted = Tasks.event("CHECKLIST_ITEM_ACCEPTED", {
  schema: Schema.Struct({
    ...AttemptRef,
    index: Schema.Int,
    item: Schema.String,
    status: Schema.Literals(["done", "skipped"]),
    verdict: Schema.Literals(["proven", "weak", "waived"]),
    evidence: Schema.NullOr(Schema.String),
    reason: Schema.NullOr(Schema.String),
    receipt: Schema.NullOr(Receipt),
    /** Empty where it is waived. `weak`: why, as the user accepts it. */
    weak: Schema.Array(Weakness)
  }),
  visibility: "summary",
  evolve: (own, { evidence, index, reason, receipt, status, task_id, verdict, weak }) =>
    withItem(own, task_id, index, (item) => ({ ...item, status, verdict, evidence, reason, receipt, weak })),
  sentence: ({ evidence, item, reason, task_id, verdict }) =>
    `${task_id}: "${item}" is ${verdict}${evidence === null ? ` (${reason ?? ""})` : ` by ${evidence}`}.`
})

/** Why an item is open again that was accepted: key of its failure, and the reason why its task is tried again. */
export const evidenceStale = "checklist_evidence_stale"

export const ItemRejected = Tasks.event("CHECKLIST_ITEM_REJECTED", {
  schema: Schema.Struct({
    ...AttemptRef,
    /** Index of the registered item; null when the failure is about the report as a whole. */
    index: Schema.NullOr(Schema.Int),
    error: Schema.Literal("payload_mismatch"),
    ...Failure.fields
  }),
  visibility: "summary",
  evolve: (own, content) => {
    const { fields, index, item, key, message, task_id } = content
    const noted = withAttempt(own, content, (attempt) => ({
      ...attempt,
      failures: [...attempt.failures, { item, key, fields, message }]
    }))
    return index === null
      ? noted
      : withItem(noted, task_id, index, (old) =>
          key === evidenceStale ? { ...old, verdict: "stale" } : { ...reset(old), verdict: "refuted" }
        )
  },
  sentence: ({ message, task_id }) => `${task_id}: refused: ${message}`
})

export const ChecklistCompleted = Tasks.event("CHECKLIST_COMPLETED", {
  schema: Schema.Struct({
    ...AttemptRef,
    proven: Schema.Int,
    waived: Schema.Int,
    weak: Schema.optionalKey(Schema.Int)
  }),
  visibility: "summary",
  sentence: ({ proven, task_id, waived }) =>
    `The checklist of ${task_id} is complete: ${proven} proven, ${waived} waived.`
})

export const startFields = {
  ...AttemptRef,
  agent: Schema.String,
  worker_id: Schema.String,
  /** The machine; left out: nobody says, as before that was recorded. */
  host: Schema.optionalKey(Schema.String),
  item_id: Schema.String,
  lease: Schema.Int,
  prompt: BlobRef
}

export const AttemptStarted = Tasks.event("ATTEMPT_STARTED", {
  schema: Schema.Struct(startFields),
  visibility: "summary",
  changes: () => [attemptSpent(null)],
  evolve: (own, { agent, attempt, item_id, lease, task_id, worker_id }) =>
    withTask(unrevisited(own), task_id, (task) => ({
      ...unasked(task),
      status: "in_progress",
      attempts: attempt,
      blocked: null,
      current: { attempt, agent, worker_id, item_id, lease, ...nothingKnown }
    })),
  sentence: ({ agent, attempt, task_id }) => `${agent} began attempt ${attempt} of ${task_id}.`
})

export const outputFields = {
  /** The end of what the agent printed, at most 2,000 characters. */
  output_tail: Schema.String,
  stdout: Schema.NullOr(BlobRef),
  stderr: Schema.NullOr(BlobRef),
  /** What it did, as it told itself while it worked (`TimedStep`s); left out: it told of nothing. */
  steps: Schema.optionalKey(BlobRef)
}

export const AttemptOutput = Tasks.event("ATTEMPT_OUTPUT_SUMMARIZED", {
  schema: Schema.Struct({ ...AttemptRef, ...outputFields }),
  visibility: "full",
  sentence: ({ attempt, task_id }) => `Attempt ${attempt} of ${task_id} printed something.`
})

export const endFields = {
  ...AttemptRef,
  outcome: AttemptOutcome,
  exit_code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  duration_ms: Schema.Int,
  error: Schema.NullOr(AttemptError),
  /** Files that it changed, as found on disk; null: nobody looked. */
  files_modified: Schema.NullOr(Schema.Array(Schema.String)),
  /** Files that changed while others worked in the directory too: nobody can tell who changed them. Left out: none. */
  files_undecided: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The agent's own session, and where it worked (null: in the project); left out: it named none. */
  session: Schema.optionalKey(Schema.Struct({ ...AgentSession.fields, directory: Schema.NullOr(Schema.String) })),
  /** Left out: nobody looked, or nothing had changed. */
  trees: Schema.optionalKey(AttemptTrees)
}

export const AttemptEnded = Tasks.event("ATTEMPT_ENDED", {
  schema: Schema.Struct({
    ...endFields,
    /** Who worked; null: the log does not say. */
    agent: Schema.NullOr(Schema.String)
  }),
  visibility: "summary",
  changes: ({ agent, attempt, error, task_id }) => [
    callEnded({ task_id, attempt, role: "work" }),
    ...(agent === null || error === null || !error.terminal
      ? []
      : [breakerOpened({ agent, code: error.code, message: error.message })])
  ],
  evolve: (own, content) => {
    const { error, files_modified, files_undecided = [], outcome, session, task_id } = content
    const ended = own.ended + 1
    return withTask(
      withAttempt({ ...own, ended }, content, (attempt) => ({
        ...attempt,
        outcome,
        error,
        files_modified,
        ...(session === undefined ? {} : { session })
      })),
      task_id,
      (task) => ({
        ...task,
        ended,
        lost_count: task.lost_count + Number(outcome === "LOST"),
        // whoever is asked next has tried nothing yet
        transient_count: error?.transient === true && !error.terminal ? task.transient_count + 1 : 0,
        files: united(task.files, files_modified ?? []),
        undecided: united(task.undecided, files_undecided)
      })
    )
  },
  sentence: ({ attempt, outcome, task_id }) => `Attempt ${attempt} of ${task_id} ended: ${outcome}.`
})

const united = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<string> =>
  b.length === 0 ? a : [...new Set([...a, ...b])].sort()

/** A gate of a plugin does not let an attempt pass. */
export const GateRefused = Tasks.event("GATE_REFUSED", {
  schema: Schema.Struct({
    ...AttemptRef,
    gate: Schema.String,
    /** Whose gate it is. */
    plugin: Schema.String,
    /** A stable code. */
    reason: Schema.String,
    /** For the agent that makes the next attempt. */
    message: Schema.String
  }),
  visibility: "summary",
  evolve: (own, content) =>
    withAttempt(own, content, (attempt) => ({
      ...attempt,
      failures: [...attempt.failures, { item: null, key: content.reason, fields: {}, message: content.message }]
    })),
  sentence: ({ gate, message, task_id }) => `${task_id}: refused by the gate ${gate}: ${message}`
})

export const AttemptCancelled = Tasks.event("ATTEMPT_CANCELLED", {
  schema: Schema.Struct({ ...AttemptRef, reason: Schema.String }),
  visibility: "summary",
  evolve: (own, content) => withAttempt(own, content, (attempt) => ({ ...attempt, cancelled: true })),
  sentence: ({ attempt, reason, task_id }) => `Attempt ${attempt} of ${task_id} was taken back: ${reason}.`
})

export const VerificationRun = Tasks.event("VERIFICATION_RUN", {
  schema: Schema.Struct({
    ...AttemptRef,
    passed: Schema.Boolean,
    checks: Schema.Array(CheckRun),
    /** What follows for items whose own commands have not passed. */
    items: Schema.Array(Schema.Struct({ index: Schema.Int, verdict: Schema.Literals(["refuted", "unproven"]) }))
  }),
  visibility: "summary",
  evolve: (own, content) => {
    const { checks, items, passed, task_id } = content
    return items.reduce(
      (now, { index, verdict }) =>
        withItem(now, task_id, index, (item) => (item.status === "cannot" ? item : { ...item, verdict })),
      withAttempt(own, content, (attempt) => ({ ...attempt, verification: { passed, checks } }))
    )
  },
  sentence: ({ checks, passed, task_id }) =>
    `${counted(checks.length, `command of ${task_id} was`, `commands of ${task_id} were`)} run: ${passed ? "passed" : "not passed"}.`
})

/** The user's commands were run on the project as it was before the run. */
export const BaseChecked = Tasks.event("BASE_CHECKED", {
  schema: Schema.Struct({ checks: Schema.Array(BaseCheck) }),
  visibility: "summary",
  evolve: (own, { checks }) => ({
    ...own,
    base_checks: { checks: [...(own.base_checks?.checks ?? []), ...checks], problem: null }
  }),
  sentence: ({ checks }) => {
    const ended = (outcome: BaseCheck["outcome"]) => checks.filter((check) => check.outcome === outcome).length
    return `${counted(checks.length, "command was", "commands were")} run at the base: ${ended("red")} red, ${ended("green")} green, ${ended("unknown")} unknown.`
  }
})

/** An item that was accepted and does not hold any more. */
export const StaleItem = Schema.Struct({
  ...AttemptRef,
  index: Schema.Int,
  item: Schema.String,
  evidence: Schema.String,
  /** The file it spoke of; null: it is about none. */
  path: Schema.NullOr(Schema.String),
  /** What was found. */
  reason: Schema.String,
  /** Whose attempt changed it; null: the log does not say. */
  changed_by: Schema.NullOr(Schema.Struct(AttemptRef)),
  /** The task that is to show it now; null: its own. */
  shown_by: Schema.NullOr(Schema.String)
})

/** What was accepted was judged again before the run ends, where it is now. */
export const EvidenceRevisited = Tasks.event("EVIDENCE_REVISITED", {
  schema: Schema.Struct({
    /** How often that was done before. */
    round: Schema.Int,
    /** Receipts that were judged. */
    judged: Schema.Int,
    /** Empty: all of them hold. */
    stale: Schema.Array(StaleItem)
  }),
  visibility: "summary",
  evolve: (own, { round, stale }) =>
    stale.reduce<TasksState>(
      (now, { index, shown_by, task_id }) => (shown_by === null ? now : withYielded(now, { task_id, index })),
      { ...own, revisits: { count: round + 1, isFresh: true, problem: null } }
    ),
  sentence: ({ judged, stale }) =>
    stale.length === 0
      ? `What was accepted was judged again: all ${judged} hold.`
      : `What was accepted was judged again: ${counted(stale.length, `of ${judged} does`, `of ${judged} do`)} not hold any more.`
})

/** What a reviewer says of an attempt. */
export const judgedFields = {
  reviewer: Schema.String,
  judgment: Schema.Literals(["PASS", "REJECT", "RETRY"]),
  checks: Schema.Array(ReviewCheck),
  modification_prompt: Schema.NullOr(Schema.String)
}

export const judgmentFields = {
  ...AttemptRef,
  ...judgedFields,
  output: Schema.NullOr(BlobRef),
  /** Files that were changed while it judged, when nobody else was at work; left out: none are known. */
  changed_files: Schema.optionalKey(Schema.Array(Schema.String))
}

export const QualityJudgment = Tasks.event("QUALITY_JUDGMENT", {
  schema: Schema.Struct(judgmentFields),
  visibility: "summary",
  evolve: (own, content) => {
    const { checks, judgment, modification_prompt, reviewer } = content
    const isBuiltIn = reviewer === criteriaReviewer
    return withAttempt(own, content, (attempt) => ({
      ...attempt,
      ...(isBuiltIn ? { criteria: checks } : {}),
      // what passes the built-in criteria is still to be reviewed
      judgment:
        isBuiltIn && judgment === "PASS" ? attempt.judgment : { judgment, reviewer, checks, modification_prompt }
    }))
  },
  sentence: ({ judgment, reviewer, task_id }) => `${reviewer} judged ${task_id}: ${judgment}.`
})

/** Who judges by the built-in criteria, as it is named in judgements. No agent can have this name. */
export const criteriaReviewer = "proofline:criteria"

export const events = [
  TaskRegistered,
  TaskStarted,
  TaskStatusChanged,
  TaskCompleted,
  TaskFailed,
  TaskSkipped,
  ChecklistRegistered,
  ChecklistReported,
  EvidenceChecked,
  ItemAccepted,
  ItemRejected,
  ChecklistCompleted,
  AttemptStarted,
  AttemptOutput,
  AttemptEnded,
  AttemptCancelled,
  GateRefused,
  VerificationRun,
  BaseChecked,
  EvidenceRevisited,
  QualityJudgment
]

/** Tasks completed in earlier runs that tasks of this run may depend on. */
export const withEarlier = (
  own: TasksState,
  started: {
    readonly completed_task_ids: ReadonlyArray<TaskId>
    readonly completed_tasks?: TasksState["earlier"]
  }
): TasksState => ({
  ...own,
  completed_elsewhere: HashSet.fromIterable(started.completed_task_ids),
  earlier: started.completed_tasks ?? []
})
