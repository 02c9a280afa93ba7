import { Schema } from "effect"
import type { WorkKey } from "../../base/Ids.ts"
import type { Start } from "../../core/contract.ts"
import { candidatesFor, type HasRun, isUnavailable, startableFor } from "../run/state.ts"
import { type HasTasks, parentOf, type TaskState } from "./state.ts"

/** Activities that the gates of this module order by name. A composition must offer those that its tasks ask for. */
export const activities = {
  attempt: "attempt",
  evidence: "evidence",
  checks: "checks",
  base: "base_checks",
  criteria: "criteria",
  review: "review",
  revisit: "evidence_again"
} as const

/** Names one piece of work of a task; a resumed run names it anew. No two names are the same, whatever a task is called. */
export const workKey = (activity: string, taskId: string, attempt: number, resumes: number): WorkKey =>
  `${activity}/${escaped(taskId)}/${attempt}${resumes === 0 ? "" : `/${resumes}`}`

const escaped = (taskId: string): string => taskId.replaceAll("%", "%25").replaceAll("/", "%2F")

/** The attempt to which work of a task belongs that is no attempt itself. */
const attemptOf = (task: TaskState): number => task.current?.attempt ?? task.attempts

/** Key of work about the task's current attempt. */
export const activityKey = (task: TaskState, activity: string, resumes: number): WorkKey =>
  workKey(activity, task.spec.id, attemptOf(task), resumes)

type State = HasRun & HasTasks

const workOn = (state: State, task: TaskState): Pick<Start, "_tag" | "task_id" | "subtask"> => {
  const parent = parentOf(state, task)
  const part = { _tag: "Start", task_id: task.spec.id } as const
  return parent === undefined
    ? part
    : {
        ...part,
        subtask: {
          parent_task_id: parent.spec.id,
          subtask_index: parent.children.indexOf(task.spec.id) + 1,
          total_subtasks: parent.children.length
        }
      }
}

/** What work about an attempt of a task is given. */
export const AttemptInput = Schema.Struct({ task_id: Schema.String, attempt: Schema.Int })
export type AttemptInput = typeof AttemptInput.Type

const inputOf = (task: TaskState, attempt: number): AttemptInput => ({ task_id: task.spec.id, attempt })

/** An agent works on a task. */
export const attemptWork = (state: State, task: TaskState, attempt: number, delay_ms: number): Start => ({
  ...workOn(state, task),
  key: workKey(activities.attempt, task.spec.id, attempt, state.run.resumes),
  kind: "attempt",
  activity: activities.attempt,
  input: inputOf(task, attempt),
  delay_ms,
  // as does another attempt, after the rest of the work on the one before it
  priority: task.priority + (attempt > 1 ? 500_000 : 0)
})

/** Anything else that touches the world for a task. */
export const activityWork = (state: State, task: TaskState, activity: string): Start => ({
  ...workOn(state, task),
  key: activityKey(task, activity, state.run.resumes),
  kind: "activity",
  activity,
  input: inputOf(task, attemptOf(task)),
  delay_ms: 0,
  // work half done goes before work not begun
  priority: task.priority + 1_000_000
})

/** What one agent is asked in the place of another is another piece of work. */
const agentKey = (key: WorkKey, agent: string, asked: string): WorkKey =>
  asked === agent ? key : `${key}/by/${escaped(asked)}`

/**
 * Work by an agent that is asked beside the attempts; null while nobody can be started for it, or where it was deferred:
 * whoever would have begun it said that the budget is used up.
 */
export const agentWork = (state: State, task: TaskState, activity: string, agent: string): Start | null => {
  if (isUnavailable(state, agent)) return null
  const work = activityWork(state, task, activity)
  const key = agentKey(work.key, agent, startableFor(state, agent))
  return task.deferred === key ? null : { ...work, key }
}

/** Every name that `agentWork` about the task's current attempt may have. */
export const agentKeys = (
  state: State,
  task: TaskState,
  activity: string,
  agent: string | null,
  resumes: number
): ReadonlyArray<WorkKey> => {
  const key = activityKey(task, activity, resumes)
  // who was asked before may not be named any more
  return agent === null ? [key] : candidatesFor(state.run.config, agent).map((one) => agentKey(key, agent, one))
}
