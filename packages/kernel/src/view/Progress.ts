import { HashMap, Option } from "effect"
import type { Recorded } from "../base/Recorded.ts"
import { asKernelEvent, type KernelState, kernelStateOf } from "../composition.ts"
import type { Composition, Snapshot } from "../core/compose.ts"
import type { AnyEvent } from "../core/contract.ts"
import { foldEvent } from "../core/step.ts"
import type { ChunkedTaskStatus, FileConflict, SubtaskResult } from "../modules/chunking/schemas.ts"
import {
  chunkOf,
  type HasChunking,
  loopOf,
  retriesOf,
  rootsOf,
  subtaskStateOf,
  subtasksOf
} from "../modules/chunking/state.ts"
import { kindOf } from "../modules/run/points.ts"
import type { HasRun } from "../modules/run/state.ts"
import { type HasTasks, isOver, type TaskState, taskOf, tasksOf } from "../modules/tasks/state.ts"
import { askedIn, heldIn, permissionsIn } from "./Asked.ts"
import type {
  ChunkedStanding,
  ChunkedTask,
  QueueItem,
  Retry,
  RunProgress,
  SubtaskProgress,
  SubtaskStatus
} from "./ProgressShapes.ts"
import { proofOf } from "./Proof.ts"
import { asItStands, proofFields, shownStatus } from "./Standing.ts"

type State = KernelState

interface Times {
  readonly started_at: string
  readonly ended_at: string | null
  readonly retries: ReadonlyArray<Retry>
  readonly result: SubtaskResult | null
}

/** What is known of a run's progress after some of its events. */
export interface ProgressFold {
  readonly snapshot: Snapshot
  readonly times: HashMap.HashMap<string, Times>
}

export const noProgress = ({ initial }: Composition): ProgressFold => ({ snapshot: initial, times: HashMap.empty() })

const notYet: Times = { started_at: "", ended_at: null, retries: [], result: null }

const timesOf = ({ times }: ProgressFold, id: string): Times => Option.getOrElse(HashMap.get(times, id), () => notYet)

/** Folds one event of a run. `event` is what the manifest makes of it. */
export const foldProgress = (
  composition: Composition,
  fold: ProgressFold,
  { timestamp }: Pick<Recorded, "timestamp">,
  event: AnyEvent
): ProgressFold => {
  const snapshot = foldEvent(composition, fold.snapshot, event)
  const note = (id: string, change: (times: Times) => Times): ProgressFold => ({
    snapshot,
    times: HashMap.set(fold.times, id, change(timesOf(fold, id)))
  })
  const { content, type } = asKernelEvent(event)
  switch (type) {
    case "CHUNKING_START":
      return note(content.parent_task_id, () => ({ ...notYet, started_at: timestamp }))
    case "TASK_COMPLETED":
    case "TASK_FAILED":
    case "TASK_SKIPPED":
      return note(content.task_id, (times) => ({ ...times, ended_at: timestamp }))
    case "SUBTASK_RETRY": {
      const { delay_ms, failure_reason, reason, retry_count } = content
      const retry = { retry_count, reason, failure_reason, delay_ms, at: timestamp }
      return note(content.subtask_id, (times) => ({ ...times, retries: [...times.retries, retry] }))
    }
    case "SUBTASK_COMPLETE":
    case "SUBTASK_FAILED":
      return note(content.subtask_id, (times) => ({ ...times, ended_at: timestamp, result: content.subtask_result }))
    case "SUBTASK_START":
      return note(content.subtask_id, (times) => ({ ...times, ended_at: null, result: null }))
    default:
      return { ...fold, snapshot }
  }
}

/** True for a task that was split, or is being analysed. */
export const isChunked = (state: HasChunking, task: TaskState): boolean => {
  const chunk = chunkOf(state, task)
  return chunk !== null && chunk.stage !== "skipped"
}

export const chunkedTaskStatus = (state: HasRun & HasChunking, task: TaskState): ChunkedTaskStatus => {
  const chunk = chunkOf(state, task)
  if (task.status === "completed") return "COMPLETE"
  if (isOver(task) || isLeft(state)) return "FAILED"
  if (chunk?.stage === "analysing") return "ANALYZING"
  return chunk?.stage === "executing" && chunk.open > 0 ? "EXECUTING" : "AGGREGATING"
}

