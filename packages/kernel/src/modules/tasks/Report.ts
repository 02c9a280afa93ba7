import { Schema } from "effect"
import { WeakReason } from "../run/config.ts"

/**
 * What an agent says of one checklist item. `done` needs evidence, `skipped` a reason; `cannot` a reason too, and may have
 * evidence: it is for what the agent cannot do, and a person is asked.
 */
export const ReportedItem = Schema.Struct({
  item: Schema.String,
  status: Schema.Literals(["pending", "done", "skipped", "cannot"]),
  evidence: Schema.optionalKey(Schema.NullOr(Schema.String)),
  reason: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type ReportedItem = typeof ReportedItem.Type

/** The answer of an agent in the role `work`. */
export const WorkReport = Schema.Struct({
  summary: Schema.optionalKey(Schema.String),
  checklist: Schema.optionalKey(Schema.Array(ReportedItem))
})
export type WorkReport = typeof WorkReport.Type

/** One criterion as the reviewer saw it. */
export const ReviewCheck = Schema.Struct({
  criterion: Schema.String,
  passed: Schema.Boolean,
  details: Schema.optionalKey(Schema.String)
})
export type ReviewCheck = typeof ReviewCheck.Type

/** The answer of an agent in the role `review`. */
export const ReviewReport = Schema.Struct({
  judgment: Schema.Literals(["PASS", "REJECT", "RETRY"]),
  checks: Schema.optionalKey(Schema.Array(ReviewCheck)),
  modification_prompt: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type ReviewReport = typeof ReviewReport.Type

/** Lines of a file. `sha256` is over their exact bytes, line ends included. */
export const LineReceipt = Schema.Struct({
  kind: Schema.Literal("lines"),
  path: Schema.String,
  start: Schema.Int,
  end: Schema.Int,
  sha256: Schema.String,
  /** Git's object id of the whole file, when the workspace is a repository. */
  git_blob: Schema.NullOr(Schema.String),
  /** HEAD of the repository at the time of the check. */
  git_commit: Schema.NullOr(Schema.String),
  /** The lines that were judged: those cited, widened to the declarations whose heads are among them. */
  covers: Schema.Struct({
    start: Schema.Int,
    end: Schema.Int,
    /** Over their exact bytes; null: accepted by a version that did not record it. */
    sha256: Schema.NullOr(Schema.String)
  }),
  /** The smallest declaration around the cited lines; null outside of one and where no grammar is known. */
  declaration: Schema.NullOr(
    Schema.Struct({
      /** With the names of the declarations around it, e.g. `Account.withdraw`. */
      name: Schema.String,
      kind: Schema.String,
      start: Schema.Int,
      end: Schema.Int,
      /** Lower-case hex SHA-256 over its tokens; comments and layout do not count. */
      hash: Schema.String
    })
  ),
  /** What its comments say is what was accepted; left out: what its code does. */
  comments: Schema.optionalKey(Schema.Literal(true)),
  /** That it imports what the item names is what was accepted; left out: what its code does. */
  imports: Schema.optionalKey(Schema.Literal(true)),
  /** That something was taken out there is what was accepted; left out: what its code does. */
  removed: Schema.optionalKey(Schema.Literal(true)),
  /** How it is laid out is what was accepted; left out: what its code does. */
  layout: Schema.optionalKey(Schema.Literal(true))
})
export type LineReceipt = typeof LineReceipt.Type

/** Evidence of a kind that a plugin declares. */
export const KindReceipt = Schema.Struct({
  kind: Schema.Literal("kind"),
  /** Names the kind. */
  scheme: Schema.String,
  /** What was cited, without the scheme. */
  reference: Schema.String,
  /** What was found there, by a schema of that kind. */
  fact: Schema.Json
})
export type KindReceipt = typeof KindReceipt.Type

/** Proof frozen when an item is accepted. */
export const Receipt = Schema.Union([LineReceipt, KindReceipt]).annotate({
  identifier: "Receipt",
  description: "Proof frozen when an item is accepted."
})
export type Receipt = typeof Receipt.Type

export const isLineReceipt = (receipt: Receipt): receipt is LineReceipt => receipt.kind === "lines"

/** Why accepted evidence shows less than it seems to. */
export const Weakness = Schema.Struct({
  reason: WeakReason,
  message: Schema.String
})
export type Weakness = typeof Weakness.Type

/** A failure of one report, with the fields its message template needs. */
export const Failure = Schema.Struct({
  /** Stable key, e.g. `checklist_evidence_required`. */
  key: Schema.String,
  /** The item it is about; null when it is about the report as a whole. */
  item: Schema.NullOr(Schema.String),
  fields: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite])),
  message: Schema.String
})
export type Failure = typeof Failure.Type
