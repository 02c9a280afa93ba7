/** The rules that fold a run here: the kernel's, and those of the policies that have events of their own. */
import { composePlugins, type KernelState, makeManifest, type Snapshot } from "@proofline/kernel"
import { type Loop, requirementsRules } from "@proofline/plugins/policies/requirements"
import { type SessionsState, sessionsRules } from "@proofline/plugins/policies/sessions/rules"

/** What a policy does in the world stays where the world is: here is only how its events are read and folded. */
export const composition = composePlugins([sessionsRules, requirementsRules])

export const manifest = makeManifest(composition)

export type State = KernelState & { readonly sessions: SessionsState; readonly requirements: Loop }

/** The slices of a folded run by type. */
export const stateOf = ({ state }: Pick<Snapshot, "state">): State => state as unknown as State
