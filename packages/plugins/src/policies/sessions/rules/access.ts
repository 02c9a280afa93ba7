import { type Decision, isOver, type Rejection, type TaskState, tasksOf, waitingFor } from "@proofline/kernel"
import { Result } from "effect"
import { assign, assignmentStatusOf, remainingOf } from "./assignment.ts"
import {
  CompletionRefused,
  CompletionReported,
  NextActionIssued,
  SessionOpened,
  WriteTargetChecked,
  writableNames
} from "./events.ts"
import { isHeld } from "./held.ts"
import { refusedAs } from "./instructions.ts"
import { missingIn } from "./missing.ts"
import type { Missing } from "./missingSchema.ts"
import { type NextAction, nextActionOf } from "./nextAction.ts"
import { isAtEnd, isEndAwaited, isStopped, phaseOf } from "./phase.ts"
import type {
  CheckWriteTargetArgs,
  CloseSessionArgs,
  IssueNextActionArgs,
  OpenSessionArgs,
  ReportCompletedArgs
} from "./requests.ts"
import { closedEvent, noSessionRun, openSession, sessionOf, workingSession } from "./session.ts"
import {
  assignmentOf,
  type PhasesState,
  type SessionState,
  type SessionsView,
  type State,
  withAssignment
} from "./state.ts"
import { writeProblem } from "./targets.ts"

/**
 * An agent comes. What belonged to agents of which no session is left goes on with it: work of a process that died
 * must not wait for ever.
 */
export const openASession = (command: OpenSessionArgs, state: SessionsView): Decision<"sessions"> => {
  const { phases } = state.sessions
  if (phases === null) return noSessionRun
  const { gone, ...content } = command
  const { agent, at, session_id } = command
  if (sessionOf(state, session_id) !== undefined) return []
  const left = new Set(gone)
  const open = phases.sessions.filter((session) => session.closed === null && !left.has(session.session_id))
  const orphans = leftBehind(state, phases, [agent, ...open.map((session) => session.agent)])
  return [
    SessionOpened(content),
    ...phases.sessions
      .filter((session) => session.closed === null && left.has(session.session_id))
      .map((session) => closedEvent(session.session_id, at, "process_ended")),
    ...orphans.map((task) => assign(state, task, agent))
  ]
}

/** Open tasks assigned to agents that had a session and are not among the given agents. */
const leftBehind = (
  state: SessionsView,
  phases: PhasesState,
  agents: ReadonlyArray<string>
): ReadonlyArray<TaskState> => {
  const known = new Set(phases.sessions.map((session) => session.agent))
  return tasksOfOthers(state, agents)
    .filter(({ assignee }) => known.has(assignee))
    .map(({ task }) => task)
}

/** Open tasks assigned to agents that are not among the given ones. */
const tasksOfOthers = (state: SessionsView, agents: ReadonlyArray<string>) => {
  const present = new Set(agents)
  return tasksOf(state).flatMap((task) => {
    const assignee = assignmentOf(state, task)?.assignee ?? null
    return isOver(task) || assignee === null || present.has(assignee) ? [] : [{ task, assignee }]
  })
}

/**
 * What goes on with an agent that would only wait: tasks whose agents are gone; and where nobody who is here has anything
 * else to do, those of agents that have not come: a name may be a mistake, and nobody else could do them.
 */
const orphansOf = (state: SessionsView, phases: PhasesState): ReadonlyArray<TaskState> => {
  const open = phases.sessions.filter(({ closed }) => closed === null)
  const agents = open.map(({ agent }) => agent)
  const left = leftBehind(state, phases, agents)
  return left.length === 0 && open.every((session) => isResting(nextActionOf(state, session)))
    ? tasksOfOthers(state, agents).map(({ task }) => task)
    : left
}

/** It can do nothing by itself, and nothing of it is being checked. */
const isResting = ({ action, task_id }: NextAction): boolean =>
  action === "report_completion" || action === "ask_user" || (action === "wait" && task_id === null)

/** Closing twice is closing once. */
export const closeASession = (
  { at, reason, session_id }: CloseSessionArgs,
  state: SessionsView
): Decision<"sessions"> => {
  const session = sessionOf(state, session_id)
  return session === undefined || session.closed !== null ? [] : [closedEvent(session_id, at, reason)]
}

/**
 * Issues the next action of an agent. An action equal to the last one issued is not recorded again. An agent that would
 * only wait is given tasks of agents that are not here.
 */
export const issueNextAction = (
  { at, session_id, tool }: IssueNextActionArgs,
  state: SessionsView
): Decision<"sessions"> => {
  const opened = openSession(state, session_id)
  if (Result.isFailure(opened)) return opened.failure
  const { phases, session } = opened.success
  const isIdle = tool === "get_next_action" && nextActionOf(state, session).action === "wait"
  const orphans = isIdle && phases.verifying === null ? orphansOf(state, phases) : []
  const { action, task_id } = nextActionOf(adopting(state, orphans, session.agent), session)
  const isNews =
    orphans.length > 0 ||
    // that it was given the planning guide is to be known
    (tool === "get_next_action" && !session.guided && guideIn(phases) !== "") ||
    session.issued?.action !== action ||
    session.issued.task_id !== task_id ||
    (tool === "get_my_task" && task_id !== null && !session.fetched.includes(task_id))
  return isNews
    ? [
        NextActionIssued({ session_id, at, tool, action, task_id }),
        ...orphans.map((task) => assign(state, task, session.agent))
      ]
    : []
}

