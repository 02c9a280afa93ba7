/** What was decided about claims, and whether that has turned out to be right. */

import { asKernelEvent, type KernelEvent } from "../composition.ts"
import type { AnyEvent } from "../core/contract.ts"
import { evidenceStale } from "../modules/tasks/events.ts"
import { isLineReceipt, type Receipt } from "../modules/tasks/Report.ts"
import type { EvidenceFact } from "../modules/tasks/schemas.ts"
import { isLineFact } from "../modules/tasks/schemas.ts"

/** `open`: neither; what it still waits for is not in the log. */
export type DecisionOutcome = "accepted" | "refused" | "open"

/** Of an item that is claimed to be done, or of an attempt as a whole. */
export interface ClaimDecision {
  readonly task_id: string
  /** Null: an attempt. */
  readonly index: number | null
  readonly item: string | null
  readonly evidence: string | null
  readonly outcome: DecisionOutcome
  /** Why it was refused; of what was accepted why it is weak. */
  readonly reasons: ReadonlyArray<string>
}

const keyOf = ({ index, task_id }: Pick<ClaimDecision, "index" | "task_id">): string => JSON.stringify([task_id, index])

/** The task and the attempt that a command judged; null: it judged none. */
export const judgedIn = (
  events: ReadonlyArray<AnyEvent>
): { readonly task_id: string; readonly attempt: number } | null => {
  const head = events.map(asKernelEvent).find(({ type }) => judging.has(type))
  if (head === undefined) return null
  const { attempt, task_id } = head.content as { readonly task_id: string; readonly attempt: number }
  return { task_id, attempt }
}

const judging: ReadonlySet<string> = new Set(["EVIDENCE_CHECKED", "VERIFICATION_RUN", "QUALITY_JUDGMENT"])

/** What these events decide about claims that an item is done, and about the attempt. */
export const decisionsIn = (events: ReadonlyArray<AnyEvent>, task_id: string): ReadonlyMap<string, ClaimDecision> => {
  const known = events.map(asKernelEvent)
  const items = known.flatMap((event) => itemDecision(event) ?? [])
  const whole: ClaimDecision = { task_id, index: null, item: null, evidence: null, ...wholeOutcome(known, task_id) }
  return new Map([...items.filter((one) => one.task_id === task_id), whole].map((one) => [keyOf(one), one]))
}

const itemDecision = ({ content, type }: KernelEvent): ClaimDecision | null => {
  if (type === "CHECKLIST_ITEM_ACCEPTED" && content.status === "done") {
    const { evidence, index, item, task_id, weak } = content
    return { task_id, index, item, evidence, outcome: "accepted", reasons: weak.map(({ reason }) => reason) }
  }
  if (type !== "CHECKLIST_ITEM_REJECTED" || content.index === null || content.key === evidenceStale) return null
  const { fields, index, item, key, task_id } = content
  const evidence = typeof fields["evidence"] === "string" ? fields["evidence"] : null
  return { task_id, index, item, evidence, outcome: "refused", reasons: reasonsOf(key, fields["reasons"]) }
}

/** The reasons of weak evidence, or the failure key. */
export const reasonsOf = (key: string, reasons: unknown): ReadonlyArray<string> =>
  typeof reasons === "string" ? reasons.split(", ") : [key]

const wholeOutcome = (
  events: ReadonlyArray<KernelEvent>,
  task_id: string
): Pick<ClaimDecision, "outcome" | "reasons"> => {
  for (const { content, type } of events.toReversed()) {
    switch (type) {
      case "TASK_COMPLETED":
        if (content.task_id === task_id) return { outcome: "accepted", reasons: [] }
        break
      case "SUBTASK_COMPLETE":
        if (content.subtask_id === task_id) return { outcome: "accepted", reasons: [] }
        break
      case "TASK_FAILED":
        if (content.task_id === task_id) return { outcome: "refused", reasons: [content.reason] }
        break
      case "SUBTASK_FAILED":
      case "SUBTASK_RETRY":
        if (content.subtask_id === task_id) return { outcome: "refused", reasons: [content.failure_reason] }
        break
      case "TASK_STATUS_CHANGED":
        if (content.task_id === task_id && content.to === "retrying")
          return { outcome: "refused", reasons: [content.reason] }
        break
      default:
    }
  }
  return { outcome: "open", reasons: [] }
}

/** `held`: what was claimed was so; `did_not_hold`: it was not. */
export type Truth = "held" | "did_not_hold" | "unknown"

