import { spentLimit } from "./budget.ts"
import { hasChecks } from "./checks.ts"
import { failsFast, isItsTurn, needsCriteria, needsReview } from "./chunks.ts"
import type { Start } from "./Intent.ts"
import { breakerOf, isOver, type State, type TaskState, taskOf, tasksOf, waitingFor } from "./State.ts"

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
  /** It may be split: decide whether it is analysed. */
  | { readonly _tag: "StartChunking" }
  /** It could not be analysed. */
  | { readonly _tag: "SkipChunking" }
  /** Its subtasks will not complete it: decide what follows. */
  | { readonly _tag: "SettleChunks" }

const nothing: NextStep = { _tag: "Nothing" }
const settle: NextStep = { _tag: "Settle" }

/**
 * Activities that are ordered by name. A composition must offer those that its tasks ask for; which analyzer is asked,
 * and whether a plugin puts the subtasks together (`aggregation-custom`), is configured.
 */
export const activities = {
  attempt: "attempt",
  evidence: "evidence",
  checks: "checks",
  criteria: "criteria",
  review: "review",
  aggregation: "aggregation",
  verification: "verification"
} as const

/** The activity of an analyzer. */
export const analyzerActivity = (analyzer: string): string => `analyzer-${analyzer}`

/** The activity that puts the subtasks of a task together. */
export const aggregationActivity = ({ config }: State): string =>
  config.chunking.aggregation_strategy.type === "custom" ? `${activities.aggregation}-custom` : activities.aggregation

export const nextStep = (state: State, task: TaskState): NextStep => {
  if (state.status !== "running" || isOver(task)) return nothing
  if (task.board !== null) return pulled(state, task)
  if (task.blocked !== null) return settle
  if (task.chunk?.stage === "analysing") return analysis(state, task)
  if (task.chunk?.stage === "executing") return afterSplit(state, task)
  if (task.status === "in_progress") return afterStart(state, task)
  if (isBlocked(state, task)) return { _tag: "Skip" }
  if (waitingFor(state, task).length > 0 || isHeldBack(state, task) || !isItsTurn(state, task)) return nothing
  if (task.spec.chunk !== "no" && task.chunk === null) return { _tag: "StartChunking" }
  return attemptWork(state, task, task.attempts + 1, task.status === "retrying" ? task.delay_ms : 0)
}

/** Nothing is under way in the run, and nothing can be begun. */
export const isAtRest = (state: State): boolean =>
  tasksOf(state).every((task) => isOver(task) || nextStep(state, task)._tag === "Nothing")

/** An agent comes for the task by itself; what it reports is looked at. */
const pulled = (state: State, task: TaskState): NextStep => {
  if (task.status !== "in_progress" || task.current?.outcome == null) return nothing
  return task.blocked !== null ? settle : afterStart(state, task)
}

const analysis = (state: State, task: TaskState): NextStep => {
  if (task.chunk?.failure !== null) return { _tag: "SkipChunking" }
  // nobody but the working agent is ever asked to analyse
  return breakerOf(state, state.config.agent) === undefined
    ? unlessHeld(task, activityWork(state, task, analyzerActivity(state.config.chunking.analyzer)))
    : nothing
}

const afterSplit = (state: State, task: TaskState): NextStep => {
  const { chunk } = task
  if (chunk === null) return nothing
  if (chunk.failed > 0 && failsFast(state)) return { _tag: "SettleChunks" }
  if (chunk.open > 0) return nothing
  return chunk.failed < chunk.subtasks.length && chunk.outcome === null
    ? activityWork(state, task, aggregationActivity(state))
    : { _tag: "SettleChunks" }
}

/**
 * Work that was ordered may be under way when the budget is used up, and then it goes on. Whoever would begin it then says
 * that it is held.
 */
const unlessHeld = (task: TaskState, work: Start): NextStep => (task.held === work.key ? nothing : work)

/**
 * The budget is used up, or somebody the task needs cannot be started: work that nobody could judge is not begun either.
 */
const isHeldBack = (state: State, task: TaskState): boolean =>
  spentLimit(state) !== null ||
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
  if (needsCriteria(state, task) && current.criteria === null) return activityWork(state, task, activities.criteria)
  if (needsReview(state, task) && current.judgment === null && state.config.reviewer !== null) {
    return breakerOf(state, state.config.reviewer) === undefined
      ? unlessHeld(task, activityWork(state, task, activities.review))
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
  const attempt = task.current?.attempt ?? task.attempts
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
