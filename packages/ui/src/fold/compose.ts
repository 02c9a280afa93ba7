/** The rules that fold a run here: the kernel's, and those of the policies that have events of their own. */
import { composePlugins, type KernelState, kernelStateOf, makeManifest } from "@proofline/kernel"
import { escrow } from "@proofline/plugins/policies/escrow"
import { type Loop, requirementsRules } from "@proofline/plugins/policies/requirements"
import { type SessionsState, sessionsRules } from "@proofline/plugins/policies/sessions/rules"

/** What a policy does in the world stays where the world is: here is only how its events are read and folded. */
export const composition = composePlugins([escrow, sessionsRules, requirementsRules])

export const manifest = makeManifest(composition)

interface Policies {
  readonly sessions: SessionsState
  readonly requirements: Loop
}

export type State = KernelState & Policies

/** The slices of a folded run by type. */
export const stateOf = kernelStateOf<Policies>
