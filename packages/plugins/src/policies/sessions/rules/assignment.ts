import {
  AttemptEnded,
  AttemptStarted,
  type BlobRef,
  begin,
  childrenOf,
  type Decision,
  type EventOf,
  type Fact,
  giveUp,
  isOver,
  isShown,
  minReasonLength,
  parentOf,
  type Rejection,
  reasonLength,
  reject,
  rejectUnknown,
  TaskCompleted,
  type TaskId,
  type TaskState,
  TaskStatusChanged,
  Tasks,
  taskOf,
  tasksOf,
  type Worded,
  waitingFor
} from "@proofline/kernel"
import { Result } from "effect"
import { TaskAssigned } from "./events.ts"
import type { UpdateTaskStatusArgs } from "./requests.ts"
import type { AssignmentStatus } from "./schemas.ts"
import { workingSession } from "./session.ts"
import { assignmentOf, type SessionsView, type State } from "./state.ts"

/** What a decision of this policy writes: its own events, and those of tasks in their own words. */
export type Facts = ReadonlyArray<Fact<"sessions"> | Worded>

/** What agents call the status of a task. */
export const assignmentStatusOf = ({ status }: TaskState): AssignmentStatus => {
  switch (status) {
    case "pending":
      return "todo"
    case "retrying":
      return "in_progress"
    case "completed":
      return "done"
    case "skipped":
    case "failed":
      return "cancelled"
    default:
      return status
  }
}

/** Where a task may go. Source: progress tools. */
export const transitions: Readonly<Record<AssignmentStatus, ReadonlyArray<AssignmentStatus>>> = {
  backlog: ["todo", "cancelled"],
  todo: ["in_progress", "backlog", "cancelled"],
  in_progress: ["done", "blocked"],
  blocked: ["in_progress", "cancelled"],
  done: [],
  cancelled: []
}

export const openChildren = (state: State, task: TaskState): ReadonlyArray<TaskState> =>
  childrenOf(state, task).filter((child) => !isOver(child))

/** Assigned to the agent, and not over. */
export const remainingOf = (state: State, agent: string): ReadonlyArray<TaskState> =>
  tasksOf(state).filter((task) => assignmentOf(state, task)?.assignee === agent && !isOver(task))

/**
 * True when the agent may change the task: it or one of its parents is assigned to the agent, nobody is assigned, or the
 * task was not begun and the agent created it.
 */
export const mayChange = (state: State, task: TaskState, agent: string): boolean => {
  const assignment = assignmentOf(state, task)
  if (assignment === null || assignment.assignee === null) return true
  if (assignment.created_by === agent && task.attempts === 0) return true
  for (let at: TaskState | undefined = task; at !== undefined; at = parentOf(state, at)) {
    if (assignmentOf(state, at)?.assignee === agent) return true
  }
  return false
}

type Moved = EventOf<typeof TaskStatusChanged>["content"]

/** A task gets another status, which is no retry. */
export const moved = (
  task: TaskState,
  to: TaskState["status"],
  reason: string,
  more: Pick<Moved, "by" | "reopened_items"> = {}
): Worded =>
  Tasks.tell([
    TaskStatusChanged({
      task_id: task.spec.id,
      from: task.status,
      to,
      reason,
      retry_count: task.retry_count,
      delay_ms: 0,
      ...more
    })
  ])

/** The report was handed in, and what it claims is being looked at. */
export const isBeingChecked = ({ current, status }: TaskState): boolean =>
  status === "in_progress" && current?.outcome === "COMPLETE"

/** Whether an attempt is under way. */
export const isAtWork = ({ current }: TaskState): boolean =>
  current !== null && current.outcome === null && !current.cancelled

/** What begins when an agent takes up a task. */
export const taken = (
  state: State,
  task: TaskState,
  session: { readonly session_id: string; readonly agent: string },
  prompt: BlobRef | null
): Facts => {
  const task_id = task.spec.id
  const assignment = assignmentOf(state, task)
  return [
    ...(assignment !== null && assignment.assignee === null ? [assign(state, task, session.agent)] : []),
    ...(task.attempts === 0 ? [begin(task_id)] : []),
    ...(isAtWork(task)
      ? []
      : [
          Tasks.tell([
            AttemptStarted({
              task_id,
              attempt: task.attempts + 1,
              agent: session.agent,
              worker_id: session.session_id,
              // nothing was handed out: the agent came for it
              item_id: "",
              lease: 0,
              prompt: prompt ?? noPrompt
            })
          ])
        ])
  ]
}

