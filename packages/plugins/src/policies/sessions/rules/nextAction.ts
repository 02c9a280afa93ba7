import {
  childrenOf,
  isOver,
  parentOf,
  type TaskId,
  type TaskState,
  taskOf,
  tasksOf,
  waitingFor,
  waitsForPerson
} from "@proofline/kernel"
import {
  assignmentStatusOf,
  isBeingChecked,
  isWorkedOn,
  openChildren,
  remainingOf,
  startProblem
} from "./assignment.ts"
import { isAtEnd, isEndAwaited, phaseOf } from "./phase.ts"
import { isAfterWork } from "./planning.ts"
import { assignmentOf, type SessionState, type State } from "./state.ts"

/**
 * What an agent is to do now, in the order of the progress tools:
 * - `exit`: its session is over
 * - `ask_user`: a person must answer, in a phase or about what cannot be done of a task, and there is nothing else to do
 * - `wait`: commands run, or others have to finish first
 * - `submit_phase`: hand in the current phase
 * - `create_tasks`: there is nothing to work on, and the work is not accepted
 * - `get_task`, `create_subtasks`: fetch, then split a task given by somebody else
 * - `work`, `execute_subtask`, `start_subtask`: work on a task or a part of one
 * - `review_and_resolve_blocks`: everything left is blocked
 * - `dependency_deadlock`: what is left waits for what will not come
 * - `report_completion`: nothing is left
 */
export interface NextAction {
  readonly action: string
  /** The task it is about. */
  readonly task_id: TaskId | null
  /** Tasks that wait, each with what it waits for. */
  readonly waiting: ReadonlyArray<{
    readonly id: TaskId
    readonly title: string
    readonly waiting_for: ReadonlyArray<TaskId>
  }>
}

export const act = (
  action: string,
  task_id: TaskId | null = null,
  waiting: NextAction["waiting"] = []
): NextAction => ({
  action,
  task_id,
  waiting
})

export const nextActionOf = (state: State, session: SessionState): NextAction => {
  const phases = state.sessions.phases
  if (phases === null || session.closed !== null) return act("exit")
  const phase = phaseOf(phases, phases.phase)
  if (isEndAwaited(state)) return act("wait")
  if (phase === undefined || state.run.status !== "running") return act("report_completion")
  // what is open can still be done
  if (isAtEnd(phases)) {
    return isAfterWork(phases, phase.kind) && remainingOf(state, session.agent).length > 0
      ? workOf(state, session)
      : act("report_completion")
  }
  if (phase.kind === "person") return act("ask_user")
  if (phases.verifying !== null) return act("wait")
  if (phase.kind !== "tasks") {
    // who has nothing left leaves the phases to the others
    const isDone = hasOthers(state, session) && session.issued !== null && isIdle(state, session)
    return isDone ? act("report_completion") : act("submit_phase")
  }
  return workOf(state, session)
}

const hasOthers = ({ sessions: { phases } }: State, { session_id }: SessionState): boolean =>
  phases?.sessions.some((other) => other.closed === null && other.session_id !== session_id) === true

/** The agent has assigned tasks, others planned all of them, and all are over. */
const isIdle = (state: State, { agent }: SessionState): boolean => {
  const own = tasksOf(state).filter((task) => assignmentOf(state, task)?.assignee === agent)
  // subtasks of its own tasks do not count: the agent planned those itself
  const given = own.filter((task) => {
    const parent = parentOf(state, task)
    return parent === undefined || assignmentOf(state, parent)?.assignee !== agent
  })
  return (
    own.length > 0 &&
    given.every((task) => assignmentOf(state, task)?.created_by !== agent) &&
    remainingOf(state, agent).length === 0
  )
}

const ranks = { urgent: 0, high: 1, medium: 2, low: 3 } as const

/** Most urgent first, then those on which the longest chain waits, then in order of registration. */
const byUrgency =
  (state: State) =>
  (a: TaskState, b: TaskState): number =>
    rankOf(state, a) - rankOf(state, b) || a.order - b.order

const rankOf = (state: State, task: TaskState): number => ranks[assignmentOf(state, task)?.priority ?? "medium"]

