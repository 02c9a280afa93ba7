import { tasksOf } from "@proofline/kernel"
import { isProven } from "./missing.ts"
import { isAtEnd, isStopped } from "./phase.ts"
import type { PhasesState, SessionsView } from "./state.ts"

/**
 * The run is at the end of its phases, and goes on all the same: something is not shown, and whoever is there has not
 * said that this is all. What is missing can still be repaired.
 */
export const isHeld = (state: SessionsView, phases: PhasesState): boolean =>
  state.run.status === "running" &&
  isAtEnd(phases) &&
  !isStopped(phases) &&
  !phases.is_given_up &&
  tasksOf(state).length > 0 &&
  phases.sessions.some(({ closed }) => closed === null) &&
  !isProven(state, phases)