/** The blob of no bytes. */
const noPrompt: BlobRef = {
  sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  bytes: 0
}

export const assign = (state: State, task: TaskState, assignee: string | null): Fact<"sessions"> => {
  const assignment = assignmentOf(state, task)
  return TaskAssigned({
    task_id: task.spec.id,
    assignee,
    created_by: assignment?.created_by ?? "",
    parent_task_id: task.parent_task_id,
    priority: assignment?.priority ?? "medium",
    backlog: false
  })
}

/** How an attempt ends that an agent itself says is over. */
export const ended = (task_id: TaskId, attempt: number, agent: string | null): Worded =>
  Tasks.tell([
    AttemptEnded({
      task_id,
      attempt,
      outcome: "COMPLETE",
      exit_code: null,
      signal: null,
      duration_ms: 0,
      error: null,
      files_modified: null,
      agent
    })
  ])

/** Withdraws a task and everything below it. */
export const withdrawn = (state: SessionsView, task: TaskState, reason: string): ReadonlyArray<Worded> => [
  ...openChildren(state, task).flatMap((child) => withdrawn(state, child, reason)),
  giveUp(state, task, reason)
]

/** Open tasks outside of the tree of a task that wait for something in it. */
export const waitersOf = (state: State, task: TaskState): ReadonlyArray<TaskId> => {
  const tree = new Set(treeOf(state, task).map(({ spec }) => spec.id))
  return tasksOf(state)
    .filter(({ spec }) => !tree.has(spec.id))
    .filter((other) => !isOver(other) && other.spec.depends_on.some((id) => tree.has(id) && !isFinished(state, id)))
    .map(({ spec }) => spec.id)
}

const isFinished = (state: State, id: TaskId): boolean => taskOf(state, id)?.status === "completed"

export const treeOf = (state: State, task: TaskState): ReadonlyArray<TaskState> => {
  const found = [task]
  for (let i = 0; i < found.length; i++) found.push(...childrenOf(state, found[i] as TaskState))
  return found
}

const unknownTask = (state: State, id: TaskId): Rejection =>
  rejectUnknown(
    "unknown_task",
    `There is no task ${id}.`,
    "Name one of the registered tasks; get_my_task_progress lists yours.",
    tasksOf(state)
      .slice(0, 50)
      .map(({ spec }) => spec.id)
  )

const notYours = (state: State, task: TaskState): Rejection =>
  reject(
    "task_not_yours",
    `Task ${task.spec.id} is assigned to ${assignmentOf(state, task)?.assignee}.`,
    "Work on your own tasks; get_my_task_progress lists them."
  )

/** What an agent says a task has come to. */
export const updateTaskStatus = (command: UpdateTaskStatusArgs, state: SessionsView): Decision<"sessions"> => {
  const opened = workingSession(state, command.session_id)
  if (Result.isFailure(opened)) return opened.failure
  const { session } = opened.success
  const task = taskOf(state, command.task_id)
  if (task === undefined) return unknownTask(state, command.task_id)
  if (!mayChange(state, task, session.agent)) return notYours(state, task)
  const from = assignmentStatusOf(task)
  const { reason, status } = command
  const id = task.spec.id
  // whatever it is itself, its parts come first
  if (status === "done" && !isOver(task) && openChildren(state, task).length > 0) {
    return doneProblem(state, task) ?? wrongTransition(task, from, status)
  }
  if (!transitions[from].includes(status)) return wrongTransition(task, from, status)
  const change = (to: TaskState["status"]): Worded =>
    moved(task, to, reason, {
      by: { session_id: command.session_id, at: command.at, asked: status, prompt: command.prompt }
    })
  switch (status) {
    case "todo":
      return [change("pending")]
    case "backlog":
      return [change("backlog")]
    case "in_progress": {
      const problem = startProblem(state, task, session.agent)
      return problem === null ? [change("in_progress"), ...taken(state, task, session, command.prompt)] : problem
    }
    case "blocked":
      return reason.trim() === ""
        ? reasonless(id, "blocked", 1)
        : [
            change("blocked"),
            ...treeOf(state, task)
              .slice(1)
              .filter((child) => !isOver(child) && child.status !== "blocked")
              .map((child) => moved(child, "blocked", `${id} is blocked.`))
          ]
    case "cancelled": {
      if (reasonLength(reason) < minReasonLength) return reasonless(id, "cancelled", minReasonLength)
      const waiters = waitersOf(state, task)
      return waiters.length > 0
        ? reject(
            "dependents_open",
            `Other tasks wait for ${id}: ${waiters.join(", ")}.`,
            "Cancel them first, and create anew what is still wanted, without this dependency.",
            waiters
          )
        : [change(task.status), ...withdrawn(state, task, reason.trim())]
    }
    case "done": {
      const problem = doneProblem(state, task)
      return problem === null
        ? [
            change("completed"),
            ...(isAtWork(task) ? [ended(id, task.attempts, task.current?.agent ?? null)] : []),
            Tasks.tell([
              TaskCompleted({ task_id: id, attempts: task.attempts, proven: 0, waived: 0, ...byWord(state, task) })
            ])
          ]
        : problem
    }
  }
}

