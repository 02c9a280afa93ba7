import { HashMap, HashSet } from "effect"
import { hasPassed } from "./checks.ts"
import type { KernelEvent, PluginEvent } from "./Event.ts"
import type { TaskId } from "./Ids.ts"
import {
  type AttemptState,
  dependentsOf,
  type ItemState,
  initialState,
  isOver,
  type State,
  type TaskState,
  taskOf
} from "./State.ts"
import { isUntried } from "./settle.ts"

/** What is true after an event. Total: it never refuses what has been recorded, and ignores what it does not know. */
export const evolve = (state: State, event: KernelEvent | PluginEvent): State => {
  const { type, content } = event as KernelEvent
  switch (type) {
    case "RUN_STARTED":
      return {
        ...initialState,
        run_id: content.run_id,
        kind: content.kind,
        name: content.name,
        root: content.root,
        input: content.input,
        parent_run_id: content.parent_run_id,
        status: "running",
        config: content.config,
        driver: content.driver,
        base: content.base,
        completed_elsewhere: HashSet.fromIterable(content.completed_task_ids),
        // empty, and perhaps open for a long fold
        tasks: state.tasks
      }
    case "RUN_RESUMED":
      return content.reopened.reduce<State>((current, id) => withTask(current, id, reopened), {
        ...state,
        status: "running",
        message: "",
        driver: content.driver ?? state.driver,
        config: content.config ?? state.config,
        resumes: state.resumes + 1,
        breakers: HashMap.empty()
      })
    case "RUN_COMPLETED":
      return { ...state, status: "completed", message: "" }
    case "RUN_INCOMPLETE":
      return { ...state, status: "incomplete", message: content.reason }
    case "RUN_FAILED":
      return { ...state, status: "failed", message: content.message }
    case "RUN_CANCELLED":
      return { ...state, status: "cancelled", message: content.reason }

    case "TASK_REGISTERED":
      return register(state, content)
    case "TASK_STARTED":
      return withTask(state, content.task_id, (task) => ({ ...task, status: "in_progress" }))
    case "TASK_STATUS_CHANGED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        status: content.to,
        retry_count: content.retry_count,
        delay_ms: content.delay_ms,
        refused: refusedAttempt(task)
      }))
    case "TASK_COMPLETED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        status: "completed",
        verdict: content.proven === 0 && content.waived > 0 ? "waived" : "proven",
        message: ""
      }))
    case "TASK_FAILED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        status: "failed",
        verdict: content.verdict,
        message: content.message,
        // nothing spoke against an attempt that is only unproven
        refused: content.verdict === "unproven" ? task.refused : refusedAttempt(task)
      }))
    case "TASK_SKIPPED":
      return withTask(state, content.task_id, (task) => ({ ...task, status: "skipped", message: content.reason }))

    case "CHECKLIST_REGISTERED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        spec: { ...task.spec, checklist: content.items },
        items: content.items.map((item) => ({ ...item, ...untouched }))
      }))
    case "CHECKLIST_REPORTED":
      return withAttempt(state, content, (attempt) => ({
        ...attempt,
        report: { summary: content.summary, checklist: content.checklist, problems: content.problems }
      }))
    case "EVIDENCE_CHECKED":
      // judged anew: what an earlier attempt had shown may have been changed since
      return withTask(
        withAttempt(state, content, (attempt) => ({ ...attempt, facts: content.facts })),
        content.task_id,
        (task) => ({
          ...task,
          items: task.items.map((item) => ({ ...item, ...untouched }))
        })
      )
    case "CHECKLIST_ITEM_ACCEPTED":
      return withItem(state, content.task_id, content.index, (item) => ({
        ...item,
        status: content.status,
        verdict: content.verdict,
        evidence: content.evidence,
        reason: content.reason,
        receipt: content.receipt,
        weak: content.weak
      }))
    case "CHECKLIST_ITEM_REJECTED": {
      const { item, key, fields, message } = content
      const noted = withAttempt(state, content, (attempt) => ({
        ...attempt,
        failures: [...attempt.failures, { item, key, fields, message }]
      }))
      return content.index === null
        ? noted
        : withItem(noted, content.task_id, content.index, (old) => ({ ...old, ...untouched, verdict: "refuted" }))
    }
    case "CHECKLIST_COMPLETED":
      return state

    case "ATTEMPT_STARTED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        status: "in_progress",
        attempts: content.attempt,
        blocked: null,
        current: {
          attempt: content.attempt,
          agent: content.agent,
          worker_id: content.worker_id,
          item_id: content.item_id,
          lease: content.lease,
          ...nothingKnown
        }
      }))
    case "ATTEMPT_OUTPUT_SUMMARIZED":
      return state
    case "ATTEMPT_ENDED":
      return trip(
        withTask(
          withAttempt(state, content, (attempt) => ({ ...attempt, outcome: content.outcome, error: content.error })),
          content.task_id,
          (task) => (content.outcome === "LOST" ? { ...task, lost_count: task.lost_count + 1 } : task)
        ),
        content
      )
    case "ATTEMPT_CANCELLED":
      return withAttempt(state, content, (attempt) => ({ ...attempt, cancelled: true }))

    case "VERIFICATION_RUN":
      return content.checks
        .filter((check) => check.item_index !== null && !hasPassed(check))
        .reduce<State>(
          (now, check) =>
            withItem(now, content.task_id, check.item_index ?? 0, (item) => ({
              ...item,
              verdict: isUntried(check) ? "unproven" : "refuted"
            })),
          withAttempt(state, content, (attempt) => ({
            ...attempt,
            verification: { passed: content.passed, checks: content.checks }
          }))
        )
    case "QUALITY_JUDGMENT":
      return withAttempt(state, content, (attempt) => ({
        ...attempt,
        judgment: {
          judgment: content.judgment,
          reviewer: content.reviewer,
          checks: content.checks,
          modification_prompt: content.modification_prompt
        }
      }))

    case "ACTIVITY_STARTED":
    case "ACTIVITY_RESULT":
      return state
    case "ACTIVITY_FAILED": {
      const about = content.input as { readonly task_id?: unknown; readonly attempt?: unknown } | null
      // once the run has ended nobody waits for the work, and a resume asks for it anew
      if (typeof about?.task_id !== "string" || state.status !== "running") return state
      if (content.terminal === true && content.agent !== undefined) {
        // the work stands; it waits until the agent can be started again
        const { agent, code, message } = content
        return { ...state, breakers: HashMap.set(state.breakers, agent, { code, message }) }
      }
      return withTask(state, about.task_id, (task) => {
        const wanted = task.status === "in_progress" ? task.current?.attempt : task.attempts + 1
        return isOver(task) || about.attempt !== wanted
          ? task
          : { ...task, blocked: { activity: content.name, code: content.code, message: content.message } }
      })
    }
    default:
      return state
  }
}

