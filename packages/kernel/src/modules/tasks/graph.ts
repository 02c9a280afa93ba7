import type { TaskId } from "../../base/Ids.ts"
import { type Rejection, reject } from "../../core/Rejection.ts"
import type { TaskSpec } from "./TaskSpec.ts"

type Node = Pick<TaskSpec, "id" | "depends_on">

/**
 * Why these tasks cannot be run as a graph; null when they can. `known` are ids completed elsewhere. Checked in this
 * order: an id twice, an unknown dependency, a cycle.
 */
export const graphProblem = (tasks: ReadonlyArray<Node>, known: ReadonlySet<TaskId>): Rejection | null => {
  const twice = duplicates(tasks.map((task) => task.id))
  if (twice.length > 0) {
    return reject(
      "task_id_duplicate",
      `Task ids are used twice: ${twice.join(", ")}.`,
      "Give every task its own id.",
      twice
    )
  }
  const again = tasks.filter((task) => known.has(task.id)).map((task) => task.id)
  if (again.length > 0) {
    return reject(
      "task_id_duplicate",
      `Tasks were completed in an earlier run already: ${again.join(", ")}.`,
      "Give new tasks new ids.",
      again
    )
  }
  const ids = new Set(tasks.map((task) => task.id))
  const unknown = [...new Set(tasks.flatMap((task) => task.depends_on))].filter((id) => !ids.has(id) && !known.has(id))
  if (unknown.length > 0) {
    return reject(
      "task_dependency_unknown",
      `Tasks depend on tasks that do not exist: ${unknown.join(", ")}.`,
      "Name existing tasks in depends_on.",
      unknown
    )
  }
  const cycle = findCycle(tasks)
  return cycle === null
    ? null
    : reject(
        "task_dependency_cycle",
        `Tasks wait for each other: ${[...cycle, cycle[0]].join(" → ")}.`,
        "Remove one of these dependencies.",
        cycle
      )
}

const duplicates = (ids: ReadonlyArray<TaskId>): ReadonlyArray<TaskId> => {
  const seen = new Set<TaskId>()
  const twice = new Set<TaskId>()
  for (const id of ids) (seen.has(id) ? twice : seen).add(id)
  return [...twice]
}

/** The ids of one dependency cycle in order, or null. Iterative: a chain of any length must not end the process. */
export const findCycle = (tasks: ReadonlyArray<Node>): ReadonlyArray<TaskId> | null => {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const state = new Map<TaskId, "open" | "done">()
  for (const root of tasks) {
    if (state.has(root.id)) continue
    const path: Array<{ readonly id: TaskId; next: number }> = [{ id: root.id, next: 0 }]
    state.set(root.id, "open")
    while (path.length > 0) {
      const top = path[path.length - 1] as { readonly id: TaskId; next: number }
      const dependency = byId.get(top.id)?.depends_on[top.next++]
      if (dependency === undefined) {
        state.set(top.id, "done")
        path.pop()
      } else if (state.get(dependency) === "open") {
        return path.slice(path.findIndex((entry) => entry.id === dependency)).map((entry) => entry.id)
      } else if (!state.has(dependency) && byId.has(dependency)) {
        state.set(dependency, "open")
        path.push({ id: dependency, next: 0 })
      }
    }
  }
  return null
}

/** The tasks so that each comes after what it depends on; tasks of equal standing keep their order. No cycles. */
export const inDependencyOrder = <T extends Node>(tasks: ReadonlyArray<T>): ReadonlyArray<T> => {
  const { dependents, waiting } = edges(tasks)
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const ready = tasks.filter((task) => waiting.get(task.id) === 0).map((task) => task.id)
  const sorted: Array<T> = []
  for (let i = 0; i < ready.length; i++) {
    const id = ready[i] as TaskId
    sorted.push(byId.get(id) as T)
    for (const dependent of dependents.get(id) ?? []) {
      const left = (waiting.get(dependent) ?? 0) - 1
      waiting.set(dependent, left)
      if (left === 0) ready.push(dependent)
    }
  }
  return sorted
}

const edges = (tasks: ReadonlyArray<Node>) => {
  const ids = new Set(tasks.map((task) => task.id))
  const dependents = new Map<TaskId, Array<TaskId>>()
  const waiting = new Map<TaskId, number>()
  for (const task of tasks) {
    const inside = [...new Set(task.depends_on)].filter((id) => ids.has(id))
    waiting.set(task.id, inside.length)
    for (const id of inside) {
      const known = dependents.get(id)
      if (known === undefined) dependents.set(id, [task.id])
      else known.push(task.id)
    }
  }
  return { dependents, waiting }
}

/** By task id: the number of tasks in the longest chain that begins there, itself included. */
export const chainLengths = (tasks: ReadonlyArray<Node>): ReadonlyMap<TaskId, number> => {
  const { dependents } = edges(tasks)
  const lengths = new Map<TaskId, number>()
  for (const task of inDependencyOrder(tasks).toReversed()) {
    const after = (dependents.get(task.id) ?? []).map((id) => lengths.get(id) ?? 0)
    lengths.set(task.id, 1 + after.reduce((longest, length) => Math.max(longest, length), 0))
  }
  return lengths
}
