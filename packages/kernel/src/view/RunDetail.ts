import { HashMap } from "effect"
import type { TaskId } from "../base/Ids.ts"
import type { KernelState } from "../composition.ts"
import { loopOf, rootsOf, subtaskStateOf, subtasksOf } from "../modules/chunking/state.ts"
import { type Obligation, proofBy, type RunProof } from "../modules/run/obligations.ts"
import { isClosed } from "../modules/run/verdicts.ts"
import { failedChecksOf, obligationsOf, ownObligationsOf } from "../modules/tasks/obligations.ts"
import { notes, shownBy } from "../modules/tasks/points.ts"
import {
  childrenOf,
  type HasTasks,
  isSetAside,
  parentOf,
  type TaskState,
  taskOf,
  tasksOf,
  waitingFor,
  waitsForPerson
} from "../modules/tasks/state.ts"
import { askedIn, permissionsIn } from "./Asked.ts"
import { partsOf } from "./Progress.ts"
import { proofOf } from "./Proof.ts"
import { historyOf, type RunHistory } from "./RunHistory.ts"
import type { RunDetail, RunRow, RunSummary, ShownAs } from "./RunShapes.ts"
import {
  allItems,
  asItStands,
  begunStatus,
  proofFields,
  rowItems,
  rowProof,
  rowVerdict,
  shownAs,
  shownRowStatus
} from "./Standing.ts"
import type { AttemptView, ItemView, TaskRow, TaskStanding, TaskView } from "./TaskShapes.ts"

type State = KernelState

/** A run of a list, by its summary. `waits`: whether a person is asked something, where more than the summary says it. */
export const runRowOf = (summary: RunSummary, waits = asks(summary)): RunRow =>
  rowBy(summary, {
    status: shownRowStatus(summary),
    verdict: rowVerdict(summary),
    proof: rowProof(summary),
    items: rowItems(summary),
    waits
  })

const asks = ({ asked, permissions }: RunSummary): boolean => asked !== undefined || permissions !== undefined

/** The same with what its state says: what it has shown so far, and its parts. */
export const runRowNow = (summary: RunSummary, state: State, waits = waitsIn(state)): RunRow & RunProof => {
  const proof = proofOf(state)
  const status = begunStatus(state.run)
  return {
    ...rowBy(summary, { status, verdict: proof.verdict, proof, items: askedOf(state, summary, proof), waits }),
    ...proofFields(proof),
    // those of a requirements run are in its task runs
    ...(tasksOf(state).length === 0 ? {} : workOf(state))
  }
}

/** What is known of how a run stands. */
interface Standing extends Pick<RunRow, "status" | "verdict"> {
  /** Null: only its events say it. */
  readonly proof: RunProof | null
  readonly items: Pick<RunRow, "items_closed" | "items_total">
  readonly waits: boolean
}

/** The items that a run was asked for, as its summary counts them: acceptance criteria are none. */
const askedOf = (state: State, summary: RunSummary, proof: RunProof): Standing["items"] => {
  const isCriterion = (task: TaskState) => {
    const criteria = new Set(shownBy(state).flatMap((one) => one.criteria(task)))
    return (item: string): boolean => criteria.has(item)
  }
  const asked = itemsIn(rootsOf(state), isCriterion)
  return rowProof(summary) === null ? asked : allItems(asked, proof)
}

/** The items of checklists; what another task shows in the place of one is an item of that one. */
const itemsIn = (
  tasks: ReadonlyArray<TaskState>,
  without: (task: TaskState) => (item: string) => boolean = () => () => false
): Standing["items"] => {
  const items = tasks.flatMap((task) => {
    const isLeftOut = without(task)
    return task.items.filter(({ item }, index) => !task.yielded.includes(index) && !isLeftOut(item))
  })
  return { items_total: items.length, items_closed: items.filter(({ verdict }) => isClosed(verdict)).length }
}

const rowBy = (summary: RunSummary, { items, proof, status, verdict, waits }: Standing): RunRow => {
  const { checks_failed, counts = null, reviewers = [], weak = [] } = proof ?? {}
  return {
    run_id: summary.run_id,
    kind: summary.kind,
    name: summary.name,
    status,
    shown_as: shownAs({ status, verdict, waits, reviewers, weak }),
    verdict,
    counts,
    reviewers,
    weak,
    ...(checks_failed === undefined ? {} : { checks_failed }),
    started_at: summary.started_at,
    ended_at: summary.ended_at,
    parent_run_id: summary.parent_run_id,
    tasks_total: summary.tasks_total,
    tasks_completed: summary.tasks_completed,
    tasks_failed: summary.tasks_failed,
    tasks_skipped: summary.tasks_skipped,
    ...items,
    subtasks_total: summary.subtasks_total ?? 0,
    subtasks_completed: summary.subtasks_completed ?? 0,
    asked: summary.asked ?? [],
    permissions: summary.permissions ?? [],
    active: summary.active
  }
}

