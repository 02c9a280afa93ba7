import type { Chain, RunReceipts } from "@proofline/kernel"
import type { Verified } from "@proofline/plugins/policies/evidence"
import type { ReadRun } from "./receiptLog.ts"

export type Claim = Pick<Verified, "receipts" | "chain" | "keptHead" | "signature">

/** What a log claims: nothing, where it is not as it was written. */
export const claimOf = ({ broken, events, kept, receipts, run_id }: ReadRun): Claim & { readonly chain: Chain } => ({
  receipts: broken === null ? receipts : claimingNothing(receipts, run_id),
  chain:
    broken === null ? { ok: true, events, head: receipts.head } : { ok: false, events, head: receipts.head, ...broken },
  keptHead: kept === null ? null : { version: kept.version, hash: kept.hash },
  signature: null
})

const claimingNothing = ({ proof: _, ...receipts }: RunReceipts, run_id: string): RunReceipts => ({
  ...receipts,
  run_id,
  receipts: [],
  waived: [],
  open: []
})
