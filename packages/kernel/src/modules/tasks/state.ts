import { HashMap, HashSet } from "effect"
import type { TaskId, WorkKey } from "../../base/Ids.ts"
import type { ReadsOf } from "../../core/contract.ts"
import { plugin } from "../../core/define.ts"
import type { AgentSession, AttemptError } from "../../port/Agent.ts"
import type { Verdict } from "../run/obligations.ts"
import type { EarlierTask } from "../run/schemas.ts"
import { type HasRun, Run } from "../run/state.ts"
import type { BaseCheck } from "./BaseCheck.ts"
import type { CheckRun } from "./CheckRun.ts"
import type { Failure, Receipt, ReportedItem, ReviewCheck, Weakness } from "./Report.ts"
import type { AskedItem, AttemptOutcome, EvidenceFact, PersonAnswer, TaskStatus } from "./schemas.ts"
import type { ChecklistItemSpec, TaskSpec } from "./TaskSpec.ts"

/** Where a checklist item stands. `receipt` is set exactly when the verdict is `proven`, `weak` or `stale`. */
export interface ItemState extends ChecklistItemSpec {
  readonly status: "pending" | "done" | "skipped" | "cannot"
  readonly verdict: Verdict
  readonly evidence: string | null
  readonly reason: string | null
  readonly receipt: Receipt | null
  readonly weak: ReadonlyArray<Weakness>
  /** What a person has said of it since it was reported as `cannot`; left out: nothing. */
  readonly answer?: { readonly answer: PersonAnswer; readonly text: string; readonly at: string }
  /** What a person has said of how it can be done; left out: nothing. */
  readonly guidance?: ReadonlyArray<string>
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
  readonly error: AttemptError | null
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
  /** The agent's own session, and where it worked (null: in the project); left out: it named none. */
  readonly session?: AgentSession & { readonly directory: string | null }
}

/** What every task has, however it came to be. */
export interface TaskState {
  readonly spec: TaskSpec
  /** The task it is a part of; null: of none. */
  readonly parent_task_id: TaskId | null
  /** Its parts, in order of registration. */
  readonly children: ReadonlyArray<TaskId>
  /** How many of its first items are items of its parent, which shows them too. */
  readonly carried: number
  /** One of several attempts at its parent: all that it shows is its parent's. */
  readonly alternative: boolean
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
  /** Attempts in a row that ended with a transient error. */
  readonly transient_count: number
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
  /** Files that its attempts changed, each once, sorted. */
  readonly files: ReadonlyArray<string>
  /** Files that changed during its attempts, or during those of others: nobody can tell. Each once, sorted. */
  readonly undecided: ReadonlyArray<string>
  /** Key of work that was not begun because the budget is used up; null: none. */
  readonly deferred: WorkKey | null
  /** Indexes of items that another task shows in its place since they did not hold any more. */
  readonly yielded: ReadonlyArray<number>
  /** How many attempts of the run had ended when its last one did; 0: none of its own has. */
  readonly ended: number
  /** It was open when the run was resumed for other tasks only: it rests until the next resume. */
  readonly set_aside: boolean
  /** What a person has said of it when they had it tried again. */
  readonly guidance: ReadonlyArray<string>
}

/** The tasks of a run. */
export interface TasksState {
  readonly byId: HashMap.HashMap<TaskId, TaskState>
  /** Who waits for a task: the reverse of `depends_on`. */
  readonly dependents: HashMap.HashMap<TaskId, ReadonlyArray<TaskId>>
  /** Tasks not yet completed, failed or skipped. */
  readonly open_count: number
  /** Tasks that wait for a person. */
  readonly asking_count: number
  /** Open tasks that rest until the run is resumed once more. */
  readonly set_aside_count: number
  readonly completed_elsewhere: HashSet.HashSet<TaskId>
  /** What came of some of them. */
  readonly earlier: ReadonlyArray<EarlierTask>
  /** The user wrote commands for some of them. */
  readonly has_commands: boolean
  /** How the user's commands ended before the work; null: not known. */
  readonly base_checks: {
    readonly checks: ReadonlyArray<BaseCheck>
    /** Why the others could not be run; null: nothing was in the way. */
    readonly problem: string | null
  } | null
  /** Attempts that have ended. */
  readonly ended: number
  /** Judging again what was accepted, before the run ends. */
  readonly revisits: {
    /** How often it was done. */
    readonly count: number
    /** Nothing was worked on or judged since. */
    readonly isFresh: boolean
    /** Why it could not be done; null: nothing was in the way. */
    readonly problem: string | null
  }
}

