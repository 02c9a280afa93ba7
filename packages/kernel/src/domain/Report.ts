import { Schema } from "effect"

/** What an agent says of one checklist item. `done` needs evidence, `skipped` a reason. */
export const ReportedItem = Schema.Struct({
  item: Schema.String,
  status: Schema.Literals(["pending", "done", "skipped"]),
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

/** Bytes kept in the blob store: lower-case hex SHA-256 of the content and its size in bytes. */
export const BlobRef = Schema.Struct({ sha256: Schema.String, bytes: Schema.Int })
export type BlobRef = typeof BlobRef.Type

/** Proof frozen when an item is accepted. `sha256` is over the exact bytes of the lines, line ends included. */
export const Receipt = Schema.Struct({
  path: Schema.String,
  start: Schema.Int,
  end: Schema.Int,
  sha256: Schema.String,
  /** Git's object id of the whole file, when the workspace is a repository. */
  git_blob: Schema.NullOr(Schema.String),
  /** HEAD of the repository at the time of the check. */
  git_commit: Schema.NullOr(Schema.String)
})
export type Receipt = typeof Receipt.Type

/** A failure of one report, with the fields its message template needs. */
export const Failure = Schema.Struct({
  /** Stable key, e.g. `checklist_evidence_required`. */
  key: Schema.String,
  /** The item it is about; null when it is about the report as a whole. */
  item: Schema.NullOr(Schema.String),
  fields: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number])),
  message: Schema.String
})
export type Failure = typeof Failure.Type

export type Verdict = "proven" | "refuted" | "unproven" | "waived" | "stale"
