import { type KernelState, kernelStateOf } from "@proofline/kernel"
import type { SessionsView } from "./rules/state.ts"

/** A run as it is seen by those who answer agents and people: the kernel's slices and that of session runs. */
export type AnyRun = KernelState & SessionsView

/** The run of a snapshot. Whoever answers is never there without the plugin of session runs. */
export const runIn = kernelStateOf<SessionsView>