/** The run has ended: what is not over in it is left, for a resume. */
const isLeft = ({ run }: HasRun): boolean => run.status !== "running"

/** How a task that was split ended, when it was not completed. Source: task chunking §5.3, §11.2. */
export const chunkedOutcome = (state: HasRun & HasChunking, task: TaskState): ChunkedTask["outcome"] => {
  const chunk = chunkOf(state, task)
  const { reason, status } = task
  if (status === "completed") return undefined
  if (!isOver(task)) return isLeft(state) ? "INCOMPLETE" : undefined
  if (reason === "fail_fast") return "FAILED"
  return chunk !== null && chunk.failed + chunk.open < chunk.total ? "INCOMPLETE" : "ERROR"
}

export const subtaskStatus = ({ status }: TaskState): SubtaskStatus => {
  switch (status) {
    case "completed":
      return "COMPLETE"
    case "failed":
    case "skipped":
      return "FAILED"
    case "in_progress":
      return "RUNNING"
    case "retrying":
      return "RETRYING"
    case "pending":
    case "backlog":
    case "blocked":
      return "PENDING"
  }
}

export const progressOf = (fold: ProgressFold): RunProgress => {
  const state = kernelStateOf(fold.snapshot)
  const roots = rootsOf(state)
  const asked = askedIn(state)
  const permissions = permissionsIn(state)
  const held = heldIn(state)
  const counted = roots.flatMap((task) => (partsOf(state, task).length > 0 ? partsOf(state, task) : [task]))
  return {
    run_id: state.run.run_id,
    name: state.run.name,
    status: shownStatus(state.run),
    ...(asked.length === 0 ? {} : { asked }),
    ...(permissions.length === 0 ? {} : { permissions }),
    ...(held.length === 0 ? {} : { held }),
    ...proofFields(proofOf(state)),
    completed: counted.filter(({ status }) => status === "completed").length,
    total: counted.length,
    chunked_tasks: roots.filter((task) => isChunked(state, task)).map((task) => chunkedTaskOf(fold, task)),
    queue: roots.flatMap((task) => [
      queueItem(state, task),
      ...byIndex(state, task).map((one) => queueItem(state, one))
    ]),
    ...kindOf(state)?.progress()
  }
}

/** The parts of a task. Attempts at all of it, made beside each other, are none. */
export const partsOf = (state: HasTasks & HasChunking, task: TaskState): ReadonlyArray<TaskState> =>
  subtasksOf(state, task).filter(({ alternative }) => !alternative)

const byIndex = (state: State, parent: TaskState): ReadonlyArray<TaskState> =>
  subtasksOf(state, parent).toSorted(
    (a, b) => (subtaskStateOf(state, a)?.index ?? 0) - (subtaskStateOf(state, b)?.index ?? 0)
  )

/** How a task that was split, or is being analysed, stands. */
export const chunkedStandingOf = (state: State, task: TaskState): ChunkedStanding => {
  const chunk = chunkOf(state, task)
  const subtasks = subtasksOf(state, task)
  const outcome = chunkedOutcome(state, task)
  return {
    status: chunkedTaskStatus(state, task),
    ...(outcome === undefined ? {} : { outcome }),
    execution_mode: chunk?.execution_mode ?? "parallel",
    completed_subtasks: subtasks.filter(({ status }) => status === "completed").length,
    total_subtasks: subtasks.length,
    total_retries: retriesOf(state, task)
  }
}

/** Files of a task whose parts are together, of which a part's changes are not there, wholly or in part. */
export const givenUpIn = (state: State, task: TaskState): ReadonlyArray<FileConflict> => {
  const { conflicts = [], given_up = [], outcome } = chunkOf(state, task)?.outcome ?? {}
  const { conflict_resolution, type } = state.run.config.chunking.aggregation_strategy
  if (outcome !== "merged") return []
  return type === "last_wins" || conflict_resolution === "overwrite" ? [...conflicts, ...given_up] : given_up
}

/**
 * What a resume needs to get over changes of parts that cannot be had together, as on the command line: without it they
 * would be refused again. Empty: nothing, or somebody has to change something first.
 */
