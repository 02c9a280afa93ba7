import { Schema } from "effect"

/** One thing that is not shown. */
export const Missing = Schema.Struct({
  /** Left out: it belongs to no task. */
  task_id: Schema.optionalKey(Schema.String),
  item: Schema.optionalKey(Schema.String),
  /** A command that passed and shows nothing by itself. */
  command: Schema.optionalKey(Schema.String),
  /** Stable. */
  reason: Schema.String,
  message: Schema.String,
  /** What would do. */
  next_step: Schema.String
})
export type Missing = typeof Missing.Type
