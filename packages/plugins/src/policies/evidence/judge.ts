import {
  type Accepted,
  type AskedItem,
  type AttemptState,
  allowedWaivers,
  carriedBy,
  type EvidenceFact,
  type ItemState,
  isLineFact,
  isWaivedByPerson,
  type KernelState,
  lostOf,
  minReasonLength,
  type ProofConfig,
  type Receipt,
  type Rejected,
  type ReportedItem,
  reasonLength,
  type TaskState
} from "@proofline/kernel"
import { Result } from "effect"
import { saysRemoval } from "./asked/removals.ts"
import type { EvidenceKind } from "./contract.ts"
import { emptyKeys, isNoStub, receiptOf } from "./fault.ts"
import { citedKind, kindReceiptOf } from "./kinds.ts"
import { type Circumstances, kindCited, kindReasonsOf, type Reason, reasonsOf, unaccepted } from "./reasons.ts"
import { type Fault, type Fields, type RejectionKey, sentence, type Templates } from "./rejections.ts"
import { type Cited, lineCited, type Showing } from "./shown.ts"
import { citedByOthers, untouched } from "./weakness.ts"

export interface Judgement {
  readonly accepted: ReadonlyArray<Accepted>
  /** What the agent says it cannot do, with a reason, and evidence that is there where it names some. */
  readonly cannot: ReadonlyArray<AskedItem>
  readonly failures: ReadonlyArray<Rejected>
}

/** How evidence that holds is weighed. */
export interface Weighing {
  readonly proof: ProofConfig
  /** What other tasks were accepted with, as it was found. */
  readonly cited?: ReadonlyArray<Cited>
  /** Kinds of evidence beside lines. */
  readonly kinds?: ReadonlyArray<EvidenceKind>
  /** Items of which a person has said in a part of the task that they are not needed, by index; left out: none. */
  readonly excused?: (index: number) => boolean
  /** What a part had shown of an item, and does not hold any more; left out: of none. */
  readonly lost?: (index: number) => { readonly evidence: string; readonly why: string } | null
}

/** What a report is compared with: the items of a task. */
export interface Asked {
  readonly items: ReadonlyArray<
    Pick<ItemState, "item" | "existing"> & Partial<Pick<ItemState, "answer" | "evidence" | "reason" | "status">>
  >
}

/** What the facts show of the checklist of a task, by the settings of its run. */
export const judgeFor = (
  state: KernelState,
  task: TaskState,
  facts: ReadonlyArray<EvidenceFact>,
  kinds: ReadonlyArray<EvidenceKind>
): Omit<Judgement, "failures"> & { readonly rejected: ReadonlyArray<Rejected> } => {
  const { evidence, messages, proof } = state.run.config
  const { failures, ...judged } = judge(task, task.current?.report ?? null, facts, messages, {
    kinds,
    proof: evidence.strict ? { ...proof, accept: [] } : proof,
    cited: citedByOthers(state, task, kinds),
    excused: (index) => isWaivedByPerson(carriedBy(state, task, index) ?? {}),
    lost: (index) => lostOf(state, task, index)
  })
  return { ...judged, rejected: failures }
}

/**
 * Judges what a report claims of a task's checklist, by the facts alone. Every problem is named at once: what is wrong
 * with the list of items first, then the items in the order of registration. The order of the report means nothing.
 */
export const judge = (
  task: Asked,
  report: AttemptState["report"],
  facts: ReadonlyArray<EvidenceFact>,
  templates: Templates,
  { cited = [], excused, kinds = [], lost = () => null, proof }: Weighing
): Judgement => {
  // of two facts about one claim the first counts
  const factOf = new Map(facts.toReversed().map((fact) => [fact.index, fact]))
  const claims = (report?.checklist ?? []).map((reported, index) => ({
    reported,
    content: contentOf(reported),
    fact: factOf.get(index)
  }))
  const matching = match(task.items, claims)
  const isCannot = ({ reported }: Claim): boolean => reported.status === "cannot"
  const claimed = matching.claims
    .filter((claim) => !isCannot(claim))
    .map((claim) => judgeLost(claim, lost) ?? judgeClaim(claim, kinds, isExisting(task, claim)))
  const impossible = matching.claims.filter(isCannot).map((claim) => judgeCannot(claim, kinds))
  const judged = byReasons(claimed, { task, matching, proof, kinds, cited })
  const accepted = judged.flatMap((one) => one.accepted)
  return {
    accepted,
    cannot: [...impossible.flatMap((one) => one.cannot), ...matching.stands].toSorted((a, b) => a.index - b.index),
    failures: [
      ...mismatch(matching, report),
      ...[...judged, ...impossible].flatMap(({ failures }) => failures).toSorted(byIndex),
      ...tooManyWaived(task, accepted, proof, excused)
    ].map(worded(templates))
  }
}

