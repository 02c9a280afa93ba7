import { HashMap, HashSet } from "effect"
import type { CheckRun } from "./CheckRun.ts"
import type { Aggregation, ExecutionMode } from "./Chunking.ts"
import type { AttemptOutcome, Base, Driver, EarlierTask, EvidenceFact, TaskStatus } from "./Event.ts"
import type { RunId, TaskId } from "./Ids.ts"
import type { PullSetup } from "./PhaseContract.ts"
import type { BoardPriority } from "./Pull.ts"
import type { Failure, Receipt, ReportedItem, ReviewCheck, Verdict, Weakness } from "./Report.ts"
import { type ChecklistItemSpec, defaultRunConfig, type RunConfig, type TaskSpec } from "./Task.ts"

export type RunStatus = "none" | "running" | "completed" | "incomplete" | "failed" | "cancelled"

/** Where a checklist item stands. `receipt` is set exactly when the verdict is `proven`. */
export interface ItemState extends ChecklistItemSpec {
  readonly status: "pending" | "done" | "skipped"
  readonly verdict: Verdict
  readonly evidence: string | null
  readonly reason: string | null
  readonly receipt: Receipt | null
  readonly weak: ReadonlyArray<Weakness>
}

/** The attempt a task is in, or was in last. */
export interface AttemptState {
  readonly attempt: number
  readonly agent: string
  readonly worker_id: string
  readonly item_id: string
  readonly lease: number
  /** Null while it runs. */
  readonly outcome: AttemptOutcome | null
  readonly error: { readonly code: string; readonly message: string; readonly terminal: boolean } | null
  readonly cancelled: boolean
  readonly report: {
    readonly summary: string
    readonly checklist: ReadonlyArray<ReportedItem> | null
    readonly problems: ReadonlyArray<string>
  } | null
  /** Null until the evidence was judged. */
  readonly facts: ReadonlyArray<EvidenceFact> | null
  readonly failures: ReadonlyArray<Failure>
  readonly verification: { readonly passed: boolean; readonly checks: ReadonlyArray<CheckRun> } | null
  readonly judgment: {
    readonly judgment: "PASS" | "REJECT" | "RETRY"
    readonly reviewer: string
    readonly checks: ReadonlyArray<ReviewCheck>
    readonly modification_prompt: string | null
  } | null
  /** What the built-in criteria came to; null until they were tried. */
  readonly criteria: ReadonlyArray<ReviewCheck> | null
  /** Files that changed while it ran; null: nobody looked. */
  readonly files_modified: ReadonlyArray<string> | null
  /** Its number in the review loop, from 1; 1 where there is no loop. */
  readonly iteration: number
}

/** What makes a task a part of another. */
export interface PartState {
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
  /** When its attempts ran, on the parent's count of beginnings and ends; `to` is null while one does. */
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
  /** In order of execution. */
  readonly subtasks: ReadonlyArray<TaskId>
  /** Subtasks that are not over. */
  readonly open: number
  /** Subtasks that failed or were given up. */
  readonly failed: number
  readonly total_retries: number
  /** Beginnings and ends of its subtasks' attempts so far: what was at the same time can be told without a clock. */
  readonly ticks: number
  readonly outcome: Aggregation | null
  /** Files about which a person was asked to decide. */
  readonly decided: ReadonlyArray<string>
}

export interface TaskState {
  readonly spec: TaskSpec
  /** Order of registration, from 0. */
  readonly order: number
  /** Longest chain of tasks that begins here. */
  readonly priority: number
  readonly status: TaskStatus
  readonly items: ReadonlyArray<ItemState>
  /** Attempts started so far, lost ones included. */
  readonly attempts: number
  /** Retries used since the task was last (re)opened. */
  readonly retry_count: number
  readonly lost_count: number
  /** Wait before the next attempt, ms; meaningful while `retrying`. */
  readonly delay_ms: number
  readonly current: AttemptState | null
  /** Work of the task that could not be carried out, e.g. a review without an answer or an attempt a guard refused. */
  readonly blocked: { readonly activity: string; readonly code: string; readonly message: string } | null
  /** The last attempt that was not accepted, with everything the next one must be told; lost attempts tell nothing. */
  readonly refused: AttemptState | null
  readonly verdict: Verdict
  /** Why it failed or was skipped, as a stable code and in words; empty otherwise. */
  readonly reason: string
  readonly message: string
  /** Set for a subtask. */
  readonly part: PartState | null
  /** Set once the task is analysed. */
  readonly chunk: ChunkState | null
  /** The review loop it is in; an attempt more is the next iteration. */
  readonly loop: {
    /** An attempt was started since it was last (re)tried. */
    readonly started: boolean
    /** Its attempts are judged in a review loop, which is open. */
    readonly reviewed: boolean
    /** Iterations that were refused. */
    readonly refused: number
    /** How often the reviewer asked for the same again. */
    readonly again: number
  }
  /** Files that its attempts changed, each once, sorted. */
  readonly files: ReadonlyArray<string>
  /** Set for a task that agents pull. */
  readonly board: BoardState | null
  /** Key of work that was not begun because the budget is used up; null: none. */
  readonly held: string | null
}

