import type { KernelState } from "../composition.ts"
import { proofBy, type RunProof } from "../modules/run/obligations.ts"
import { kindOf } from "../modules/run/points.ts"

/** What a run has shown so far, said once for every front-end. One that is redacted shows nothing. */
export const proofOf = (state: KernelState): RunProof =>
  proofBy(kindOf(state)?.obligations?.() ?? [], state.run.status === "completed" && state.run.redacted === null)
