import { HashMap } from "effect"
import type { TaskId } from "../../base/Ids.ts"
import type { ReadsOf } from "../../core/contract.ts"
import { plugin } from "../../core/define.ts"
import { Run } from "../run/state.ts"
import { childrenOf, type HasTasks, type TaskState, Tasks, taskOf, tasksOf } from "../tasks/state.ts"
import type { TaskSpec } from "../tasks/TaskSpec.ts"
import type { Aggregation, ExecutionMode, WorkspaceKind } from "./schemas.ts"

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
  /** Why the analysis could not be made, and by which activity. */
  readonly failure: { readonly name: string; readonly code: string; readonly message: string } | null
  /** ISO 8601; empty until the analysis is there. */
  readonly started_at: string
  /** From then to the end of the aggregation, and the attempts at the whole after it with the waits before them, ms; 0 until then. */
  readonly duration_ms: number
  readonly execution_mode: ExecutionMode
  /** Where its subtasks work. */
  readonly workspace: WorkspaceKind
  readonly total: number
  /** Subtasks that are not over. */
  readonly open: number
  /** Subtasks that failed or were given up. */
  readonly failed: number
  /** Of its subtasks. */
  readonly subtask_retries: number
  /** Logical clock: number of attempt starts and ends of its subtasks. Tells overlaps without timestamps. */
  readonly boundaries: number
  readonly outcome: Aggregation | null
  /** False: a plugin came to that outcome, and nobody has looked yet whether what the parts have shown holds in it. */
  readonly isLookedAt: boolean
  /** Its subtasks are attempts at all of it, of which the first that is proven wins. Skipped: it is attempted once. */
  readonly is_race: boolean
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
  /** These are iterations too; not in a loop of before there was this. */
  readonly countsAgain: boolean
  /** Number of the current attempt in the loop, from 1. */
  readonly iteration: number
  /** Retries that were used when it began. */
  readonly retry_count: number
}

/** What this module knows of a task; null: nothing of that. */
export interface TaskChunking {
  readonly chunk: ChunkState | null
  readonly subtask: SubtaskState | null
  readonly loop: LoopState | null
}

export interface ChunkingState {
  readonly byId: HashMap.HashMap<TaskId, TaskChunking>
}

const nothing: ChunkingState = { byId: HashMap.empty() }
const nothingKnown: TaskChunking = { chunk: null, subtask: null, loop: null }

export const Chunking = plugin("chunking", { state: nothing, after: [Run, Tasks] })
export type ChunkingView = ReadsOf<typeof Chunking>

/** What every helper about chunking needs of a state. */
export interface HasChunking {
  readonly chunking: ChunkingState
}

export const knownOf = (own: ChunkingState, id: TaskId): TaskChunking => {
  const found = HashMap.get(own.byId, id)
  return found._tag === "Some" ? found.value : nothingKnown
}

/** How far the splitting of a task has come; null: it was never analysed. */
export const chunkOf = ({ chunking }: HasChunking, { spec }: TaskState): ChunkState | null =>
  knownOf(chunking, spec.id).chunk

/** Whether what a subtask did is in a worktree of its own, since the subtasks are not put together yet. */
export const isInWorktree = (state: HasChunking & HasTasks, { parent_task_id }: TaskState): boolean => {
  const parent = parent_task_id == null ? undefined : taskOf(state, parent_task_id)
  const chunk = parent === undefined ? null : chunkOf(state, parent)
  return chunk?.workspace === "worktree" && chunk.stage === "executing"
}

/** How often parts of a task were tried again, and the whole of it. */
export const retriesOf = (state: HasChunking, task: TaskState): number =>
  (chunkOf(state, task)?.subtask_retries ?? 0) + task.retry_count

/** What makes the task a subtask; null: it is none. */
export const subtaskStateOf = ({ chunking }: HasChunking, { spec }: TaskState): SubtaskState | null =>
  knownOf(chunking, spec.id).subtask

export const noLoop: LoopState = {
  started: false,
  reviewed: false,
  refused: 0,
  again: 0,
  countsAgain: false,
  iteration: 1,
  retry_count: 0
}

export const loopOf = ({ chunking }: HasChunking, { spec }: TaskState): LoopState =>
  knownOf(chunking, spec.id).loop ?? noLoop

/** Iterations of a loop that came to nothing. */
export const iterationsUsed = ({ again, countsAgain, refused }: LoopState): number =>
  refused + (countsAgain ? again : 0)

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
  workspace: "shared",
  total: 0,
  open: 0,
  failed: 0,
  subtask_retries: 0,
  boundaries: 0,
  outcome: null,
  isLookedAt: true,
  is_race: false
}

/** Changes what is known of a task; `change` may return what it is given. */
export const withKnown = (
  own: ChunkingState,
  id: TaskId,
  change: (known: TaskChunking) => TaskChunking
): ChunkingState => {
  const before = knownOf(own, id)
  const after = change(before)
  return after === before ? own : { byId: HashMap.set(own.byId, id, after) }
}

export const withChunk = (own: ChunkingState, id: TaskId, change: (chunk: ChunkState) => ChunkState): ChunkingState =>
  withKnown(own, id, (known) => (known.chunk === null ? known : { ...known, chunk: change(known.chunk) }))

/** Begins a loop where there is none. */
export const withLoop = (own: ChunkingState, id: TaskId, change: (loop: LoopState) => LoopState): ChunkingState =>
  withKnown(own, id, (known) => ({ ...known, loop: change(known.loop ?? noLoop) }))

/** Changes the loop that a task is in; nothing where it is in none. */
export const withOpenLoop = (own: ChunkingState, id: TaskId, change: (loop: LoopState) => LoopState): ChunkingState =>
  withKnown(own, id, (known) => {
    const loop = known.loop && change(known.loop)
    return loop === known.loop ? known : { ...known, loop }
  })

/** The parent of a subtask, changed; nothing where the task is none. */
export const withParentOf = (
  own: ChunkingState,
  id: TaskId,
  change: (chunk: ChunkState) => ChunkState
): ChunkingState => {
  const { subtask } = knownOf(own, id)
  return subtask === null ? own : withChunk(own, subtask.parent_task_id, change)
}
