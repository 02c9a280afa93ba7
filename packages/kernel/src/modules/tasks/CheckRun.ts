import { Schema } from "effect"
import { BlobRef } from "../../base/Blob.ts"

/** Tests of one command, as their runners reported them. */
export const Census = Schema.Struct({
  /** The kinds of reports that were read, such as `junit` and `tap`. */
  formats: Schema.Array(Schema.String),
  passed: Schema.Int,
  failed: Schema.Int,
  skipped: Schema.Int,
  /** JSON: an array of `{name, file, status}` of those whose names were told; null: none. */
  tests: Schema.NullOr(BlobRef)
}).annotate({ identifier: "Census", description: "Tests of a command, as their runners reported them." })
export type Census = typeof Census.Type

/** Left out: no runner reported any. */
const withCensus = { census: Schema.optionalKey(Census) }

/** How a check ended in a throw-away checkout. */
const AblationRun = Schema.Struct({
  exit_code: Schema.NullOr(Schema.Int),
  timed_out: Schema.Boolean,
  duration_ms: Schema.Int,
  output: Schema.NullOr(BlobRef),
  ...withCensus
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

/** The run that decides: in a fresh copy of the work, with what the check rests on as it was before the run. */
export const CleanRoom = Schema.Struct({
  ...ScratchRun.fields,
  /** Files of the check that the copy has as they were before the run, because they are not any more. */
  restored: Schema.Array(Schema.String),
  /** Tests, fixtures and settings of runners that are new: the copy does not have them. */
  left_out: Schema.Array(Schema.String),
  /** In a copy that has the new ones too; left out: not asked for. */
  with_new: Schema.optionalKey(ScratchRun)
})
export type CleanRoom = typeof CleanRoom.Type

/** A test that was there before the run and is not what it was. */
export const TestChange = Schema.Struct({
  /** Its name, as it stands in the file or as its runner says it. */
  test: Schema.String,
  /** The file that it was in; null: its runner does not say. */
  path: Schema.NullOr(Schema.String),
  /** `weakened`: it lost assertions. `changed`: it asserts something else. */
  how: Schema.Literals(["vanished", "skipped", "weakened", "changed"])
})
export type TestChange = typeof TestChange.Type

/** What may be told of a check that nobody but Proofline sees. */
export const EscrowRef = Schema.Struct({
  criterion: Schema.String,
  /** Digest of the directory that it was taken from. */
  sha256: Schema.String
}).annotate({ identifier: "EscrowRef", description: "A check that agents do not see: its criterion, and a digest." })
export type EscrowRef = typeof EscrowRef.Type

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
  /** Tests that it names as failed, the first ones, wherever in the output; left out: none, or it ended well. */
  failed_tests: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Null: not asked for. */
  ablation: Schema.NullOr(Ablation),
  ...withCensus,
  /** Files on which it rests that were there before the run and are not what they were; left out: none, or nobody looked. */
  changed: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The run in the clean room; null: the user has turned it off; left out: not asked for. */
  clean_room: Schema.optionalKey(Schema.NullOr(CleanRoom)),
  /** Tests that count against it; left out: none, or nobody looked. */
  lost_tests: Schema.optionalKey(Schema.Array(TestChange)),
  /** Tests that are not what they were, and do not count against it; left out: none, or nobody looked. */
  changed_tests: Schema.optionalKey(Schema.Array(TestChange)),
  /** Before there was a clean room: in a copy of the project in which the files of `changed` are what they were. */
  as_written: Schema.optionalKey(ScratchRun),
  /** Before there was a clean room: in a copy of the project as it is, to tell that a copy lacks nothing. */
  control: Schema.optionalKey(ScratchRun),
  /** Test files of which the copy of `control` has what was there before the run. */
  tests: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What it runs and what was not there before the run: scripts, tests, a build file; left out: nothing, or nobody looked. */
  written: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The command without those, on the project as it was before the run; left out: nothing of it is left. */
  without: Schema.optionalKey(ScratchRun),
  /**
   * The command on the project as it was before the run with what other branches had already and have brought since, and
   * nothing of the work; left out: nothing came, or nobody looked.
   */
  brought: Schema.optionalKey(Schema.Struct({ commits: Schema.Array(Schema.String), ...ScratchRun.fields })),
  /** A check that nobody but Proofline sees: `command` is its name, and exit codes say no more than passed (0) or not (1). */
  escrow: Schema.optionalKey(EscrowRef),
  /** Why it could not be run, so that it shows nothing; left out: it was run. */
  not_run: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "CheckRun", description: "A shell command that was run to verify an attempt." })
export type CheckRun = typeof CheckRun.Type
