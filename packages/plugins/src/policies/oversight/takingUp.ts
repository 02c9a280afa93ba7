import { type Rejection, rejectConflict, type TakingUp, type TakingUpOptions, takingUpOf } from "@proofline/kernel"
import type { AnyRun } from "../sessions/contract.ts"

/** What a resume for these tasks will do, said before; a rejection where it cannot be. */
export const takingUpIn = (
  state: AnyRun,
  tasks: ReadonlyArray<string>,
  options: TakingUpOptions = {}
): TakingUp | Rejection => {
  const { kind, parent_run_id, run_id } = state.run
  if (state.sessions.phases !== null) {
    return rejectConflict(
      "run_is_session",
      `${run_id} is a session run: agents work on its tasks by themselves.`,
      "Ask the agent that works in it."
    )
  }
  if (kind === "requirements" || parent_run_id !== null) {
    const whole = parent_run_id ?? run_id
    return rejectConflict(
      "task_of_iteration",
      `Run ${whole} works in iterations: what a task run leaves open, it takes up itself, or makes new tasks of it.`,
      `Resume ${whole} without naming a task.`
    )
  }
  return takingUpOf(state, tasks, options)
}
