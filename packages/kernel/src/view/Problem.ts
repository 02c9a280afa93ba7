import { Schema } from "effect"
import { RejectionKind } from "../core/Rejection.ts"
import { described, Ordinal } from "./fields.ts"

/** One thing that is wrong, for people and for scripts. */
export const Problem = Schema.Struct({
  code: described("Stable.", Schema.String),
  message: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Ordinal),
  column: Schema.optionalKey(described("In characters.", Ordinal)),
  hint: described("What to do next.", Schema.String),
  kind: Schema.optionalKey(
    described(
      "`unknown`: something is named that is not there; `conflict`: it does not go with how things are; `forbidden`: who asks may not. Left out: it is wrong by itself.",
      RejectionKind
    )
  )
}).annotate({ identifier: "Problem", description: "One thing that is wrong." })
export type Problem = typeof Problem.Type
