import { Schema } from "effect"
import { BlobRef } from "../../base/Blob.ts"
import { LineReceipt } from "./Report.ts"

export const TaskStatus = Schema.Literals([
  "backlog",
  "pending",
  "in_progress",
  "blocked",
  "retrying",
  "completed",
  "failed",
  "skipped"
]).annotate({ identifier: "TaskStatus" })
export type TaskStatus = typeof TaskStatus.Type

export const AttemptOutcome = Schema.Literals(["COMPLETE", "INCOMPLETE", "ERROR", "TIMEOUT", "LOST"]).annotate({
  identifier: "AttemptOutcome"
})
export type AttemptOutcome = typeof AttemptOutcome.Type

/** What cited lines are to the run. */
export const LineProof = Schema.Struct({
  /** What became of them since the run began; null: nobody can tell. */
  change: Schema.NullOr(
    Schema.Struct({
      /** Something of them differs, be it a blank. */
      touched: Schema.Boolean,
      /**
       * Names the lines that hold something new, by what they hold, so that two citations can be compared at different
       * times. At most 1,000. Empty: only blanks, line ends, comments or what shows nothing were changed.
       */
      lines: Schema.Array(Schema.String)
    })
  ),
  /** Git ignores the file. */
  ignored: Schema.Boolean,
  /** What differs of them came with this commit, which was there before the run; left out: it did not, or nobody asked. */
  brought: Schema.optionalKey(Schema.String),
  /** Why it is a test that never runs or cannot fail, in words; null: it is none. */
  never_runs: Schema.NullOr(Schema.String),
  /** Files in which the item says that the work is done. */
  named: Schema.Array(Schema.String),
  /** Functions in which the item says that the work is, and that these lines have nothing to do with; left out: none. */
  apart: Schema.optionalKey(Schema.Array(Schema.String)),
  /** They are text for people, and the item asks for code; left out: no, or nobody asked, as in old logs. */
  prose: Schema.optionalKey(Schema.Literal(true)),
  /** Names that the item asks to write, and that these lines do not stand for; left out: none. */
  lacks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Names that the item asks to take away, and that the file still declares; left out: none. */
  still: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Where what the item wants gone goes on: as a comment, by another name, in another file; in words, left out: nowhere that is known. */
  left: Schema.optionalKey(Schema.String),
  /**
   * The item asks to take something out, and these lines do not show it: those that do, as in evidence. Empty: nothing was
   * taken out of the file; left out: they show it, or nobody asked.
   */
  places: Schema.optionalKey(Schema.Array(Schema.String))
})
export type LineProof = typeof LineProof.Type

/** What the disk said about cited lines. */
export const LineFact = Schema.Struct({
  /** Index of the reported item. */
  index: Schema.Int,
  evidence: Schema.String,
  /** `ok`: the lines exist and `receipt` describes them. Anything else says why they could not be read. */
  outcome: Schema.Literals(["ok", "format_invalid", "file_not_found", "out_of_range", "empty"]),
  /** In words, for people; empty when there is nothing to add. */
  detail: Schema.String,
  path: Schema.NullOr(Schema.String),
  start: Schema.NullOr(Schema.Int),
  end: Schema.NullOr(Schema.Int),
  /** Lines of the file; null when it could not be read. */
  total: Schema.NullOr(Schema.Int),
  /** Name of the declaration around the lines; null where there is none or none is known. */
  declaration: Schema.NullOr(Schema.String),
  /** True: nothing of what is cited was changed since the run began; null: nobody knows. */
  untouched: Schema.NullOr(Schema.Boolean),
  receipt: Schema.NullOr(LineReceipt),
  /** Of an `empty` one: it is no stub, and does nothing for the item; left out: it is one, or nobody asked, as in old logs. */
  idle: Schema.optionalKey(Schema.Literal(true)),
  /** What takes its place further down in the file, in a sentence; left out: nothing does, or nobody looked. */
  hidden: Schema.optionalKey(Schema.String),
  /** What it is to the run; left out: nobody looked, as in old logs. */
  proof: Schema.optionalKey(LineProof)
})
export type LineFact = typeof LineFact.Type

