import { HashSet, Result } from "effect"
import type { TaskId } from "../../base/Ids.ts"
import { areCriteriaItems } from "../run/config.ts"
import type { HasRun } from "../run/state.ts"
import { chainLengths, graphProblem } from "../tasks/graph.ts"
import { type HasTasks, type TaskState, taskOf } from "../tasks/state.ts"
import { planOrder } from "./order.ts"
import type { Analysis, Created, ExecutionMode, PlannedSubtask, WorkspaceKind } from "./schemas.ts"

type State = HasRun & HasTasks

/** A plan that can be run. */
export interface Plan {
  readonly execution_mode: ExecutionMode
  readonly workspace: WorkspaceKind
  readonly subtasks: ReadonlyArray<Created>
}

/** Why a plan cannot be used; the task is run in one piece then. */
export interface PlanProblem {
  readonly reason: string
  readonly message: string
}

/** The id of a part, counted from 1 in the order of the plan. */
export const subtaskId = (parent: TaskId, number: number): TaskId => `${parent}-sub-${number}`

/** The id of one of several attempts at a task, counted from 1. */
export const attemptId = (parent: TaskId, number: number): TaskId => `${parent}-try-${number}`

/** The task of which a task with this id would be a part, or an attempt at it; null: it is the id of neither. */
export const madeOf = (id: TaskId): { readonly task: TaskId; readonly what: "part" | "attempt" } | null => {
  const [, task = "", kind, number] = /^(.+)-(sub|try)-([1-9]\d*)$/s.exec(id) ?? []
  if (number === undefined) return null
  return { task, what: kind === "sub" ? "part" : "attempt" }
}

/** What an analysis comes to under the rules of the run: subtasks to create, or why there are none. */
export const planOf = (state: State, parent: TaskState, analysis: Analysis): Result.Result<Plan, PlanProblem> => {
  const { chunking, workers } = state.run.config
  const problem = problemOf(state, parent, analysis)
  if (problem !== null) return Result.fail(problem)
  const id = (number: number): TaskId => subtaskId(parent.spec.id, number)
  const nodes = analysis.subtasks.map(({ dependencies }, i) => ({
    id: id(i + 1),
    depends_on: [...new Set(dependencies)].sort((a, b) => a - b).map(id)
  }))
  const cyclic = graphProblem(nodes, new Set())
  if (cyclic !== null) return Result.fail({ reason: "plan_invalid", message: cyclic.message })
  const execution_mode = modeOf(nodes, chunking.execution_mode, workers)
  // one after the other the order of the plan is kept as far as the dependencies let it
  const order = new Map((planOrder(analysis.subtasks) ?? []).map((index, i) => [id(index + 1), i + 1]))
  const lengths = chainLengths(nodes)
  const items = assignedItems(parent, analysis.subtasks, order)
  const isReviewed = !areCriteriaItems(state.run.config) && chunking.review_loop_per_subtask
  return Result.succeed({
    execution_mode,
    workspace: workspaceOf(state, execution_mode),
    subtasks: analysis.subtasks.map(({ changes_files, paths, prompt, title, ...part }, i) => {
      const node = nodes[i] as (typeof nodes)[number]
      const carries = items[i] ?? []
      const carried = carries.flatMap((index) => parent.spec.checklist[index] ?? [])
      const acceptance_criteria = criteriaOf(part, prompt, carried)
      // what is an item of the parent already is shown once
      const own = acceptance_criteria.filter((text) => carried.every(({ item }) => item !== text))
      return {
        parent_task_id: parent.spec.id,
        subtask_id: node.id,
        prompt,
        dependencies: node.depends_on,
        execution_order: order.get(node.id) ?? i + 1,
        title,
        subtask_index: i + 1,
        total_subtasks: nodes.length,
        acceptance_criteria,
        validation: isReviewed ? acceptance_criteria : [],
        checklist: [...carried, ...(isReviewed ? [] : own.map((item) => ({ item })))],
        carries,
        paths,
        changes_files,
        // what waits for the parent waits for its longest chain
        priority: (lengths.get(node.id) ?? 1) + parent.priority - 1
      }
    })
  })
}

