import { HashMap, HashSet, Option, Schema } from "effect"
import { BlobRef } from "../base/Blob.ts"
import type { TaskId } from "../base/Ids.ts"
import type { Recorded } from "../base/Recorded.ts"
import { asKernelEvent, type KernelState } from "../composition.ts"
import type { AnyEvent } from "../core/contract.ts"
import { loopOf, subtaskStateOf, subtasksOf } from "../modules/chunking/state.ts"
import { CheckRun } from "../modules/tasks/CheckRun.ts"
import { notes } from "../modules/tasks/points.ts"
import { Failure, Receipt, ReportedItem, ReviewCheck, Weakness } from "../modules/tasks/Report.ts"
import { AttemptOutcome, TaskStatus } from "../modules/tasks/schemas.ts"
import {
  childrenOf,
  type HasTasks,
  parentOf,
  type TaskState,
  taskOf,
  tasksOf,
  waitingFor
} from "../modules/tasks/state.ts"
import { AttemptError } from "../port/Agent.ts"
import type { EventRef } from "./Receipts.ts"

type State = KernelState

// --- shapes ---------------------------------------------------------------------------------------------------------

const Verdict = Schema.Literals(["proven", "refuted", "unproven", "waived", "stale"])

/** A claim of one attempt that was not accepted. */
export const Refusal = Schema.Struct({
  /** Of the registered item, from 0; null: the report as a whole. */
  index: Schema.NullOr(Schema.Int),
  ...Failure.fields
})
export type Refusal = typeof Refusal.Type

/** One execution of a task by one agent, from its start to what became of it. Times: ISO 8601, UTC, ms. */
export const AttemptView = Schema.Struct({
  task_id: Schema.String,
  /** From 1. */
  attempt: Schema.Int,
  /** Empty: nobody worked, what the parts of the task had shown was looked at once more as a whole. */
  agent: Schema.String,
  worker_id: Schema.String,
  started_at: Schema.String,
  /** Null while the agent works. */
  ended_at: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(AttemptOutcome),
  /** Why it was taken back; null: it was not. */
  cancelled: Schema.NullOr(Schema.String),
  exit_code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  duration_ms: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(AttemptError),
  /** Null: nobody looked. */
  files_modified: Schema.NullOr(Schema.Array(Schema.String)),
  /** What the agent was asked; null where nobody was. */
  prompt: Schema.NullOr(BlobRef),
  stdout: Schema.NullOr(BlobRef),
  stderr: Schema.NullOr(BlobRef),
  /** The end of what the agent printed, at most 2,000 characters. */
  output_tail: Schema.String,
  /** What it said at its end; null: nothing that could be read. */
  summary: Schema.NullOr(Schema.String),
  /** What it claimed, item by item; null: no usable checklist. */
  claims: Schema.NullOr(Schema.Array(ReportedItem)),
  /** What was wrong with the report itself. */
  problems: Schema.Array(Schema.String),
  /** Indexes of the items that were accepted because of it. */
  accepted: Schema.Array(Schema.Int),
  refusals: Schema.Array(Refusal),
  /** Null: not verified. */
  passed: Schema.NullOr(Schema.Boolean),
  checks: Schema.Array(CheckRun),
  /** Null: nobody judged. */
  judgment: Schema.NullOr(
    Schema.Struct({
      reviewer: Schema.String,
      judgment: Schema.Literals(["PASS", "REJECT", "RETRY"]),
      checks: Schema.Array(ReviewCheck),
      modification_prompt: Schema.NullOr(Schema.String)
    })
  ),
  /** Versions of its first and its last event so far. */
  from_version: Schema.Int,
  to_version: Schema.Int
})
export type AttemptView = typeof AttemptView.Type

/** A checklist item as it stands. `receipt` is set exactly when it is proven. */
export const ItemView = Schema.Struct({
  index: Schema.Int,
  item: Schema.String,
  check: Schema.NullOr(Schema.String),
  covers: Schema.Array(Schema.String),
  status: Schema.Literals(["pending", "done", "skipped"]),
  verdict: Verdict,
  evidence: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  receipt: Schema.NullOr(Receipt),
  weak: Schema.Array(Weakness)
})
export type ItemView = typeof ItemView.Type

