import {
  asItStands,
  makeTaskRows,
  type TaskPlace,
  type TaskRow,
  type TaskState,
  taskPlacesOf,
  workingOn
} from "@proofline/kernel"
import type { Checkpoint } from "./checkpoints.ts"
import { type State, stateOf } from "./compose.ts"
import { labelOf } from "./label.ts"
import type { Queries, TreeRow } from "./protocol.ts"

type Params = Queries["tree"]["params"]
type Answer = Queries["tree"]["answer"]

/** All tasks of a moment in the order of the tree, each with the index of what it is part of; -1: of nothing. */
export interface Forest {
  readonly state: State
  readonly tasks: ReadonlyArray<TaskPlace>
  /** Makes a row, only of those that are drawn. */
  readonly rowOf: (place: TaskPlace) => TaskRow
  readonly parents: Int32Array
  readonly hasParts: Uint8Array
}

export const forestOf = ({ history, snapshot }: Checkpoint): Forest => {
  const state = stateOf(snapshot)
  const tasks = taskPlacesOf(state)
  const parents = new Int32Array(tasks.length)
  const hasParts = new Uint8Array(tasks.length)
  /** By depth: the last task there. */
  const path: Array<number> = []
  tasks.forEach(({ depth }, i) => {
    path[depth] = i
    const parent = depth === 0 ? -1 : (path[depth - 1] ?? -1)
    parents[i] = parent
    if (parent >= 0) hasParts[parent] = 1
  })
  return { state, tasks, rowOf: makeTaskRows(state, history), parents, hasParts }
}

/** What is shown of a forest: indexes of its rows, and where each is among its siblings. */
export interface Shown {
  readonly forest: Forest
  readonly rows: ReadonlyArray<number>
  /** By index in the forest: the row it is shown in. */
  readonly rowOf: Int32Array
  readonly places: Int32Array
  /** By index of the parent in the forest, 0 for those without: how many parts of it are shown. */
  readonly families: Int32Array
  readonly closed: ReadonlySet<string>
  readonly counts: Answer["counts"]
}

/**
 * Looked for are id, title, agent and worker. What fits is shown with everything it is part of, even where that is
 * closed.
 */
export const shownOf = (forest: Forest, { closed, statuses, text }: Omit<Params, "from" | "to">): Shown => {
  const { hasParts, parents, state, tasks } = forest
  const needle = text.trim().toLowerCase()
  const requestedStatuses = new Set(statuses)
  const isFiltered = needle !== "" || requestedStatuses.size > 0
  const shut = new Set(isFiltered ? [] : closed)
  const counts = new Map<string, number>()
  const isIn = new Uint8Array(tasks.length)
  tasks.forEach(({ task }, i) => {
    if (needle !== "" && !textOf(state, task).includes(needle)) return
    // as its row says
    const { status } = asItStands(state.run, task)
    counts.set(status, (counts.get(status) ?? 0) + 1)
    if (requestedStatuses.size > 0 && !requestedStatuses.has(status)) return
    for (let at = i; at >= 0 && isIn[at] === 0; at = parents[at] as number) isIn[at] = 1
  })
  const shown: Array<number> = []
  const rowOf = new Int32Array(tasks.length).fill(-1)
  const places = new Int32Array(tasks.length)
  const families = new Int32Array(tasks.length + 1)
  const isHidden = new Uint8Array(tasks.length)
  for (let i = 0; i < tasks.length; i++) {
    const parent = parents[i] as number
    if (parent >= 0 && (isHidden[parent] === 1 || (hasParts[parent] === 1 && shut.has(idOf(tasks, parent))))) {
      isHidden[i] = 1
      continue
    }
    if (isIn[i] === 0) continue
    families[parent + 1] = (families[parent + 1] as number) + 1
    places[i] = families[parent + 1] as number
    rowOf[i] = shown.length
    shown.push(i)
  }
  return {
    forest,
    rows: shown,
    rowOf,
    places,
    families,
    closed: shut,
    counts: [...counts].map(([status, count]) => ({ status, count }))
  }
}

const placeAt = (tasks: ReadonlyArray<TaskPlace>, index: number): TaskPlace => tasks[index] as TaskPlace

const idOf = (tasks: ReadonlyArray<TaskPlace>, index: number): string => placeAt(tasks, index).task.spec.id

const textOf = (state: State, task: TaskState): string => {
  const { agent, worker_id } = workingOn(state, task)
  return `${task.spec.id}\n${task.spec.title}\n${agent ?? ""}\n${worker_id ?? ""}`.toLowerCase()
}

const soughtIn = ({ forest, rowOf }: Shown, task_id: string | null): Answer["sought"] => {
  const index = task_id === null ? -1 : forest.tasks.findIndex(({ task }) => task.spec.id === task_id)
  const row = rowOf[index] ?? -1
  return task_id === null || row < 0 ? null : { task_id, row }
}

export const treeAnswer = (
  shown: Shown,
  { from, sought = null, to }: Pick<Params, "from" | "sought" | "to">
): Answer => {
  const { counts, forest, places, families, rowOf, closed } = shown
  const first = Math.max(0, from)
  return {
    from: first,
    total: shown.rows.length,
    rows: shown.rows.slice(first, Math.max(first, to)).map((index): TreeRow => {
      const place = placeAt(forest.tasks, index)
      const row = forest.rowOf(place)
      const parent = forest.parents[index] as number
      const has_children = forest.hasParts[index] === 1
      return {
        ...row,
        has_children,
        is_open: has_children && !closed.has(row.task_id),
        label: labelOf(forest.state, place.task),
        parent_row: parent < 0 ? null : (rowOf[parent] as number),
        rowIndex: places[index] as number,
        siblings: families[parent + 1] as number
      }
    }),
    counts,
    whole: forest.tasks.length,
    sought: soughtIn(shown, sought)
  }
}