/** Whether a person is asked something in a run. */
export const waitsIn = (state: State): boolean => askedIn(state).length > 0 || permissionsIn(state).length > 0

/** The tasks of a run, and the parts of those that were split. */
export const workOf = (state: State) => {
  const roots = rootsOf(state)
  const parts = roots.flatMap((task) => partsOf(state, task))
  const by = (tasks: ReadonlyArray<TaskState>, status: TaskState["status"]): number =>
    tasks.filter((task) => task.status === status).length
  return {
    tasks_total: roots.length,
    tasks_completed: by(roots, "completed"),
    tasks_failed: by(roots, "failed"),
    tasks_skipped: by(roots, "skipped"),
    subtasks_total: parts.length,
    subtasks_completed: by(parts, "completed")
  }
}

/** A run as it stands; `runs` are all of the log, its own children among them. */
export const runDetailOf = (
  summary: RunSummary,
  runs: ReadonlyArray<RunSummary>,
  state: State,
  { head, updated_at }: RunHistory,
  waits = waitsIn(state)
): RunDetail => {
  const { run } = state
  const { agent, budget, reviewer, workers } = run.config
  return {
    // all of one moment: the summary may be of another
    ...runRowNow(summary, state, waits),
    message: run.message,
    failed_by: run.failed_by,
    agent,
    reviewer,
    workers,
    input: run.input,
    base_commit: run.base?.commit ?? null,
    driver: run.driver,
    spent: run.spent,
    budget,
    version: head?.version ?? 0,
    position: head?.position ?? 0,
    hash: head?.hash ?? "",
    updated_at: updated_at ?? summary.started_at,
    child_run_ids: runs
      .filter(({ parent_run_id }) => parent_run_id === summary.run_id)
      .toSorted((a, b) => newestFirst(b, a))
      .map(({ run_id }) => run_id)
  }
}

/** The newest first; of those that began in the same millisecond, in any order that stays. */
export const newestFirst = (
  a: Pick<RunSummary, "started_at" | "run_id">,
  b: Pick<RunSummary, "started_at" | "run_id">
): number => compare(b.started_at, a.started_at) || compare(b.run_id, a.run_id)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Every attempt of the run so far, by task in no order; of one task in the order in which they began. */
export const attemptsOf = ({ tasks }: RunHistory): ReadonlyArray<AttemptView> =>
  [...HashMap.values(tasks)].flatMap(({ attempts }) => attempts)

/** A task in the tree of its run; `depth` counts what it is a part of. */
export interface TaskPlace {
  readonly task: TaskState
  readonly depth: number
}

/** Every task in the order of its registration, each followed by its parts in the order of the plan. */
export const taskPlacesOf = (state: State): ReadonlyArray<TaskPlace> => {
  const places: Array<TaskPlace> = []
  const add = (task: TaskState, depth: number): void => {
    places.push({ task, depth })
    for (const subtask of directSubtasksOf(state, task)) add(subtask, depth + 1)
  }
  // one whose parent is not known is shown all the same
  for (const task of tasksOf(state)) if (parentOf(state, task) === undefined) add(task, 0)
  return places
}

/** Makes the rows of those tasks that it is asked for: a row costs more than a place by far. */
export const makeTaskRows = (state: State, history: RunHistory): ((place: TaskPlace) => TaskRow) => {
  const owed = owedIn(state)
  return ({ depth, task }) => rowOf(state, history, task, depth, owed(task))
}

/** The rows of all tasks, in their order. */
export const taskRowsOf = (state: State, history: RunHistory): ReadonlyArray<TaskRow> =>
  taskPlacesOf(state).map(makeTaskRows(state, history))

/** Who works on a task, or is to. */
export const workingOn = (state: State, task: TaskState): Pick<TaskRow, "agent" | "worker_id"> => ({
  agent: task.current?.agent ?? notes(state).flatMap((note) => note.assignee(task) ?? [])[0] ?? null,
  worker_id: task.current?.worker_id ?? null
})

/** Subtasks in the order of the plan; tasks of agents come in the order of their creation. */
const directSubtasksOf = (state: State, task: TaskState): ReadonlyArray<TaskState> =>
  childrenOf(state, task).toSorted((a, b) => indexOf(state, a) - indexOf(state, b))

