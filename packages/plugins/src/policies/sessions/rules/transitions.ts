import type { Fact } from "@proofline/kernel"
import { PhaseEntered } from "./events.ts"
import type { Transition } from "./PhaseContract.ts"
import { countOf } from "./phase.ts"
import type { PhasesState } from "./state.ts"

/** What a transition writes. */
export const enteredBy = (phases: PhasesState, { count, reset, to }: Transition): Fact<"sessions"> =>
  PhaseEntered({
    phase: to,
    from: phases.phase === "" ? null : phases.phase,
    visit: countOf(phases.visits, to) + 1,
    count: count ?? null,
    reset: reset ?? []
  })