/** A part that nothing is said about is judged by the items that it carries, or else by what it was asked. */
const criteriaOf = (
  { acceptance_criteria }: Pick<PlannedSubtask, "acceptance_criteria">,
  prompt: string,
  carried: TaskState["spec"]["checklist"]
): ReadonlyArray<string> => {
  const stated = [...new Set(acceptance_criteria.map((text) => text.trim()).filter((text) => text !== ""))]
  if (stated.length > 0) return stated
  return carried.length > 0 ? carried.map(({ item }) => item) : [`This is done, completely: ${prompt.trim()}`]
}

const problemOf = (state: State, parent: TaskState, analysis: Analysis): PlanProblem | null => {
  const { max_subtasks, min_subtasks } = state.run.config.chunking
  const { subtasks } = analysis
  if (!analysis.is_decomposable) {
    return { reason: "not_decomposable", message: analysis.decomposition_reason }
  }
  // a plan of one part is the task itself
  if (subtasks.length < Math.max(2, min_subtasks)) {
    return {
      reason: "too_few_subtasks",
      message: `The plan has ${subtasks.length} parts; at least ${Math.max(2, min_subtasks)} are needed to split a task.`
    }
  }
  if (subtasks.length > max_subtasks) {
    return {
      reason: "too_many_subtasks",
      message: `The plan has ${subtasks.length} parts; max_subtasks allows ${max_subtasks}.`
    }
  }
  const blank = subtasks.findIndex(({ prompt }) => prompt.trim() === "")
  if (blank >= 0) return { reason: "plan_invalid", message: `Part ${blank + 1} of the plan says nothing.` }
  for (const [i, { dependencies }] of subtasks.entries()) {
    const unknown = dependencies.filter((number) => number < 1 || number > subtasks.length)
    if (unknown.length > 0) {
      return {
        reason: "plan_invalid",
        message: `Part ${i + 1} of the plan depends on parts that do not exist: ${unknown.join(", ")}.`
      }
    }
  }
  const taken = takenIds(
    state,
    "parts",
    subtasks.map((_, i) => subtaskId(parent.spec.id, i + 1))
  )
  return taken === null ? null : { reason: "plan_invalid", message: taken }
}

/** Which ids that parts of a task or attempts at it would get other tasks have, in a sentence; null: none. */
export const takenIds = (state: HasTasks, what: "parts" | "attempts", ids: ReadonlyArray<TaskId>): string | null => {
  const taken = ids.filter((id) => taskOf(state, id) !== undefined || HashSet.has(state.tasks.completed_elsewhere, id))
  return taken.length === 0 ? null : `Tasks of the run have the ids that its ${what} would get: ${taken.join(", ")}.`
}

/** By part: the indexes of the parent's items it carries. Each item is carried once; what nobody claims goes to the last. */
const assignedItems = (
  parent: TaskState,
  parts: ReadonlyArray<PlannedSubtask>,
  order: ReadonlyMap<TaskId, number>
): ReadonlyArray<ReadonlyArray<number>> => {
  const last = parts.findIndex((_, i) => order.get(subtaskId(parent.spec.id, i + 1)) === parts.length)
  const carried = parts.map((): Array<number> => [])
  for (const index of parent.spec.checklist.keys()) {
    const claimed = parts.findIndex(({ checklist }) => checklist.includes(index))
    carried[claimed >= 0 ? claimed : last]?.push(index)
  }
  return carried
}

/** Source: task chunking §10.2. */
const modeOf = (
  nodes: ReadonlyArray<{ readonly id: TaskId; readonly depends_on: ReadonlyArray<TaskId> }>,
  configured: "auto" | "parallel" | "sequential",
  workers: number
): ExecutionMode => {
  if (configured === "sequential" || (configured === "auto" && workers === 1)) return "sequential"
  if (nodes.every(({ depends_on }) => depends_on.length === 0)) return "parallel"
  const longest = Math.max(...chainLengths(nodes).values())
  return longest === nodes.length ? "sequential" : "hybrid"
}

/**
 * Where parts work that nobody has given a place. Those that run at the same time have worktrees where the run began in
 * a repository with a commit. Elsewhere they share the directory; what several of them change there is a conflict.
 */
const workspaceOf = ({ run }: HasRun, mode: ExecutionMode): WorkspaceKind => {
  const { workspace } = run.config.chunking
  if (workspace !== "auto") return workspace
  return mode !== "sequential" && run.base !== null && run.base.commit !== null ? "worktree" : "shared"
}