/** What makes a task one that agents pull. */
export interface BoardState {
  /** Null: nobody. */
  readonly assignee: string | null
  readonly created_by: string
  readonly parent_task_id: TaskId | null
  /** In order of creation. */
  readonly children: ReadonlyArray<TaskId>
  readonly priority: BoardPriority
  /** Files that were asked for when it was done: it may be sent back, and reported again. */
  readonly asked: ReadonlyArray<string>
  /** Verifications of the whole that failed after it was done, since the count began. */
  readonly failures: number
  /** Why it is blocked or cancelled; empty otherwise. */
  readonly reason: string
}

/** An agent at work in a session run. */
export interface SessionState {
  readonly session_id: string
  readonly agent: string
  readonly token_sha256: string
  readonly of_process: boolean
  readonly ttl_ms: number
  /** When it last asked for something that was recorded, ISO 8601. */
  readonly seen_at: string
  /** Why it ended; null while it is open. */
  readonly closed: string | null
  /** What it reported at its end. */
  readonly reported: { readonly result: string } | null
  /** The last action it was told. */
  readonly issued: { readonly action: string; readonly task_id: TaskId | null } | null
  /** Tasks it has fetched. */
  readonly fetched: ReadonlyArray<TaskId>
  /** Tasks it was told to split: nobody is told twice. */
  readonly offered: ReadonlyArray<TaskId>
}

/** Where a session run stands beside its tasks. */
export interface PullState {
  readonly setup: PullSetup
  /** The current phase. */
  readonly phase: string
  /** The phase of tasks that was entered last; null: none yet. */
  readonly worked: string | null
  /** By phase: how often it was entered. */
  readonly visits: Readonly<Record<string, number>>
  readonly counters: Readonly<Record<string, number>>
  /** Files that agents said to have looked at, as paths from the root. */
  readonly explored: HashSet.HashSet<string>
  /** By agent: files it may write for the task it works on, because it asked. */
  readonly writable: HashMap.HashMap<string, HashSet.HashSet<string>>
  /** The commands of the current phase run; what was handed in for it. */
  readonly verifying: { readonly payload: Readonly<Record<string, unknown>> } | null
  /** How they last ended. */
  readonly verification: { readonly passed: boolean; readonly checks: ReadonlyArray<CheckRun> } | null
  /** Verifications that failed one after the other. */
  readonly failed_in_row: number
  /** A verification failed, and nothing was planned, created or done since. */
  readonly sent_back: boolean
  /** The work as it is now was verified by at least one command. */
  readonly verified: boolean
  /** What was handed in last; null: nothing yet. */
  readonly last: { readonly phase: string; readonly payload: Readonly<Record<string, unknown>> } | null
  /** Payloads that were taken so far, in any phase. */
  readonly submissions: number
  /** Why the last submission of the phase was refused; empty after one that was taken. */
  readonly failures: ReadonlyArray<Failure>
  /** Batches of tasks that were asked for, with what became of them. */
  readonly batches: HashMap.HashMap<string, ReadonlyArray<TaskId>>
  /** In order of opening. */
  readonly sessions: ReadonlyArray<SessionState>
}

/** What the agents of a run have used. */
export interface Spent {
  readonly attempts: number
  readonly calls: number
  /** Input and output, of the calls that said so. */
  readonly tokens: number
  readonly cost_usd: number
}

export const nothingSpent: Spent = { attempts: 0, calls: 0, tokens: 0, cost_usd: 0 }

