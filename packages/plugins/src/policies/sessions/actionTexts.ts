import { askedOf, childrenOf, enumerated, type HasTasks, type TaskState, taskOf } from "@proofline/kernel"
import { lineOf } from "../../operations/sizeLimit.ts"
import { assignmentStatusOf } from "./rules/assignment.ts"
import type { NextAction } from "./rules/nextAction.ts"

/** What the words for an action are made of. */
interface Parts {
  readonly task_id: string | null
  /** The task in words, with a blank before it; empty where the action is about none. */
  readonly named: string
  /** How the task is finished. */
  readonly finish: string
  /** What comes before the work on the task. */
  readonly before: string
  readonly waiting: NextAction["waiting"]
  /** What a person is asked about the task; empty: nothing. */
  readonly asked: string
}

/** The words for an action, by its code; the sentences of the progress tools where they have one. */
const texts: Readonly<Record<string, (parts: Parts) => string>> = {
  report_completion: () => 'Nothing is left for you. Call report_completed(result: "success", summary), then stop.',
  ask_user: ({ asked, named }) =>
    asked !== ""
      ? `A person is asked how it goes on, and nothing else is left for you.${named} ${asked} Tell the user, and that they answer with \`proofline answer\`; then call get_next_action. When nobody is there, call report_completed(result: "blocked", summary).`
      : "A person must answer. Tell the user the question and that they answer with `proofline answer`; wait for it, then call get_next_action.",
  wait: ({ waiting }) =>
    waiting.length === 0
      ? "Something is being checked, or others have to finish first. Call get_next_action again in a moment."
      : `Others have to finish first: ${waitsOf(waiting)}. Call get_next_action again later.`,
  create_tasks: () =>
    "Nothing is left to work on, and the work is not accepted yet. Create what is still to be done with create_tasks.",
  get_task: () => "A task was given to you. Fetch it with get_my_task.",
  create_subtasks: ({ named, task_id }) =>
    `Split the task, if it is too large to be done in one piece, with create_tasks (parent_task_id: "${task_id}"); otherwise call get_next_action again.${named}`,
  work: ({ before, finish, named }) => `Work on this task yourself.${named} ${before}${finish}`,
  execute_subtask: ({ finish, named }) => `Carry out the current subtask.${named} ${finish}`,
  start_subtask: ({ finish, named }) =>
    `Start the next subtask: set its status to in_progress with update_task_status, and carry it out.${named} ${finish}`,
  review_and_resolve_blocks: ({ named }) =>
    `Everything that is left is blocked or put off.${named} Resolve what blocks it and set it to in_progress, cancel it with a reason, or call report_completed(result: "blocked", summary) and say what is needed.`,
  dependency_deadlock: ({ waiting }) =>
    `Nothing can be started: ${waitsOf(waiting)}. Take up what they wait for, or cancel them with a reason.`
}

/** What an agent is told to do; empty where the phase says it. */
export const actionText = (state: HasTasks, { action, task_id, waiting }: NextAction): string => {
  const task = task_id === null ? undefined : taskOf(state, task_id)
  return (
    texts[action]?.({
      task_id,
      waiting,
      named: task === undefined ? "" : ` ${task.spec.id}: ${lineOf(task.spec.title, 200)}.`,
      finish: finishText(task),
      before: task === undefined ? "" : beforeText(state, task),
      asked: task === undefined ? "" : askedText(task)
    }) ?? ""
  )
}

/** What cannot be done of a task, and why. */
export const askedText = (task: TaskState): string =>
  enumerated(
    askedOf(task).map(({ item, reason }) => `'${lineOf(item, 120)}' cannot be done: ${lineOf(reason, 200)}`),
    maxNamed,
    " "
  )

const finishText = (task: TaskState | undefined): string =>
  task === undefined || task.spec.checklist.length === 0
    ? "When it is done, set its status to done with update_task_status."
    : `When it is done, call complete_task(task_id: "${task.spec.id}", data: {summary, checklist}) with evidence or a reason for every item.`

const beforeText = (state: HasTasks, task: TaskState): string => {
  // a report begins a task by itself
  const isToBegin = task.spec.checklist.length === 0 && assignmentStatusOf(task) === "todo"
  return `${isToBegin ? "Set its status to in_progress with update_task_status first. " : ""}${
    childrenOf(state, task).length > 0 ? "All its subtasks are closed. " : ""
  }`
}

/** Who waits for whom; of many the first, for the sentence goes on with what to do. */
const waitsOf = (waiting: NextAction["waiting"]): string =>
  enumerated(
    waiting.map(({ id, waiting_for }) => `${id} waits for ${enumerated(waiting_for, maxNamed)}`),
    maxNamed,
    "; "
  )

const maxNamed = 5
