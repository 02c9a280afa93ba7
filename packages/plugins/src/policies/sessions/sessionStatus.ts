import { asItStands, tasksOf } from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { verificationBody } from "../../operations/excerpts.ts"
import { actionText } from "./actionTexts.ts"
import { missingBody } from "./missing.ts"
import { guideIn } from "./rules/access.ts"
import { assignmentStatusOf } from "./rules/assignment.ts"
import { act, nextActionOf } from "./rules/nextAction.ts"
import { isAtEnd, isEnd, isEndAwaited, phaseOf } from "./rules/phase.ts"
import type { PhasesState, SessionState } from "./rules/state.ts"
import type { AnyRun } from "./state.ts"

/** The phase, its instruction, what it expects, and where the work stands: every answer is enough by itself. */
export const sessionStatusOf = (state: AnyRun, session: SessionState | null): Body => {
  const { phases } = state.sessions
  if (phases === null) return {}
  const { verification } = phases
  const phase = phaseOf(phases, phases.phase)
  const isPerson = phase?.kind === "person"
  const action = session === null ? "" : nextActionOf(state, session).action
  const isPlanned = action === "create_tasks"
  return {
    phase: phases.phase,
    instruction: instructionOf(state, phases, session),
    expected_payload: isPerson || phase === undefined ? {} : isPlanned ? newTasks : phase.expected_payload,
    ...(phase === undefined || isPerson || isEnd(phase)
      ? {}
      : { call: isPlanned ? action : phase.kind === "tasks" ? "complete_task" : "submit_phase" }),
    progress: progressOf(state, session),
    needs_person: isPerson || action === "ask_user",
    ...missingBody(state),
    ...(verification === null || verification.passed ? {} : { verification: verificationBody(verification) })
  }
}

/** What create_tasks takes, in the notation of contracts. */
const newTasks = { tasks: "list[{title, description?, checklist?: list[str], dependencies?: list[str]}]" }

/** The planning guide with the first answer that asks a session for a plan; the instruction names its file. */
export const guideFor = ({ sessions: { phases } }: AnyRun, asked: SessionState): Body => {
  const guide = phases === null || asked.guided ? "" : guideIn(phases)
  return guide === "" ? {} : { planning_guide: guide }
}

const instructionOf = (state: AnyRun, phases: PhasesState, session: SessionState | null): string => {
  if (session !== null && session.closed !== null) return overText(session)
  const phase = phaseOf(phases, phases.phase)
  if (isEndAwaited(state))
    return "What was accepted is judged again before the run ends. Call get_next_action in a moment."
  // how it has ended is known to the contract alone: not every end is a success
  if (isAtEnd(phases)) return phase?.instruction.trim() || "All phases are done. Call report_completed, then stop."
  if (state.run.status !== "running")
    return 'The run was ended by a person. Call report_completed(result: "failed", summary), then stop.'
  if (phases.verifying !== null)
    return `The commands that verify ${phases.phase} are running. Call get_next_action in a moment.`
  // what the phase says is about tasks, and there is none
  const isPlanned = session !== null && nextActionOf(state, session).action === "create_tasks"
  return isPlanned ? actionText(state, act("create_tasks")) : (phase?.instruction ?? "")
}

export const overText = ({ of_process }: SessionState): string =>
  `The session is over. Stop here. ${
    of_process
      ? "For something new that the user asks for, call submit_phase(data={}): a new session begins, and says what to do."
      : "Its token opens nothing any more; for something new the user opens another session."
  }`

/** Facts about all tasks of the run, and the next one of the agent. */
const progressOf = (state: AnyRun, session: SessionState | null): Body => {
  const tasks = tasksOf(state)
  const count = (status: string): number =>
    tasks.filter((task) => assignmentStatusOf(asItStands(state.run, task)) === status).length
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
    all_complete: completed > 0 && completed + cancelled === tasks.length
  }
}
