import {
  type Accepted,
  type AttemptState,
  type EvidenceFact,
  isLineFact,
  isLineReceipt,
  type KernelState,
  minReasonLength,
  type Receipt,
  type Rejected,
  type ReportedItem,
  reasonLength,
  type TaskState
} from "@proofline/kernel"
import { Result } from "effect"
import type { EvidenceKind } from "./contract.ts"
import { type Fault, receiptOf } from "./fault.ts"
import { citedKind, kindReceiptOf } from "./kinds.ts"
import { type Fields, type RejectionKey, sentence, type Templates } from "./rejections.ts"
import { type Citation, citedElsewhere, sameRange, untouched } from "./weakness.ts"

export interface Judgement {
  readonly accepted: ReadonlyArray<Accepted>
  readonly failures: ReadonlyArray<Rejected>
}

/** How evidence that holds is weighed. */
export interface Weighing {
  /** Refuses what is weak. */
  readonly strict: boolean
  /** What other tasks were accepted with. */
  readonly elsewhere: ReadonlyArray<Citation>
  /** Kinds of evidence beside lines. */
  readonly kinds?: ReadonlyArray<EvidenceKind>
}

/** What the facts show of the checklist of a task, by the settings of its run. */
export const judgeFor = (
  state: KernelState,
  task: TaskState,
  facts: ReadonlyArray<EvidenceFact>,
  kinds: ReadonlyArray<EvidenceKind>
): { readonly accepted: ReadonlyArray<Accepted>; readonly rejected: ReadonlyArray<Rejected> } => {
  const { evidence, messages } = state.run.config
  const elsewhere = citedElsewhere(state, task)
  const { accepted, failures } = judge(task, task.current?.report ?? null, facts, messages, {
    strict: evidence.strict,
    elsewhere,
    kinds
  })
  return { accepted, rejected: failures }
}

/**
 * Judges what a report claims of a task's checklist, by the facts alone. Every problem is named at once: what is wrong
 * with the list of items first, then the items in the order of registration. The order of the report means nothing.
 */
export const judge = (
  task: TaskState,
  report: AttemptState["report"],
  facts: ReadonlyArray<EvidenceFact>,
  templates: Templates = {},
  { elsewhere, kinds = [], strict }: Weighing = { strict: false, elsewhere: [] }
): Judgement => {
  // of two facts about one claim the first counts
  const factOf = new Map(facts.toReversed().map((fact) => [fact.index, fact]))
  const claims = (report?.checklist ?? []).map((reported, index) => ({
    reported,
    content: contentOf(reported),
    fact: factOf.get(index)
  }))
  const matching = match(
    task.items.map(({ item }) => item),
    claims
  )
  const judged = weighed(
    matching.claims.map((claim) => judgeClaim(claim, kinds)),
    elsewhere
  ).map(strict ? withoutWeak : (same) => same)
  return {
    accepted: judged.flatMap(({ accepted }) => accepted),
    failures: [...mismatch(matching, report), ...judged.flatMap(({ failures }) => failures)].map(worded(templates))
  }
}

/** Adds to every item that is shown which other item is shown with the same lines. */
const weighed = (
  judged: ReadonlyArray<ClaimJudgement>,
  elsewhere: ReadonlyArray<Citation>
): ReadonlyArray<ClaimJudgement> => {
  const shown = judged
    .flatMap(({ accepted }) => accepted)
    .flatMap(({ index, item, receipt }) =>
      receipt === null || !isLineReceipt(receipt) ? [] : [{ index, item, task_id: null, receipt }]
    )
  const found = sameRange(shown, elsewhere)
  const same = new Map(shown.map(({ index }, i) => [index, found[i] ?? null]))
  return judged.map(({ accepted, failures }) => ({
    accepted: accepted.map((one) => {
      const weakness = same.get(one.index) ?? null
      return weakness === null ? one : { ...one, weak: [...one.weak, weakness] }
    }),
    failures
  }))
}

const withoutWeak = ({ accepted, failures }: ClaimJudgement): ClaimJudgement => ({
  accepted: accepted.filter(({ weak }) => weak.length === 0),
  failures: [
    ...failures,
    ...accepted
      .filter(({ weak }) => weak.length > 0)
      .map(({ evidence, index, item, weak }) =>
        refuse("checklist_evidence_weak", index, item, {
          evidence: evidence ?? "",
          weakness: weak.map(({ message }) => message).join(" ")
        })
      )
  ]
})

/** A failure that is not put into words yet. */
interface Refusal extends Omit<Rejected, "message" | "key"> {
  readonly key: RejectionKey
  /** What the sentence of the key leaves open; empty: nothing. */
  readonly detail: string
}

interface ClaimJudgement {
  readonly accepted: ReadonlyArray<Accepted>
  readonly failures: ReadonlyArray<Refusal>
}

const worded =
  (templates: Templates) =>
  ({ detail, ...failure }: Refusal): Rejected => ({
    ...failure,
    message: [sentence(templates, failure.key, failure.fields), detail].filter((part) => part !== "").join(" ")
  })

interface Claim {
  readonly reported: ReportedItem
  /** What it says as one text, to order claims by. */
  readonly content: string
  readonly fact: EvidenceFact | undefined
}

/** A claim and the item it speaks of. A contested claim can be refused but not accepted. */
interface MatchedClaim extends Claim {
  readonly index: number | null
}