/** A task or subtask in one line. */
export const TaskRow = Schema.Struct({
  task_id: Schema.String,
  title: Schema.String,
  /** The task it is a part of; null: of none. */
  parent_task_id: Schema.NullOr(Schema.String),
  /** 0 for a task that is part of none. */
  depth: Schema.Int,
  status: TaskStatus,
  verdict: Verdict,
  /** Why it failed, was skipped or is blocked: a stable code, and in words; empty otherwise. */
  reason: Schema.String,
  message: Schema.String,
  attempts: Schema.Int,
  retry_count: Schema.Int,
  /** In the review loop, from 1. */
  iteration: Schema.Int,
  items_total: Schema.Int,
  /** Proven or waived. */
  items_closed: Schema.Int,
  /** Claims that were refused so far, in all attempts. */
  refusals: Schema.Int,
  /** Of a task that was split; 0 for any other. */
  subtasks_total: Schema.Int,
  subtasks_completed: Schema.Int,
  /** Who works on it, or did last; null: nobody so far. */
  agent: Schema.NullOr(Schema.String),
  worker_id: Schema.NullOr(Schema.String),
  /** Ids of the tasks it waits for. */
  waiting_for: Schema.Array(Schema.String),
  started_at: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Schema.String)
})
export type TaskRow = typeof TaskRow.Type

/** A retry that was decided: why, and how long was waited before it. */
export const RetryView = Schema.Struct({
  /** Retries used, this one included. */
  retry_count: Schema.Int,
  reason: Schema.String,
  /** Wait before the next attempt, ms. */
  delay_ms: Schema.Int,
  at: Schema.String
})
export type RetryView = typeof RetryView.Type

/** A task with everything that is known of it. */
export const TaskView = Schema.Struct({
  ...TaskRow.fields,
  instruction: Schema.String,
  validation: Schema.Array(Schema.String),
  checks: Schema.Array(Schema.String),
  depends_on: Schema.Array(Schema.String),
  /** Ids of its parts in the order of the plan. */
  subtasks: Schema.Array(Schema.String),
  files: Schema.Array(Schema.String),
  checklist: Schema.Array(ItemView),
  retries: Schema.Array(RetryView),
  history: Schema.Array(AttemptView)
})
export type TaskView = typeof TaskView.Type

// --- fold -----------------------------------------------------------------------------------------------------------

interface TaskHistory {
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly attempts: ReadonlyArray<AttemptView>
  readonly retries: ReadonlyArray<RetryView>
}

/** What a run's state does not keep: when things happened, and every attempt with what became of it. */
export interface RunHistory {
  readonly started_at: string | null
  readonly updated_at: string | null
  /** Null while it runs. */
  readonly ended_at: string | null
  readonly head: EventRef | null
  readonly tasks: HashMap.HashMap<TaskId, TaskHistory>
}

export const noHistory: RunHistory = {
  started_at: null,
  updated_at: null,
  ended_at: null,
  head: null,
  tasks: HashMap.empty()
}

const nothingYet: TaskHistory = { started_at: null, ended_at: null, attempts: [], retries: [] }

const historyOf = ({ tasks }: RunHistory, id: TaskId): TaskHistory =>
  Option.getOrElse(HashMap.get(tasks, id), () => nothingYet)

