import { Schema } from "effect"
import { BlobRef } from "../../base/Blob.ts"
import { PermissionQuestion } from "../../port/Agent.ts"

/** What the project was before a run, to tell what the run changed. */
export const Base = Schema.Struct({
  /** HEAD; null outside a repository and before the first commit. */
  commit: Schema.NullOr(Schema.String),
  /** Every file that the commit does not hold as it was; the `Baseline` port reads it. */
  snapshot: BlobRef,
  /** The name under which a person gave the commit; left out: the project as it was when the run began. */
  ref: Schema.optionalKey(Schema.String)
})
export type Base = typeof Base.Type

/** A plugin that a run is made with. */
export const PluginVersion = Schema.Struct({ name: Schema.String, version: Schema.String })
export type PluginVersion = typeof PluginVersion.Type

/** The files of a project at some moment, to be had again. */
export const ProjectTree = Schema.Struct({
  /** A commit of the project's repository; null: it has none. */
  commit: Schema.NullOr(Schema.String),
  /** What that does not hold, as in a `Base`; left out: the commit holds all of it. */
  snapshot: Schema.optionalKey(BlobRef)
})
export type ProjectTree = typeof ProjectTree.Type

/** The part of a file that was shown for an item. */
const Shown = Schema.Struct({
  item: Schema.String,
  path: Schema.String,
  /** Names of lines that were changed there. */
  shows: Schema.Array(Schema.String),
  /** The file as a whole. */
  whole: Schema.Boolean
})

/** A task that was completed in an earlier run, for those who build on it. */
export const EarlierTask = Schema.Struct({
  task_id: Schema.String,
  title: Schema.String,
  /** What its agent said at its end. */
  summary: Schema.String,
  files: Schema.Array(Schema.String),
  /** What its items were shown by, which shows no other item; left out: nobody noted it. */
  shown: Schema.optionalKey(Schema.Array(Shown))
})
export type EarlierTask = typeof EarlierTask.Type

/** Tasks of a run by what became of them; in a requirements run, of its requirements. */
export const Counts = {
  total: Schema.Int,
  completed: Schema.Int,
  failed: Schema.Int,
  skipped: Schema.Int
}
export type Counts = Schema.Struct<typeof Counts>["Type"]

/** What the agents of a run have used since it was started or resumed. */
export const Spent = Schema.Struct({
  attempts: Schema.Int,
  calls: Schema.Int.annotate({ description: "Calls of agents in any role." }),
  tokens: Schema.Int.annotate({ description: "Input and output, of the calls that said so." }),
  cost_usd: Schema.Finite
}).annotate({ identifier: "Spent", description: "What agents have used since the run was started or resumed last." })
export type Spent = typeof Spent.Type

/** Why a run failed. */
export const FailedBy = Schema.Literals(["failed", "fail_fast", "breaker", "budget"])
export type FailedBy = typeof FailedBy.Type

/** A task that a resume takes up again: from its start, from the judgement of its last attempt, or from its parts. */
export const Reopened = Schema.Struct({
  task_id: Schema.String,
  from: Schema.Literals(["start", "judgement", "parts"])
})
export type Reopened = typeof Reopened.Type

/** A resume for some tasks only. */
export const Only = Schema.Struct({
  /** Those that were named. */
  tasks: Schema.Array(Schema.String),
  /** Open tasks that nobody works on until the run is resumed once more. */
  set_aside: Schema.Array(Schema.String),
  /** Tasks that stay as they ended, without parts of others. `given_up`: of those that failed, by a person. */
  left: Schema.Struct({ failed: Schema.Int, skipped: Schema.Int, given_up: Schema.Int }),
  /** What a person says to whoever works on the named tasks; left out: nothing. */
  note: Schema.optionalKey(Schema.String)
})
export type Only = typeof Only.Type

/** Work that could not be carried out, as it was reported. */
export const ActivityFailure = {
  name: Schema.String,
  key: Schema.String,
  input: Schema.Json,
  /** The task that the work was ordered for; left out: the one that its input names. */
  task_id: Schema.optionalKey(Schema.String),
  code: Schema.String,
  message: Schema.String,
  /** The agent that failed; with `terminal`, trying again with it cannot help. */
  agent: Schema.optionalKey(Schema.String),
  terminal: Schema.optionalKey(Schema.Boolean)
}
export type ReportedFailure = Schema.Struct<typeof ActivityFailure>["Type"]

/** The task that the input of work names; null: none. */
export const taskNamedBy = (input: Schema.Json): string | null => {
  const id = (input as { readonly task_id?: unknown } | null)?.task_id
  return typeof id === "string" ? id : null
}

/** What waits for a piece of work. */
export const AwaitedBy = Schema.Struct({
  /** The plugin that ordered the work. */
  plugin: Schema.String,
  /** null: no task, but the run. */
  task_id: Schema.NullOr(Schema.String),
  /**
   * What follows. `blocked`: the task cannot go on without the work. `survived`: it goes on without it. `deferred`: the
   * work was not begun, because the budget is used up. `agent_unavailable`: the agent that was asked is not started any more; the task waits for the next.
   */
  consequence: Schema.Literals(["blocked", "survived", "deferred", "agent_unavailable"])
})
export type AwaitedBy = typeof AwaitedBy.Type

/** What an agent asks leave for: in which call, named by whoever asks. */
export const askFields = {
  task_id: Schema.String,
  attempt: Schema.Int,
  role: Schema.String,
  agent: Schema.String,
  key: Schema.String,
  ...PermissionQuestion.fields
}

/** An open question; `permission` names it in the run. */
export const AskedPermission = Schema.Struct({ permission: Schema.String, ...askFields })
export type AskedPermission = typeof AskedPermission.Type

/** What a run is that was told again with pseudonyms in the place of texts. It shows nothing; who holds the key can compare. */
export const Redacted = Schema.Struct({
  /** HMAC-SHA-256 makes the pseudonyms, under a key that is nowhere in the log. */
  method: Schema.Literal("hmac-sha256"),
  /** A commitment to the hash of each event of the run it was made of, by version. */
  commitments: BlobRef,
  /** Versions of events to which today's rules did not come with pseudonyms: there a replay may part. */
  departs: Schema.Array(Schema.Int)
})
export type Redacted = typeof Redacted.Type

/** The event of another run behind which a fork goes its own way. */
export const Origin = Schema.Struct({
  run_id: Schema.String,
  version: Schema.Int,
  /** Of that event, in the log of the other run. */
  hash: Schema.String
})
export type Origin = typeof Origin.Type