/** What it asks for may have been there before. */
const isExisting = ({ items }: Asked, { index }: MatchedClaim): boolean =>
  index !== null && items[index]?.existing === true

const byIndex = (a: Refusal, b: Refusal): number => rank(a) - rank(b)

interface Known {
  readonly task: Asked
  readonly matching: Matching
  readonly proof: ProofConfig
  readonly kinds: ReadonlyArray<EvidenceKind>
  readonly cited: ReadonlyArray<Cited>
}

/** Refuses evidence for the reasons that speak against it; where the user accepts all of them it is weak. */
const byReasons = (
  judged: ReadonlyArray<ClaimJudgement>,
  { cited, kinds, matching, proof, task }: Known
): ReadonlyArray<ClaimJudgement> => {
  const facts = new Map(matching.claims.flatMap(({ fact, index }) => (index === null ? [] : [[index, fact] as const])))
  const own = judged
    .flatMap(({ accepted }) => accepted)
    .flatMap((one) => {
      const found = citedBy(kinds, one, facts.get(one.index))
      return found === null ? [] : [{ index: one.index, item: one.item, task_id: null, ...found }]
    })
  const sharing = sharingIn([...own, ...cited])
  const ownOf = new Map(own.map((one) => [one.index, one]))
  const weigh = (one: Accepted): ClaimJudgement => {
    const fact = facts.get(one.index)
    if (one.status !== "done" || fact === undefined) return { accepted: [one], failures: [] }
    const reasons = reasonsFor(kinds, one, fact, {
      existing: task.items[one.index]?.existing === true,
      others: sharing(ownOf.get(one.index))
    })
    const open = unaccepted(reasons, proof)
    if (open.length > 0) return refused(weakRefusal(one, open))
    return { accepted: [reasons.length === 0 ? one : { ...one, verdict: "weak", weak: reasons }], failures: [] }
  }
  return judged.map(({ accepted, failures }) => {
    const found = accepted.map(weigh)
    return {
      accepted: found.flatMap((one) => one.accepted),
      failures: [...failures, ...found.flatMap((one) => one.failures)]
    }
  })
}

/** What is cited beside what an item cites of the same file and shows some of the same. Looked up: a task may have thousands of items. */
const sharingIn = (all: ReadonlyArray<Cited>) => {
  const places = new Map<string, Array<number>>()
  const keyOf = (path: string, name: string): string => JSON.stringify([path, name])
  for (const [at, { path, shows }] of all.entries()) {
    for (const key of new Set(shows.map((name) => keyOf(path, name)))) {
      const known = places.get(key)
      if (known === undefined) places.set(key, [at])
      else known.push(at)
    }
  }
  return (mine: Cited | undefined): ReadonlyArray<Cited> =>
    mine === undefined
      ? all
      : [...new Set(mine.shows.flatMap((name) => places.get(keyOf(mine.path, name)) ?? []))]
          .sort((a, b) => a - b)
          .flatMap((at) => (all[at] === undefined || all[at] === mine ? [] : [all[at]]))
}

const citedBy = (
  kinds: ReadonlyArray<EvidenceKind>,
  { evidence, item, status }: Accepted,
  fact: EvidenceFact | undefined
): Showing | null => {
  if (status !== "done" || evidence === null || fact === undefined) return null
  if (isLineFact(fact)) return lineCited(fact)
  const cited = citedKind(kinds, evidence)
  return cited === null ? null : kindCited(cited, evidence, item, fact)
}

