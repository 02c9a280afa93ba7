import { HashMap } from "effect"
import type { Intent, Plugin } from "../../core/contract.ts"
import { definePlugin } from "../../core/define.ts"
import { ActivityFailed, RunResumed } from "../run/events.ts"
import type { Reopened } from "../run/schemas.ts"
import { PersonAsked } from "../tasks/asking.ts"
import { completed, failed, skipped } from "../tasks/changes.ts"
import {
  AttemptCancelled,
  AttemptEnded,
  AttemptStarted,
  ChecklistReported,
  TaskStatusChanged
} from "../tasks/events.ts"
import { nextFor } from "../tasks/flow.ts"
import { parentOf, type TaskState, taskOf } from "../tasks/state.ts"
import { commands } from "./commands.ts"
import {
  ChunkingAggregation,
  ChunkingSkipped,
  ChunkingStart,
  events,
  loopAfter,
  SubtaskCreated,
  SubtaskRetry
} from "./events.ts"
import { offers } from "./offers.ts"
import { firstInTurn, isItsTurn } from "./rules.ts"
import {
  Chunking,
  type ChunkingState,
  type ChunkingView,
  type ChunkState,
  iterationsUsed,
  knownOf,
  noLoop,
  type SubtaskState,
  subtaskStateOf,
  withChunk,
  withKnown,
  withOpenLoop,
  withParentOf
} from "./state.ts"

type Intents = ReadonlyArray<Intent<"run" | "tasks" | "chunking">>

/**
 * Records start or end of a subtask's attempt on the parent's logical clock, so that overlaps can be seen without
 * timestamps.
 */
const atBoundary = (own: ChunkingState, id: string, isBeginning: boolean): ChunkingState => {
  const known = knownOf(own, id)
  if (known.subtask === null) return own
  const { parent_task_id } = known.subtask
  const parent = knownOf(own, parent_task_id)
  if (parent.chunk === null) return own
  const boundaries = parent.chunk.boundaries + 1
  const subtask = { ...known.subtask, windows: movedWindows(known.subtask, boundaries, isBeginning) }
  const clocked = HashMap.set(own.byId, parent_task_id, { ...parent, chunk: { ...parent.chunk, boundaries } })
  return { byId: HashMap.set(clocked, id, { ...known, subtask }) }
}

const movedWindows = ({ windows }: SubtaskState, boundary: number, isBeginning: boolean): SubtaskState["windows"] =>
  isBeginning
    ? [...windows, { from: boundary, to: null }]
    : windows.map((window) => (window.to === null ? { ...window, to: boundary } : window))

const overOne =
  (failed: 0 | 1) =>
  (own: ChunkingState, { task_id }: { readonly task_id: string }) =>
    withParentOf(own, task_id, (chunk) => ({ ...chunk, open: chunk.open - 1, failed: chunk.failed + failed }))

/** What is taken up again: a new budget of attempts for subtasks, and their parents are put together again. */
const withReopened = (own: ChunkingState, { from, task_id }: Reopened): ChunkingState => {
  const loops = withOpenLoop(own, task_id, ({ iteration }) => ({ ...noLoop, iteration }))
  const counted = withParentOf(loops, task_id, (chunk) => ({
    ...chunk,
    open: chunk.open + 1,
    failed: chunk.failed - 1
  }))
  if (from === "parts") return withChunk(counted, task_id, taken)
  return withKnown(counted, task_id, (known) =>
    known.chunk?.stage === "analysing" ? { ...known, chunk: null } : known
  )
}

const taken = (chunk: ChunkState): ChunkState => ({ ...chunk, stage: "executing", outcome: null, isLookedAt: true })

/** Where the parts are together, what follows is work on the whole. */
const takes = (own: ChunkingState, id: string, ms: number): ChunkingState =>
  withChunk(own, id, (chunk) =>
    chunk.stage === "aggregated" && ms > 0 ? { ...chunk, duration_ms: chunk.duration_ms + ms } : chunk
  )

const follows = [
  Chunking.follow(AttemptStarted, (own, { task_id }) =>
    withOpenLoop(atBoundary(own, task_id, true), task_id, (loop) =>
      loop.iteration === iterationsUsed(loop) + 1 ? loop : { ...loop, iteration: iterationsUsed(loop) + 1 }
    )
  ),
  Chunking.follow(AttemptEnded, (own, { duration_ms, task_id }) =>
    takes(atBoundary(own, task_id, false), task_id, duration_ms)
  ),
  Chunking.follow(AttemptCancelled, (own, { task_id }) => atBoundary(own, task_id, false)),
  Chunking.follow(completed, overOne(0)),
  Chunking.follow(failed, overOne(1)),
  Chunking.follow(skipped, overOne(1)),
  Chunking.follow(RunResumed, (own, { reopened }) => reopened.reduce(withReopened, own)),
  Chunking.follow(TaskStatusChanged, (own, change) =>
    withOpenLoop(takes(own, change.task_id, change.delay_ms), change.task_id, (loop) => loopAfter(loop, change))
  ),
  Chunking.follow(ActivityFailed, (own, { awaited_by, code, message, name }) =>
    awaited_by?.plugin === "chunking" && awaited_by.task_id !== null && awaited_by.consequence === "survived"
      ? withChunk(own, awaited_by.task_id, (chunk) => ({ ...chunk, failure: { name, code, message } }))
      : own
  )
]

/** One after the other: a subtask that has stopped working makes way for the one whose turn it is. */
const turnOf = (state: ChunkingView, parent: TaskState | undefined): Intents => {
  const first = firstInTurn(state, parent)
  return first !== undefined && isItsTurn(state, first) ? nextFor(state, first.spec.id) : []
}

const turnAfter = (state: ChunkingView, id: string): Intents => {
  const task = taskOf(state, id)
  return task === undefined || subtaskStateOf(state, task) === null ? [] : turnOf(state, parentOf(state, task))
}

const reactions = [
  Chunking.react([TaskStatusChanged, PersonAsked, ChecklistReported], ({ task_id }, state) =>
    turnAfter(state, task_id)
  ),
  Chunking.react([ChunkingStart, ChunkingSkipped, ChunkingAggregation], ({ parent_task_id }, state) =>
    nextFor(state, parent_task_id)
  ),
  Chunking.react([SubtaskCreated], ({ subtask_id }, state) => nextFor(state, subtask_id)),
  Chunking.react([SubtaskRetry], ({ subtask_id }, state) => [
    ...nextFor(state, subtask_id),
    ...turnAfter(state, subtask_id)
  ]),
  Chunking.react([completed, failed, skipped], ({ task_id }, state) => {
    const task = taskOf(state, task_id)
    const subtask = task === undefined ? null : subtaskStateOf(state, task)
    return subtask === null ? [] : [...turnAfter(state, task_id), ...nextFor(state, subtask.parent_task_id)]
  })
]

/** Splits tasks: analysis, subtasks and their review loops, putting them together. Source: task chunking. */
export const chunking: Plugin = definePlugin(Chunking, {
  version: "2",
  events,
  commands,
  ordersAny: true,
  parts: [...offers, ...follows, ...reactions]
})