/** Notes what a log says later of what was claimed in it. */
export const makeTruths = () => {
  const items = new Map<string, Map<number, Array<ItemFate>>>()
  const wholes = new Map<string, Array<WholeFate>>()
  const facts = new Map<string, ReadonlyArray<EvidenceFact>>()
  const claims = new Map<string, ReadonlyArray<{ readonly item: string }>>()
  let isCompleted = false

  const ofTask = (task_id: string): Map<number, Array<ItemFate>> => {
    const known = items.get(task_id) ?? new Map<number, Array<ItemFate>>()
    items.set(task_id, known)
    return known
  }
  const lastAccepted = (task_id: string, index: number): ItemFate | null => {
    const last = items.get(task_id)?.get(index)?.at(-1)
    return last?.isAccepted === true ? last : null
  }
  const lost = (task_id: string, index: number): void => {
    const last = lastAccepted(task_id, index)
    if (last !== null) last.fate = "lost"
  }
  /** The lines that a refused claim has cited. */
  const citedFor = (task_id: string, item: string | null): string | null => {
    const at = (claims.get(task_id) ?? []).findIndex((claim) => claim.item === item)
    const fact = (facts.get(task_id) ?? []).find(({ index }) => index === at)
    return fact !== undefined && isLineFact(fact) ? receiptText(fact.receipt) : null
  }

  const add = (event: AnyEvent): void => {
    const { content, type } = asKernelEvent(event)
    switch (type) {
      case "CHECKLIST_REPORTED":
        claims.set(content.task_id, content.checklist ?? [])
        return
      case "EVIDENCE_CHECKED":
        facts.set(content.task_id, content.facts)
        for (const fates of ofTask(content.task_id).values()) over(fates)
        return
      case "CHECKLIST_ITEM_ACCEPTED": {
        const { attempt, index, receipt, status, task_id } = content
        if (status === "done")
          note(ofTask(task_id), index, { attempt, isAccepted: true, shown: receiptText(receipt), fate: "none" })
        return
      }
      case "CHECKLIST_ITEM_REJECTED": {
        const { attempt, index, item, key, task_id } = content
        if (index === null) return
        if (key === evidenceStale) lost(task_id, index)
        else note(ofTask(task_id), index, { attempt, isAccepted: false, shown: citedFor(task_id, item), fate: "none" })
        return
      }
      case "VERIFICATION_RUN":
        for (const { index, verdict } of content.items) if (verdict === "refuted") lost(content.task_id, index)
        return
      case "EVIDENCE_REVISITED":
        for (const { index, task_id } of content.stale) lost(task_id, index)
        for (const fates of [...items.values()].flatMap((all) => [...all.values()])) {
          const last = fates.at(-1)
          if (last?.isAccepted === true && last.fate === "none") last.fate = "seen"
        }
        return
      case "ATTEMPT_ENDED":
        for (const fate of wholes.get(content.task_id) ?? []) {
          if (fate.isAccepted || fate.changedAfter === true) continue
          fate.changedAfter = content.files_modified === null ? null : content.files_modified.length > 0
        }
        return
      case "TASK_STATUS_CHANGED":
        if (content.reopened_items !== undefined)
          for (const fate of wholes.get(content.task_id) ?? []) fate.isReopened = true
        return
      case "RUN_COMPLETED":
        isCompleted = true
        return
      case "RUN_RESUMED":
        isCompleted = false
        return
      default:
    }
  }

  return {
    add,
    /** Notes how an attempt was decided. */
    decided: (task_id: string, attempt: number, outcome: DecisionOutcome): void => {
      if (outcome === "open") return
      note(wholes, task_id, { attempt, isAccepted: outcome === "accepted", isReopened: false, changedAfter: false })
    },
    /** To be asked when all events were told. */
    of: ({ index, task_id }: Pick<ClaimDecision, "index" | "task_id">, attempt: number): Truth =>
      index === null
        ? truthOfWhole(wholes.get(task_id) ?? [], attempt, isCompleted)
        : truthOfItem(items.get(task_id)?.get(index) ?? [], attempt, isCompleted)
  }
}

interface ItemFate {
  readonly attempt: number
  readonly isAccepted: boolean
  /** The lines that were shown, by what they hold; null: not known. */
  readonly shown: string | null
  /** `lost`: it did not hold; `seen`: it was judged again and holds; `over`: another report took its place. */
  fate: "none" | "lost" | "seen" | "over"
}

interface WholeFate {
  readonly attempt: number
  readonly isAccepted: boolean
  isReopened: boolean
  /** A later attempt changed files; null: nobody looked. */
  changedAfter: boolean | null
}

const note = <K, A>(all: Map<K, Array<A>>, key: K, one: A): void => {
  const known = all.get(key)
  if (known === undefined) all.set(key, [one])
  else known.push(one)
}

const over = (fates: ReadonlyArray<ItemFate>): void => {
  const last = fates.at(-1)
  if (last !== undefined && last.fate !== "lost") last.fate = "over"
}

const receiptText = (receipt: Receipt | null): string | null =>
  receipt === null || !isLineReceipt(receipt) ? null : `${receipt.path} ${receipt.sha256}`

const truthOfItem = (fates: ReadonlyArray<ItemFate>, attempt: number, isCompleted: boolean): Truth => {
  const own = fates.findLast((fate) => fate.attempt === attempt)
  if (own === undefined) return "unknown"
  if (own.isAccepted)
    return own.fate === "lost" ? "did_not_hold" : own.fate === "seen" && isCompleted ? "held" : "unknown"
  const later = fates.findLast((fate) => fate.attempt > attempt && fate.isAccepted && fate.fate !== "lost")
  if (later === undefined) return "unknown"
  return own.shown !== null && own.shown === later.shown ? "held" : "did_not_hold"
}

const truthOfWhole = (fates: ReadonlyArray<WholeFate>, attempt: number, isCompleted: boolean): Truth => {
  const own = fates.findLast((fate) => fate.attempt === attempt)
  if (own === undefined) return "unknown"
  if (own.isAccepted) return own.isReopened ? "did_not_hold" : isCompleted ? "held" : "unknown"
  if (!fates.some((fate) => fate.attempt > attempt && fate.isAccepted)) return "unknown"
  return own.changedAfter === null ? "unknown" : own.changedAfter ? "did_not_hold" : "held"
}
