import { HashMap } from "effect"
import { spentLimit } from "./budget.ts"
import { firstInTurn, isItsTurn } from "./chunks.ts"
import type { KernelEvent, PluginEvent } from "./Event.ts"
import type { TaskId } from "./Ids.ts"
import type { Intent } from "./Intent.ts"
import { activities, aggregationActivity, analyzerActivity, isAtRest, nextStep, workKey } from "./nextStep.ts"
import { dependentsOf, type State, type TaskState, taskOf, tasksOf } from "./State.ts"

/** What should happen after an event, given the state after the whole batch it came in. */
export const react = (event: KernelEvent | PluginEvent, state: State): ReadonlyArray<Intent> => {
  const { type, content } = event as KernelEvent
  switch (type) {
    case "RUN_STARTED":
    case "RUN_RESUMED":
      return [
        ...tasksOf(state).flatMap((task) => (state.resumes === 0 ? [] : unwanted(state, task, state.resumes - 1))),

        ...tasksOf(state).flatMap((task) => wanted(state, task)),
        { _tag: "Dispatch", command: { _tag: "FinishRun" } }
      ]
    case "TASK_STATUS_CHANGED":
    case "CHECKLIST_REPORTED":
      return [...about(state, content.task_id), ...turnOf(state, taskOf(state, content.task_id)?.part?.parent_task_id)]
    case "CHUNKING_START":
    case "CHUNKING_SKIPPED":
    case "CHUNKING_AGGREGATION":
      return about(state, content.parent_task_id)
    case "SUBTASK_CREATED":
      return about(state, content.subtask_id)
    case "SUBTASK_RETRY":
      return [...about(state, content.subtask_id), ...turnOf(state, content.parent_task_id)]
    case "SUBTASK_COMPLETE":
    case "SUBTASK_FAILED":
      return [
        ...abandoned(state, content.subtask_id),
        ...dependentsOf(state, content.subtask_id).flatMap((id) => about(state, id)),
        ...turnOf(state, content.parent_task_id),
        ...about(state, content.parent_task_id)
      ]
    case "ATTEMPT_ENDED":
      return [...(content.outcome === "LOST" ? dropItem(state, content.task_id) : []), ...about(state, content.task_id)]
    case "EVIDENCE_CHECKED":
    case "VERIFICATION_RUN":
    case "QUALITY_JUDGMENT":
      return about(state, content.task_id)
    case "ACTIVITY_FAILED": {
      const id = (content.input as { readonly task_id?: unknown } | null)?.task_id
      return [...(typeof id === "string" ? about(state, id) : []), finish]
    }
    case "PHASE_ENTERED":
      return [...advance(state), finish]
    case "PHASE_SUBMITTED":
      return verification(state)
    case "TASK_FAILED":
    case "TASK_COMPLETED":
    case "TASK_SKIPPED":
      return [
        ...advance(state),
        ...abandoned(state, content.task_id),
        ...dependentsOf(state, content.task_id).flatMap((id) => about(state, id)),
        finish
      ]
    case "ATTEMPT_CANCELLED":
      return dropItem(state, content.task_id)
    case "RUN_CANCELLED":
    case "RUN_FAILED":
      return tasksOf(state).flatMap((task) => unwanted(state, task, state.resumes))
    default:
      return []
  }
}

const finish: Intent = { _tag: "Dispatch", command: { _tag: "FinishRun" } }

/** What follows for the phases of a session run when a task is over. */
const advance = (state: State): ReadonlyArray<Intent> =>
  state.pull === null ? [] : [{ _tag: "Dispatch", command: { _tag: "AdvancePhase" } }]

/** The commands that verify the phase that was handed in. */
const verification = ({ pull }: State): ReadonlyArray<Intent> => {
  if (pull === null || pull.verifying === null) return []
  const { phase, submissions: submission } = pull
  return [
    {
      _tag: "Start",
      key: `${activities.verification}/${phase}/${submission}`,
      kind: "activity",
      activity: activities.verification,
      task_id: null,
      input: { phase, submission },
      delay_ms: 0,
      priority: 1_000_000
    }
  ]
}

const about = (state: State, id: TaskId): ReadonlyArray<Intent> => {
  const task = taskOf(state, id)
  if (task === undefined) return []
  // behind an open breaker, or without a budget, whatever ends may be the last that could happen in the run
  const isLast = !HashMap.isEmpty(state.breakers) || (spentLimit(state) !== null && isAtRest(state))
  return [...wanted(state, task), ...(isLast ? [finish] : [])]
}

/** What a task wants now, as intents. */
export const wanted = (state: State, task: TaskState): ReadonlyArray<Intent> => {
  const step = nextStep(state, task)
  switch (step._tag) {
    case "Nothing":
      return []
    case "Start":
      return [step]
    case "Settle":
      return [{ _tag: "Dispatch", command: { _tag: "SettleAttempt", task_id: task.spec.id } }]
    case "StartChunking":
    case "SkipChunking":
    case "SettleChunks":
      return [{ _tag: "Dispatch", command: { _tag: step._tag, task_id: task.spec.id } }]
    case "Skip":
      return [{ _tag: "Dispatch", command: { _tag: "SkipTask", task_id: task.spec.id } }]
  }
}

/** The item under which the current attempt runs: nobody may report on it any more. */
const dropItem = (state: State, id: TaskId): ReadonlyArray<Intent> => {
  const item = taskOf(state, id)?.current?.item_id
  return item === undefined ? [] : [{ _tag: "Cancel", work: { item } }]
}

/** One after the other: a subtask that has stopped working makes way for the one whose turn it is. */
const turnOf = (state: State, parent: TaskId | undefined): ReadonlyArray<Intent> => {
  const first = firstInTurn(state, parent)
  return first !== undefined && isItsTurn(state, first) ? about(state, first.spec.id) : []
}

/** What is still under way for a task that something else has brought to its end. */
const abandoned = (state: State, id: TaskId): ReadonlyArray<Intent> => {
  const task = taskOf(state, id)
  if (task === undefined) return []
  // given up with its siblings: what was ordered for it is not wanted any more
  if (task.part !== null && task.status === "skipped") return unwanted(state, task, state.resumes)
  if (task.blocked === null) return []
  return [...(task.current?.outcome === null ? dropItem(state, id) : []), ...unwanted(state, task, state.resumes)]
}

/** Work that may still lie in the queue for a task. Unknown keys are harmless. */
const unwanted = (state: State, task: TaskState, resumes: number): ReadonlyArray<Intent> => {
  const id = task.spec.id
  const attempt = task.current?.attempt ?? task.attempts
  return [
    ...(task.chunk === null
      ? []
      : [
          workKey(analyzerActivity(state.config.chunking.analyzer), id, attempt, resumes),
          workKey(aggregationActivity(state), id, attempt, resumes)
        ]),
    workKey(activities.attempt, id, task.attempts, resumes),
    workKey(activities.attempt, id, task.attempts + 1, resumes),
    workKey(activities.evidence, id, attempt, resumes),
    workKey(activities.checks, id, attempt, resumes),
    workKey(activities.criteria, id, attempt, resumes),
    workKey(activities.review, id, attempt, resumes)
  ].map((key) => ({ _tag: "Cancel", work: { key } }))
}
