import { Schema } from "effect"

/** Why a command was refused, and what to do. Nothing was recorded. */
export class Rejection extends Schema.TaggedError<Rejection>()("Rejection", {
  /** Stable, e.g. `task_not_ready`. */
  code: Schema.String,
  message: Schema.String,
  /** The next step, as a sentence. */
  hint: Schema.String,
  /** What is still open: task ids, item texts. */
  open: Schema.Array(Schema.String)
}) {}

export const reject = (code: string, message: string, hint: string, open: ReadonlyArray<string> = []): Rejection =>
  new Rejection({ code, message, hint, open })
