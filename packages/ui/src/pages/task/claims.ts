import {
  type AttemptView,
  type CheckRun,
  hasPassed,
  type ItemView,
  type Refusal,
  type ReportedItem,
  type TaskView
} from "@proofline/kernel"

/** A claim with what became of it. */
export interface ClaimRow {
  /** As it was reported; null: the item was refused without a claim. */
  readonly claim: ReportedItem | null
  /** The item it is about. */
  readonly item: string
  /** Of the registered item; null: it is about none. */
  readonly index: number | null
  /** Null: nobody has decided. */
  readonly outcome: "accepted" | "refused" | null
  readonly refusals: ReadonlyArray<Refusal>
}

/**
 * The claims of an attempt in the order of the checklist, then those about no registered item. Claims and items of the
 * same text are paired one to one, as the judge pairs them; where a text was claimed more often than it is registered,
 * no claim has an item. `rest`: refusals of the report as a whole.
 */
export const claimsOf = (
  checklist: ReadonlyArray<Pick<ItemView, "item">>,
  { accepted, claims, refusals }: Pick<AttemptView, "accepted" | "claims" | "refusals">
): { readonly rows: ReadonlyArray<ClaimRow>; readonly rest: ReadonlyArray<Refusal> } => {
  const indexes = Map.groupBy(checklist.keys(), (index) => checklist[index]?.item ?? "")
  const byText = Map.groupBy(claims ?? [], ({ item }) => item)
  const matched = [...byText].flatMap(([item, same]) => {
    const own = indexes.get(item) ?? []
    const isContested = same.length > own.length
    return same.toSorted(byContent).map((claim, i) => ({ claim, item, index: isContested ? null : (own[i] ?? null) }))
  })
  const claimed = new Set(matched.map(({ index }) => index))
  const unclaimed = [...new Set([...refusals.map(({ index }) => index), ...accepted])]
    .filter((index) => index !== null && !claimed.has(index))
    .map((index) => ({ claim: null, item: checklist[index ?? 0]?.item ?? "", index }))
  const rows = [...matched, ...unclaimed].map(({ claim, index, item }): ClaimRow => {
    const own = refusals.filter((refusal) =>
      index === null ? refusal.index === null && refusal.item === item : refusal.index === index
    )
    const isAccepted = index !== null && accepted.includes(index)
    return { claim, item, index, refusals: own, outcome: own.length > 0 ? "refused" : isAccepted ? "accepted" : null }
  })
  const shown = new Set(rows.flatMap((row) => row.refusals))
  return { rows: rows.toSorted((a, b) => rank(a) - rank(b)), rest: refusals.filter((refusal) => !shown.has(refusal)) }
}

const rank = ({ index }: ClaimRow): number => index ?? Number.MAX_SAFE_INTEGER

const contentOf = ({ evidence, item, reason, status }: ReportedItem): string =>
  JSON.stringify([item, status, evidence ?? null, reason ?? null])

const byContent = (a: ReportedItem, b: ReportedItem): number =>
  contentOf(a) < contentOf(b) ? -1 : contentOf(a) > contentOf(b) ? 1 : 0

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
