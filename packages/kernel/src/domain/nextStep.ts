import { hasChecks } from "./checks.ts"
import type { Start } from "./Intent.ts"
import { breakerOf, isOver, type State, type TaskState, taskOf, waitingFor } from "./State.ts"

/**
 * What a task needs now. At most one piece of work per task is outstanding at any time, and which one follows from
 * the state alone: a crash, a resume and a second worker all come to the same answer and the same work key.
 */
export type NextStep =
  | { readonly _tag: "Nothing" }
  /** Work in the world. */
  | Start
  /** Everything about the attempt is known: decide what follows. */
  | { readonly _tag: "Settle" }
  /** It can never start: something it depends on will not be completed. */
  | { readonly _tag: "Skip" }

const nothing: NextStep = { _tag: "Nothing" }
const settle: NextStep = { _tag: "Settle" }

/** Activities every composition must offer. `evidence` and `review` are needed only when a task asks for them. */
export const activities = { attempt: "attempt", evidence: "evidence", checks: "checks", review: "review" } as const

export const nextStep = (state: State, task: TaskState): NextStep => {
  if (state.status !== "running" || isOver(task)) return nothing
  if (task.blocked !== null) return settle
  if (task.status === "in_progress") return afterStart(state, task)
  if (isBlocked(state, task)) return { _tag: "Skip" }
  if (waitingFor(state, task).length > 0 || isHeldBack(state, task)) return nothing
  return attemptWork(state, task, task.attempts + 1, task.status === "retrying" ? task.delay_ms : 0)
}

/** Somebody the task needs cannot be started: work that nobody could judge is not begun either. */
const isHeldBack = (state: State, task: TaskState): boolean =>
  breakerOf(state, state.config.agent) !== undefined ||
  (task.spec.validation.length > 0 &&
    state.config.reviewer !== null &&
    breakerOf(state, state.config.reviewer) !== undefined)

const afterStart = (state: State, task: TaskState): NextStep => {
  const current = task.current
  if (current === null || current.cancelled) return nothing
  if (current.outcome === null) return attemptWork(state, task, current.attempt, 0)
  if (current.outcome !== "COMPLETE") return settle
  if (task.items.length > 0 && current.facts === null) return activityWork(state, task, activities.evidence)
  if (current.failures.length > 0) return settle
  if (hasChecks(task) && current.verification === null) return activityWork(state, task, activities.checks)
  if (current.verification?.passed === false) return settle
  if (task.spec.validation.length > 0 && current.judgment === null && state.config.reviewer !== null) {
    return breakerOf(state, state.config.reviewer) === undefined
      ? activityWork(state, task, activities.review)
      : nothing
  }
  return settle
}

const isBlocked = (state: State, task: TaskState): boolean =>
  task.spec.depends_on.some((id) => {
    const dependency = taskOf(state, id)
    return dependency !== undefined && isOver(dependency) && dependency.status !== "completed"
  })

/** Names one piece of work of a task; a resumed run names it anew. No two names are the same, whatever a task is called. */
export const workKey = (activity: string, taskId: string, attempt: number, resumes: number): string =>
  `${activity}/${escaped(taskId)}/${attempt}${resumes === 0 ? "" : `/${resumes}`}`

const escaped = (taskId: string): string => taskId.replaceAll("%", "%25").replaceAll("/", "%2F")

const attemptWork = (state: State, task: TaskState, attempt: number, delayMs: number): Start => ({
  _tag: "Start",
  key: workKey(activities.attempt, task.spec.id, attempt, state.resumes),
  kind: "attempt",
  activity: activities.attempt,
  task_id: task.spec.id,
  input: { task_id: task.spec.id, attempt },
  delay_ms: delayMs,
  priority: task.priority
})

const activityWork = (state: State, task: TaskState, activity: string): Start => {
  const attempt = task.current?.attempt ?? 0
  return {
    _tag: "Start",
    key: workKey(activity, task.spec.id, attempt, state.resumes),
    kind: "activity",
    activity,
    task_id: task.spec.id,
    input: { task_id: task.spec.id, attempt },
    delay_ms: 0,
    // work half done goes before work not begun
    priority: task.priority + 1_000_000
  }
}
