import { Schema } from "effect"
import { BlobRef } from "../../base/Blob.ts"
import { Census, EscrowRef } from "./CheckRun.ts"

/** A file that a command names, as it was at the base; of a script in a package file the text of that script. */
export const RestsOn = Schema.Struct({
  path: Schema.String,
  /** Name of the script; left out: the whole file. */
  script: Schema.optionalKey(Schema.String),
  sha256: Schema.String
})
export type RestsOn = typeof RestsOn.Type

/** A command of the user that was run on the project as it was before the run. */
export const BaseCheck = Schema.Struct({
  command: Schema.String,
  /** `green`: it passed without the work. `red`: it did not, or ran no tests. `unknown`: it could not be run, for the reason in `message`. */
  outcome: Schema.Literals(["red", "green", "unknown"]),
  /** Empty unless `unknown`. */
  message: Schema.String,
  exit_code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  timed_out: Schema.Boolean,
  duration_ms: Schema.Int,
  output: Schema.NullOr(BlobRef),
  /** The end of the output, at most 2,000 characters. */
  output_tail: Schema.String,
  /** Left out: no runner reported tests. */
  census: Schema.optionalKey(Census),
  /** Files of the project that it names and that were there. */
  rests_on: Schema.Array(RestsOn),
  /** A check that nobody but Proofline sees, as in `CheckRun`. */
  escrow: Schema.optionalKey(EscrowRef)
})
export type BaseCheck = typeof BaseCheck.Type
