/** How runs are shown: one in a line, and one with everything that belongs to no task. */
import { Schema } from "effect"
import { Driver } from "../base/Driver.ts"
import { Budget } from "../modules/run/config.ts"
import { RecordedProof, RunProof } from "../modules/run/obligations.ts"
import { FailedBy, Spent } from "../modules/run/schemas.ts"
import { verdicts } from "../modules/run/verdicts.ts"
import { AskedItem } from "../modules/tasks/schemas.ts"
import { PermissionQuestion } from "../port/Agent.ts"
import { Count, described, Ordinal, Text, Texts, Time } from "./fields.ts"

/** What a run is shown as. */
export const ShownStatus = Schema.Literals([
  "running",
  "completed",
  "incomplete",
  "failed",
  "stopped",
  "cancelled"
]).annotate({ identifier: "RunStatus", description: "`stopped`: its budget is used up, and a resume goes on." })

export type ShownStatus = typeof ShownStatus.Type

/** Those of tasks that runs do not have. */
const otherTaskStatuses = ["pending", "in_progress", "retrying", "skipped", "backlog", "blocked"] as const

/** Beside a status. */
export const Stopped = Schema.Struct({
  by: described("The budget is used up, or one step was asked for.", Schema.Literal("budget")),
  message: Text
}).annotate({ identifier: "Stopped", description: "Nothing failed: a resume goes on." })
export type Stopped = typeof Stopped.Type

/** What a run or a task is shown as. */
export const ShownAs = Schema.Struct({
  word: described(
    "`waiting` before anything else: a person is asked something. What is completed has the word of its verdict, all else that of its status.",
    Schema.Literals(["waiting", ...ShownStatus.literals, ...otherTaskStatuses, ...verdicts])
  ),
  text: described("For people, e.g. `reviewed by gemini` or `failed, unproven`.", Text)
}).annotate({
  identifier: "ShownAs",
  description: "In one word how it stands and what it has shown, the same in every list."
})
export type ShownAs = typeof ShownAs.Type

/** How many tasks and items there are. */
const counts = {
  tasks_total: Count,
  tasks_completed: Count,
  tasks_failed: Count,
  tasks_skipped: Count,
  items_total: described(
    "Items of checklists, without those of parts. Checks and acceptance criteria are none; where a run that has ended was asked for no items, all that had to hold counts.",
    Count
  ),
  items_closed: described(
    "Those that count as done. Of a task that is not completed they are counted where the run itself is asked for; in lists and summaries where nothing but items has to hold.",
    Count
  )
}

const whose = {
  run_id: Text,
  kind: described("`tasks`, `requirements`, `prompt`, `session`, or one of a plugin.", Text),
  name: Text
}

const when = {
  started_at: Time,
  ended_at: described("Null while it runs.", Schema.NullOr(Time)),
  parent_run_id: described("The run it is a part of; null: of none.", Schema.NullOr(Text))
}

/** A file that a run was started with. */
export const Input = Schema.Struct({ path: Text, sha256: Text })

/** An item that waits for a person. */
export const AskedOfPerson = Schema.Struct({
  run_id: described("Of the run that the task is in.", Text),
  task_id: Text,
  attempt: Ordinal,
  ...AskedItem.fields,
  files: described("Files that the attempts of the task changed.", Texts)
}).annotate({
  identifier: "AskedOfPerson",
  description: "An item that an agent cannot do; a person says how it goes on with `proofline answer`."
})
export type AskedOfPerson = typeof AskedOfPerson.Type

const asked = Schema.Array(AskedOfPerson)

/** Something that an agent asks leave for while it works. */
export const PermissionWanted = Schema.Struct({
  run_id: described("Of the run that the work is in.", Text),
  permission: described("Names the question, and no later one.", Text),
  task_id: Text,
  attempt: Ordinal,
  role: described("`work`, `review`, `analyze`, `generate` or `verify`.", Text),
  agent: Text,
  ...PermissionQuestion.fields
}).annotate({
  identifier: "PermissionWanted",
  description: "Something that an agent may do only with leave; a person answers with `proofline answer`, and it waits."
})
export type PermissionWanted = typeof PermissionWanted.Type

const permissions = Schema.Array(PermissionWanted)

/** A task that waits for the gate of a plugin. */
export const HeldTask = Schema.Struct({
  task_id: Text,
  gate: Text,
  plugin: described("The name of the plugin that has the gate.", Text)
}).annotate({
  identifier: "HeldTask",
  description: "A task that waits for a gate of a plugin, which is open and has ordered no work."
})
export type HeldTask = typeof HeldTask.Type