const reasonsFor = (
  kinds: ReadonlyArray<EvidenceKind>,
  { evidence, item }: Accepted,
  fact: EvidenceFact,
  circumstances: Circumstances
): ReadonlyArray<Reason> => {
  if (isLineFact(fact)) return reasonsOf(fact, circumstances)
  const cited = citedKind(kinds, evidence ?? "")
  const shown = cited === null ? null : Result.getOrNull(kindReceiptOf(cited, evidence ?? "", item, fact))
  return cited === null || shown === null ? [] : kindReasonsOf(cited, fact, shown.verdict, circumstances)
}

const weakRefusal = ({ evidence, index, item }: Accepted, reasons: ReadonlyArray<Reason>): Refusal =>
  refuse("checklist_evidence_weak", index, item, {
    evidence: evidence ?? "",
    weakness: reasons.map(({ message }) => message).join(" "),
    reasons: reasons.map(({ reason }) => reason).join(", ")
  })

const tooManyWaived = (
  { items }: Asked,
  accepted: ReadonlyArray<Accepted>,
  proof: ProofConfig,
  excused: Weighing["excused"] = () => false
): ReadonlyArray<Refusal> => {
  const waived = accepted.filter(({ index, verdict }) => verdict === "waived" && !excused(index))
  const most = allowedWaivers(items.length, proof)
  return waived.length <= most
    ? []
    : [
        refuse("checklist_waived_too_many", null, null, {
          waived: waived.length,
          total: items.length,
          allowed: most,
          items: listed(waived.map(({ item }) => item))
        })
      ]
}

/** A failure that is not put into words yet. */
interface Refusal extends Omit<Rejected, "message" | "key"> {
  readonly key: RejectionKey
  /** What the sentence of the key leaves open; empty: nothing. */
  readonly detail: string
  /** What is to be known before the sentence of the key; left out: nothing. */
  readonly lead?: string
}

interface ClaimJudgement {
  readonly accepted: ReadonlyArray<Accepted>
  readonly failures: ReadonlyArray<Refusal>
}