const untouched = {
  status: "pending",
  verdict: "unproven",
  evidence: null,
  reason: null,
  receipt: null,
  weak: []
} as const

const nothingKnown = {
  outcome: null,
  error: null,
  cancelled: false,
  report: null,
  facts: null,
  failures: [],
  verification: null,
  judgment: null
} as const

const withTask = (state: State, id: TaskId, change: (task: TaskState) => TaskState): State => {
  const before = taskOf(state, id)
  if (before === undefined) return state
  const after = change(before)
  return {
    ...state,
    tasks: HashMap.set(state.tasks, id, after),
    open_count: state.open_count + Number(isOver(before)) - Number(isOver(after))
  }
}

const withAttempt = (
  state: State,
  about: { readonly task_id: TaskId; readonly attempt: number },
  change: (attempt: AttemptState) => AttemptState
): State =>
  withTask(state, about.task_id, (task) =>
    task.current?.attempt === about.attempt ? { ...task, current: change(task.current) } : task
  )

const withItem = (state: State, id: TaskId, index: number, change: (item: ItemState) => ItemState): State =>
  withTask(state, id, (task) => {
    const item = task.items[index]
    return item === undefined ? task : { ...task, items: task.items.with(index, change(item)) }
  })

type Registered = Extract<KernelEvent, { readonly type: "TASK_REGISTERED" }>["content"]

const register = (state: State, content: Registered): State => {
  const { priority, task_id: id, ...spec } = content
  const task: TaskState = {
    spec: { id, ...spec, checklist: [] },
    order: HashMap.size(state.tasks),
    priority,
    status: "pending",
    items: [],
    attempts: 0,
    retry_count: 0,
    lost_count: 0,
    delay_ms: 0,
    current: null,
    blocked: null,
    refused: null,
    verdict: "unproven",
    message: ""
  }
  return {
    ...state,
    tasks: HashMap.set(state.tasks, id, task),
    dependents: content.depends_on.reduce(
      (all, dependency) => HashMap.set(all, dependency, [...dependentsOf(state, dependency), id]),
      state.dependents
    ),
    open_count: state.open_count + 1
  }
}

/** A task taken up again: a new budget of attempts. What only waited for somebody to judge it keeps its attempt. */
const reopened = (task: TaskState): TaskState => {
  const fresh = {
    ...task,
    retry_count: 0,
    lost_count: 0,
    delay_ms: 0,
    message: "",
    blocked: null,
    verdict: "unproven"
  } as const
  const current = task.current
  const onlyUnjudged =
    task.verdict === "unproven" &&
    current?.outcome === "COMPLETE" &&
    !current.cancelled &&
    current.failures.length === 0 &&
    (current.verification?.passed !== false || current.verification.checks.some(isUntried)) &&
    task.refused?.attempt !== current.attempt
  return onlyUnjudged
    ? // the work may have been changed since: everything but the agent's own part is done again
      {
        ...fresh,
        status: "in_progress",
        current: { ...current, facts: null, failures: [], verification: null, judgment: null }
      }
    : { ...fresh, status: "pending" }
}

const trip = (state: State, ended: { readonly task_id: TaskId; readonly error: AttemptState["error"] }): State => {
  const agent = taskOf(state, ended.task_id)?.current?.agent
  if (agent === undefined || ended.error === null || !ended.error.terminal) return state
  const { code, message } = ended.error
  return { ...state, breakers: HashMap.set(state.breakers, agent, { code, message }) }
}

const refusedAttempt = (task: TaskState): AttemptState | null =>
  task.current === null || task.current.outcome === "LOST" ? task.refused : task.current