/** What is true of a run. An immutable value: folding an event gives a new one. */
export interface State {
  readonly run_id: RunId
  readonly kind: "tasks" | "requirements" | "prompt" | "session"
  readonly name: string
  readonly root: string
  readonly input: { readonly path: string; readonly sha256: string } | null
  readonly parent_run_id: RunId | null
  readonly status: RunStatus
  readonly message: string
  /** By what it failed; null while it has not. */
  readonly failed_by: "failed" | "fail_fast" | "breaker" | "budget" | null
  readonly config: RunConfig
  readonly driver: Driver | null
  readonly base: Base | null
  readonly completed_elsewhere: HashSet.HashSet<TaskId>
  /** What came of some of them. */
  readonly earlier: ReadonlyArray<EarlierTask>
  /** What the whole is for; null: its tasks say it all. */
  readonly goal: string | null
  /** Since the run was started or resumed. */
  readonly spent: Spent
  readonly tasks: HashMap.HashMap<TaskId, TaskState>
  /** Who waits for a task: the reverse of `depends_on`. */
  readonly dependents: HashMap.HashMap<TaskId, ReadonlyArray<TaskId>>
  /** Tasks not yet completed, failed or skipped. */
  readonly open_count: number
  /** How often the run was resumed. Part of every work key: what was cancelled or done once stays so. */
  readonly resumes: number
  /** Set in a session run. */
  readonly pull: PullState | null
  /** Agents that may not be started: trying again cannot help. */
  readonly breakers: HashMap.HashMap<string, { readonly code: string; readonly message: string }>
}

/** Before anything happened. */
export const initialState: State = {
  run_id: "",
  kind: "tasks",
  name: "",
  root: "",
  input: null,
  parent_run_id: null,
  status: "none",
  message: "",
  failed_by: null,
  config: defaultRunConfig,
  driver: null,
  base: null,
  completed_elsewhere: HashSet.empty(),
  earlier: [],
  goal: null,
  spent: nothingSpent,
  tasks: HashMap.empty(),
  dependents: HashMap.empty(),
  open_count: 0,
  resumes: 0,
  pull: null,
  breakers: HashMap.empty()
}

/** The task with this id; undefined when it was never registered. */
export const taskOf = (state: State, id: TaskId): TaskState | undefined => {
  const found = HashMap.get(state.tasks, id)
  return found._tag === "Some" ? found.value : undefined
}

/** All tasks in order of registration. Sorts: not for every event. */
export const tasksOf = (state: State): ReadonlyArray<TaskState> =>
  [...HashMap.values(state.tasks)].sort((a, b) => a.order - b.order)

/** Nothing more will happen to the task unless the run is resumed. */
export const isOver = (task: TaskState): boolean =>
  task.status === "completed" || task.status === "failed" || task.status === "skipped"

/** It is over and not completed. */
export const isLost = ({ status }: TaskState): boolean => status === "failed" || status === "skipped"

/** True when the task is completed, here or in an earlier run this one builds on. */
export const isDone = (state: State, id: TaskId): boolean =>
  taskOf(state, id)?.status === "completed" || HashSet.has(state.completed_elsewhere, id)

/** What the task still waits for. */
export const waitingFor = (state: State, task: TaskState): ReadonlyArray<TaskId> =>
  task.spec.depends_on.filter((id) => !isDone(state, id))

/** The tasks that were asked for: without those that came from splitting one. */
export const rootsOf = (state: State): ReadonlyArray<TaskState> => tasksOf(state).filter(({ part }) => part === null)

/** The subtasks of a task in order of execution. */
export const subtasksOf = (state: State, parent: TaskState): ReadonlyArray<TaskState> =>
  (parent.chunk?.subtasks ?? []).flatMap((id) => taskOf(state, id) ?? [])

/** Ids of the tasks that name this one in `depends_on`. */
export const dependentsOf = (state: State, id: TaskId): ReadonlyArray<TaskId> => {
  const found = HashMap.get(state.dependents, id)
  return found._tag === "Some" ? found.value : []
}

/** The open breaker of an agent; undefined while it may be started. */
export const breakerOf = (
  state: State,
  agent: string
): { readonly code: string; readonly message: string } | undefined => {
  const found = HashMap.get(state.breakers, agent)
  return found._tag === "Some" ? found.value : undefined
}
