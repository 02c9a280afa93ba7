import {
  AskedOfPerson,
  Budget,
  Count,
  decidingFields,
  described,
  Head,
  Input,
  ItemView,
  Judgment,
  Ordinal,
  PermissionWanted,
  ProofCounts,
  ReceiptStatus,
  RunProof,
  ShownStatus,
  Spent,
  Stopped,
  TaskStatus,
  Text,
  TextOrNull,
  Texts,
  Time,
  Verdict,
  WeakReason
} from "@proofline/kernel"
import { Schema } from "effect"
import { CriterionVerdict, LoopBStatus, Requirement } from "../../policies/requirements/contract.ts"

/** Lines of a file as they are now. */
export const Code = Schema.Struct({
  path: Text,
  start: described("Number of the first of `lines`.", Ordinal),
  lines: Texts,
  cited: described(
    "The first and the last line that were cited; the others belong to the declaration they stand for.",
    Schema.Tuple([Ordinal, Ordinal])
  ),
  more: described("Lines that are left out at the end.", Count)
}).annotate({ identifier: "Code", description: "Lines of a file as they are now." })
export type Code = typeof Code.Type

export const TracedCheck = Schema.Struct({
  command: Text,
  passed: Schema.Boolean,
  exit_code: Schema.NullOr(Schema.Int),
  signal: described("Of a command that was ended; null: it was not.", TextOrNull),
  timed_out: Schema.Boolean,
  output_tail: described("The end of what it printed, at most 2,000 characters.", Text),
  why: described(
    "What decided beside the exit code, in words: the clean room, the tests that were counted; empty: nothing.",
    Text
  ),
  census: described("Tests of the run that decides; left out: no runner reported any.", decidingFields.census),
  clean_room: described(
    "Whether it passed in the clean room; null: that is turned off. Left out: it was not run there.",
    decidingFields.clean_room
  ),
  changed_tests: described(
    "Tests that are not what they were before the run; left out: none.",
    decidingFields.changed_tests
  ),
  at: described("When it was run to verify requirements; null: while the task was verified.", Schema.NullOr(Time))
}).annotate({ identifier: "TracedCheck", description: "How a command ended when it was run last." })
export type TracedCheck = typeof TracedCheck.Type

/** Evidence and what the disk says of it now. */
export const TracedEvidence = Schema.Struct({
  evidence: described("As it was reported.", Text),
  status: ReceiptStatus,
  now: described("Where it is now; null: nowhere.", TextOrNull),
  why: Text,
  sha256: Text,
  code: described("Null unless it still holds.", Schema.NullOr(Code))
}).annotate({ identifier: "TracedEvidence", description: "Evidence and what the disk says of it now." })
export type TracedEvidence = typeof TracedEvidence.Type

export const TracedItem = Schema.Struct({
  index: ItemView.fields.index,
  item: Text,
  covers: ItemView.fields.covers,
  verdict: described(
    "As it is now: what was proven and does not hold any more is `stale` or `missing`.",
    Schema.Literals([...Verdict.literals, "missing"])
  ),
  evidence: Schema.NullOr(TracedEvidence),
  reason: ItemView.fields.reason,
  shown_by: ItemView.fields.shown_by,
  weak: described("Why it shows less than it seems to: codes, and in words.", Schema.Array(WeakReason)),
  weaknesses: Texts,
  checks: Schema.Array(TracedCheck)
}).annotate({ identifier: "TracedItem" })
export type TracedItem = typeof TracedItem.Type

export const TracedTask = Schema.Struct({
  task_id: Text,
  run_id: Text,
  iteration: described("The iteration it was made for; null outside of a requirements run.", Schema.NullOr(Ordinal)),
  parent_task_id: described("The task it is a part of; null: of none.", TextOrNull),
  title: Text,
  status: TaskStatus,
  verdict: Verdict,
  attempts: Count,
  agent: TextOrNull,
  message: Text,
  covers: Texts,
  checks: described("Of the whole task.", Schema.Array(TracedCheck)),
  review: Schema.NullOr(Judgment),
  items: Schema.Array(TracedItem)
}).annotate({ identifier: "TracedTask" })
export type TracedTask = typeof TracedTask.Type