/** Folds one event of a run. `event` is what the manifest makes of it; null: of a type that nobody here knows. */
export const foldHistory = (
  history: RunHistory,
  { hash, position, timestamp, version }: Pick<Recorded, "hash" | "position" | "timestamp" | "version">,
  event: AnyEvent | null
): RunHistory => {
  const now: RunHistory = { ...history, updated_at: timestamp, head: { version, position, hash } }
  if (event === null) return now
  const { content, type } = asKernelEvent(event)
  const task = (id: TaskId, change: (task: TaskHistory) => TaskHistory): RunHistory => ({
    ...now,
    tasks: HashMap.set(now.tasks, id, change(historyOf(now, id)))
  })
  const attempt = (change: (attempt: AttemptView) => Partial<AttemptView>): RunHistory => {
    const of = content as { readonly task_id: TaskId; readonly attempt: number }
    return task(of.task_id, (one) => ({
      ...one,
      attempts: (one.attempts.some((each) => each.attempt === of.attempt)
        ? one.attempts
        : [...one.attempts, wholeLookedAt(of.task_id, of.attempt, timestamp, version)]
      ).map((each) => (each.attempt === of.attempt ? { ...each, ...change(each), to_version: version } : each))
    }))
  }
  const ended = (id: TaskId) => task(id, (one) => ({ ...one, ended_at: timestamp }))
  switch (type) {
    case "RUN_STARTED":
      return { ...now, started_at: timestamp, ended_at: null }
    case "RUN_RESUMED":
      return { ...now, ended_at: null }
    case "RUN_COMPLETED":
    case "RUN_INCOMPLETE":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return { ...now, ended_at: timestamp }
    case "TASK_STARTED":
      return task(content.task_id, (one) => ({ ...one, started_at: one.started_at ?? timestamp, ended_at: null }))
    case "SUBTASK_START":
      return task(content.subtask_id, (one) => ({ ...one, started_at: one.started_at ?? timestamp, ended_at: null }))
    case "TASK_STATUS_CHANGED":
      return task(content.task_id, (one) => ({
        ...one,
        ended_at: null,
        retries:
          content.to === "retrying"
            ? [...one.retries, { ...retryOf(content, timestamp), reason: content.reason }]
            : one.retries
      }))
    case "SUBTASK_RETRY":
      return task(content.subtask_id, (one) => ({
        ...one,
        ended_at: null,
        retries: [...one.retries, { ...retryOf(content, timestamp), reason: content.failure_reason }]
      }))
    case "TASK_COMPLETED":
    case "TASK_FAILED":
    case "TASK_SKIPPED":
      return ended(content.task_id)
    case "SUBTASK_COMPLETE":
    case "SUBTASK_FAILED":
      return ended(content.subtask_id)
    case "ATTEMPT_STARTED": {
      const { agent, attempt: number, prompt, task_id, worker_id } = content
      const begun: AttemptView = {
        ...nothingTried,
        task_id,
        attempt: number,
        agent,
        worker_id,
        prompt,
        started_at: timestamp,
        from_version: version,
        to_version: version
      }
      return task(task_id, (one) => ({
        ...one,
        started_at: one.started_at ?? timestamp,
        ended_at: null,
        attempts: [...one.attempts, begun]
      }))
    }
    case "ATTEMPT_OUTPUT_SUMMARIZED":
      return attempt(() => ({ output_tail: content.output_tail, stdout: content.stdout, stderr: content.stderr }))
    case "ATTEMPT_ENDED": {
      const { agent: _agent, attempt: _, task_id: __, ...end } = content
      return attempt(() => ({ ...end, ended_at: timestamp }))
    }
    case "ATTEMPT_CANCELLED":
      return attempt((one) => ({ cancelled: content.reason, ended_at: one.ended_at ?? timestamp }))
    case "CHECKLIST_REPORTED":
      return attempt(() => ({ summary: content.summary, claims: content.checklist, problems: content.problems }))
    case "CHECKLIST_ITEM_ACCEPTED":
      return attempt((one) => ({ accepted: [...one.accepted, content.index] }))
    case "CHECKLIST_ITEM_REJECTED": {
      const { attempt: _, error: __, task_id: ___, ...refusal } = content
      return attempt((one) => ({ refusals: [...one.refusals, refusal] }))
    }
    case "GATE_REFUSED": {
      const refusal = { index: null, item: null, key: content.reason, fields: {}, message: content.message }
      return attempt((one) => ({ refusals: [...one.refusals, refusal] }))
    }
    case "VERIFICATION_RUN":
      return attempt(() => ({ passed: content.passed, checks: content.checks }))
    case "QUALITY_JUDGMENT": {
      const { checks, judgment, modification_prompt, reviewer } = content
      return attempt(() => ({ judgment: { reviewer, judgment, checks, modification_prompt } }))
    }
    default:
      return now
  }
}

/** Where a task was split, its parts are put together without an agent, and judged like an attempt. */
const wholeLookedAt = (task_id: TaskId, attempt: number, at: string, version: number): AttemptView => ({
  ...nothingTried,
  task_id,
  attempt,
  agent: "",
  worker_id: "",
  prompt: null,
  started_at: at,
  ended_at: at,
  outcome: "COMPLETE",
  from_version: version,
  to_version: version
})

const nothingTried = {
  ended_at: null,
  outcome: null,
  cancelled: null,
  exit_code: null,
  signal: null,
  duration_ms: null,
  error: null,
  files_modified: null,
  stdout: null,
  stderr: null,
  output_tail: "",
  summary: null,
  claims: null,
  problems: [],
  accepted: [],
  refusals: [],
  passed: null,
  checks: [],
  judgment: null
} satisfies Partial<AttemptView>

const retryOf = (
  { delay_ms, retry_count }: { readonly delay_ms: number; readonly retry_count: number },
  at: string
): Omit<RetryView, "reason"> => ({ retry_count, delay_ms, at })

// --- views ----------------------------------------------------------------------------------------------------------

