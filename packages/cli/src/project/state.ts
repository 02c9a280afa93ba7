import { type KernelState, kernelStateOf } from "@proofline/kernel"
import type { Loop } from "@proofline/plugins/policies/requirements"
import type { SessionsState } from "@proofline/plugins/policies/sessions"

interface Policies {
  readonly sessions: SessionsState
  readonly requirements: Loop
}

/** A run as the command line sees it: the slices of the kernel and of the policies that are always there. */
export type State = KernelState & Policies

/** The slices of a folded run by type. */
export const stateOf = kernelStateOf<Policies>