export const TracedCriterion = Schema.Struct({
  id: Text,
  criterion: Text,
  verify: TextOrNull,
  verdict: CriterionVerdict.fields.verdict,
  by: CriterionVerdict.fields.by,
  message: Text,
  checks: described("How its commands ended when they were run last.", Schema.Array(TracedCheck)),
  tasks: described(
    "The tasks that are to meet it, with the items that show it.",
    Schema.Array(
      Schema.Struct({
        task_id: Text,
        run_id: TextOrNull,
        items: Schema.Array(Count),
        superseded_by: described(
          "The tasks that show it in the place of this one; empty where it counts, or nothing is shown.",
          Texts
        )
      })
    )
  )
}).annotate({ identifier: "TracedCriterion" })
export type TracedCriterion = typeof TracedCriterion.Type

export const TracedRequirement = Schema.Struct({
  id: Text,
  name: TextOrNull,
  description: Text,
  priority: Requirement.fields.priority,
  verdict: CriterionVerdict.fields.verdict,
  verified_at: Schema.NullOr(Time),
  opinion: described(
    "What an agent said of it: marked as such, for it is no proof by itself.",
    Schema.NullOr(
      Schema.Struct({
        verifier: Text,
        met: Schema.Boolean,
        evidence: Text,
        cited: Schema.Array(TracedEvidence)
      })
    )
  ),
  criteria: Schema.Array(TracedCriterion)
}).annotate({ identifier: "TracedRequirement" })
export type TracedRequirement = typeof TracedRequirement.Type

/**
 * What stands behind a run, from its requirements down to the lines of code: `data` of `proofline report --format json`.
 * Every receipt is compared with the files as they are now; no command is run again.
 */
export const ReportView = Schema.Struct({
  run_id: Text,
  kind: Text,
  name: Text,
  status: described(
    "The status of its loop in a requirements run, else that of the run.",
    Schema.Union([ShownStatus, LoopBStatus])
  ),
  run_status: ShownStatus,
  stopped: Schema.optionalKey(Stopped),
  message: Text,
  asked: described("What waits for a person; left out: nothing does.", Schema.optionalKey(Schema.Array(AskedOfPerson))),
  permissions: described(
    "What agents ask leave for; left out: they wait for nobody.",
    Schema.optionalKey(Schema.Array(PermissionWanted))
  ),
  ...RunProof.fields,
  proven: described(
    "All that is required counts as done and still holds: `verdict` is not `unproven`.",
    Schema.Boolean
  ),
  started_at: Time,
  ended_at: Schema.NullOr(Time),
  input: Schema.NullOr(Input),
  iterations: described(
    "Null outside of a requirements run.",
    Schema.NullOr(Schema.Struct({ current: Count, max: Count }))
  ),
  spent: Spent,
  budget: Budget,
  head: described("Where its log ended when the report was made.", Schema.NullOr(Head)),
  runs: Schema.Array(
    Schema.Struct({
      run_id: Text,
      iteration: Schema.NullOr(Ordinal),
      status: ShownStatus,
      tasks_yaml_path: TextOrNull,
      head: Schema.NullOr(Head)
    })
  ),
  counts: Schema.Struct({
    ...ProofCounts.fields,
    requirements: Count,
    requirements_proven: Count,
    receipts: Count,
    holding: Count,
    missing: Count
  }),
  requirements: Schema.Array(TracedRequirement),
  tasks: Schema.Array(TracedTask)
}).annotate({
  identifier: "Report",
  description: "What stands behind a run, from its requirements down to the lines of code."
})
export type ReportView = typeof ReportView.Type