export const conflictFlag = (state: State): string => {
  const { conflict_resolution, type } = state.run.config.chunking.aggregation_strategy
  if (conflict_resolution !== "fail") return ""
  const failed = tasksOf(state).filter(({ status }) => status === "failed")
  const sourcesOf = (task: TaskState): ReadonlyArray<string> =>
    (chunkOf(state, task)?.outcome?.conflicts ?? []).flatMap(({ sources }) => sources)
  const isRefused = (task: TaskState): boolean =>
    task.reason === "workplace_conflict"
      ? subtaskStateOf(state, task) !== null
      : task.reason === "conflict" && !sourcesOf(task).includes(projectSource)
  // what another task of the run has put into the project is never overwritten
  const isCrossed = (task: TaskState): boolean =>
    task.reason === "conflict" && sourcesOf(task).some((id) => taskOf(state, id)?.parent_task_id === null)
  if (failed.some(isCrossed)) return " --conflict-resolution manual"
  return type === "merge_all" && failed.some(isRefused) ? " --conflict-resolution overwrite" : ""
}

/** Stands among the sources of a conflict for what somebody changed in the project meanwhile. */
const projectSource = "project"

const chunkedTaskOf = (fold: ProgressFold, task: TaskState): ChunkedTask => {
  const { ended_at, started_at } = timesOf(fold, task.spec.id)
  const state = kernelStateOf(fold.snapshot)
  const given_up = givenUpIn(state, task)
  return {
    parent_task_id: task.spec.id,
    title: task.spec.title,
    ...chunkedStandingOf(state, task),
    aggregation_strategy: state.run.config.chunking.aggregation_strategy,
    ...(given_up.length === 0 ? {} : { given_up }),
    started_at,
    ...(isOver(task) && ended_at !== null ? { ended_at } : {}),
    subtasks: byIndex(state, task).map((subtask) => subtaskProgress(fold, subtask))
  }
}

const subtaskProgress = (fold: ProgressFold, task: TaskState): SubtaskProgress => {
  const { result, retries } = timesOf(fold, task.spec.id)
  return {
    subtask_id: task.spec.id,
    parent_task_id: task.parent_task_id ?? "",
    title: task.spec.title,
    prompt: task.spec.instruction,
    dependencies: task.spec.depends_on,
    status: subtaskStatus(asItStands(kernelStateOf(fold.snapshot).run, task)),
    retry_count: task.retry_count,
    iteration: loopOf(kernelStateOf(fold.snapshot), task).iteration,
    attempts: task.attempts,
    retries,
    ...(task.reason === "" ? {} : { failure_reason: task.reason }),
    ...(task.current === null ? {} : { worker_id: task.current.worker_id }),
    ...(isOver(task) && result !== null ? { result } : {})
  }
}

const queueItem = (state: State, task: TaskState): QueueItem => {
  const { spec } = task
  const subtaskState = subtaskStateOf(state, task)
  const outcome = isChunked(state, task) ? chunkedOutcome(state, task) : undefined
  const status = outcome !== undefined && !isOver(task) ? "ERROR" : queueStatus(asItStands(state.run, task))
  return {
    task_id: spec.id,
    status,
    prompt: spec.instruction,
    ...(status === "ERROR" ? { reason: outcome === "INCOMPLETE" ? "incomplete" : "failed" } : {}),
    ...(task.message === "" ? {} : { error_message: task.message }),
    is_subtask: subtaskState !== null,
    ...(subtaskState === null
      ? {}
      : {
          parent_task_id: subtaskState.parent_task_id,
          subtask_index: subtaskState.index,
          total_subtasks: subtaskState.total
        }),
    ...(isChunked(state, task) ? { chunked_task_ref: spec.id } : {})
  }
}

const queueStatus = ({ reason, status }: TaskState): QueueItem["status"] => {
  switch (status) {
    case "completed":
      return "COMPLETE"
    case "failed":
      return "ERROR"
    case "skipped":
      return reason === "dependency_failed" || reason === "dependency_not_completed" ? "ERROR" : "CANCELLED"
    case "pending":
    case "backlog":
    case "blocked":
      return "QUEUED"
    default:
      return "RUNNING"
  }
}
