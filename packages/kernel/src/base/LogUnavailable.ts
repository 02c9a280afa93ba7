import { Schema } from "effect"

/** The storage under the log failed. Nothing of the request was written; what was acknowledged before stands. */
export class LogUnavailable extends Schema.TaggedError<LogUnavailable>()("LogUnavailable", {
  /** `log_disk_full`, `log_unwritable`, `log_corrupt`, `log_newer` (written by a newer Proofline) or `log_failed`. */
  code: Schema.Literals(["log_disk_full", "log_unwritable", "log_corrupt", "log_newer", "log_failed"]),
  message: Schema.String,
  hint: Schema.String
}) {}