const active = described("Tasks that are being worked on, by id.", Texts)

/** One line about a run, kept beside the log so that `status` and `history` need not fold anything. */
export const RunSummary = Schema.StructWithRest(
  Schema.Struct({
    ...whose,
    /** As it was recorded; what a run that was stopped is shown as: `shownRowStatus`. */
    status: Schema.Literals(["running", "completed", "incomplete", "failed", "cancelled"]),
    stopped: described("Left out: it was not stopped.", Schema.optionalKey(Stopped)),
    proof: described(
      "What it has shown, as was recorded when it ended; left out: nothing was recorded of it.",
      Schema.optionalKey(RecordedProof)
    ),
    redacted: described(
      "Its texts are pseudonyms, and it shows nothing. Left out: they are not.",
      Schema.optionalKey(Schema.Boolean)
    ),
    ...when,
    ...counts,
    input: described(
      "The file it was started with; null: none. Left out in summaries of before it was kept, as is `base_commit`.",
      Schema.optionalKey(Schema.NullOr(Input))
    ),
    base_commit: described("The commit that was there before it; null: none.", Schema.optionalKey(Schema.NullOr(Text))),
    subtasks_total: described(
      "Of tasks that were split; left out in summaries of before there were any.",
      Schema.optionalKey(Count)
    ),
    subtasks_completed: Schema.optionalKey(Count),
    over_budget: described(
      "Tasks that were skipped for want of budget: a resume takes them up. Left out: none.",
      Schema.optionalKey(Schema.Array(Text))
    ),
    tasks_given_up: described("Of those that failed: given up by a person. Left out: none.", Schema.optionalKey(Count)),
    failed_checks: described(
      "How many check commands did not pass in the last attempt at a task, by task, of 500 at most; left out: all have passed that were run.",
      Schema.optionalKey(Schema.Record(Text, Count))
    ),
    asked: described("What waits for a person, at most 20; left out: nothing does.", Schema.optionalKey(asked)),
    permissions: described(
      "What agents ask leave for, at most 20; left out: they wait for nobody.",
      Schema.optionalKey(permissions)
    ),
    active
  }),
  // what summarizers of plugins add, e.g. the phase of a session run
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type RunSummary = typeof RunSummary.Type

/** One run of a list, as far as it is known without its events. */
export const RunRow = Schema.Struct({
  ...whose,
  status: ShownStatus,
  shown_as: ShownAs,
  verdict: described(
    "What it has shown, `unproven` while it is not completed; null: it was not recorded in its time, see the run itself.",
    Schema.NullOr(RunProof.fields.verdict)
  ),
  counts: described(
    "Null: what it has shown so far is to be seen in the run itself.",
    Schema.NullOr(RunProof.fields.counts)
  ),
  reviewers: RunProof.fields.reviewers,
  weak: RunProof.fields.weak,
  ...when,
  ...counts,
  checks_failed: RunProof.fields.checks_failed,
  subtasks_total: described("Parts of tasks that were split.", Count),
  subtasks_completed: Count,
  asked: described("What waits for a person, at most 20.", asked),
  permissions: described("What agents ask leave for, at most 20.", permissions),
  active
}).annotate({ identifier: "RunRow", description: "One run of a list, as far as it is known without its events." })
export type RunRow = typeof RunRow.Type

/** Where a log ends. */
export const Head = Schema.Struct({ version: Count, hash: Text })

/** A run as it stands, with everything that belongs to no task. */
export const RunDetail = Schema.Struct({
  ...RunRow.fields,
  ...RunProof.fields,
  message: described("Why it ended as it did; empty while there is nothing to say.", Text),
  failed_by: described("By what it failed; null: it did not.", Schema.NullOr(FailedBy)),
  agent: Text,
  reviewer: Schema.NullOr(Text),
  workers: Count,
  input: Schema.NullOr(Input),
  base_commit: Schema.NullOr(Text),
  driver: described("The process that drives it, or drove it last.", Schema.NullOr(Driver)),
  spent: Spent,
  budget: Budget,
  version: described("Events in its log.", Count),
  position: described("Place of the last of them in the whole log.", Count),
  hash: Text,
  updated_at: Time,
  child_run_ids: Texts
}).annotate({ identifier: "Run", description: "A run as it stands." })
export type RunDetail = typeof RunDetail.Type
