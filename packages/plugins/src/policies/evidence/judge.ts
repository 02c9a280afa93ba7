import type { AttemptState, EvidenceFact, Failure, Receipt, ReportedItem, TaskState } from "@proofline/kernel"
import { Result } from "effect"
import { parse } from "./reference.ts"
import { type Fields, messages, type RejectionKey, render } from "./rejections.ts"

/** A registered item that is shown to be done, or excused. `index` counts the registered items from 0. */
export interface Accepted {
  readonly index: number
  readonly item: string
  readonly status: "done" | "skipped"
  readonly verdict: "proven" | "waived"
  readonly evidence: string | null
  readonly reason: string | null
  readonly receipt: Receipt | null
}

/** `index` is null when the failure belongs to no registered item. */
export interface Refused extends Failure {
  readonly index: number | null
  readonly error: "payload_mismatch"
}

export interface Judgement {
  readonly accepted: ReadonlyArray<Accepted>
  readonly failures: ReadonlyArray<Refused>
}

/** Characters a reason needs; runs of blanks count as one, and none at the ends. */
export const minReasonLength = 10

/**
 * Judges what a report claims of a task's checklist, by the facts alone. Every problem is named at once: what is wrong
 * with the list of items first, then the items in the order of registration. The order of the report means nothing.
 */
export const judge = (
  task: TaskState,
  report: AttemptState["report"],
  facts: ReadonlyArray<EvidenceFact>
): Judgement => {
  const claims = (report?.checklist ?? []).map((reported, index) => ({
    reported,
    fact: facts.find((fact) => fact.index === index)
  }))
  const matching = match(
    task.items.map(({ item }) => item),
    claims
  )
  const judged = matching.claims.map(judgeClaim)
  return {
    accepted: judged.flatMap(({ accepted }) => accepted),
    failures: [...mismatch(matching, report), ...judged.flatMap(({ failures }) => failures)]
  }
}

interface Claim {
  readonly reported: ReportedItem
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

const contentOf = ({ reported: { evidence, item, reason, status } }: Claim): string =>
  JSON.stringify([item, status, evidence ?? null, reason ?? null])

const byContent = (a: Claim, b: Claim): number => {
  const [left, right] = [contentOf(a), contentOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

const mismatch = ({ missing, repeated, unknown }: Matching, report: AttemptState["report"]): ReadonlyArray<Refused> => {
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
): Refused => ({
  index,
  error: "payload_mismatch",
  key,
  item,
  fields: detail === "" || key === "checklist_items_mismatch" ? fields : { ...fields, detail },
  message: [render(messages[key], fields), detail].filter((part) => part !== "").join(" ")
})

/** A claim that belongs to no item is still searched for faults, so that one answer names them all. */
const judgeClaim = (claim: MatchedClaim): Judgement => {
  const { item, status } = claim.reported
  switch (status) {
    case "done":
      return judgeDone(claim)
    case "skipped":
      return judgeSkipped(claim)
    default:
      // also what no schema lets through: a status nobody knows is not an end
      return refused(refuse("checklist_item_pending", claim.index, item, { item }))
  }
}

const judgeDone = (claim: MatchedClaim): Judgement => {
  const { fact, index, reported } = claim
  const { item } = reported
  const evidence = reported.evidence ?? ""
  if (evidence.trim() === "") return refused(refuse("checklist_evidence_required", index, item, { item }))
  const reference = parse(evidence)
  if (Result.isFailure(reference))
    return refused(refuse("checklist_evidence_format_invalid", index, item, { evidence }, reference.failure))
  const { end, path, start } = reference.success
  const notFound = (detail: string) =>
    refused(refuse("checklist_evidence_file_not_found", index, item, { file_path: path }, detail))
  if (fact === undefined || fact.evidence !== evidence) return notFound("Nobody looked at it.")
  switch (fact.outcome) {
    case "ok": {
      const { receipt } = fact
      return receipt === null || receipt.path !== path || receipt.start !== start || receipt.end !== end
        ? notFound("What was read is not what is cited.")
        : accepted(index, { item, status: "done", verdict: "proven", evidence, reason: null, receipt })
    }
    case "format_invalid":
      return refused(refuse("checklist_evidence_format_invalid", index, item, { evidence }, fact.detail))
    case "file_not_found":
      return notFound(fact.detail)
    case "out_of_range": {
      const total = fact.total ?? 0
      const fields = { line: start > total ? start : end, total }
      return refused(refuse("checklist_evidence_line_out_of_range", index, item, fields, fact.detail))
    }
    case "empty":
      return refused(refuse("checklist_evidence_empty_impl", index, item, { evidence }, fact.detail))
  }
}

const judgeSkipped = ({ index, reported }: MatchedClaim): Judgement => {
  const { item } = reported
  const reason = reported.reason ?? ""
  return reasonLength(reason) < minReasonLength
    ? refused(refuse("checklist_reason_required", index, item, { item }))
    : accepted(index, { item, status: "skipped", verdict: "waived", evidence: null, reason, receipt: null })
}

/** Code points a reader can see. */
const reasonLength = (reason: string): number =>
  [
    ...reason
      .replace(/[\s\u2800\u3164\uffa0\u115f\u1160]+/g, " ")
      .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, "")
      .trim()
  ].length

const accepted = (index: number | null, item: Omit<Accepted, "index">): Judgement => ({
  accepted: index === null ? [] : [{ index, ...item }],
  failures: []
})

const refused = (failure: Refused): Judgement => ({ accepted: [], failures: [failure] })
