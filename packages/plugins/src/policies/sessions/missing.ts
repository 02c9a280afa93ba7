import type { Body } from "../../operations/Answer.ts"
import { maxListed } from "../../operations/answers.ts"
import { lineOf } from "../../operations/sizeLimit.ts"
import { instructed } from "./rules/instructions.ts"
import { missingIn } from "./rules/missing.ts"
import type { Missing } from "./rules/missingSchema.ts"
import { isAtEnd, phaseOf } from "./rules/phase.ts"
import type { AnyRun } from "./state.ts"

/**
 * What is not shown, where the work seems to be over: told before the run ends, as long as it can be repaired, and again
 * when it has ended without being completed.
 */
export const missingBody = (state: AnyRun): Body => {
  const { phases } = state.sessions
  if (phases === null || state.run.status === "completed") return {}
  const kind = phaseOf(phases, phases.phase)?.kind
  const isEnd = isAtEnd(phases)
  if (kind !== "complete" && kind !== "verify" && !isEnd) return {}
  const missing = missingIn(state)
  if (missing.length === 0) return {}
  return {
    ...missingList(missing),
    ...(state.run.status === "running" ? { repair: isEnd ? repairAtEnd(state) : instructed(state, "repair") } : {})
  }
}

export const missingList = (missing: ReadonlyArray<Missing>): Body => ({
  missing: missing.slice(0, maxListed).map((one) => ({ ...one, message: lineOf(one.message, 200) })),
  ...(missing.length > maxListed ? { missing_left_out: missing.length - maxListed } : {})
})

export const repairAtEnd = (state: Pick<AnyRun, "sessions">): string => instructed(state, "repair_at_end")