const worded =
  (templates: Templates) =>
  ({ detail, lead = "", ...failure }: Refusal): Rejected => ({
    ...failure,
    message: [lead, sentence(templates, failure.key, failure.fields), detail].filter((part) => part !== "").join(" ")
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
  /** Reported before as what cannot be done, and not spoken of now. */
  readonly stands: ReadonlyArray<AskedItem>
  readonly missing: ReadonlyArray<string>
  readonly unknown: ReadonlyArray<string>
  readonly repeated: ReadonlyArray<string>
}

/** Blanks around a text and how its letters are composed are not what an item says. */
const spelled = (text: string): string => text.normalize("NFC").trim()

/**
 * Pairs items and claims of the same text one to one. Where a text is claimed more often than it is registered,
 * nobody can say which claim holds: none of them gets an item. What a person has waived needs no claim, and gets none.
 */
const match = (items: Asked["items"], claims: ReadonlyArray<Claim>): Matching => {
  const asked = [...items.entries()].filter(([, item]) => !isWaivedByPerson(item))
  // those that may be left out are claimed last
  const inTurn = asked.toSorted(([, a], [, b]) => Number(mayStand(a)) - Number(mayStand(b)))
  const indexesByText = new Map(
    [...Map.groupBy(inTurn, ([, { item }]) => spelled(item))].map(([text, same]) => [
      text,
      same.map(([index]) => index)
    ])
  )
  const waivedByText = Map.groupBy(items.filter(isWaivedByPerson), ({ item }) => spelled(item))
  const claimsByText = Map.groupBy(claims, ({ reported }) => spelled(reported.item))
  const wanted = [...claimsByText].map(([text, same]) => {
    const most = indexesByText.get(text)?.length ?? 0
    const surplus = Math.min(Math.max(0, same.length - most), waivedByText.get(text)?.length ?? 0)
    return [text, same.slice(0, same.length - surplus)] as const
  })
  const surplus = wanted
    .filter(([text, same]) => same.length > (indexesByText.get(text)?.length ?? 0))
    .map(([text]) => text)
    .toSorted()
  const matched = wanted.flatMap(([text, same]) => {
    const indexes = indexesByText.get(text) ?? []
    const contested = same.length > indexes.length
    return same.toSorted(byContent).map((claim, i) => {
      const index = contested ? null : (indexes[i] ?? null)
      const item = items[index ?? indexes[0] ?? -1]?.item ?? claim.reported.item
      return { ...claim, reported: { ...claim.reported, item }, index }
    })
  })
  const left = [...indexesByText].flatMap(([text, indexes]) => indexes.slice(claimsByText.get(text)?.length ?? 0))
  return {
    claims: matched.toSorted((a, b) => rank(a) - rank(b) || byContent(a, b)),
    stands: left.flatMap((index) => standing(index, items[index])),
    missing: left.flatMap((index) => {
      const item = items[index]
      return item === undefined || mayStand(item) ? [] : [item.item]
    }),
    unknown: surplus.filter((text) => !indexesByText.has(text)),
    repeated: surplus.filter((text) => indexesByText.has(text))
  }
}

/** It was reported as what cannot be done, and nobody has said yet how it goes on. */
const mayStand = ({ answer, status }: Asked["items"][number]): boolean => status === "cannot" && answer === undefined

const standing = (index: number, item: Asked["items"][number] | undefined): ReadonlyArray<AskedItem> =>
  item === undefined || !mayStand(item)
    ? []
    : [{ index, item: item.item, reason: item.reason ?? "", evidence: item.evidence ?? null }]

const rank = ({ index }: Pick<MatchedClaim, "index">): number => index ?? Number.MAX_SAFE_INTEGER

const contentOf = ({ evidence, item, reason, status }: ReportedItem): string =>
  JSON.stringify([item, status, evidence ?? null, reason ?? null])

const byContent = (a: Claim, b: Claim): number => (a.content < b.content ? -1 : a.content > b.content ? 1 : 0)

const mismatch = ({ missing, repeated, unknown }: Matching, report: AttemptState["report"]): ReadonlyArray<Refusal> => {
  const problems = report === null ? ["There is no report."] : report.problems
  // of a report without items that nobody asked for, nothing is to be judged
  const isWhole = problems.length === 0 || report === null || report.checklist === null
  if (missing.length + repeated.length + unknown.length === 0 && isWhole) return []
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

/** Nobody has cited anything for the whole: what a part had cited is gone, and that is said. */
const judgeLost = (
  { index, reported: { evidence = null, item, status } }: MatchedClaim,
  lost: NonNullable<Weighing["lost"]>
): ClaimJudgement | null => {
  const found = index === null || status !== "done" || evidence !== null ? null : lost(index)
  return found === null ? null : refused(refuse("checklist_evidence_stale", index, item, { ...found }))
}

/** A claim that belongs to no item is still searched for faults, so that one answer names them all. */
const judgeClaim = (claim: MatchedClaim, kinds: ReadonlyArray<EvidenceKind>, existing: boolean): ClaimJudgement => {
  const { item, status } = claim.reported
  switch (status) {
    case "done":
      return judgeDone(claim, kinds, existing)
    case "skipped":
      return judgeSkipped(claim)
    default:
      // also what no schema lets through: a status nobody knows is not an end
      return refused(refuse("checklist_item_pending", claim.index, item, { item }))
  }
}

const judgeDone = (
  { fact, index, reported }: MatchedClaim,
  kinds: ReadonlyArray<EvidenceKind>,
  existing: boolean
): ClaimJudgement => {
  const { item } = reported
  const evidence = reported.evidence ?? ""
  // a log of before there was the kind has looked for lines
  const cited = fact !== undefined && isLineFact(fact) ? null : citedKind(kinds, evidence)
  const shown: Result.Result<Shown, Fault> =
    cited === null
      ? Result.map(receiptOf(evidence, item, fact), (receipt) => ({
          receipt,
          // what may have been there before is noted; of all else it is a reason, or does not matter
          weak: existing ? untouchedIn(fact) : []
        }))
      : Result.map(kindReceiptOf(cited, evidence, item, fact), ({ receipt }) => ({ receipt, weak: [] }))
  return Result.match(shown, {
    onSuccess: ({ receipt, weak }) =>
      accepted(index, { item, status: "done", verdict: "proven", evidence, reason: null, receipt, weak }),
    onFailure: ({ detail, fields, key }) =>
      refused({ ...refuse(key, index, item, fields, detail), ...(existing ? {} : leadOf(key, fact, detail)) })
  })
}

/**
 * Where nothing was written, that comes first, and with it what the lines hold; and so does that they hold something else
 * than the sentence of the key speaks of.
 */
const leadOf = (
  key: RejectionKey,
  fact: EvidenceFact | undefined,
  detail: string
): Pick<Refusal, "lead"> & Partial<Pick<Refusal, "detail">> => {
  if (key !== "checklist_evidence_empty_impl") return {}
  const isRemoval = saysRemoval(detail)
  if (untouchedIn(fact).length > 0) {
    const cause = detail === "" ? untouched.message : `${untouched.message} ${detail}`
    return { lead: isRemoval ? cause : `${cause} Cite lines that were written for this item.`, detail: "" }
  }
  return isRemoval || isNoStub(detail) ? { lead: detail, detail: "" } : {}
}

interface Shown {
  readonly receipt: Receipt
  readonly weak: Accepted["weak"]
}

const untouchedIn = (fact: EvidenceFact | undefined): Accepted["weak"] =>
  fact !== undefined && isLineFact(fact) && fact.untouched === true ? [untouched] : []

/** What an agent cannot do: it says why, and what it cites is there. */
const judgeCannot = (
  { fact, index, reported }: MatchedClaim,
  kinds: ReadonlyArray<EvidenceKind>
): Pick<Judgement, "cannot"> & Pick<ClaimJudgement, "failures"> => {
  const { item } = reported
  const reason = reported.reason ?? ""
  const evidence = (reported.evidence ?? "").trim() === "" ? null : (reported.evidence ?? null)
  const fault = evidence === null ? null : faultOfCited(evidence, item, fact, kinds)
  const failures = [
    ...(saysSomething(reason) ? [] : [refuse("checklist_cannot_reason_required", index, item, { item })]),
    ...(fault === null ? [] : [refuse(fault.key, index, item, fault.fields, fault.detail)])
  ]
  return { cannot: index === null || failures.length > 0 ? [] : [{ index, item, reason, evidence }], failures }
}

/** Why what is cited is not there; null: it is, whatever it holds. */
const faultOfCited = (
  evidence: string,
  item: string,
  fact: EvidenceFact | undefined,
  kinds: ReadonlyArray<EvidenceKind>
): Fault | null => {
  const cited = fact !== undefined && isLineFact(fact) ? null : citedKind(kinds, evidence)
  const shown: Result.Result<unknown, Fault> =
    cited === null ? receiptOf(evidence, item, fact) : kindReceiptOf(cited, evidence, item, fact)
  const fault = Result.isFailure(shown) ? shown.failure : null
  return fault === null || emptyKeys.has(fault.key) ? null : fault
}

/** Characters that differ from each other in a reason; one letter repeated says nothing. */
const minDistinct = 4

const isFiller = (reason: string): boolean =>
  new Set(reason.replace(/[\s\p{P}]/gu, "").toLowerCase()).size < minDistinct

/** A reason of substance. */
const saysSomething = (reason: string): boolean => reasonLength(reason) >= minReasonLength && !isFiller(reason)

const judgeSkipped = ({ index, reported }: MatchedClaim): ClaimJudgement => {
  const { item } = reported
  const reason = reported.reason ?? ""
  if (reasonLength(reason) < minReasonLength) return refused(refuse("checklist_reason_required", index, item, { item }))
  return isFiller(reason)
    ? refused(refuse("checklist_reason_required", index, item, { item }, "What was given says nothing."))
    : accepted(index, { item, status: "skipped", verdict: "waived", evidence: null, reason, receipt: null, weak: [] })
}

const accepted = (index: number | null, item: Omit<Accepted, "index">): ClaimJudgement => ({
  accepted: index === null ? [] : [{ index, ...item }],
  failures: []
})

const refused = (failure: Refusal): ClaimJudgement => ({ accepted: [], failures: [failure] })
