import { Schema } from "effect"
import { described, Ordinal } from "./fields.ts"

/** One thing that is wrong, for people and for scripts. */
export const Problem = Schema.Struct({
  code: described("Stable.", Schema.String),
  message: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Ordinal),
  column: Schema.optionalKey(described("In characters.", Ordinal)),
  hint: described("What to do next.", Schema.String)
}).annotate({ identifier: "Problem", description: "One thing that is wrong." })
export type Problem = typeof Problem.Type
