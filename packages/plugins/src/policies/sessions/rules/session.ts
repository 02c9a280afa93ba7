import { type Fact, type Failure, type Rejection, rejectConflict, rejectForbidden } from "@proofline/kernel"
import { Result } from "effect"
import { SessionClosed } from "./events.ts"
import { type Instructing, refusedAs } from "./instructions.ts"
import type { PhasesState, SessionState, State } from "./state.ts"

/** The session of this id; undefined: there is none. */
export const sessionOf = (state: State, id: string): SessionState | undefined =>
  state.sessions.phases?.sessions.find(({ session_id }) => session_id === id)

export const noSessionRun = rejectConflict(
  "run_is_no_session",
  "Agents do not work on this run by themselves.",
  "Start one with `proofline mcp`."
)

/** The run and an open session of it. */
export const openSession = (
  state: State,
  id: string
): Result.Result<{ readonly phases: PhasesState; readonly session: SessionState }, Rejection> => {
  const phases = state.sessions.phases
  if (phases === null) return Result.fail(noSessionRun)
  const session = sessionOf(state, id)
  if (session === undefined) {
    return Result.fail(
      rejectForbidden("session_unknown", `There is no session ${id}.`, "Open one with `proofline session open`.")
    )
  }
  return session.closed === null ? Result.succeed({ phases, session }) : Result.fail(sessionClosed(state, session))
}

/** The same, in a run that goes on: nothing is added to one that has ended. */
export const workingSession = (
  state: State,
  id: string
): Result.Result<{ readonly phases: PhasesState; readonly session: SessionState }, Rejection> =>
  Result.flatMap(openSession(state, id), (opened) =>
    state.run.status === "running" ? Result.succeed(opened) : Result.fail(runOver(state))
  )

export const runOver = (state: Instructing): Rejection => refusedAs(state, "run_over", {}, { kind: "conflict" })

export const verificationRunning = (phases: PhasesState): Rejection =>
  refusedAs({ sessions: { phases } }, "verification_running__refused", { phase: phases.phase }, { kind: "conflict" })

export const sessionClosed = (state: Instructing, { closed, of_process, session_id }: SessionState): Rejection =>
  refusedAs(
    state,
    closed === "reported" && of_process ? "session_closed__reported" : "session_closed",
    { session_id, why: closed ?? "" },
    { kind: "conflict" }
  )

/**
 * Why what a session handed in last was refused. What another session was told is none of its business, unless that one
 * is over and was its agent's: an agent that comes back finds it again.
 */
export const refusalsFor = (
  { failures, failures_of, sessions }: PhasesState,
  session: SessionState
): ReadonlyArray<Failure> => {
  if (session.failures.length > 0) return session.failures
  const other = sessions.find(({ session_id }) => session_id === failures_of)
  return failures_of === null || (other?.agent === session.agent && other.closed !== null) ? failures : []
}

export const closedEvent = (session_id: string, at: string, reason: string): Fact<"sessions"> =>
  SessionClosed({ session_id, at, reason })
