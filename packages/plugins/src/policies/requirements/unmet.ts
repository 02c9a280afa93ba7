import type { Fact } from "@proofline/kernel"
import type { ContentOf } from "./contents.ts"
import { RequirementsUnmet } from "./events.ts"
import { isMet } from "./next.ts"
import type { Loop } from "./state.ts"

/** The loop ends, and these requirements are not met. */
export const unmet = (
  loop: Loop,
  reason: ContentOf<"REQUIREMENTS_UNMET">["reason"],
  message: string
): Fact<"requirements"> =>
  RequirementsUnmet({
    iteration: loop.iteration,
    reason,
    message,
    unmet: (loop.definition?.requirements ?? []).filter((requirement) => !isMet(loop, requirement)).map(({ id }) => id)
  })
