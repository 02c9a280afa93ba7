import { type Chain, isProven, proofFields, type RunReceipts, type VerificationView } from "@proofline/kernel"
import { type JudgedReceipt, proofNow, stillHolds } from "./readFacts.ts"

type Head = RunReceipts["head"]

/** What was verified, and what was found. */
export interface Verified {
  readonly receipts: RunReceipts
  /** The log's hash chain; null: there was no log, only what was exported from it. */
  readonly chain: Chain | null
  /** Where the log ended when the run did, as it was kept outside of it; null: nothing was kept, or there is no log. */
  readonly keptHead: Head
  /** Of the envelope; null: the receipts are from the log. */
  readonly signature: VerificationView["signature"]
  /** The commit they were compared with; null: the files as they are. */
  readonly ref: string | null
  readonly judged: ReadonlyArray<JudgedReceipt>
}

/** What became of a run and of everything it proved, as every front-end says it. */
export const verificationOf = <C extends Chain | null>({
  chain,
  judged,
  keptHead,
  receipts,
  ref,
  signature
}: Verified & { readonly chain: C }): VerificationView & { readonly chain: C } => {
  const proof = proofNow(judged, receipts)
  const of = (status: JudgedReceipt["status"]) => judged.filter((one) => one.status === status).length
  return {
    run_id: receipts.run_id,
    name: receipts.name,
    run_status: receipts.status,
    whole: isProven(proof),
    ref,
    chain,
    kept_head: keptHead,
    signature,
    ...proofFields(proof),
    counts: {
      receipts: judged.length,
      re_anchored: of("re_anchored"),
      missing: of("missing"),
      open: receipts.open.length,
      ...proof.counts
    },
    receipts: judged.map(verifiedReceipt)
  }
}

const verifiedReceipt = (judged: JudgedReceipt): VerificationView["receipts"][number] => {
  const { item, now, reason, status } = judged
  const holds = stillHolds(judged)
  return {
    task_id: item.task_id,
    task_completed: item.task_completed,
    item_index: item.item_index,
    item: item.item,
    evidence: item.evidence,
    status,
    verdict: holds ? (item.verdict ?? "proven") : "stale",
    shown_by: holds ? "evidence" : null,
    now,
    reason,
    weak: item.weak.map((weakness) => weakness.reason)
  }
}
