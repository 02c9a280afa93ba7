import { HashMap, Option } from "effect"
import type { TaskId } from "../../base/Ids.ts"
import type { ReadsOf } from "../../core/contract.ts"
import { plugin } from "../../core/define.ts"
import { Run } from "../run/state.ts"
import { childrenOf, type HasTasks, type TaskState, Tasks, tasksOf } from "../tasks/state.ts"
import type { TaskSpec } from "../tasks/TaskSpec.ts"
import type { Aggregation, ExecutionMode } from "./schemas.ts"

/** What makes a task a subtask of another. */
export interface SubtaskState {
  readonly parent_task_id: TaskId
  /** From 1, in the order of the plan. */
  readonly index: number
  readonly total: number
  /** From 1: a subtask comes after all it depends on. */
  readonly execution_order: number
  readonly acceptance_criteria: ReadonlyArray<string>
  /** Indexes of its first items in the parent's checklist. */
  readonly carries: ReadonlyArray<number>
  readonly paths: ReadonlyArray<string>
  readonly changes_files: boolean
  /** Intervals of its attempts on the parent's logical clock; `to` is null while one runs. */
  readonly windows: ReadonlyArray<{ readonly from: number; readonly to: number | null }>
}

/** How far the splitting of a task has come. */
export interface ChunkState {
  /** `skipped`: it is run in one piece. */
  readonly stage: "analysing" | "skipped" | "executing" | "aggregated"
  /** The task's checklist as it was registered, before lost proof of its subtasks was added. */
  readonly checklist: TaskSpec["checklist"]
  /** What it is judged by in one piece, where it says nothing of that itself. */
  readonly acceptance_criteria: ReadonlyArray<string>
  /** Why the analysis could not be made. */
  readonly failure: { readonly code: string; readonly message: string } | null
  /** ISO 8601; empty until the analysis is there. */
  readonly started_at: string
  /** From then to the end of the aggregation, ms; 0 until then. */
  readonly duration_ms: number
  readonly execution_mode: ExecutionMode
  readonly total: number
  /** Subtasks that are not over. */
  readonly open: number
  /** Subtasks that failed or were given up. */
  readonly failed: number
  readonly total_retries: number
  /** Logical clock: number of attempt starts and ends of its subtasks. Tells overlaps without timestamps. */
  readonly boundaries: number
  readonly outcome: Aggregation | null
  /** Files about which a person was asked to decide. */
  readonly decided: ReadonlyArray<string>
}

/** The review loop a task is in; an attempt more is the next iteration. */
export interface LoopState {
  /** An attempt was started since it was last (re)tried. */
  readonly started: boolean
  /** Its attempts are judged in a review loop, which is open. */
  readonly reviewed: boolean
  /** Iterations that were refused. */
  readonly refused: number
  /** How often the reviewer asked for the same again. */
  readonly again: number
  /** Number of the current attempt in the loop, from 1. */
  readonly iteration: number
  /** Retries that were used when it began. */
  readonly retry_count: number
}

export interface ChunkingState {
  readonly chunks: HashMap.HashMap<TaskId, ChunkState>
  readonly subtasks: HashMap.HashMap<TaskId, SubtaskState>
  readonly loops: HashMap.HashMap<TaskId, LoopState>
}

const nothing: ChunkingState = { chunks: HashMap.empty(), subtasks: HashMap.empty(), loops: HashMap.empty() }

export const Chunking = plugin("chunking", { state: nothing, after: [Run, Tasks] })
export type ChunkingView = ReadsOf<typeof Chunking>

/** What every helper about chunking needs of a state. */
export interface HasChunking {
  readonly chunking: ChunkingState
}

/** How far the splitting of a task has come; null: it was never analysed. */
export const chunkOf = ({ chunking }: HasChunking, { spec }: TaskState): ChunkState | null =>
  Option.getOrNull(HashMap.get(chunking.chunks, spec.id))

/** What makes the task a subtask; null: it is none. */
export const subtaskStateOf = ({ chunking }: HasChunking, { spec }: TaskState): SubtaskState | null =>
  Option.getOrNull(HashMap.get(chunking.subtasks, spec.id))

export const noLoop: LoopState = {
  started: false,
  reviewed: false,
  refused: 0,
  again: 0,
  iteration: 1,
  retry_count: 0
}

export const loopOf = ({ chunking }: HasChunking, { spec }: TaskState): LoopState =>
  Option.getOrElse(HashMap.get(chunking.loops, spec.id), () => noLoop)

/** The tasks that were asked for, by whoever: without those that came from splitting one. */
export const rootsOf = (state: HasTasks & HasChunking): ReadonlyArray<TaskState> =>
  tasksOf(state).filter((task) => subtaskStateOf(state, task) === null)

export const inExecutionOrder = (state: HasChunking, tasks: ReadonlyArray<TaskState>): ReadonlyArray<TaskState> => {
  const order = (task: TaskState) => subtaskStateOf(state, task)?.execution_order ?? 0
  return tasks.toSorted((a, b) => order(a) - order(b))
}

const inExecution = new WeakMap<ReadonlyArray<TaskId>, ReadonlyArray<TaskId>>()

/** The subtasks of a task in order of execution. */
export const subtasksOf = (state: HasTasks & HasChunking, parent: TaskState): ReadonlyArray<TaskState> => {
  const children = childrenOf(state, parent)
  if (chunkOf(state, parent) === null) return []
  const known = inExecution.get(parent.children)
  if (known !== undefined) return childrenOf(state, { ...parent, children: known })
  const sorted = inExecutionOrder(state, children)
  inExecution.set(
    parent.children,
    sorted.map(({ spec }) => spec.id)
  )
  return sorted
}

/** Before anything is known of how a task may be split. */
export const analysing: ChunkState = {
  stage: "analysing",
  checklist: [],
  acceptance_criteria: [],
  failure: null,
  started_at: "",
  duration_ms: 0,
  execution_mode: "parallel",
  total: 0,
  open: 0,
  failed: 0,
  total_retries: 0,
  boundaries: 0,
  outcome: null,
  decided: []
}

export const withChunk = (own: ChunkingState, id: TaskId, change: (chunk: ChunkState) => ChunkState): ChunkingState => {
  const found = HashMap.get(own.chunks, id)
  return found._tag === "None" ? own : { ...own, chunks: HashMap.set(own.chunks, id, change(found.value)) }
}

export const withLoop = (own: ChunkingState, id: TaskId, change: (loop: LoopState) => LoopState): ChunkingState => {
  const loop = Option.getOrElse(HashMap.get(own.loops, id), () => noLoop)
  return { ...own, loops: HashMap.set(own.loops, id, change(loop)) }
}

/** The parent of a subtask, changed; nothing where the task is none. */
export const withParentOf = (
  own: ChunkingState,
  id: TaskId,
  change: (chunk: ChunkState) => ChunkState
): ChunkingState => {
  const subtask = HashMap.get(own.subtasks, id)
  return subtask._tag === "None" ? own : withChunk(own, subtask.value.parent_task_id, change)
}
