import { type Rejection, reject } from "@proofline/kernel"
import type { Requirement } from "./definition.ts"
import type { BeginArgs, FactsArgs } from "./requests.ts"
import { type Loop, verifiedNow } from "./state.ts"
import { missingFor } from "./verdict.ts"

/** What comes too late, or was never asked for. */
export const notWaitedFor = (what: string): Rejection =>
  reject("task_not_ready", `The run does not wait for ${what}.`, "Drop this result.")

export const isAwaited = ({ ask, iteration, requirement_id, role, round }: BeginArgs, loop: Loop): boolean => {
  const { stage } = loop
  if (role !== "generate") {
    const question = { iteration, requirement_id: requirement_id ?? "", round }
    if (role === "look") return awaited(loop, question, false) !== null
    return awaited(loop, question, true) !== null && stage._tag === "Verifying" && stage.ask === ask
  }
  return (
    stage._tag === "Generating" &&
    loop.halted === null &&
    stage.ask === ask &&
    iteration === loop.iteration &&
    round === loop.round
  )
}

/** The requirement that is being verified, when it waits for facts, or has them and waits for an opinion. */
export const awaited = (
  loop: Loop,
  { iteration, requirement_id, round }: Pick<FactsArgs, "iteration" | "requirement_id" | "round">,
  hasFacts: boolean
): Requirement | null => {
  const requirement = verifiedNow(loop)
  if (requirement?.id !== requirement_id || loop.halted !== null) return null
  if (iteration !== loop.iteration || round !== loop.round) return null
  return (missingFor(loop, requirement) === null) === hasFacts ? requirement : null
}
