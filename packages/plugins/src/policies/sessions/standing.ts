import {
  boardStatusOf,
  isAtEnd,
  isEnd,
  nextActionOf,
  type PullState,
  phaseOf,
  type SessionState,
  type State,
  tasksOf
} from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { verificationBody } from "../../operations/excerpts.ts"

/** The phase, its instruction, what it expects, and where the work stands: every answer is enough by itself. */
export const standingOf = (state: State, session: SessionState | null): Body => {
  const { pull } = state
  if (pull === null) return {}
  const phase = phaseOf(pull, pull.phase)
  const isPerson = phase?.kind === "person"
  return {
    phase: pull.phase,
    instruction: instructionOf(pull, session, state.status === "running"),
    expected_payload: isPerson || phase === undefined ? {} : phase.expected_payload,
    ...(phase === undefined || isPerson || isEnd(phase)
      ? {}
      : { call: phase.kind === "tasks" ? "complete_task" : "submit_phase" }),
    progress: progressOf(state, session),
    needs_person: isPerson,
    ...(phase?.kind === "plan" && pull.setup.planning_guide !== ""
      ? { planning_guide: pull.setup.planning_guide }
      : {}),
    ...(pull.verification === null || pull.verification.passed ? {} : { verification: verificationBody(pull) })
  }
}

const instructionOf = (pull: PullState, session: SessionState | null, isRunning: boolean): string => {
  if (session !== null && session.closed !== null) return overText(session)
  const phase = phaseOf(pull, pull.phase)
  // how it has ended is known to the contract alone: not every end is a success
  if (isAtEnd(pull)) return phase?.instruction.trim() || "All phases are done. Call report_completed, then stop."
  if (!isRunning) return 'The run was ended by a person. Call report_completed(result: "failed", summary), then stop.'
  if (pull.verifying !== null)
    return `The commands that verify ${pull.phase} are running. Call get_next_action in a moment.`
  return phase?.instruction ?? ""
}

export const overText = ({ of_process }: SessionState): string =>
  `The session is over. Stop here. ${
    of_process
      ? "For something new that the user asks for, call submit_phase(data={}): a new session begins, and says what to do."
      : "Its token opens nothing any more; for something new the user opens another session."
  }`

/** Facts about all tasks of the run, and the next one of the agent. */
const progressOf = (state: State, session: SessionState | null): Body => {
  const tasks = tasksOf(state)
  const count = (status: string): number => tasks.filter((task) => boardStatusOf(task) === status).length
  const next = session === null ? null : nextActionOf(state, session).task_id
  const completed = count("done")
  const cancelled = count("cancelled")
  return {
    total: tasks.length,
    completed,
    pending: tasks.length - completed - cancelled,
    in_progress: count("in_progress"),
    blocked: count("blocked"),
    cancelled,
    next_task: next,
    all_complete: tasks.length > 0 && completed + cancelled === tasks.length
  }
}
