/** What can be wrong with a batch of tasks that an agent asks for. */
import { enumerated, findCycle, isOver, type Rejection, type TaskId, taskOf, tasksOf } from "@proofline/kernel"
import { assignmentStatusOf, isBeingChecked, mayChange } from "./assignment.ts"
import { refusedAs } from "./instructions.ts"
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
  if (tasks.length === 0) return refusedAs(state, "empty_tasks")
  return (
    takenIds(state, tasks) ??
    repeatedItems(state, tasks) ??
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
    : refusedAs(state, "duplicate_task_ids", { ids: [...new Set(twice)].join(", ") }, { open: twice })
}

const repeatedItems = (state: State, tasks: ReadonlyArray<NewTask>): Rejection | null => {
  const items = tasks.flatMap(({ checklist }) => repeated(checklist.map((item) => item.trim())))
  return items.length === 0 ? null : refusedAs(state, "checklist_item_duplicate", { items: enumerated(items, 5) })
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
    : refusedAs(state, "task_dependency_unknown", { tasks: unknown.join(", ") }, { open: unknown })
}

const parentsNamed = (tasks: ReadonlyArray<NewTask>): ReadonlyArray<string> =>
  tasks.flatMap(({ parent_task_id }) => (parent_task_id === null ? [] : [parent_task_id]))

const unknownParents = (state: State, { ids, resolve, tasks }: Batch): Rejection | null => {
  const own = new Set(ids)
  const parents = parentsNamed(tasks)
  const lost = [...new Set(parents.filter((id) => !own.has(resolve(id)) && taskOf(state, id) === undefined))]
  return lost.length === 0 ? null : refusedAs(state, "parent_unknown", { tasks: lost.join(", ") }, { open: lost })
}

/** The first registered task that nothing can become part of now, at least by this agent. */
const closedParents = (state: State, { agent }: SessionState, tasks: ReadonlyArray<NewTask>): Rejection | null => {
  for (const id of parentsNamed(tasks)) {
    const parent = taskOf(state, id)
    if (parent === undefined) continue
    if (isOver(parent)) {
      return refusedAs(
        state,
        "parent_not_open__over",
        { task_id: id, status: assignmentStatusOf(parent) },
        { open: [id] }
      )
    }
    if (!mayChange(state, parent, agent)) {
      return refusedAs(
        state,
        "task_not_yours__parent",
        { task_id: id, assignee: assignmentOf(state, parent)?.assignee ?? "" },
        { open: [id] }
      )
    }
    if (isBeingChecked(parent)) {
      return refusedAs(state, "task_being_checked__parent", { task_id: id }, { open: [id] })
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
  return refusedAs(state, "task_dependency_cycle", { tasks: [...said, said[0]].join(" → ") }, { open: said })
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
