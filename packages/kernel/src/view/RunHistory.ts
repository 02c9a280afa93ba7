import { HashMap, Option } from "effect"
import type { TaskId } from "../base/Ids.ts"
import type { Recorded } from "../base/Recorded.ts"
import { asKernelEvent, type KernelEvent } from "../composition.ts"
import type { AnyEvent } from "../core/contract.ts"
import type { EventRef } from "./Receipts.ts"
import type { AttemptView, RetryView } from "./TaskShapes.ts"

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

export const historyOf = ({ tasks }: Pick<RunHistory, "tasks">, id: TaskId): TaskHistory =>
  Option.getOrElse(HashMap.get(tasks, id), () => nothingYet)

type Place = Pick<Recorded, "hash" | "position" | "timestamp" | "version">
type Change<A> = (before: A) => Partial<A>

/** Folds one event of a run. `event` is what the manifest makes of it; null: of a type that nobody here knows. */
export const foldHistory = (history: RunHistory, at: Place, event: AnyEvent | null): RunHistory => {
  const { hash, position, timestamp, version } = at
  const now: RunHistory = { ...history, updated_at: timestamp, head: { version, position, hash } }
  if (event === null) return now
  const known = asKernelEvent(event)
  return {
    ...now,
    ...changeOfRun(known, timestamp),
    tasks: withAttempt(withTask(now.tasks, at, known), at, known)
  }
}

const runEnds: ReadonlySet<string> = new Set([
  "RUN_COMPLETED",
  "RUN_INCOMPLETE",
  "RUN_FAILED",
  "RUN_CANCELLED"
] satisfies ReadonlyArray<KernelEvent["type"]>)

/** Whether a run has ended with an event of this type. */
export const endsRun = (type: string): boolean => runEnds.has(type)

/** When a run began and ended. */
const changeOfRun = ({ type }: KernelEvent, timestamp: string): Partial<RunHistory> => {
  switch (type) {
    case "RUN_STARTED":
      return { started_at: timestamp, ended_at: null }
    case "RUN_RESUMED":
      return { ended_at: null }
    default:
      return endsRun(type) ? { ended_at: timestamp } : {}
  }
}

const withTask = (tasks: RunHistory["tasks"], at: Place, event: KernelEvent): RunHistory["tasks"] => {
  const change = changeOfTask(event, at)
  if (change === null) return tasks
  const { content } = event
  const id = "subtask_id" in content ? content.subtask_id : (content as { readonly task_id: TaskId }).task_id
  const before = historyOf({ tasks }, id)
  return HashMap.set(tasks, id, { ...before, ...change(before) })
}

/** When a task began and ended, and what was tried for it. */
const changeOfTask = ({ content, type }: KernelEvent, at: Place): Change<TaskHistory> | null => {
  const { timestamp } = at
  switch (type) {
    case "TASK_STARTED":
    case "SUBTASK_START":
      return begun(timestamp)
    case "TASK_STATUS_CHANGED": {
      const change = content.to === "retrying" ? retried(content, content.reason, timestamp) : () => ({})
      return (one) => ({ ...change(one), ended_at: null })
    }
    case "SUBTASK_RETRY": {
      const change = retried(content, content.failure_reason, timestamp)
      return (one) => ({ ...change(one), ended_at: null })
    }
    case "TASK_COMPLETED":
    case "TASK_FAILED":
    case "TASK_SKIPPED":
    case "SUBTASK_COMPLETE":
    case "SUBTASK_FAILED":
      return () => ({ ended_at: timestamp })
    case "ATTEMPT_STARTED": {
      const { agent, attempt, host = null, prompt, task_id, worker_id } = content
      const view = { ...attemptAt(task_id, attempt, at), agent, worker_id, host, prompt }
      return (one) => ({ ...begun(timestamp)(one), attempts: added(one.attempts, view) })
    }
    default:
      return null
  }
}

/** A list with one more. Spread would leave room in each for sixteen more, and there are many of them. */
const added = <A extends object | number>(list: ReadonlyArray<A>, one: A): ReadonlyArray<A> => list.concat([one])

const begun =
  (timestamp: string): Change<TaskHistory> =>
  ({ started_at }) => ({ started_at: started_at ?? timestamp, ended_at: null })

const withAttempt = (tasks: RunHistory["tasks"], at: Place, event: KernelEvent): RunHistory["tasks"] => {
  const change = changeOfAttempt(event, at.timestamp)
  if (change === null) return tasks
  const { attempt, task_id } = event.content as { readonly task_id: TaskId; readonly attempt: number }
  const before = historyOf({ tasks }, task_id)
  const attempts = before.attempts.some((each) => each.attempt === attempt)
    ? before.attempts
    : [...before.attempts, wholeLookedAt(task_id, attempt, at)]
  return HashMap.set(tasks, task_id, {
    ...before,
    attempts: attempts.map((each) =>
      each.attempt === attempt ? { ...each, ...change(each), to_version: at.version } : each
    )
  })
}

/** What became of an attempt after it was started. */
const changeOfAttempt = ({ content, type }: KernelEvent, timestamp: string): Change<AttemptView> | null => {
  switch (type) {
    case "ATTEMPT_OUTPUT_SUMMARIZED":
      return () => ({
        output_tail: content.output_tail,
        stdout: content.stdout,
        stderr: content.stderr,
        steps: content.steps ?? null
      })
    case "ATTEMPT_ENDED": {
      const { agent: _agent, attempt: _, task_id: __, ...end } = content
      return () => ({ ...end, ended_at: timestamp })
    }
    case "ATTEMPT_CANCELLED":
      return (one) => ({ cancelled: content.reason, ended_at: one.ended_at ?? timestamp })
    case "CHECKLIST_REPORTED":
      return () => ({ summary: content.summary, claims: content.checklist, problems: content.problems })
    case "CHECKLIST_ITEM_ACCEPTED":
      return (one) => ({ accepted: added(one.accepted, content.index) })
    case "CHECKLIST_ITEM_REJECTED": {
      const { attempt: _, error: __, task_id: ___, ...refusal } = content
      return (one) => ({ refusals: added(one.refusals, refusal) })
    }
    case "GATE_REFUSED": {
      const refusal = { index: null, item: null, key: content.reason, fields: {}, message: content.message }
      return (one) => ({ refusals: added(one.refusals, refusal) })
    }
    case "VERIFICATION_RUN":
      return () => ({ passed: content.passed, checks: content.checks })
    case "QUALITY_JUDGMENT": {
      const { checks, judgment, modification_prompt, reviewer } = content
      return () => ({ judgment: { reviewer, judgment, checks, modification_prompt } })
    }
    default:
      return null
  }
}

/** Where a task was split, its parts are put together without an agent, and judged like an attempt. */
const wholeLookedAt = (task_id: TaskId, attempt: number, at: Place): AttemptView => ({
  ...attemptAt(task_id, attempt, at),
  ended_at: at.timestamp,
  outcome: "COMPLETE"
})

/** An attempt that begins, of which nothing is known yet. */
const attemptAt = (task_id: TaskId, attempt: number, { timestamp, version }: Place): AttemptView => ({
  ...nothingTried,
  task_id,
  attempt,
  agent: "",
  worker_id: "",
  host: null,
  prompt: null,
  started_at: timestamp,
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
  steps: null,
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

const retried =
  (
    { delay_ms, retry_count }: { readonly delay_ms: number; readonly retry_count: number },
    reason: string,
    at: string
  ): Change<TaskHistory> =>
  (one) => ({ retries: added(one.retries, { retry_count, delay_ms, at, reason }) })
