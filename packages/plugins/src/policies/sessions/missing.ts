import { type TaskState, tasksOf } from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { maxListed } from "../../operations/answers.ts"
import { lineOf } from "../../operations/sizeLimit.ts"
import { isAtEnd, phaseOf } from "./rules/phase.ts"
import type { AnyRun } from "./state.ts"

/** What keeps the work from being shown, task by task and item by item, each with its reason. */
const missingOf = ({ message, reason, spec, items, status, verdict }: TaskState): ReadonlyArray<Body> => {
  const task_id = spec.id
  if (status === "skipped" || status === "failed") {
    return [{ task_id, reason: "withdrawn", message: lineOf(message || reason || "It was withdrawn.", 200) }]
  }
  if (status !== "completed") return [{ task_id, reason: "open", message: "It is not done." }]
  if (items.length === 0) {
    return verdict === "unproven"
      ? [{ task_id, reason: "by_word", message: "It has no checklist, and is done by word alone." }]
      : []
  }
  return items.flatMap(({ item, verdict: shown, weak }): ReadonlyArray<Body> => {
    const [first] = weak
    if (first !== undefined) return [{ task_id, item, reason: first.reason, message: first.message }]
    return shown === "proven" || shown === "waived"
      ? []
      : [{ task_id, item, reason: shown, message: "It is not shown." }]
  })
}

/**
 * What is not shown, where the work seems to be over: told before the run ends, as long as it can be repaired, and again
 * when it has ended without being completed.
 */
export const missingBody = (state: AnyRun): Body => {
  const { phases } = state.sessions
  if (phases === null || state.run.status === "completed") return {}
  const kind = phaseOf(phases, phases.phase)?.kind
  if (kind !== "complete" && kind !== "verify" && !isAtEnd(phases)) return {}
  const missing = tasksOf(state).flatMap(missingOf)
  if (missing.length === 0) return {}
  return {
    missing: missing.slice(0, maxListed),
    ...(missing.length > maxListed ? { missing_left_out: missing.length - maxListed } : {}),
    ...(state.run.status === "running" ? { repair } : {})
  }
}

const repair =
  "This may keep the run from being completed. Before you hand the phase in: report tasks again with better evidence (complete_task), or plan what is missing (submit_phase with tasks)."