/** What was found where evidence of another kind points to. */
export const KindFact = Schema.Struct({
  /** Index of the reported item. */
  index: Schema.Int,
  evidence: Schema.String,
  /** Names the kind; the evidence begins with it. */
  scheme: Schema.String,
  /** What its kind says of it, by a schema of that kind. */
  fact: Schema.Json,
  /** Files in which the item says that the work is done; left out: nobody asked. */
  named: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Names that the item asks to write, and that the file does not have; left out: none. */
  lacks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Files that the item asks to delete beside this one, and that are still there; left out: none, or nobody asked. */
  remains: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Where what the item wants gone goes on, in the file or elsewhere, in words; left out: nowhere that is known, or nobody asked. */
  left: Schema.optionalKey(Schema.String),
  /** It is text for people, and the item asks for code; left out: no, or nobody asked. */
  prose: Schema.optionalKey(Schema.Literal(true))
})
export type KindFact = typeof KindFact.Type

/** What the world said about one piece of evidence; the verdict is derived from it and can be derived again. */
export const EvidenceFact = Schema.Union([LineFact, KindFact])
export type EvidenceFact = typeof EvidenceFact.Type

export const isLineFact = (fact: EvidenceFact): fact is LineFact => !("scheme" in fact)

/** A file that was read for evidence, kept so that what it shows can be judged again, also by other rules. */
export const EvidenceFile = Schema.Struct({
  /** As it was asked for. */
  path: Schema.String,
  /** Its content; null: it could not be read, or is too large to be kept. */
  text: Schema.NullOr(BlobRef),
  /** Why it could not be read; left out: it was. */
  refused: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.Literals(["not_found", "outside_root", "not_a_file", "not_text", "too_large", "unreadable"]),
      message: Schema.String
    })
  ),
  git_blob: Schema.NullOr(Schema.String),
  git_commit: Schema.NullOr(Schema.String),
  /** What it was before the run; null: nobody can tell, or that is too large to be kept. Left out: nobody asked. */
  before: Schema.optionalKey(
    Schema.NullOr(
      Schema.Union([
        Schema.Struct({ was: Schema.Literal("text"), text: BlobRef }),
        Schema.Struct({ was: Schema.Literal("absent") }),
        Schema.Struct({ was: Schema.Literal("other"), sha256: Schema.NullOr(Schema.String) }),
        Schema.Struct({ was: Schema.Literal("unknown") })
      ])
    )
  ),
  /** Git ignores it; left out: nobody asked. */
  ignored: Schema.optionalKey(Schema.Boolean)
})
export type EvidenceFile = typeof EvidenceFile.Type

/** What was found of the evidence of an attempt. */
export const evidenceFields = {
  facts: Schema.Array(EvidenceFact),
  /** The files that were read, as far as they are kept; left out: it is not known which. */
  files: Schema.optionalKey(Schema.Array(EvidenceFile))
}

/** What an agent calls the status of a task in pull mode. Source: progress tools. */
export const AssignmentStatus = Schema.Literals(["backlog", "todo", "in_progress", "blocked", "done", "cancelled"])
export type AssignmentStatus = typeof AssignmentStatus.Type

/**
 * What a person says of an item that an agent cannot do. `waive`: it is not needed; `continue`: it can be done, as is said
 * then; `give_up`: its task has failed.
 */
export const PersonAnswer = Schema.Literals(["waive", "continue", "give_up"]).annotate({ identifier: "PersonAnswer" })
export type PersonAnswer = typeof PersonAnswer.Type

/** An item of a task that an agent cannot do. */
export const AskedItem = Schema.Struct({
  /** Index of the registered item. */
  index: Schema.Int,
  item: Schema.String,
  /** Why, in the agent's words. */
  reason: Schema.String,
  /** What shows that; null: nothing was cited. */
  evidence: Schema.NullOr(Schema.String)
})
export type AskedItem = typeof AskedItem.Type

/** What a task or a part of one that is completed comes to. */
export const Completion = Schema.Struct({
  /** Items. */
  proven: Schema.Int,
  waived: Schema.Int,
  /** Where `proven` and `waived` do not say it. `unproven`: by the word of an agent alone. */
  verdict: Schema.optionalKey(Schema.Literals(["unproven", "reviewed", "weak"])),
  /** Items that the user accepts although a reason speaks against their evidence; left out: none. */
  weak: Schema.optionalKey(Schema.Int)
})