interface Matching {
  readonly claims: ReadonlyArray<MatchedClaim>
  readonly missing: ReadonlyArray<string>
  readonly unknown: ReadonlyArray<string>
  readonly repeated: ReadonlyArray<string>
}

/**
 * Pairs items and claims of the same text one to one. Where a text is claimed more often than it is registered,
 * nobody can say which claim holds: none of them gets an item.
 */
const match = (items: ReadonlyArray<string>, claims: ReadonlyArray<Claim>): Matching => {
  const indexesByText = Map.groupBy(items.keys(), (index) => items[index] ?? "")
  const claimsByText = Map.groupBy(claims, ({ reported }) => reported.item)
  const surplus = [...claimsByText]
    .filter(([text, same]) => same.length > (indexesByText.get(text)?.length ?? 0))
    .map(([text]) => text)
    .toSorted()
  const matched = [...claimsByText].flatMap(([text, same]) => {
    const indexes = indexesByText.get(text) ?? []
    const contested = same.length > indexes.length
    return same.toSorted(byContent).map((claim, i) => ({ ...claim, index: contested ? null : (indexes[i] ?? null) }))
  })
  return {
    claims: matched.toSorted((a, b) => rank(a) - rank(b) || byContent(a, b)),
    missing: [...indexesByText].flatMap(([text, indexes]) =>
      indexes.slice(claimsByText.get(text)?.length ?? 0).map(() => text)
    ),
    unknown: surplus.filter((text) => !indexesByText.has(text)),
    repeated: surplus.filter((text) => indexesByText.has(text))
  }
}

const rank = ({ index }: MatchedClaim): number => index ?? Number.MAX_SAFE_INTEGER

const contentOf = ({ evidence, item, reason, status }: ReportedItem): string =>
  JSON.stringify([item, status, evidence ?? null, reason ?? null])

const byContent = (a: Claim, b: Claim): number => (a.content < b.content ? -1 : a.content > b.content ? 1 : 0)

const mismatch = ({ missing, repeated, unknown }: Matching, report: AttemptState["report"]): ReadonlyArray<Refusal> => {
  if (missing.length + repeated.length + unknown.length === 0) return []
  // without a checklist the report's own faults are the news, with one they were dealt with
  const problems = report === null ? ["There is no report."] : report.checklist === null ? report.problems : []
  const fields = {
    ...(missing.length > 0 && { missing: listed(missing) }),
    ...(unknown.length > 0 && { unknown: listed(unknown) }),
    ...(repeated.length > 0 && { repeated: listed(repeated) }),
    ...(problems.length > 0 && { problems: problems.join(" ") })
  }
  const details = [
    missing.length > 0 ? `Missing: ${listed(missing)}.` : "",
    unknown.length > 0 ? `Not registered: ${listed(unknown)}.` : "",
    repeated.length > 0 ? `Reported more often than registered: ${listed(repeated)}.` : "",
    ...problems
  ]
  return [refuse("checklist_items_mismatch", null, null, fields, details.filter((detail) => detail !== "").join(" "))]
}

const listed = (texts: ReadonlyArray<string>): string => texts.map((text) => `'${text}'`).join(", ")

const refuse = (
  key: RejectionKey,
  index: number | null,
  item: string | null,
  fields: Fields,
  detail = ""
): Refusal => ({
  index,
  error: "payload_mismatch",
  key,
  item,
  fields: detail === "" || key === "checklist_items_mismatch" ? fields : { ...fields, detail },
  detail
})

/** A claim that belongs to no item is still searched for faults, so that one answer names them all. */
const judgeClaim = (claim: MatchedClaim, kinds: ReadonlyArray<EvidenceKind>): ClaimJudgement => {
  const { item, status } = claim.reported
  switch (status) {
    case "done":
      return judgeDone(claim, kinds)
    case "skipped":
      return judgeSkipped(claim)
    default:
      // also what no schema lets through: a status nobody knows is not an end
      return refused(refuse("checklist_item_pending", claim.index, item, { item }))
  }
}

const judgeDone = ({ fact, index, reported }: MatchedClaim, kinds: ReadonlyArray<EvidenceKind>): ClaimJudgement => {
  const { item } = reported
  const evidence = reported.evidence ?? ""
  const cited = citedKind(kinds, evidence)
  const shown: Result.Result<Receipt, Fault> =
    cited === null ? receiptOf(evidence, item, fact) : kindReceiptOf(cited, evidence, item, fact)
  return Result.match(shown, {
    onSuccess: (receipt) => {
      const weak = fact !== undefined && isLineFact(fact) && fact.untouched === true ? [untouched] : []
      return accepted(index, { item, status: "done", verdict: "proven", evidence, reason: null, receipt, weak })
    },
    onFailure: ({ detail, fields, key }) => refused(refuse(key, index, item, fields, detail))
  })
}

const judgeSkipped = ({ index, reported }: MatchedClaim): ClaimJudgement => {
  const { item } = reported
  const reason = reported.reason ?? ""
  return reasonLength(reason) < minReasonLength
    ? refused(refuse("checklist_reason_required", index, item, { item }))
    : accepted(index, { item, status: "skipped", verdict: "waived", evidence: null, reason, receipt: null, weak: [] })
}

const accepted = (index: number | null, item: Omit<Accepted, "index">): ClaimJudgement => ({
  accepted: index === null ? [] : [{ index, ...item }],
  failures: []
})

const refused = (failure: Refusal): ClaimJudgement => ({ accepted: [], failures: [failure] })
