import {
  ChecklistRegistered,
  chainLengths,
  type Decision,
  type Fact,
  type Failure,
  findCycle,
  isOver,
  minReasonLength,
  reasonLength,
  registration,
  type TaskId,
  type TaskState,
  Tasks,
  taskOf,
  tasksOf
} from "@proofline/kernel"
import { HashMap, Option, Result } from "effect"
import { assignmentStatusOf, type Facts, mayChange, treeOf, waitersOf, withdrawn } from "./assignment.ts"
import { batchProblem, mayBeAwaited, repeated } from "./batchProblem.ts"
import { TaskAssigned, TasksCreated } from "./events.ts"
import type { Phase } from "./PhaseContract.ts"
import { batchKey, phaseOf } from "./phase.ts"
import { failureOf } from "./phaseTexts.ts"
import {
  keptOfKnown,
  keptTasks,
  missingChecklists,
  type PlannedTask,
  type Warning,
  withdrawals
} from "./planWarnings.ts"
import type { CreateTasksArgs } from "./requests.ts"
import type { AssignmentPriority, NewTask } from "./schemas.ts"
import { verificationRunning, workingSession } from "./session.ts"
import { assignmentOf, type PhasesState, type SessionState, type SessionsView as State } from "./state.ts"
import { enteredBy } from "./transitions.ts"

export interface Planned {
  readonly events: Facts
  readonly failures: ReadonlyArray<Failure>
  readonly warnings: ReadonlyArray<Warning>
}

const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "")

