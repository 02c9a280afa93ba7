import { Schema } from "effect"

/**
 * What a refusal is about. `unknown`: it names what is not there; `conflict`: it does not go with how things are;
 * `forbidden`: who asks may not; `invalid`: anything else that is wrong with what was asked.
 */
export const RejectionKind = Schema.Literals(["unknown", "conflict", "forbidden", "invalid"])
export type RejectionKind = typeof RejectionKind.Type

/** Why a command was refused, and what to do. Nothing was recorded. */
export class Rejection extends Schema.TaggedError<Rejection>()("Rejection", {
  /** Stable, e.g. `task_not_ready`. */
  code: Schema.String,
  message: Schema.String,
  /** The next step, as a sentence. */
  hint: Schema.String,
  /** What is still open: task ids, item texts. */
  open: Schema.Array(Schema.String),
  kind: RejectionKind
}) {}

const rejecting =
  (kind: RejectionKind) =>
  (code: string, message: string, hint: string, open: ReadonlyArray<string> = []): Rejection =>
    new Rejection({ code, message, hint, open, kind })

export const reject = rejecting("invalid")
export const rejectUnknown = rejecting("unknown")
export const rejectConflict = rejecting("conflict")
export const rejectForbidden = rejecting("forbidden")
