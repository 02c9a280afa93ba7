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
import { refusedAs } from "./instructions.ts"
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
  refusedAs(
    state,
    "unknown_task",
    { task_id: id },
    {
      kind: "unknown",
      open: tasksOf(state)
        .slice(0, 50)
        .map(({ spec }) => spec.id)
    }
  )

const notYours = (state: State, task: TaskState): Rejection =>
  refusedAs(state, "task_not_yours", {
    task_id: task.spec.id,
    assignee: assignmentOf(state, task)?.assignee ?? ""
  })

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
    return doneProblem(state, task) ?? wrongTransition(state, task, from, status)
  }
  if (!transitions[from].includes(status)) return wrongTransition(state, task, from, status)
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
        ? reasonless(state, id, "blocked", 1)
        : [
            change("blocked"),
            ...treeOf(state, task)
              .slice(1)
              .filter((child) => !isOver(child) && child.status !== "blocked")
              .map((child) => moved(child, "blocked", `${id} is blocked.`))
          ]
    case "cancelled": {
      if (reasonLength(reason) < minReasonLength) return reasonless(state, id, "cancelled", minReasonLength)
      const waiters = waitersOf(state, task)
      return waiters.length > 0
        ? refusedAs(state, "dependents_open", { task_id: id, tasks: waiters.join(", ") }, { open: waiters })
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
  if (waiting.length > 0) return dependenciesOpen(state, id, waiting)
  const parent = parentOf(state, task)
  if (parent !== undefined && (parent.status === "blocked" || isOver(parent))) {
    const status = assignmentStatusOf(parent)
    return refusedAs(state, "parent_not_open", { task_id: id, parent: parent.spec.id, status })
  }
  const limit = state.sessions.phases?.setup.contract.limits["parallel_tasks"]
  // a part is work on its whole
  if (limit === undefined || task.parent_task_id !== null) return null
  const busy = remainingOf(state, agent).filter((other) => other.parent_task_id === null && isWorkedOn(state, other))
  const ids = busy.map(({ spec }) => spec.id)
  return busy.length >= limit
    ? refusedAs(state, "parallel_limit", { limit, tasks: ids.join(", ") }, { open: ids })
    : null
}

const dependenciesOpen = (state: State, task_id: TaskId, waiting: ReadonlyArray<TaskId>): Rejection =>
  refusedAs(state, "dependencies_open", { task_id, tasks: waiting.join(", ") }, { open: waiting })

/** Why a task cannot be called done by word; null: it can. */
const doneProblem = (state: State, task: TaskState): Rejection | null => {
  const id = task.spec.id
  const open = openChildren(state, task).map(({ spec }) => spec.id)
  if (open.length > 0) {
    return refusedAs(state, "subtasks_incomplete", { task_id: id, tasks: open.join(", ") }, { open })
  }
  if (isBeingChecked(task)) return refusedAs(state, "task_being_checked", { task_id: id })
  const waiting = waitingFor(state, task)
  // they were sent back after it was begun
  if (waiting.length > 0) return dependenciesOpen(state, id, waiting)
  const items = task.spec.checklist.map(({ item }) => item)
  return items.length === 0
    ? null
    : refusedAs(state, "checklist_item_pending", { task_id: id, count: items.length }, { open: items })
}

const reasonless = (state: State, task_id: TaskId, status: AssignmentStatus, min: number): Rejection =>
  refusedAs(state, min > 1 ? "reason_required__long" : "reason_required", { task_id, status, min })

const wrongTransition = (state: State, task: TaskState, from: AssignmentStatus, to: AssignmentStatus): Rejection => {
  const next = transitions[from]
  const fields = { task_id: task.spec.id, from, to, next: next.join(", ") }
  if (from === to)
    return refusedAs(state, next.length === 0 ? "invalid_transition__over_same" : "invalid_transition__same", fields)
  return refusedAs(state, next.length === 0 ? "invalid_transition__over" : "invalid_transition", fields)
}
