import type { KernelState, Snapshot } from "@proofline/kernel"
import type { Loop } from "@proofline/plugins/policies/requirements"
import type { SessionsState } from "@proofline/plugins/policies/sessions"

/** A run as the command line sees it: the slices of the kernel and of the policies that are always there. */
export type State = KernelState & { readonly sessions: SessionsState; readonly requirements: Loop }

/** The slices of a folded run by type. */
export const stateOf = ({ state }: Pick<Snapshot, "state">): State => state as unknown as State