/** Every attempt of the run so far, by task in no order; of one task in the order in which they began. */
export const attemptsOf = ({ tasks }: RunHistory): ReadonlyArray<AttemptView> =>
  [...HashMap.values(tasks)].flatMap(({ attempts }) => attempts)

/** Every task in the order of its registration, each followed by its parts in the order of the plan. */
export const taskRowsOf = (state: State, history: RunHistory): ReadonlyArray<TaskRow> => {
  const rows: Array<TaskRow> = []
  const add = (task: TaskState, depth: number): void => {
    rows.push(rowOf(state, history, task, depth))
    for (const subtask of directSubtasksOf(state, task)) add(subtask, depth + 1)
  }
  // one whose parent is not known is shown all the same
  for (const task of tasksOf(state)) if (parentOf(state, task) === undefined) add(task, 0)
  return rows
}

/** Subtasks in the order of the plan; tasks of agents come in the order of their creation. */
const directSubtasksOf = (state: State, task: TaskState): ReadonlyArray<TaskState> =>
  childrenOf(state, task).toSorted((a, b) => indexOf(state, a) - indexOf(state, b))

const indexOf = (state: State, task: TaskState): number => subtaskStateOf(state, task)?.index ?? task.order

const rowOf = (state: State, history: RunHistory, task: TaskState, depth: number): TaskRow => {
  const { current, items, spec } = task
  const { attempts, ended_at, started_at } = historyOf(history, spec.id)
  const parts = subtasksOf(state, task)
  const said = notes(state)
  return {
    task_id: spec.id,
    title: spec.title,
    parent_task_id: task.parent_task_id,
    depth,
    status: task.status,
    verdict: task.verdict,
    reason: task.reason === "" ? said.map((note) => note.reason(task)).join("") : task.reason,
    message: task.message === "" ? (task.blocked?.message ?? "") : task.message,
    attempts: task.attempts,
    retry_count: task.retry_count,
    iteration: loopOf(state, task).iteration,
    items_total: items.length,
    items_closed: items.filter(({ verdict }) => verdict === "proven" || verdict === "waived").length,
    refusals: attempts.reduce((sum, { refusals }) => sum + refusals.length, 0),
    subtasks_total: parts.length,
    subtasks_completed: parts.filter(({ status }) => status === "completed").length,
    agent: current?.agent ?? said.flatMap((note) => note.assignee(task) ?? [])[0] ?? null,
    worker_id: current?.worker_id ?? null,
    waiting_for: task.status === "pending" ? waitingFor(state, task) : [],
    started_at,
    ended_at
  }
}

/** One task with everything that is known of it; null: there is none with this id. */
export const taskViewOf = (state: State, history: RunHistory, id: TaskId): TaskView | null => {
  const task = taskOf(state, id)
  if (task === undefined) return null
  const { checks, depends_on, instruction, validation } = task.spec
  const { attempts, retries } = historyOf(history, id)
  return {
    ...rowOf(state, history, task, depthOf(state, task)),
    instruction,
    validation,
    checks,
    depends_on,
    subtasks: directSubtasksOf(state, task).map(({ spec }) => spec.id),
    files: task.files,
    checklist: itemsOf(task),
    retries,
    history: attempts
  }
}

const depthOf = (state: HasTasks, task: TaskState): number => {
  const seen = new Set<TaskId>()
  let depth = 0
  for (let id = task.parent_task_id; id !== null && !seen.has(id); depth++) {
    seen.add(id)
    id = taskOf(state, id)?.parent_task_id ?? null
  }
  return depth
}

const itemsOf = ({ items }: TaskState): ReadonlyArray<ItemView> =>
  items.map(({ ablation: _, check = null, covers = [], ...item }, index) => ({ index, ...item, check, covers }))

/** Tasks of a run by status, and the items of their checklists. */
export const countsOf = (state: State) => {
  const tasks = tasksOf(state)
  const by = (...statuses: ReadonlyArray<TaskState["status"]>) =>
    tasks.filter(({ status }) => statuses.includes(status)).length
  const items = tasks.filter((task) => subtaskStateOf(state, task) === null).flatMap(({ items: own }) => own)
  return {
    tasks_total: tasks.length,
    tasks_completed: by("completed"),
    tasks_failed: by("failed"),
    tasks_skipped: by("skipped"),
    tasks_active: by("in_progress", "retrying"),
    items_total: items.length,
    items_proven: items.filter(({ verdict }) => verdict === "proven").length,
    items_waived: items.filter(({ verdict }) => verdict === "waived").length,
    completed_elsewhere: HashSet.size(state.tasks.completed_elsewhere)
  }
}
