/** What is said of a plan that was taken although not all of it was. */
import { isOver, type TaskState, taskOf } from "@proofline/kernel"
import { assignmentStatusOf } from "./assignment.ts"
import { instructed } from "./instructions.ts"
import type { SessionsView as State } from "./state.ts"

/** What was taken although it is not as it should be. */
export interface Warning {
  readonly code: string
  readonly message: string
}

/** What a task of a plan says. */
export interface PlannedTask {
  readonly id: string
  readonly title: string | null
  readonly description: string
  readonly status: string
  readonly reason: string
  readonly depends_on: ReadonlyArray<string>
  /** Null: it was left out. */
  readonly checklist: ReadonlyArray<{ readonly item: string; readonly status: string }> | null
}

/** Words that take a task out of the plan. */
export const withdrawals = new Set(["cancelled", "withdrawn"])

export const missingChecklists = (state: State, fresh: ReadonlyArray<PlannedTask>): ReadonlyArray<Warning> =>
  fresh
    .filter(({ checklist }) => checklist === null || checklist.length === 0)
    .map(({ id }) => ({
      code: "checklist_missing",
      message: instructed(state, "warning_checklist_missing", { task_id: id })
    }))

/** Open tasks that the plan leaves out. */
export const keptTasks = (
  state: State,
  open: ReadonlyArray<TaskState>,
  tasks: ReadonlyArray<PlannedTask>
): ReadonlyArray<Warning> => {
  const named = new Set(tasks.map(({ id }) => id))
  return open
    .filter(({ parent_task_id, spec }) => parent_task_id === null && !named.has(spec.id))
    .map(({ spec }) => ({
      code: "task_kept",
      message: instructed(state, "warning_task_kept", { task_id: spec.id })
    }))
}

/** What stays as it is of registered tasks, although the plan says something else of them. */
export const keptOfKnown = (state: State, known: ReadonlyArray<PlannedTask>): ReadonlyArray<Warning> => [
  ...known
    .filter(({ id, status }) => taskOf(state, id)?.status === "completed" && status !== "completed")
    .map(({ id }) => ({
      code: "task_completed",
      message: instructed(state, "warning_task_completed", { task_id: id })
    })),
  ...known.flatMap((task) => itemsTooLate(state, task)),
  ...known
    .filter((task) => asksForAnotherText(state, task))
    .map(({ id }) => ({
      code: "text_kept",
      message: instructed(state, "warning_text_kept", { task_id: id })
    })),
  ...known
    .filter(
      ({ id, status }) => assignmentStatusOf(taskOf(state, id) as TaskState) === "cancelled" && !withdrawals.has(status)
    )
    .map(({ id }) => ({
      code: "task_cancelled",
      message: instructed(state, "warning_task_cancelled", { task_id: id })
    }))
]

const asksForAnotherText = (state: State, { description, id }: PlannedTask): boolean => {
  const before = taskOf(state, id)
  return before !== undefined && !isOver(before) && description !== "" && description !== before.spec.instruction.trim()
}

/** Items that a plan names for a task that is completed: they are not taken, and nobody may think they were. */
const itemsTooLate = (state: State, { checklist, id }: PlannedTask): ReadonlyArray<Warning> => {
  const task = taskOf(state, id)
  const known = new Set(task?.spec.checklist.map(({ item }) => item))
  const late = (checklist ?? []).filter(({ item }) => !known.has(item)).map(({ item }) => `'${item}'`)
  return task?.status !== "completed" || late.length === 0
    ? []
    : [
        {
          code: "items_not_taken",
          message: instructed(state, "warning_items_not_taken", { task_id: id, items: late.join(", ") })
        }
      ]
}