/** A task without a checklist is shown by its subtasks, or by nothing. */
export const byWord = (state: State, task: TaskState): { readonly verdict?: "unproven" } => {
  const done = childrenOf(state, task).filter(({ status }) => status === "completed")
  return done.some(({ verdict }) => isShown(verdict)) && done.every(({ verdict }) => verdict !== "unproven")
    ? {}
    : { verdict: "unproven" }
}

/** It is in progress, and does not wait for another task again. */
export const isWorkedOn = (state: State, task: TaskState): boolean =>
  assignmentStatusOf(task) === "in_progress" && waitingFor(state, task).length === 0

/** Why a task cannot be begun; null: it can. */
export const startProblem = (state: State, task: TaskState, agent: string): Rejection | null => {
  const id = task.spec.id
  const waiting = waitingFor(state, task)
  if (waiting.length > 0) {
    return reject("dependencies_open", `Task ${id} waits for: ${waiting.join(", ")}.`, "Complete them first.", waiting)
  }
  const parent = parentOf(state, task)
  if (parent !== undefined && (parent.status === "blocked" || isOver(parent))) {
    return reject(
      "parent_not_open",
      `Task ${id} is part of ${parent.spec.id}, which is ${assignmentStatusOf(parent)}.`,
      "See to that task first."
    )
  }
  const limit = state.sessions.phases?.setup.contract.limits["parallel_tasks"]
  // a part is work on its whole
  if (limit === undefined || task.parent_task_id !== null) return null
  const busy = remainingOf(state, agent).filter((other) => other.parent_task_id === null && isWorkedOn(state, other))
  return busy.length >= limit
    ? reject(
        "parallel_limit",
        `At most ${limit} tasks are worked on at the same time; these are: ${busy.map(({ spec }) => spec.id).join(", ")}.`,
        "Complete one of them first.",
        busy.map(({ spec }) => spec.id)
      )
    : null
}

/** Why a task cannot be called done by word; null: it can. */
const doneProblem = (state: State, task: TaskState): Rejection | null => {
  const id = task.spec.id
  const open = openChildren(state, task).map(({ spec }) => spec.id)
  if (open.length > 0) {
    return reject(
      "subtasks_incomplete",
      `Task ${id} has open subtasks: ${open.join(", ")}.`,
      "Complete them first, or cancel them with a reason.",
      open
    )
  }
  if (isBeingChecked(task)) {
    return reject(
      "task_being_checked",
      `The report of task ${id} is being checked.`,
      "Call get_next_action in a moment."
    )
  }
  const waiting = waitingFor(state, task)
  if (waiting.length > 0) {
    // they were sent back after it was begun
    return reject("dependencies_open", `Task ${id} waits for: ${waiting.join(", ")}.`, "Complete them first.", waiting)
  }
  const items = task.spec.checklist.map(({ item }) => item)
  return items.length === 0
    ? null
    : reject(
        "checklist_item_pending",
        `Task ${id} has a checklist of ${items.length} items; nobody has shown that they are done.`,
        `Call complete_task(task_id: "${id}", data: {summary, checklist}) with evidence or a reason for every item.`,
        items
      )
}

const reasonless = (id: TaskId, status: AssignmentStatus, min: number): Rejection =>
  reject(
    "reason_required",
    `Task ${id} cannot become ${status} without a reason${min > 1 ? ` of at least ${min} characters` : ""}.`,
    "Give it in `reason`: why, and what would have to happen."
  )

const wrongTransition = (task: TaskState, from: AssignmentStatus, to: AssignmentStatus): Rejection => {
  const next = transitions[from]
  return reject(
    "invalid_transition",
    `Task ${task.spec.id} is ${from}; it cannot become ${to}.`,
    next.length === 0 ? `Nothing follows ${from}.` : `From ${from} it can become ${next.join(" or ")}.`
  )
}
