/** What can be wrong with a batch of tasks that an agent asks for. */
import { enumerated, findCycle, isOver, type Rejection, reject, type TaskId, taskOf, tasksOf } from "@proofline/kernel"
import { assignmentStatusOf, isBeingChecked, mayChange } from "./assignment.ts"
import type { NewTask } from "./schemas.ts"
import { assignmentOf, type SessionState, type SessionsView as State } from "./state.ts"

/** Tasks of a batch, with the ids they are to have. */
interface Batch {
  readonly tasks: ReadonlyArray<NewTask>
  readonly ids: ReadonlyArray<TaskId>
  /** The id behind one that the batch has given itself. */
  readonly resolve: (id: string) => string
}

/** The first thing that is wrong with a batch; null: it can be registered. */
export const batchProblem = (state: State, session: SessionState, batch: Batch): Rejection | null => {
  const { tasks } = batch
  if (tasks.length === 0) return reject("empty_tasks", "The batch holds no task.", "Name at least one.")
  return (
    takenIds(state, tasks) ??
    repeatedItems(tasks) ??
    unknownDependencies(state, batch) ??
    unknownParents(state, batch) ??
    closedParents(state, session, tasks) ??
    circleOf(state, batch)
  )
}

const takenIds = (state: State, tasks: ReadonlyArray<NewTask>): Rejection | null => {
  const locals = tasks.flatMap(({ local_id }) => (local_id === null ? [] : [local_id]))
  const twice = [...repeated(locals), ...locals.filter((id) => taskOf(state, id) !== undefined)]
  return twice.length === 0
    ? null
    : reject(
        "duplicate_task_ids",
        `Local ids are taken already: ${[...new Set(twice)].join(", ")}.`,
        "Give every task of the batch a local id of its own.",
        twice
      )
}

const repeatedItems = (tasks: ReadonlyArray<NewTask>): Rejection | null => {
  const items = tasks.flatMap(({ checklist }) => repeated(checklist.map((item) => item.trim())))
  return items.length === 0
    ? null
    : reject(
        "checklist_item_duplicate",
        `Checklist items are named twice in one task: ${enumerated(items, 5)}.`,
        "Name each once, or word them so that they can be told apart."
      )
}

const unknownDependencies = (state: State, { ids, resolve, tasks }: Batch): Rejection | null => {
  const own = new Set(ids)
  const unknown = [
    ...new Set(
      tasks.flatMap(({ dependencies }) =>
        dependencies.filter((id) => !own.has(resolve(id)) && !mayBeAwaited(state, id))
      )
    )
  ]
  return unknown.length === 0
    ? null
    : reject(
        "task_dependency_unknown",
        `Tasks depend on tasks that do not exist or were cancelled: ${unknown.join(", ")}.`,
        "Name tasks of the batch by their local_id, or registered tasks by their id.",
        unknown
      )
}

const parentsNamed = (tasks: ReadonlyArray<NewTask>): ReadonlyArray<string> =>
  tasks.flatMap(({ parent_task_id }) => (parent_task_id === null ? [] : [parent_task_id]))

const unknownParents = (state: State, { ids, resolve, tasks }: Batch): Rejection | null => {
  const own = new Set(ids)
  const parents = parentsNamed(tasks)
  const lost = [...new Set(parents.filter((id) => !own.has(resolve(id)) && taskOf(state, id) === undefined))]
  return lost.length === 0
    ? null
    : reject(
        "parent_unknown",
        `Tasks are to be part of tasks that do not exist: ${lost.join(", ")}.`,
        "Name a task of the batch by its local_id, or a registered task by its id.",
        lost
      )
}

/** The first registered task that nothing can become part of now, at least by this agent. */
const closedParents = (state: State, { agent }: SessionState, tasks: ReadonlyArray<NewTask>): Rejection | null => {
  for (const id of parentsNamed(tasks)) {
    const parent = taskOf(state, id)
    if (parent === undefined) continue
    if (isOver(parent)) {
      return reject(
        "parent_not_open",
        `Task ${id} is ${assignmentStatusOf(parent)}; nothing can become part of it.`,
        "Create the task by itself, or below an open one.",
        [id]
      )
    }
    if (!mayChange(state, parent, agent)) {
      return reject(
        "task_not_yours",
        `Task ${id} is assigned to ${assignmentOf(state, parent)?.assignee}.`,
        "Split your own tasks; get_my_task_progress lists them.",
        [id]
      )
    }
    if (isBeingChecked(parent)) {
      return reject(
        "task_being_checked",
        `The report of task ${id} is being checked; it may be done in a moment.`,
        "Call get_next_action, then create what is still missing.",
        [id]
      )
    }
  }
  return null
}

/** A task is done after its parts, so it waits for them as for what it depends on. */
const circleOf = (state: State, { ids, resolve, tasks }: Batch): Rejection | null => {
  const added = tasks.map((task, i) => ({
    id: ids[i] as string,
    depends_on: [
      ...task.dependencies.map(resolve),
      ...tasks.flatMap(({ parent_task_id }, j) =>
        parent_task_id !== null && resolve(parent_task_id) === ids[i] ? [ids[j] as string] : []
      )
    ]
  }))
  const before = tasksOf(state).map(({ children, spec }) => ({
    id: spec.id,
    depends_on: [
      ...spec.depends_on,
      ...children,
      ...tasks.flatMap(({ parent_task_id }, j) => (parent_task_id === spec.id ? [ids[j] as string] : []))
    ]
  }))
  const cycle = findCycle([...added, ...before])
  if (cycle === null) return null
  const said = cycle.map((id) => calledBy(id, tasks, ids))
  return reject(
    "task_dependency_cycle",
    `Tasks would wait for each other: ${[...said, said[0]].join(" → ")}.`,
    "Remove one of these dependencies; a task also waits for its subtasks.",
    said
  )
}

/** What whoever asked for a task calls it: the id that it is to have nobody has seen. */
const calledBy = (id: TaskId, tasks: Batch["tasks"], ids: Batch["ids"]): string => {
  const task = tasks[ids.indexOf(id)]
  return task === undefined ? id : (task.local_id ?? `'${task.title}'`)
}

export const repeated = (ids: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))
]

/** What was cancelled will never be done. */
export const mayBeAwaited = (state: State, id: TaskId): boolean => {
  const task = taskOf(state, id)
  return task !== undefined && (!isOver(task) || task.status === "completed")
}
