import { Result } from "effect"
import { assignment, boardStatusOf, remainingOf } from "./board.ts"
import type { KernelEvent } from "./Event.ts"
import { evolve } from "./evolve.ts"
import { nextActionOf } from "./nextAction.ts"
import type { CheckWriteTarget, CloseSession, IssueNextAction, OpenSession, ReportCompleted } from "./PullCommand.ts"
import { isAtEnd, isStopped } from "./phase.ts"
import { type Rejection, reject } from "./Rejection.ts"
import { isOver, type PullState, type State, type TaskState, tasksOf } from "./State.ts"
import { closedEvent, noPull, openSession, sessionOf, workingSession } from "./session.ts"
import { writeProblem } from "./targets.ts"

type Decision = Result.Result<ReadonlyArray<KernelEvent>, Rejection>

/**
 * An agent comes. What belonged to agents of which no session is left goes on with it: work of a process that died
 * must not wait for ever.
 */
export const openASession = (command: OpenSession, state: State): Decision => {
  const { pull } = state
  if (pull === null) return Result.fail(noPull)
  const { _tag, gone, ...content } = command
  const { agent, at, session_id } = command
  if (sessionOf(state, session_id) !== undefined) return Result.succeed([])
  const left = new Set(gone)
  const open = pull.sessions.filter((session) => session.closed === null && !left.has(session.session_id))
  const orphans = leftBehind(state, pull, [agent, ...open.map((session) => session.agent)])
  return Result.succeed([
    { type: "SESSION_OPENED", content },
    ...pull.sessions
      .filter((session) => session.closed === null && left.has(session.session_id))
      .map((session) => closedEvent(session.session_id, at, "process_ended")),
    ...orphans.map((task) => assignment(task, agent))
  ])
}

/** Open tasks of agents that were there once, and are not among those who are. */
const leftBehind = (state: State, pull: PullState, agents: ReadonlyArray<string>): ReadonlyArray<TaskState> => {
  const present = new Set(agents)
  const known = new Set(pull.sessions.map((session) => session.agent))
  return tasksOf(state).filter(
    (task) =>
      !isOver(task) &&
      task.board?.assignee != null &&
      known.has(task.board.assignee) &&
      !present.has(task.board.assignee)
  )
}

/** Closing twice is closing once. */
export const closeASession = ({ at, reason, session_id }: CloseSession, state: State): Decision => {
  const session = sessionOf(state, session_id)
  return Result.succeed(session === undefined || session.closed !== null ? [] : [closedEvent(session_id, at, reason)])
}

/**
 * Tells an agent what to do; what it was told last is not told to the log again. Who would only wait goes on with what
 * agents have left behind that are not there any more: nobody else will.
 */
export const issueNextAction = ({ at, session_id, tool }: IssueNextAction, state: State): Decision =>
  Result.map(openSession(state, session_id), ({ pull, session }) => {
    const open = pull.sessions.filter(({ closed }) => closed === null).map(({ agent }) => agent)
    const isIdle = tool === "get_next_action" && nextActionOf(state, session).action === "wait"
    const orphans = isIdle && pull.verifying === null ? leftBehind(state, pull, open) : []
    const adopted = orphans.map((task) => assignment(task, session.agent))
    const { action, task_id } = nextActionOf(adopted.reduce(evolve, state), session)
    const isNews =
      adopted.length > 0 ||
      session.issued?.action !== action ||
      session.issued.task_id !== task_id ||
      (tool === "get_my_task" && task_id !== null && !session.fetched.includes(task_id))
    return isNews
      ? [{ type: "NEXT_ACTION_ISSUED", content: { session_id, at, tool, action, task_id } }, ...adopted]
      : []
  })

export const checkWriteTarget = (command: CheckWriteTarget, state: State): Decision =>
  Result.map(workingSession(state, command.session_id), ({ pull }) => {
    const problem = writeProblem(state, pull, command)
    const { _tag, ...asked } = command
    return [
      {
        type: "WRITE_TARGET_CHECKED",
        content: {
          ...asked,
          allowed: problem === null,
          code: problem?.code ?? "allowed"
        }
      }
    ]
  })

const isNothingDone = (state: State): boolean => {
  const tasks = tasksOf(state)
  return tasks.length > 0 && tasks.every(({ status }) => status !== "completed")
}

/** The end of a session. It never marks anything done: what is open is named, and success is refused. */
export const reportCompleted = (command: ReportCompleted, state: State): Decision => {
  const { _tag, ...content } = command
  const { at, result, session_id } = command
  const reported = sessionOf(state, session_id)?.reported
  if (reported != null) return Result.succeed([])
  return Result.flatMap(openSession(state, session_id), ({ pull, session }) => {
    // who has not heard the answer says it again, perhaps in another session
    const isSaid = pull.sessions.some(({ agent, reported }) => agent === session.agent && reported?.result === result)
    if (state.status !== "running" && isSaid) return Result.succeed([])
    const remaining = remainingOf(state, session.agent)
    const open = remaining.map(({ spec }) => spec.id)
    const workable = remaining.filter((task) => boardStatusOf(task) !== "blocked").map(({ spec }) => spec.id)
    const isLast = pull.sessions.every((other) => other.session_id === session_id || other.closed !== null)
    const refused = (code: string, message: string, hint: string, ids: ReadonlyArray<string> = []): Decision =>
      Result.fail(reject(code, message, hint, ids))
    if (result === "success" && (isStopped(pull) || state.status === "cancelled")) {
      return refused(
        "run_stopped",
        "The run was stopped: it is not accepted.",
        "Report `blocked` or `failed`, and say in the summary what is open."
      )
    }
    if (result === "success" && open.length > 0) {
      return refused(
        "tasks_open",
        `Tasks assigned to you are open: ${open.join(", ")}.`,
        workable.length === 0
          ? "All of them are blocked: report `blocked`, and say what is needed."
          : "Complete them, or withdraw them with a reason; get_my_task_progress shows them.",
        open
      )
    }
    if (result === "blocked" && workable.length > 0) {
      return refused(
        "tasks_open",
        `Tasks assigned to you can be worked on: ${workable.join(", ")}.`,
        "Go on with them, or report `failed` and say why.",
        workable
      )
    }
    const own = tasksOf(state).filter(({ board }) => board?.assignee === session.agent)
    if (result === "success" && isAtEnd(pull) && isNothingDone(state)) {
      return refused(
        "nothing_done",
        "No task was completed: there is nothing that succeeded.",
        "Report `failed`, and say in the summary why everything was withdrawn."
      )
    }
    // who did its part may go while others are there; the last to leave answers for the whole
    if (result === "success" && (isLast || own.length === 0) && state.status === "running" && !isAtEnd(pull)) {
      return refused(
        "phase_open",
        `Phase ${pull.phase} is open: the work is not proven yet.`,
        `Call get_next_action, and submit ${pull.phase}.`,
        [pull.phase]
      )
    }
    return Result.succeed([
      { type: "COMPLETION_REPORTED", content: { ...content, open } },
      closedEvent(session_id, at, "reported")
    ])
  })
}
