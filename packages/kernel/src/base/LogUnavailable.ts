import { Schema } from "effect"

/**
 * The storage under the log failed. Nothing of the request was written; what was acknowledged before stands, unless the
 * code is `log_lost`: then the log itself is gone, or events that were acknowledged are not in it any more.
 */
export class LogUnavailable extends Schema.TaggedError<LogUnavailable>()("LogUnavailable", {
  /**
   * `log_disk_full`, `log_unwritable`, `log_not_regular` (a directory, a device or a pipe is in its place), `log_corrupt`, `log_changed` (an event is not as it was written), `log_newer` (written by a newer Proofline), `plugin_missing` (this run was made with a plugin that is not here), `log_lost` (nothing
   * can go on from here), `run_elsewhere` (this run alone: it was moved or archived, or is only just coming),
   * `postgres_missing` (a package is not installed) or `log_failed`.
   */
  code: Schema.Literals([
    "log_disk_full",
    "log_unwritable",
    "log_not_regular",
    "log_corrupt",
    "log_changed",
    "log_newer",
    "plugin_missing",
    "log_lost",
    "run_elsewhere",
    "postgres_missing",
    "log_failed"
  ]),
  message: Schema.String,
  hint: Schema.String
}) {}

const ofOneRun: ReadonlySet<LogUnavailable["code"]> = new Set([
  "run_elsewhere",
  "log_newer",
  "plugin_missing",
  "log_changed",
  "log_corrupt"
])

/** Whether it may concern the run alone that was read: what others show is told all the same. */
export const mayBeOfOneRun = ({ code }: LogUnavailable): boolean => ofOneRun.has(code)
