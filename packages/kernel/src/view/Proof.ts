import type { KernelState } from "../composition.ts"
import { proofBy, type RunProof } from "../modules/run/obligations.ts"
import { kindOf } from "../modules/run/points.ts"
import { failedChecksOf } from "../modules/tasks/obligations.ts"
import { tasksOf } from "../modules/tasks/state.ts"
import { withFailedChecks } from "./Standing.ts"

/** What a run has shown so far, said once for every front-end. One that is redacted shows nothing. */
export const proofOf = (state: KernelState): RunProof =>
  withFailedChecks(
    proofBy(kindOf(state)?.obligations?.() ?? [], state.run.status === "completed" && state.run.redacted === null),
    tasksOf(state).reduce((sum, task) => sum + failedChecksOf(task), 0)
  )