const workOf = (state: State, session: SessionState): NextAction => {
  const remaining = remainingOf(state, session.agent).toSorted(byUrgency(state))
  const checked = remaining.find(isBeingChecked)
  if (remaining.length === 0) return leftToOthers(state, session)
  const given = remaining.find(
    (task) => task.parent_task_id === null && assignmentOf(state, task)?.created_by !== session.agent
  )
  if (given !== undefined && !session.fetched.includes(given.spec.id)) return act("get_task", given.spec.id)
  const mayBeSplit =
    given !== undefined &&
    assignmentStatusOf(given) !== "blocked" &&
    childrenOf(state, given).length === 0 &&
    !session.offered.includes(given.spec.id)
  if (mayBeSplit) return act("create_subtasks", given.spec.id)
  // a task that was split is worked on through its parts
  const leaves = remaining.filter((task) => openChildren(state, task).length === 0)
  const running = leaves.find((task) => isWorkedOn(state, task) && !isBeingChecked(task))
  if (running !== undefined) return act(isPart(running) ? "execute_subtask" : "work", running.spec.id)
  const ready = leaves.find((task) => mayBegin(state, task, session))
  if (ready !== undefined) return act(isPart(ready) ? "start_subtask" : "work", ready.spec.id)
  if (checked !== undefined) return act("wait", checked.spec.id)
  const resting = leaves.filter(
    (task) => ["blocked", "backlog"].includes(assignmentStatusOf(task)) && !waitsForPerson(task)
  )
  const waiting = leaves
    .filter((task) => assignmentStatusOf(task) === "todo" || waitingFor(state, task).length > 0)
    .map((task) => ({
      id: task.spec.id,
      title: task.spec.title,
      waiting_for: waitingFor(state, task)
    }))
  const blocked = resting.find((task) => assignmentStatusOf(task) === "blocked") ?? resting[0]
  if (
    blocked !== undefined &&
    waiting.every(({ waiting_for }) => waiting_for.every((id) => isMine(state, session, id)))
  ) {
    return act("review_and_resolve_blocks", blocked.spec.id, waiting)
  }
  const asking = leaves.find(waitsForPerson)
  if (
    asking !== undefined &&
    waiting.every(({ waiting_for }) => waiting_for.every((id) => isMine(state, session, id)))
  ) {
    return act("ask_user", asking.spec.id, waiting)
  }
  // tasks in progress elsewhere will complete, so there is something to wait for
  return waiting.length === 0 ||
    waiting.some(({ waiting_for }) => waiting_for.some((id) => !isMine(state, session, id)))
    ? act("wait", null, waiting)
    : act("dependency_deadlock", null, waiting)
}

const isPart = ({ parent_task_id }: TaskState): boolean => parent_task_id !== null

const mayBegin = (state: State, task: TaskState, { agent }: SessionState): boolean =>
  assignmentStatusOf(task) === "todo" && startProblem(state, task, agent) === null

const isMine = (state: State, { agent }: SessionState, id: TaskId): boolean => {
  const task = taskOf(state, id)
  return task !== undefined && assignmentOf(state, task)?.assignee === agent
}

/** There is no task to work on, and the work is not accepted: what is to be done is planned first. */
export const isToBePlanned = (state: State): boolean =>
  tasksOf(state).every(isOver) && (state.sessions.phases?.sent_back === true || tasksOf(state).length === 0)

/** The agent has no task: offer unassigned tasks first, then wait or finish. */
const leftToOthers = (state: State, session: SessionState): NextAction => {
  // there is nothing to report
  if (isToBePlanned(state)) return act("create_tasks")
  const free = tasksOf(state)
    .toSorted(byUrgency(state))
    .find(
      (task) =>
        assignmentOf(state, task)?.assignee === null &&
        openChildren(state, task).length === 0 &&
        mayBegin(state, task, session)
    )
  if (free !== undefined) return act(isPart(free) ? "start_subtask" : "work", free.spec.id)
  // the last does not leave before the phases are done
  return act(hasOthers(state, session) && isIdle(state, session) ? "report_completion" : "wait")
}