/** Before anything happened. */
const noTasks: TasksState = {
  byId: HashMap.empty(),
  dependents: HashMap.empty(),
  open_count: 0,
  asking_count: 0,
  set_aside_count: 0,
  completed_elsewhere: HashSet.empty(),
  earlier: [],
  has_commands: false,
  base_checks: null,
  ended: 0,
  revisits: { count: 0, isFresh: false, problem: null }
}

export const Tasks = plugin("tasks", { state: noTasks, after: [Run] })
export type TasksView = ReadsOf<typeof Tasks>

/** What every helper about tasks needs of a state. */
export interface HasTasks {
  readonly tasks: TasksState
}

/** The task with this id; undefined when it was never registered. */
export const taskOf = ({ tasks }: HasTasks, id: TaskId): TaskState | undefined => {
  const found = HashMap.get(tasks.byId, id)
  return found._tag === "Some" ? found.value : undefined
}

// by slice, not by its map: a fold of many events changes the map in place
const sorted = new WeakMap<TasksState, ReadonlyArray<TaskState>>()

/** All tasks in order of registration; put in order once per state. */
export const tasksOf = ({ tasks }: HasTasks): ReadonlyArray<TaskState> => {
  const known = sorted.get(tasks)
  if (known !== undefined) return known
  const all = inPlaces(tasks) ?? [...HashMap.values(tasks.byId)].sort((a, b) => a.order - b.order)
  sorted.set(tasks, all)
  return all
}

/** By their places, without sorting; null where a place is free or taken twice: a log may be damaged. */
const inPlaces = ({ byId }: TasksState): ReadonlyArray<TaskState> | null => {
  const all: Array<TaskState | undefined> = Array.from({ length: HashMap.size(byId) }, () => undefined)
  for (const task of HashMap.values(byId)) {
    if (task.order >= all.length || all[task.order] !== undefined) return null
    all[task.order] = task
  }
  return all as ReadonlyArray<TaskState>
}

/** Nothing more will happen to the task unless the run is resumed. */
export const isOver = (task: TaskState): boolean =>
  task.status === "completed" || task.status === "failed" || task.status === "skipped"

/** It is over and not completed. */
export const isLost = ({ status }: TaskState): boolean => status === "failed" || status === "skipped"

/** True when the task is completed, here or in an earlier run this one builds on. */
export const isDone = (state: HasTasks, id: TaskId): boolean =>
  taskOf(state, id)?.status === "completed" || HashSet.has(state.tasks.completed_elsewhere, id)

/** What the task still waits for. */
export const waitingFor = (state: HasTasks, task: TaskState): ReadonlyArray<TaskId> =>
  task.spec.depends_on.filter((id) => !isDone(state, id))

/** What it depends on and will not be completed. */
export const lostDependencies = (state: HasTasks, { spec }: TaskState): ReadonlyArray<TaskId> =>
  spec.depends_on.filter((id) => isLostIn(state, id))

const isLostIn = (state: HasTasks, id: TaskId): boolean => {
  const dependency = taskOf(state, id)
  return dependency !== undefined && isLost(dependency)
}

/** The same as questions: asked for every dependent of whatever ends, so they stop at the first. */
export const isWaiting = (state: HasTasks, { spec }: TaskState): boolean =>
  spec.depends_on.some((id) => !isDone(state, id))
export const hasLostDependency = (state: HasTasks, { spec }: TaskState): boolean =>
  spec.depends_on.some((id) => isLostIn(state, id))

/** The tasks that are part of no other. */
export const outermostOf = (state: HasTasks): ReadonlyArray<TaskState> =>
  tasksOf(state).filter(({ parent_task_id }) => parent_task_id === null)

export const parentOf = (state: HasTasks, { parent_task_id }: TaskState): TaskState | undefined =>
  parent_task_id === null ? undefined : taskOf(state, parent_task_id)

/** The parts of a task in order of registration. */
export const childrenOf = (state: HasTasks, { children }: TaskState): ReadonlyArray<TaskState> =>
  children.flatMap((id) => taskOf(state, id) ?? [])

/** How many attempts at a task are made beside each other. */
export const attemptsAtOnce = ({ run }: HasRun, { alternative, spec }: TaskState): number =>
  alternative ? 1 : (spec.attempts ?? run.config.attempts ?? 1)

/** Ids of the tasks that name this one in `depends_on`. */
export const dependentsOf = ({ tasks }: HasTasks, id: TaskId): ReadonlyArray<TaskId> => {
  const found = HashMap.get(tasks.dependents, id)
  return found._tag === "Some" ? found.value : []
}

