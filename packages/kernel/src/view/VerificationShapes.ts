/** What became of a run and of everything it proved: the answer of `verify`, wherever it is asked. */
import { Schema } from "effect"
import { WeakReason } from "../modules/run/config.ts"
import { ProofCounts, RunProof, ShownBy, Verdict } from "../modules/run/obligations.ts"
import { Count, described, Text } from "./fields.ts"
import { Head, ShownStatus } from "./RunShapes.ts"

/** Whether what was proven holds in the files as they are now. */
export const ReceiptStatus = Schema.Literals(["proven", "re_anchored", "stale", "missing"]).annotate({
  identifier: "ReceiptStatus",
  description: "`re_anchored`: the same lines, at another place; `stale`: they changed; `missing`: they are not there."
})
export type ReceiptStatus = typeof ReceiptStatus.Type

const VerifiedReceipt = Schema.Struct({
  task_id: Text,
  task_completed: Schema.Boolean,
  item_index: Count,
  item: Text,
  evidence: Text,
  status: ReceiptStatus,
  verdict: described("`stale`: it does not hold any more.", Verdict),
  shown_by: Schema.NullOr(ShownBy),
  now: described("Where it is now; null: nowhere.", Schema.NullOr(Text)),
  reason: described("In words; empty: there is nothing to add.", Text),
  weak: Schema.Array(WeakReason)
}).annotate({ identifier: "VerifiedReceipt" })

const chain = {
  events: described("Before the first fault, where there is one.", Count),
  head: Schema.NullOr(Head)
}

/** Where a log is not as it was written. */
export const LogFaultView = Schema.Struct({
  code: Schema.Literals(["log_changed", "log_cut", "log_rewritten"]),
  version: described("The first that is not as it was.", Count),
  message: Text
})

/** Whether a log is as it was written. */
export const Chain = Schema.Union([
  Schema.Struct({ ok: Schema.Literal(true), ...chain }),
  Schema.Struct({ ok: Schema.Literal(false), ...LogFaultView.fields, ...chain })
]).annotate({ identifier: "Chain", description: "Whether the log is as it was written." })
export type Chain = typeof Chain.Type

/** What `verify` found. */
export const VerificationView = Schema.Struct({
  run_id: Text,
  name: Text,
  run_status: Schema.Union([ShownStatus, Schema.Literal("none")]),
  whole: described(
    "Everything that was asked for counts as done and still holds: `verdict` is not `unproven`.",
    Schema.Boolean
  ),
  ref: described("The commit it was compared with; null: the files as they are.", Schema.NullOr(Text)),
  chain: described("Null: there was no log, only what was exported from it.", Schema.NullOr(Chain)),
  kept_head: described(
    "Where the log ended when the run did, as it was kept outside of it; where it left, if that was kept of what it did in the log that it was moved to; null: nothing was kept, or there is no log.",
    Schema.NullOr(Head)
  ),
  signature: described(
    "Of what was exported; null: the receipts are from the log.",
    Schema.NullOr(Schema.Struct({ signed: Schema.Boolean, checked: Schema.Boolean, keyid: Schema.NullOr(Text) }))
  ),
  ...RunProof.fields,
  counts: Schema.Struct({
    ...ProofCounts.fields,
    receipts: Count,
    re_anchored: Count,
    missing: Count,
    open: described("Items that are neither shown nor waived.", Count)
  }),
  receipts: Schema.Array(VerifiedReceipt)
}).annotate({ identifier: "Verification", description: "What became of a run and of everything it proved." })
export type VerificationView = typeof VerificationView.Type

/** What `verify` found in a log. */
export const LogVerification = Schema.Struct({ ...VerificationView.fields, chain: Chain }).annotate({
  identifier: "LogVerification",
  description: "What became of a run and of everything it proved."
})
export type LogVerification = typeof LogVerification.Type