/** What a task of a plan says. */
const readTask = (value: unknown): PlannedTask => {
  const task = (value ?? {}) as Readonly<Record<string, unknown>>
  const { checklist } = task
  return {
    id: typeof task["id"] === "number" ? String(task["id"]) : text(task["id"]),
    title: text(task["title"]) === "" ? null : text(task["title"]),
    description: text(task["description"]),
    status: task["status"] == null ? "pending" : text(task["status"]),
    reason: text(task["reason"]),
    depends_on: listOf(task["depends_on"] ?? task["dependencies"]).map(text),
    checklist:
      checklist === undefined || checklist === null
        ? null
        : listOf(checklist).map((one) => {
            const { item, status } = (typeof one === "string" ? { item: one } : (one ?? {})) as Readonly<
              Record<string, unknown>
            >
            return { item: text(item), status: status === undefined ? "pending" : text(status) }
          })
  }
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * Applies a plan as a difference: new tasks are registered, open tasks may get items or be withdrawn with a reason,
 * completed tasks do not change, tasks that are not named stay.
 */
export const planTasks = (
  state: State,
  phases: PhasesState,
  session: SessionState,
  phase: string,
  payload: Readonly<Record<string, unknown>>
): Planned => {
  const tasks = listOf(payload["tasks"]).map(readTask)
  const fail = (key: string, fields: Failure["fields"] = {}, item: string | null = null): Failure =>
    failureOf(phases, phase, key, fields, item)
  if (tasks.length === 0) return { events: [], failures: [fail("empty_tasks")], warnings: [] }
  const difference = differenceTo(state, tasks)
  const { fresh, gone, known } = difference
  const failures = [
    ...repeated(tasks.map(({ id }) => id)).map((task_id) => fail("duplicate_task_ids", { task_id })),
    ...fresh.flatMap((task) => freshFailures(task, fail)),
    ...known.flatMap((task) => knownFailures(state, session, task, gone, fail)),
    ...known.flatMap((task) => droppedItems(state, task, fail)),
    ...tasks.flatMap((task) => repeatedItems(state, task, fail)),
    ...graphFailures(state, fresh, gone, fail)
  ]
  if (failures.length > 0) return { events: [], failures, warnings: [] }
  const open = tasksOf(state).filter((task) => !isOver(task) && !gone.has(task.spec.id))
  if (fresh.length + open.length === 0) {
    return { events: [], failures: [fail("no_pending_tasks")], warnings: [] }
  }
  return {
    events: plannedEvents(state, session, difference),
    failures: [],
    warnings: [...missingChecklists(state, fresh), ...keptTasks(state, open, tasks), ...keptOfKnown(state, known)]
  }
}

/** What a plan changes. */
interface Difference {
  readonly known: ReadonlyArray<PlannedTask>
  readonly fresh: ReadonlyArray<PlannedTask>
  /** Of those that are known, what is withdrawn. */
  readonly leaving: ReadonlyArray<PlannedTask>
  /** What is withdrawn, with its parts. */
  readonly gone: ReadonlySet<TaskId>
}

const differenceTo = (state: State, tasks: ReadonlyArray<PlannedTask>): Difference => {
  const known = tasks.filter(({ id }) => taskOf(state, id) !== undefined)
  const leaving = known.filter(({ status }) => withdrawals.has(status))
  return {
    known,
    fresh: tasks.filter(({ id }) => taskOf(state, id) === undefined),
    leaving,
    gone: new Set(leaving.flatMap(({ id }) => treeOf(state, taskOf(state, id) as TaskState).map(({ spec }) => spec.id)))
  }
}

const plannedEvents = (state: State, { agent }: SessionState, { fresh, gone, known, leaving }: Difference): Facts => {
  const lengths = chainLengths(fresh)
  return [
    ...leaving.flatMap(({ id, reason }) => {
      const task = taskOf(state, id)
      // what is part of another that leaves goes with it
      const goesAlong = task !== undefined && gone.has(task.parent_task_id ?? "")
      return task === undefined || isOver(task) || goesAlong ? [] : withdrawn(state, task, reason)
    }),
    ...known.flatMap((task) => moreItems(state, task)),
    ...fresh.flatMap((task) =>
      assignedTask({
        id: task.id,
        title: task.title ?? titleOf(task.description),
        instruction: task.description,
        depends_on: task.depends_on,
        checklist: (task.checklist ?? []).map(({ item }) => item),
        length: lengths.get(task.id) ?? 1,
        assignee: agent,
        created_by: agent,
        parent_task_id: null,
        priority: "medium",
        backlog: false
      })
    )
  ]
}

type Fail = (key: string, fields?: Failure["fields"], item?: string | null) => Failure

/** Ids go into names of files, work and environment variables. */
const idFault = (id: string): string | null =>
  id === ""
    ? "it is empty"
    : id.length > 200
      ? "it has more than 200 characters"
      : /[\p{Cc}\s]/u.test(id)
        ? "it holds blanks"
        : null

const freshFailures = (task: PlannedTask, fail: Fail): ReadonlyArray<Failure> => {
  const { checklist, description, id, status } = task
  const fault = idFault(id)
  return [
    ...(fault === null ? [] : [fail("task_id_invalid", { task_id: id, why: fault })]),
    ...(status === "pending" || status === "todo" ? [] : [fail("task_status_invalid", { task_id: id, status })]),
    ...(description === "" ? [fail("field_empty", { field: `tasks[${id}].description` })] : []),
    ...(checklist ?? []).flatMap((one) => itemFailures(id, one, fail))
  ]
}

const itemFailures = (
  task_id: TaskId,
  { item, status }: { readonly item: string; readonly status: string },
  fail: Fail
): ReadonlyArray<Failure> => [
  ...(item === "" ? [fail("field_empty", { field: `tasks[${task_id}].checklist[].item` })] : []),
  ...(status === "pending" ? [] : [fail("checklist_status_invalid", { task_id, item, status }, item)])
]

/** What a plan may say of a task that is registered. */
const knownStatuses = new Set(["pending", "in_progress", "completed", "done", "todo", "blocked", "backlog"])

const knownFailures = (
  state: State,
  session: SessionState,
  task: PlannedTask,
  gone: ReadonlySet<TaskId>,
  fail: Fail
): ReadonlyArray<Failure> => {
  const { id, reason, status } = task
  const before = taskOf(state, id)
  if (before === undefined) return []
  const items = new Set(before.spec.checklist.map(({ item }) => item))
  if (withdrawals.has(status)) {
    if (before.status === "completed") return [fail("task_completed", { task_id: id })]
    if (!mayChange(state, before, session.agent)) {
      return [fail("task_not_yours", { task_id: id, assignee: assignmentOf(state, before)?.assignee ?? "" })]
    }
    const waiters = waitersOf(state, before).filter((other) => !gone.has(other))
    return [
      ...(reasonLength(reason) < minReasonLength ? [fail("reason_required", { task_id: id })] : []),
      ...(waiters.length === 0 ? [] : [fail("dependents_open", { task_id: id, tasks: waiters.join(", ") })])
    ]
  }
  const added = (task.checklist ?? []).filter(({ item }) => !items.has(item))
  const isClaim = (status === "completed" || status === "done") && assignmentStatusOf(before) !== "done"
  return [
    ...(!knownStatuses.has(status) || isClaim ? [fail("task_status_invalid", { task_id: id, status })] : []),
    // items that a plan names for a completed task are not checked; they are ignored, with a warning
    ...(before.status === "completed" ? [] : added.flatMap((one) => itemFailures(id, one, fail))),
    ...(added.length > 0 && before.status !== "completed" && !mayChange(state, before, session.agent)
      ? [fail("task_not_yours", { task_id: id, assignee: assignmentOf(state, before)?.assignee ?? "" })]
      : [])
  ]
}

/** Items of an open task that the plan leaves out, or words anew, where it names any: what was registered is to be shown. */
const droppedItems = (state: State, { checklist, id, status }: PlannedTask, fail: Fail): ReadonlyArray<Failure> => {
  const task = taskOf(state, id)
  if (task === undefined || isOver(task) || withdrawals.has(status) || (checklist ?? []).length === 0) return []
  const named = (checklist ?? []).map(({ item }) => item)
  return task.spec.checklist.flatMap(({ item }) => {
    const at = named.indexOf(item)
    if (at === -1) return [fail("checklist_item_dropped", { task_id: id, item }, item)]
    named.splice(at, 1)
    return []
  })
}

/** Items that a task would have twice: a report names an item by its text. What was registered so stays as it is. */
const repeatedItems = (state: State, { checklist, id }: PlannedTask, fail: Fail): ReadonlyArray<Failure> => {
  const task = taskOf(state, id)
  if (task !== undefined && isOver(task)) return []
  const before = new Set(repeated((task?.spec.checklist ?? []).map(({ item }) => item)))
  return repeated((checklist ?? []).map(({ item }) => item))
    .filter((item) => item !== "" && !before.has(item))
    .map((item) => fail("checklist_item_duplicate", { task_id: id, item }, item))
}

const graphFailures = (
  state: State,
  fresh: ReadonlyArray<PlannedTask>,
  gone: ReadonlySet<TaskId>,
  fail: Fail
): ReadonlyArray<Failure> => {
  const ids = new Set(fresh.map(({ id }) => id))
  const unknown = fresh.flatMap(({ depends_on, id }) =>
    depends_on
      .filter((dependency) => !ids.has(dependency) && (gone.has(dependency) || !mayBeAwaited(state, dependency)))
      .map((dependency) => fail("dependency_unknown", { task_id: id, dependency }))
  )
  if (unknown.length > 0) return unknown
  const cycle = findCycle(fresh)
  return cycle === null ? [] : [fail("dependency_cycle", { tasks: [...cycle, cycle[0]].join(" → ") })]
}

/** An open task that the plan names with further items. Items that it leaves out stay. */
const moreItems = (state: State, { checklist, id, status }: PlannedTask): Facts => {
  const task = taskOf(state, id)
  if (task === undefined || isOver(task) || withdrawals.has(status) || checklist === null) return []
  const before = task.spec.checklist.map(({ item }) => item)
  const left = [...before]
  const added = checklist.filter(({ item }) => {
    const at = left.indexOf(item)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
  return added.length === 0
    ? []
    : [
        Tasks.tell([
          ChecklistRegistered({
            task_id: id,
            items: [...task.spec.checklist, ...added.map(({ item }) => ({ item }))],
            added: added.length
          })
        ])
      ]
}

const titleOf = (description: string): string => {
  const line = description.split("\n")[0]?.trim() ?? ""
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line
}

interface Registration {
  readonly id: TaskId
  readonly title: string
  readonly instruction: string
  readonly depends_on: ReadonlyArray<TaskId>
  readonly checklist: ReadonlyArray<string>
  /** Of the longest chain of tasks that begins with it. */
  readonly length: number
  readonly assignee: string | null
  readonly created_by: string
  readonly parent_task_id: TaskId | null
  readonly priority: AssignmentPriority
  readonly backlog: boolean
}

const assignedTask = (task: Registration): Facts => [
  Tasks.tell(
    registration(
      {
        id: task.id,
        title: task.title,
        instruction: task.instruction,
        validation: [],
        checks: [],
        depends_on: [...new Set(task.depends_on)],
        checklist: task.checklist.map((item) => ({ item })),
        chunk: "no"
      },
      task.length
    )
  ),
  TaskAssigned({
    task_id: task.id,
    assignee: task.assignee,
    created_by: task.created_by,
    parent_task_id: task.parent_task_id,
    priority: task.priority,
    backlog: task.backlog
  })
]

/** Tasks that an agent asks for beside the plan. The same batch twice is one request. */
export const createTasks = (command: CreateTasksArgs, state: State): Decision<"sessions"> => {
  const opened = workingSession(state, command.session_id)
  if (Result.isFailure(opened)) return opened.failure
  const { phases, session } = opened.success
  const { tasks } = command
  const before = idsOfBatch(phases, session.agent, tasks)
  // all tasks of the batch were cancelled, so the same batch counts as a new request
  if (before?.some((id) => taskOf(state, id)?.status !== "skipped") === true) return []
  if (phases.verifying !== null) return verificationRunning(phases)
  const ids = freshIds(state, tasks.length)
  const realId = new Map(tasks.flatMap(({ local_id }, i) => (local_id === null ? [] : [[local_id, ids[i] as string]])))
  const resolve = (id: string): string => realId.get(id) ?? id
  const problem = batchProblem(state, session, { tasks, ids, resolve })
  if (problem !== null) return problem
  const nodes = tasks.map(({ dependencies }, i) => ({ id: ids[i] as string, depends_on: dependencies.map(resolve) }))
  const lengths = chainLengths(nodes)
  // a task is registered before what is part of it
  const order = inTreeOrder(tasks, ids, resolve)
  return [
    TasksCreated({ session_id: command.session_id, at: command.at, tasks, ids }),
    ...order.flatMap((i) => {
      const task = tasks[i] as NewTask
      const id = ids[i] as string
      return assignedTask({
        id,
        title: task.title,
        instruction: task.description === "" ? task.title : task.description,
        depends_on: nodes[i]?.depends_on ?? [],
        checklist: task.checklist,
        length: lengths.get(id) ?? 1,
        assignee: task.assignee ?? session.agent,
        created_by: session.agent,
        parent_task_id: task.parent_task_id === null ? null : resolve(task.parent_task_id),
        priority: task.priority,
        backlog: task.status === "backlog"
      })
    }),
    ...backToWork(phases)
  ]
}

/** All tasks were over when the phase was entered, and new ones lead back to the work on them. */
export const isAfterWork = ({ worked }: PhasesState, kind: Phase["kind"] | undefined): boolean =>
  worked !== null && (kind === "complete" || kind === "verify" || kind === "end")

/** New tasks after all others were over: enters the tasks phase again. */
export const backToWork = (phases: PhasesState): ReadonlyArray<Fact<"sessions">> =>
  phases.worked !== null && isAfterWork(phases, phaseOf(phases, phases.phase)?.kind)
    ? [enteredBy(phases, { to: phases.worked })]
    : []

/** What became of a batch that was asked for before; undefined: it was not. */
export const idsOfBatch = (
  phases: PhasesState,
  agent: string,
  tasks: ReadonlyArray<NewTask>
): ReadonlyArray<TaskId> | undefined => Option.getOrUndefined(HashMap.get(phases.batches, batchKey(agent, tasks)))

const freshIds = (state: State, count: number): ReadonlyArray<TaskId> => {
  const ids: Array<TaskId> = []
  for (let number = tasksOf(state).length + 1; ids.length < count; number++) {
    const id = `tsk_${number}`
    if (taskOf(state, id) === undefined) ids.push(id)
  }
  return ids
}

/** Indexes of a batch, parents first. */
const inTreeOrder = (
  tasks: ReadonlyArray<NewTask>,
  ids: ReadonlyArray<TaskId>,
  resolve: (id: string) => string
): ReadonlyArray<number> => {
  const indexOf = new Map(ids.map((id, i) => [id, i]))
  const depth = tasks.map((_, start) => {
    let steps = 0
    for (let at: number | undefined = start; at !== undefined && steps <= tasks.length; steps++) {
      const parent: string | null = tasks[at]?.parent_task_id ?? null
      at = parent === null ? undefined : indexOf.get(resolve(parent))
    }
    return steps
  })
  return tasks.map((_, i) => i).sort((a, b) => (depth[a] ?? 0) - (depth[b] ?? 0) || a - b)
}
