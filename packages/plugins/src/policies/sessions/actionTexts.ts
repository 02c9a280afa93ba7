import { askedOf, childrenOf, enumerated, type TaskState, taskOf, unended } from "@proofline/kernel"
import { lineOf } from "../../operations/sizeLimit.ts"
import { assignmentStatusOf } from "./rules/assignment.ts"
import { type InstructionKey, instructed } from "./rules/instructions.ts"
import type { NextAction } from "./rules/nextAction.ts"
import type { AnyRun } from "./state.ts"

/** Actions for which there are words; of the others the phase says what to do. */
const actions = new Set<string>([
  "report_completion",
  "ask_user",
  "wait",
  "create_tasks",
  "get_task",
  "create_subtasks",
  "work",
  "execute_subtask",
  "start_subtask",
  "review_and_resolve_blocks",
  "dependency_deadlock"
] satisfies ReadonlyArray<InstructionKey>)

const keyOf = ({ action, waiting }: NextAction, asked: string): InstructionKey => {
  if (action === "ask_user" && asked !== "") return "ask_user_about_task"
  if (action === "wait" && waiting.length > 0) return "wait_for_tasks"
  return action as InstructionKey
}

/** What an agent is told to do; empty where the phase says it. */
export const actionText = (state: AnyRun, next: NextAction): string => {
  if (!actions.has(next.action)) return ""
  const task = next.task_id === null ? undefined : taskOf(state, next.task_id)
  const asked = task === undefined ? "" : askedText(state, task)
  return instructed(state, keyOf(next, asked), {
    task_id: next.task_id ?? "",
    task: task === undefined ? "" : `${task.spec.id}: ${unended(lineOf(task.spec.title, 200))}.`,
    finish: [
      ...(next.action === "work" && task !== undefined ? beforeTexts(state, task) : []),
      finishText(state, task)
    ].join(" "),
    waiting: waitsOf(state, next.waiting),
    asked
  })
}

/** What cannot be done of a task, and why. */
export const askedText = (state: AnyRun, task: TaskState): string =>
  enumerated(
    askedOf(task).map(({ item, reason }) =>
      instructed(state, "item_cannot", { item: lineOf(item, 120), reason: lineOf(reason, 200) })
    ),
    maxNamed,
    " "
  )

const finishText = (state: AnyRun, task: TaskState | undefined): string =>
  task === undefined || task.spec.checklist.length === 0
    ? instructed(state, "finish_by_status")
    : instructed(state, "finish_by_report", { task_id: task.spec.id })

/** What comes before the work on a task. */
const beforeTexts = (state: AnyRun, task: TaskState): ReadonlyArray<string> => {
  // a report begins a task by itself
  const isToBegin = task.spec.checklist.length === 0 && assignmentStatusOf(task) === "todo"
  return [
    ...(isToBegin ? [instructed(state, "begin_first")] : []),
    ...(childrenOf(state, task).length > 0 ? [instructed(state, "subtasks_closed")] : [])
  ]
}

/** Who waits for whom; of many the first, for the sentence goes on with what to do. */
const waitsOf = (state: AnyRun, waiting: NextAction["waiting"]): string =>
  enumerated(
    waiting.map(({ id, waiting_for }) =>
      instructed(state, "task_waits", { task_id: id, tasks: enumerated(waiting_for, maxNamed) })
    ),
    maxNamed,
    "; "
  )

const maxNamed = 5
