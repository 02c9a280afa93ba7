import { type AttemptView, type CheckRun, hasPassed, type ItemView, type TaskView } from "@proofline/kernel"
import { type ClaimRow, claimsOf } from "../../fold/claims.ts"

/** What one attempt did about one item. */
export interface Trial {
  readonly attempt: number
  readonly row: ClaimRow
  /** Commands of the item that did not pass. */
  readonly failed: ReadonlyArray<CheckRun>
}

/** For every item, by its index: the attempts in which it was refused or one of its checks failed, newest first. */
export const trialsOf = (
  checklist: ReadonlyArray<Pick<ItemView, "item">>,
  history: ReadonlyArray<AttemptView>
): ReadonlyArray<ReadonlyArray<Trial>> => {
  const trials = checklist.map((): Array<Trial> => [])
  for (const attempt of history.toReversed()) {
    const rows = new Map(claimsOf(checklist, attempt).rows.map((row) => [row.index, row]))
    const failed = Map.groupBy(
      attempt.checks.filter((check) => !hasPassed(check)),
      ({ item_index }) => item_index
    )
    for (const [index, { item }] of checklist.entries()) {
      const row = rows.get(index)
      const checks = failed.get(index) ?? []
      if (row?.outcome !== "refused" && checks.length === 0) continue
      trials[index]?.push({
        attempt: attempt.attempt,
        row: row ?? { claim: null, item, index, outcome: null, refusals: [] },
        failed: checks
      })
    }
  }
  return trials
}

/** What became of an attempt, as a status for a badge and in words: that an agent came to its end says little. */
export const becameOf = ({
  cancelled,
  ended_at,
  judgment,
  outcome,
  passed,
  refusals
}: Pick<AttemptView, "cancelled" | "ended_at" | "judgment" | "outcome" | "passed" | "refusals">): readonly [
  status: string,
  label: string
] => {
  if (cancelled !== null) return ["cancelled", "taken back"]
  if (outcome === null) return ended_at === null ? ["running", "running"] : ["pending", "ended"]
  if (refusals.length > 0) return ["refuted", "claims refused"]
  if (outcome !== "COMPLETE") return [outcome, outcome]
  if (passed === false) return ["refuted", "checks not passed"]
  if (judgment !== null && judgment.judgment !== "PASS") return [judgment.judgment, `review: ${judgment.judgment}`]
  return ["COMPLETE", "COMPLETE"]
}

/** Why an item is open of which no claim was refused, in words that fit the attempts below it; null: the item says it. */
export const openNote = (
  { index, status }: Pick<ItemView, "index" | "status">,
  checklist: ReadonlyArray<Pick<ItemView, "item">>,
  { history, subtasks }: Pick<TaskView, "history" | "subtasks">
): string | null => {
  // why is said beside it
  if (status === "cannot") return null
  const [last] = history.slice(-1)
  if (last === undefined) {
    return subtasks.length > 0 ? "It is shown by the parts of the task." : "Nobody has worked on it so far."
  }
  const claiming = history.findLast(({ accepted, claims, refusals }) =>
    claimsOf(checklist, { accepted, claims, refusals }).rows.some((row) => row.index === index && row.claim !== null)
  )
  if (last.ended_at === null && claiming !== last) return `Attempt ${last.attempt} is at work and has not claimed it.`
  if (claiming !== undefined) {
    return claiming.accepted.includes(index)
      ? `It was accepted in attempt ${claiming.attempt}, and that does not hold any more.`
      : `Attempt ${claiming.attempt} claimed it; nothing was decided about the claim.`
  }
  return history.length === 1
    ? "The one attempt did not claim it."
    : `None of the ${history.length} attempts claimed it.`
}
