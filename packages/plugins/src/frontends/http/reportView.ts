import { Budget, ProofCounts, ReviewCheck, RunProof, ShownBy, Verdict, WeaknessReason } from "@proofline/kernel"
import { Schema } from "effect"
import { CriterionVerdict, Requirement } from "../../policies/requirements/contract.ts"

/** Whether what was proven holds in the files as they are now. */
const ReceiptStatus = Schema.Literals(["proven", "re_anchored", "stale", "missing"])
const Head = Schema.NullOr(Schema.Struct({ version: Schema.Int, hash: Schema.String }))
const Text = Schema.String
const TextOrNull = Schema.NullOr(Schema.String)
const Texts = Schema.Array(Schema.String)

/** Lines of a file as they are now. */
export const Code = Schema.Struct({
  path: Text,
  /** Number of the first of `lines`, from 1. */
  start: Schema.Int,
  lines: Texts,
  /** The first and the last line that were cited; the others belong to the declaration they stand for. */
  cited: Schema.Tuple([Schema.Int, Schema.Int]),
  /** Lines that are left out at the end. */
  more: Schema.Int
})
export type Code = typeof Code.Type

export const TracedCheck = Schema.Struct({
  command: Text,
  passed: Schema.Boolean,
  exit_code: Schema.NullOr(Schema.Int),
  timed_out: Schema.Boolean,
  /** The end of what it printed, at most 2,000 characters. */
  output_tail: Text,
  /** When it was run to verify requirements, ISO 8601; null: while the task was verified. */
  at: TextOrNull
})
export type TracedCheck = typeof TracedCheck.Type

/** Evidence and what the disk says of it now. */
export const TracedEvidence = Schema.Struct({
  /** As it was reported. */
  evidence: Text,
  status: ReceiptStatus,
  /** Where it is now; null: nowhere. */
  now: TextOrNull,
  why: Text,
  sha256: Text,
  /** Null unless it still holds. */
  code: Schema.NullOr(Code)
})
export type TracedEvidence = typeof TracedEvidence.Type

export const TracedItem = Schema.Struct({
  /** Counts the task's checklist from 0. */
  index: Schema.Int,
  item: Text,
  covers: Texts,
  /** As it is now: what was proven and does not hold any more is `stale` or `missing`. */
  verdict: Schema.Union([Verdict, Schema.Literal("missing")]),
  evidence: Schema.NullOr(TracedEvidence),
  /** Why it was left out; null: it was not. */
  reason: TextOrNull,
  /** What shows it; null: nothing does any more. */
  shown_by: Schema.NullOr(ShownBy),
  /** Why it shows less than it seems to: codes, and in words. */
  weak: Schema.Array(WeaknessReason),
  weaknesses: Texts,
  checks: Schema.Array(TracedCheck)
})
export type TracedItem = typeof TracedItem.Type

export const TracedTask = Schema.Struct({
  task_id: Text,
  run_id: Text,
  /** The iteration it was made for; null outside of a requirements run. */
  iteration: Schema.NullOr(Schema.Int),
  /** The task it is a part of. */
  parent_task_id: TextOrNull,
  title: Text,
  status: Text,
  verdict: Text,
  attempts: Schema.Int,
  agent: TextOrNull,
  message: Text,
  covers: Texts,
  /** Of the whole task. */
  checks: Schema.Array(TracedCheck),
  review: Schema.NullOr(Schema.Struct({ reviewer: Text, judgment: Text, checks: Schema.Array(ReviewCheck) })),
  items: Schema.Array(TracedItem)
})
export type TracedTask = typeof TracedTask.Type

export const TracedCriterion = Schema.Struct({
  id: Text,
  criterion: Text,
  verify: TextOrNull,
  verdict: CriterionVerdict.fields.verdict,
  by: CriterionVerdict.fields.by,
  message: Text,
  /** How its commands ended when they were run last. */
  checks: Schema.Array(TracedCheck),
  /** The tasks that are to meet it, with the items that show it. */
  tasks: Schema.Array(
    Schema.Struct({
      task_id: Text,
      run_id: TextOrNull,
      items: Schema.Array(Schema.Int),
      /** The tasks that show it in the place of this one; empty where it counts, or nothing is shown. */
      superseded_by: Texts
    })
  )
})
export type TracedCriterion = typeof TracedCriterion.Type

export const TracedRequirement = Schema.Struct({
  id: Text,
  name: TextOrNull,
  description: Text,
  priority: Requirement.fields.priority,
  verdict: CriterionVerdict.fields.verdict,
  verified_at: TextOrNull,
  /** What an agent said of it: marked as such, for it is no proof by itself. */
  opinion: Schema.NullOr(
    Schema.Struct({
      verifier: Text,
      met: Schema.Boolean,
      evidence: Text,
      cited: Schema.Array(TracedEvidence)
    })
  ),
  criteria: Schema.Array(TracedCriterion)
})
export type TracedRequirement = typeof TracedRequirement.Type

/**
 * What stands behind a run, from its requirements down to the lines of code: `data` of `proofline report --format json`.
 * Every receipt is compared with the files as they are now; no command is run again.
 */
export const ReportView = Schema.Struct({
  run_id: Text,
  kind: Text,
  name: Text,
  /** S2's status in a requirements run, else that of the run. */
  status: Text,
  run_status: Text,
  message: Text,
  /** What the run has shown, as far as that still holds. */
  verdict: RunProof.fields.verdict,
  reviewers: RunProof.fields.reviewers,
  weak: RunProof.fields.weak,
  /** All that is required counts as done and still holds: `verdict` is not `unproven`. */
  proven: Schema.Boolean,
  started_at: Text,
  ended_at: TextOrNull,
  input: Schema.NullOr(Schema.Struct({ path: Text, sha256: Text })),
  /** Null outside of a requirements run. */
  iterations: Schema.NullOr(Schema.Struct({ current: Schema.Int, max: Schema.Int })),
  /** Since the run was started or resumed last. */
  spent: Schema.Struct({
    attempts: Schema.Int,
    calls: Schema.Int,
    tokens: Schema.Number,
    cost_usd: Schema.Number
  }),
  budget: Budget,
  /** Where its log ended when the report was made. */
  head: Head,
  runs: Schema.Array(
    Schema.Struct({
      run_id: Text,
      iteration: Schema.NullOr(Schema.Int),
      status: Text,
      tasks_yaml_path: TextOrNull,
      head: Head
    })
  ),
  counts: Schema.Struct({
    ...ProofCounts.fields,
    requirements: Schema.Int,
    requirements_proven: Schema.Int,
    receipts: Schema.Int,
    holding: Schema.Int,
    missing: Schema.Int
  }),
  requirements: Schema.Array(TracedRequirement),
  tasks: Schema.Array(TracedTask)
})
export type ReportView = typeof ReportView.Type
