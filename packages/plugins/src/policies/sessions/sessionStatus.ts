import { asItStands, tasksOf } from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { verificationBody } from "../../operations/excerpts.ts"
import { actionText } from "./actionTexts.ts"
import { missingBody } from "./missing.ts"
import { guideIn } from "./rules/access.ts"
import { assignmentStatusOf } from "./rules/assignment.ts"
import { instructed } from "./rules/instructions.ts"
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
  if (session !== null && session.closed !== null) return overText(state, session)
  const phase = phaseOf(phases, phases.phase)
  if (isEndAwaited(state)) return instructed(state, "judged_again")
  // how it has ended is known to the contract alone: not every end is a success
  if (isAtEnd(phases)) return phase?.instruction.trim() || instructed(state, "phases_done")
  if (state.run.status !== "running") return instructed(state, "run_ended")
  if (phases.verifying !== null) return instructed(state, "verification_running", { phase: phases.phase })
  // what the phase says is about tasks, and there is none
  const isPlanned = session !== null && nextActionOf(state, session).action === "create_tasks"
  return isPlanned ? actionText(state, act("create_tasks")) : (phase?.instruction ?? "")
}

export const overText = (state: AnyRun, { of_process }: SessionState): string =>
  instructed(state, of_process ? "session_over" : "session_over_token")

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
