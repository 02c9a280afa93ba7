import { Schema } from "effect"

/** A private Postgres that could not be started, in the form of a problem. */
export class PrivatePostgresFailed extends Schema.TaggedError<PrivatePostgresFailed>()("PrivatePostgresFailed", {
  /** `postgres_missing`, `postgres_in_use`, `postgres_root`, `postgres_version` or `postgres_failed`. */
  code: Schema.String,
  message: Schema.String,
  hint: Schema.String
}) {}

export const failed = (code: string, message: string, hint: string): PrivatePostgresFailed =>
  new PrivatePostgresFailed({ code, message, hint })
