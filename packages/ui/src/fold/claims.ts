import type { AttemptView, ItemView, Refusal, ReportedItem } from "@proofline/kernel"

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