/** Items that a task shows itself, by index: neither its parent nor another task does it in its place. */
export const ownItemsOf = ({ carried, items, yielded }: TaskState): ReadonlyArray<readonly [number, ItemState]> =>
  [...items.entries()].filter(([index]) => index >= carried && !yielded.includes(index))

/** The user wrote commands for it. */
export const hasUserCommands = ({ checklist, checks, commands_by }: TaskSpec): boolean =>
  commands_by !== "agent" && (checks.length > 0 || checklist.some(({ check }) => check !== undefined))

/** Why a task is blocked of which nothing is left but items that its agent cannot do, as a stable code. */
export const cannot = "cannot"

/** Why a task goes on of which a person was asked, as a stable code. */
export const answered = "answered"

/** Somebody works on it, or will again by itself. */
export const isWorkedOn = ({ status }: Pick<TaskState, "status">): boolean =>
  status === "in_progress" || status === "retrying"

/** Only a person can say how it goes on. */
export const waitsForPerson = ({ reason, status }: TaskState): boolean => status === "blocked" && reason === cannot

/** It is open, and rests until the run is resumed once more. */
export const isSetAside = (task: TaskState): boolean => task.set_aside && !isOver(task)

/** An item that an agent cannot do, and of which nobody has said how it goes on. */
export const isUnanswered = ({ answer, status }: ItemState): boolean => status === "cannot" && answer === undefined

/** What a person is asked of a task, item by item; empty while it is worked on. */
export const askedOf = (task: TaskState): ReadonlyArray<AskedItem> =>
  waitsForPerson(task)
    ? task.items.flatMap((one, index) =>
        isUnanswered(one) ? [{ index, item: one.item, reason: one.reason ?? "", evidence: one.evidence }] : []
      )
    : []

/** A person has said that it is not needed. */
export const isWaivedByPerson = ({ answer }: Pick<ItemState, "answer">): boolean => answer?.answer === "waive"

/** As it was before it waited for a person. */
export const unasked = (task: TaskState): TaskState =>
  waitsForPerson(task) ? { ...task, reason: "", message: "" } : task

/** An item of which nothing is shown any more; what a person has said of it stands. */
export const reset = (item: ItemState): ItemState => {
  if (isWaivedByPerson(item)) return item
  const { answer: _, ...rest } = item
  return { ...rest, ...untouched }
}

/** Changes a task, and the number of those that are open. */
export const withTask = (own: TasksState, id: TaskId, change: (task: TaskState) => TaskState): TasksState => {
  const found = HashMap.get(own.byId, id)
  if (found._tag === "None") return own
  const before = found.value
  const after = change(before)
  return {
    ...own,
    byId: HashMap.set(own.byId, id, after),
    open_count: own.open_count + Number(isOver(before)) - Number(isOver(after)),
    asking_count: own.asking_count + Number(waitsForPerson(after)) - Number(waitsForPerson(before)),
    set_aside_count: own.set_aside_count + Number(isSetAside(after)) - Number(isSetAside(before))
  }
}

export const withAttempt = (
  own: TasksState,
  attemptRef: { readonly task_id: TaskId; readonly attempt: number },
  change: (attempt: AttemptState) => AttemptState
): TasksState =>
  withTask(own, attemptRef.task_id, (task) =>
    task.current?.attempt === attemptRef.attempt ? { ...task, current: change(task.current) } : task
  )

export const withItem = (
  own: TasksState,
  id: TaskId,
  index: number,
  change: (item: ItemState) => ItemState
): TasksState =>
  withTask(own, id, (task) => {
    const item = task.items[index]
    return item === undefined ? task : { ...task, items: task.items.with(index, change(item)) }
  })

/** Something was worked on or judged: what was judged again before has to be judged once more. */
export const unrevisited = (own: TasksState): TasksState =>
  own.revisits.isFresh ? { ...own, revisits: { ...own.revisits, isFresh: false } } : own

/** What an item and an attempt are before anything happened to them. */
export const untouched = {
  status: "pending",
  verdict: "unproven",
  evidence: null,
  reason: null,
  receipt: null,
  weak: []
} as const

export const nothingKnown = {
  outcome: null,
  error: null,
  cancelled: false,
  report: null,
  facts: null,
  failures: [],
  verification: null,
  judgment: null,
  criteria: null,
  files_modified: null
} as const

/** The attempt that the next one is told of: the last one, unless it was lost. */
export const refusedAttempt = (task: TaskState): AttemptState | null =>
  task.current === null || task.current.outcome === "LOST" ? task.refused : task.current