/** The planning guide, where the phase asks for a plan; empty: it does not, or there is none. */
export const guideIn = (phases: PhasesState): string =>
  phaseOf(phases, phases.phase)?.kind === "plan" ? phases.setup.planning_guide : ""

/** The run as it is when an agent has taken over tasks. */
const adopting = ({ run, sessions, tasks }: SessionsView, orphans: ReadonlyArray<TaskState>, agent: string): State => ({
  run,
  tasks,
  sessions: orphans.reduce(
    (own, { spec }) => withAssignment(own, spec.id, (one) => ({ ...one, assignee: agent })),
    sessions
  )
})

export const checkWriteTarget = (command: CheckWriteTargetArgs, state: SessionsView): Decision<"sessions"> => {
  const opened = workingSession(state, command.session_id)
  if (Result.isFailure(opened)) return opened.failure
  const problem = writeProblem(state, opened.success.phases, command)
  const { file_path, target } = command
  return [
    WriteTargetChecked({
      ...command,
      changed: command.changed ?? null,
      allowed: problem === null,
      code: problem?.code ?? "allowed",
      writable: problem === null ? writableNames(state, file_path, target) : []
    })
  ]
}

const isNothingDone = (state: State): boolean => {
  const tasks = tasksOf(state)
  return tasks.length > 0 && tasks.every(({ status }) => status !== "completed")
}

/** The end of a session. It never marks anything done: what is open is named, and success is refused. */
export const reportCompleted = (command: ReportCompletedArgs, state: SessionsView): Decision<"sessions"> => {
  const { at, result, session_id } = command
  const reported = sessionOf(state, session_id)?.reported
  if (reported != null) return []
  const opened = openSession(state, session_id)
  if (Result.isFailure(opened)) return opened.failure
  const { phases, session } = opened.success
  // who has not heard the answer says it again, perhaps in another session
  const isReported = phases.sessions.some(
    ({ agent, reported }) => agent === session.agent && reported?.result === result
  )
  if (state.run.status !== "running" && isReported) return []
  const remaining = remainingOf(state, session.agent)
  const problem =
    result === "success"
      ? successProblem(state, phases, session, remaining)
      : result === "blocked"
        ? blockedProblem(state, session, remaining)
        : null
  if (problem !== null) return problem
  const open = remaining.map(({ spec }) => spec.id)
  const isEnding = isHeld(state, phases)
  const missing = isEnding ? missingIn(state) : []
  // before it closes, it is told what is missing; said again, it is its last word
  if (result === "success" && isEnding && !isSame(missing, session.told)) {
    return [CompletionRefused({ ...command, missing })]
  }
  return [
    CompletionReported({ ...command, open, ...(isEnding ? { missing } : {}) }),
    closedEvent(session_id, at, "reported")
  ]
}

/** Of the same things the same is missing. */
const isSame = (missing: ReadonlyArray<Missing>, told: ReadonlyArray<Missing> | null): boolean =>
  told !== null && JSON.stringify(missing.map(keyOf)) === JSON.stringify(told.map(keyOf))

const keyOf = ({ command, item, reason, task_id }: Missing) => [task_id, item, command, reason]

/** What waits for another task cannot be begun. */
const workable = (state: SessionsView, tasks: ReadonlyArray<TaskState>): ReadonlyArray<string> =>
  tasks
    .filter((task) => {
      const status = assignmentStatusOf(task)
      return status !== "blocked" && waitingFor(state, task).length === 0
    })
    .map(({ spec }) => spec.id)

/** A person must answer: no task can be worked on before that. */
const isAsking = (state: SessionsView, session: SessionState): boolean =>
  nextActionOf(state, session).action === "ask_user"

/** Why an agent cannot say that nothing more can be done; null: it can. */
const blockedProblem = (
  state: SessionsView,
  session: SessionState,
  remaining: ReadonlyArray<TaskState>
): Rejection | null => {
  const ids = isAsking(state, session) ? [] : workable(state, remaining)
  return ids.length > 0 ? refusedAs(state, "tasks_open__workable", { tasks: ids.join(", ") }, { open: ids }) : null
}

/** Why an agent cannot say that all is done; null: it can. */
const successProblem = (
  state: SessionsView,
  phases: PhasesState,
  session: SessionState,
  remaining: ReadonlyArray<TaskState>
): Rejection | null => {
  if (isStopped(phases) || state.run.status === "cancelled") {
    return refusedAs(state, "run_stopped")
  }
  if (isEndAwaited(state)) return refusedAs(state, "evidence_judged_again")
  const open = remaining.map(({ spec }) => spec.id)
  // at the end it is told what is missing, these among it, and may leave it at that
  if (open.length > 0 && !isHeld(state, phases)) {
    const key = isAsking(state, session)
      ? "tasks_open__asked"
      : workable(state, remaining).length === 0
        ? "tasks_open__blocked"
        : "tasks_open"
    return refusedAs(state, key, { tasks: open.join(", ") }, { open })
  }
  if (isAtEnd(phases) && isNothingDone(state)) return refusedAs(state, "nothing_done")
  // while other sessions are open an agent may report success once its tasks are done; the last session, or one without
  // tasks, may not while a phase is open
  const isLast = phases.sessions.every(({ closed, session_id }) => session_id === session.session_id || closed !== null)
  const hasNone = tasksOf(state).every((task) => assignmentOf(state, task)?.assignee !== session.agent)
  return (isLast || hasNone) && state.run.status === "running" && !isAtEnd(phases)
    ? refusedAs(
        state,
        nextActionOf(state, session).action === "create_tasks" ? "phase_open__unplanned" : "phase_open",
        { phase: phases.phase },
        { open: [phases.phase] }
      )
    : null
}
