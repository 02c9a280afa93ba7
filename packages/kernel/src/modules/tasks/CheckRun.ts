import { Schema } from "effect"
import { BlobRef } from "../../base/Blob.ts"

/** How a check ended in one of the throw-away checkouts of an ablation. */
const AblationRun = Schema.Struct({
  exit_code: Schema.NullOr(Schema.Int),
  timed_out: Schema.Boolean,
  duration_ms: Schema.Int,
  output: Schema.NullOr(BlobRef)
})
export type AblationRun = typeof AblationRun.Type

/** Whether the cited lines bear a check: it must fail before the run, hold now, and fail again without the lines. */
export const Ablation = Schema.Struct({
  /** `unproven`: it could not be tried, for the reason in `message`. */
  verdict: Schema.Literals(["load_bearing", "vacuous", "unproven"]),
  message: Schema.String,
  /** Null: not run, because an earlier one had decided. */
  base: Schema.NullOr(AblationRun),
  head: Schema.NullOr(AblationRun),
  neutralised: Schema.NullOr(AblationRun)
})
export type Ablation = typeof Ablation.Type

/** A command that passed, run again in a throw-away directory. */
export const ScratchRun = Schema.Struct({
  /** Null: it could not be run, for the reason in `message`. */
  run: Schema.NullOr(AblationRun),
  message: Schema.String
})
export type ScratchRun = typeof ScratchRun.Type

/** One shell command that was run to verify an attempt. */
export const CheckRun = Schema.Struct({
  command: Schema.String,
  /** Index of the checklist item it belongs to; null: a check of the whole task. */
  item_index: Schema.NullOr(Schema.Int),
  exit_code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  timed_out: Schema.Boolean,
  duration_ms: Schema.Int,
  output: Schema.NullOr(BlobRef),
  /** The end of the output, at most 2,000 characters. */
  output_tail: Schema.String,
  /** Null: not asked for. */
  ablation: Schema.NullOr(Ablation),
  /** Files on which it rests that were there before the run and are not what they were; left out: none, or nobody looked. */
  changed: Schema.optionalKey(Schema.Array(Schema.String)),
  /** In a copy of the project in which these files are what they were; left out: not asked for. */
  as_written: Schema.optionalKey(ScratchRun),
  /** In a copy of the project as it is, to tell that a copy lacks nothing; left out: not asked for. */
  control: Schema.optionalKey(ScratchRun),
  /** Test files of which the copy of `control` has what was there before the run; left out: none. */
  tests: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What it runs and what was not there before the run: scripts, tests, a build file; left out: nothing, or nobody looked. */
  written: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The command without those, on the project as it was before the run; left out: nothing of it is left. */
  without: Schema.optionalKey(ScratchRun)
}).annotate({ identifier: "CheckRun", description: "A shell command that was run to verify an attempt." })
export type CheckRun = typeof CheckRun.Type
