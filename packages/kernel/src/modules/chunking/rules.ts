import type { TaskId } from "../../base/Ids.ts"
import { type ChunkingConfig, partsFailFast } from "../run/config.ts"
import type { HasRun } from "../run/state.ts"
import {
  attemptsAtOnce,
  type HasTasks,
  isOver,
  isWaiting,
  parentOf,
  type TaskState,
  taskOf,
  waitsForPerson
} from "../tasks/state.ts"
import { ownFiles, someRanTogether } from "./attribution.ts"
import type { SubtaskResult } from "./schemas.ts"
import {
  type ChunkState,
  chunkOf,
  type HasChunking,
  inExecutionOrder,
  iterationsUsed,
  loopOf,
  subtaskStateOf,
  subtasksOf
} from "./state.ts"

type State = HasRun & HasTasks & HasChunking

/** Several attempts at all of it are made beside each other. What somebody asked to be split is split. */
export const isRaced = (state: State, task: TaskState): boolean =>
  task.spec.chunk !== "asked" && subtaskStateOf(state, task) === null && attemptsAtOnce(state, task) > 1

/** How often a reviewer may ask for the same again in one loop before it counts as a refusal. */
export const maxReviewRetries = 2

/** It came of a splitting, or of the question whether to split. What attempts beside each other make is no part. */
export const isOfChunking = (state: State, task: TaskState): boolean => {
  const chunk = chunkOf(state, task)
  const isAttempt = task.alternative || chunk?.is_race === true
  if (isAttempt && state.run.config.attempts_looped === false) return false
  return subtaskStateOf(state, task) !== null || chunk?.stage === "skipped"
}

/** The task is judged and done again until it passes, before a retry is spent. */
export const isLooped = (state: State, task: TaskState): boolean =>
  state.run.config.chunking.review_loop_per_subtask && isOfChunking(state, task)

/**
 * The built-in criteria judge every attempt of a subtask, and the whole once more when several subtasks shared a
 * directory and a change cannot be attributed to one.
 */
export const needsCriteria = (state: State, task: TaskState): boolean => {
  const chunk = chunkOf(state, task)
  return (
    isLooped(state, task) ||
    (state.run.config.chunking.review_loop_per_subtask &&
      chunk?.stage === "aggregated" &&
      chunk.workspace === "shared" &&
      someRanTogether(state, subtasksOf(state, task)))
  )
}

/** All parts are over, and they are to be put together, or to be looked at as a plugin has put them together. */
export const waitsForAggregation = ({ isLookedAt, open, outcome }: ChunkState): boolean =>
  open === 0 && (outcome === null || !isLookedAt)

/** What a task that was analysed is judged by where it says nothing of that itself. */
export const acceptanceCriteria = (state: HasChunking, task: TaskState): ReadonlyArray<string> =>
  subtaskStateOf(state, task)?.acceptance_criteria ?? chunkOf(state, task)?.acceptance_criteria ?? []

const isSequential = (state: HasChunking, parent: TaskState | undefined): parent is TaskState =>
  parent !== undefined && chunkOf(state, parent)?.execution_mode === "sequential"

/**
 * One subtask after the other: the one that has to be over before the others. What waits for a person makes way, and its
 * turn comes again behind the others: what was ordered for them meanwhile is not taken back.
 */
export const firstInTurn = (state: State, parent: TaskState | undefined): TaskState | undefined => {
  if (!isSequential(state, parent)) return undefined
  const free = subtasksOf(state, parent).filter(
    (subtask) => !isOver(subtask) && !waitsForPerson(subtask) && !isWaiting(state, subtask)
  )
  return free.find((subtask) => !wasAsked(subtask)) ?? free[0]
}

/** A person has answered about something in it. */
const wasAsked = ({ items }: TaskState): boolean => items.some(({ answer }) => answer !== undefined)

/** What a person has answered about is judged only when its turn comes again. */
const isAtWork = (task: TaskState): boolean =>
  task.status === "in_progress" && (!wasAsked(task) || (task.current?.outcome === null && !task.current.cancelled))

/** True when no sibling has to finish first: it is at work, or it is the first in order and no other attempt runs. */
export const isItsTurn = (state: State, task: TaskState): boolean => {
  if (isAtWork(task)) return true
  const parent = subtaskStateOf(state, task) === null ? undefined : parentOf(state, task)
  return (
    !isSequential(state, parent) ||
    (firstInTurn(state, parent)?.spec.id === task.spec.id && !subtasksOf(state, parent).some(isAtWork))
  )
}

export const failsFast = ({ run: { config } }: HasRun): boolean => partsFailFast(config)

/** All that a subtask depends on, directly or not, in order of execution. */
export const buildsOn = (state: State, task: TaskState): ReadonlyArray<TaskState> => {
  const found = new Map<TaskId, TaskState>()
  const open = [...task.spec.depends_on]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const dependency = taskOf(state, id)
    if (dependency === undefined || subtaskStateOf(state, dependency) === null || found.has(id)) continue
    found.set(id, dependency)
    open.push(...dependency.spec.depends_on)
  }
  return inExecutionOrder(state, [...found.values()])
}

export const subtaskRef = (task: TaskState) => ({
  parent_task_id: task.parent_task_id ?? "",
  subtask_id: task.spec.id
})

export const subtaskResult = (state: State, task: TaskState, status: SubtaskResult["status"]): SubtaskResult => {
  const loop = loopOf(state, task)
  return {
    status,
    output_summary: task.current?.report?.summary ?? "",
    files_modified: ownFiles(state, task),
    ...(loop.started ? { review_loop_iterations: iterationsUsed(loop) + 1 } : {})
  }
}

/** The activity of an analyzer. */
export const analyzerActivity = (analyzer: string): string => `analyzer-${analyzer}`

/** Who plans, each where the one before has failed. `auto`: the agent that works is asked, and else the rules decide. */
export const analyzersOf = ({ analyzer }: Pick<ChunkingConfig, "analyzer">): ReadonlyArray<string> =>
  analyzer === "auto" ? ["agent", "heuristic"] : [analyzer]

/** Whose turn it is to analyse a task; null: nobody is left. */
export const analyzerInTurn = ({ run }: HasRun, { failure }: Pick<ChunkState, "failure">): string | null => {
  const analyzers = analyzersOf(run.config.chunking)
  const failed = analyzers.findIndex((analyzer) => analyzerActivity(analyzer) === failure?.name)
  return (failure === null ? analyzers[0] : failed < 0 ? undefined : analyzers[failed + 1]) ?? null
}