const indexOf = (state: State, task: TaskState): number => subtaskStateOf(state, task)?.index ?? task.order

/** How a task stands, by the state of its run alone. */
export const taskStandingOf = (state: State, task: TaskState): TaskStanding => ({
  title: task.spec.title,
  status: asItStands(state.run, task).status,
  verdict: task.verdict,
  ...whyOf(state, task),
  attempts: task.attempts
})

/** Why it failed, was skipped, is blocked or rests. */
const whyOf = (state: State, task: TaskState): Pick<TaskStanding, "message" | "reason"> => {
  const { blocked, message, reason } = task
  if (reason === "" && isSetAside(task))
    return { reason: "set_aside", message: "The run was resumed for other tasks; the next resume goes on with it." }
  return {
    reason:
      reason === ""
        ? notes(state)
            .map((note) => note.reason(task))
            .join("")
        : reason,
    message: message === "" ? (blocked?.message ?? "") : message
  }
}

/** All that has to hold for a task and its parts, each once; asked for all tasks of a run, each is looked at once. */
const owedIn = (state: State): ((task: TaskState) => ReadonlyArray<Obligation>) => {
  const known = new Map<TaskId, ReadonlyArray<Obligation>>()
  const owed = (task: TaskState): ReadonlyArray<Obligation> => {
    const { id } = task.spec
    const before = known.get(id)
    if (before !== undefined) return before
    known.set(id, [])
    const all = [...ownObligationsOf(state, task), ...childrenOf(state, task).flatMap(owed)]
    known.set(id, all)
    return all
  }
  return owed
}

/** What a task is shown as. */
const shownTask = (
  state: State,
  task: TaskState,
  { reviewers, weak }: Pick<RunProof, "reviewers" | "weak">
): ShownAs => {
  const { permissions } = state.run
  return shownAs({
    status: asItStands(state.run, task).status,
    verdict: task.verdict,
    waits: waitsForPerson(task) || permissions.open.some(({ task_id }) => task_id === task.spec.id),
    reviewers,
    weak
  })
}

const rowOf = (
  state: State,
  history: RunHistory,
  task: TaskState,
  depth: number,
  owed: ReadonlyArray<Obligation>
): TaskRow => {
  const { spec } = task
  const proof = proofBy(owed, true)
  const { attempts, ended_at, started_at } = historyOf(history, spec.id)
  const parts = subtasksOf(state, task)
  const failed = failedChecksOf(task)
  return {
    task_id: spec.id,
    parent_task_id: task.parent_task_id,
    depth,
    ...taskStandingOf(state, task),
    retry_count: task.retry_count,
    iteration: loopOf(state, task).iteration,
    shown_as: shownTask(state, task, proof),
    counts: proof.counts,
    ...itemsIn([task]),
    ...(failed === 0 ? {} : { checks_failed: failed }),
    refusals: attempts.reduce((sum, { refusals }) => sum + refusals.length, 0),
    subtasks_total: parts.length,
    subtasks_completed: parts.filter(({ status }) => status === "completed").length,
    ...workingOn(state, task),
    waiting_for: task.status === "pending" ? waitingFor(state, task) : [],
    started_at,
    ended_at
  }
}

/** One task with everything that is known of it; null: there is none with this id. */
export const taskViewOf = (state: State, history: RunHistory, id: TaskId): TaskView | null => {
  const task = taskOf(state, id)
  if (task === undefined) return null
  const { checks, depends_on, instruction, validation } = task.spec
  const { attempts, retries } = historyOf(history, id)
  return {
    ...rowOf(state, history, task, depthOf(state, task), owedIn(state)(task)),
    instruction,
    validation,
    checks,
    depends_on,
    subtasks: directSubtasksOf(state, task).map(({ spec }) => spec.id),
    files: task.files,
    ...(task.guidance.length === 0 ? {} : { guidance: task.guidance }),
    checklist: itemViewsOf(state, task),
    retries,
    history: attempts
  }
}

const depthOf = (state: HasTasks, task: TaskState): number => {
  const seen = new Set<TaskId>()
  let depth = 0
  for (let id = task.parent_task_id; id !== null && !seen.has(id); depth++) {
    seen.add(id)
    id = taskOf(state, id)?.parent_task_id ?? null
  }
  return depth
}

/** The checklist of a task as it stands. */
export const itemViewsOf = (state: State, task: TaskState): ReadonlyArray<ItemView> => {
  // items come first
  const shown = obligationsOf(state, task)
  return task.items.map(({ ablation: _, check = null, covers = [], ...item }, index) => ({
    index,
    ...item,
    check,
    covers,
    shown_by: shown[index]?.shown_by ?? null
  }))
}
