import { HashMap, Schema } from "effect"
import { BlobRef } from "../../base/Blob.ts"
import { Driver } from "../../base/Driver.ts"
import { counted } from "../../core/words.ts"
import { Usage } from "../../port/Agent.ts"
import { withCall } from "./budget.ts"
import { RunConfig } from "./config.ts"
import { RecordedProof } from "./obligations.ts"
import { callEnded, permissionEvents } from "./permissions.ts"
import {
  ActivityFailure,
  AwaitedBy,
  Base,
  Counts,
  EarlierTask,
  FailedBy,
  Only,
  Origin,
  PluginVersion,
  Redacted,
  Reopened
} from "./schemas.ts"
import { noRun, nothingSpent, Run, type RunState } from "./state.ts"

// What can happen to a run, in whosever words it is recorded.

/** An attempt was begun: it counts against the budget. */
export const attemptSpent = Run.change<null>("attemptSpent", {
  apply: (run) => ({ ...run, spent: { ...run.spent, attempts: run.spent.attempts + 1 } })
})

/** Trying again with an agent cannot help: it is not started any more. */
export const breakerOpened = Run.change<{ readonly agent: string; readonly code: string; readonly message: string }>(
  "breakerOpened",
  { apply: (run, { agent, code, message }) => withBreaker(run, agent, { code, message }) }
)

const withBreaker = (run: RunState, agent: string, breaker: { readonly code: string; readonly message: string }) => ({
  ...run,
  breakers: HashMap.set(run.breakers, agent, breaker)
})

// What this module records. Field names are part of the log format.

/** The content of RUN_STARTED; the arguments of StartRun that every kind of run has. */
export const runFields = {
  run_id: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  /** Project directory at the time of the run; informative, never used to find files on replay. */
  root: Schema.String,
  input: Schema.NullOr(Schema.Struct({ path: Schema.String, sha256: Schema.String })),
  parent_run_id: Schema.NullOr(Schema.String),
  /** Tasks completed in earlier runs that tasks of this run may depend on. */
  completed_task_ids: Schema.Array(Schema.String),
  config: RunConfig,
  plugins: Schema.Array(PluginVersion),
  driver: Schema.NullOr(Driver),
  /** Null: nobody looked. */
  base: Schema.NullOr(Base),
  /** What the whole is for, in words for agents; left out where the tasks say it all. */
  goal: Schema.optionalKey(Schema.String),
  /** What came of those of `completed_task_ids` about which it is known. */
  completed_tasks: Schema.optionalKey(Schema.Array(EarlierTask)),
  /** Its texts are pseudonyms; left out: they are not. */
  redacted: Schema.optionalKey(Redacted)
}

export const RunStarted = Run.event("RUN_STARTED", {
  schema: Schema.Struct(runFields),
  visibility: "summary",
  evolve: (_, { completed_task_ids, completed_tasks, goal = null, redacted = null, ...content }) => ({
    ...noRun,
    ...content,
    goal,
    redacted,
    status: "running"
  }),
  sentence: ({ kind, name }) => `The run "${name}" (${kind}) was started.`
})

export const RunResumed = Run.event("RUN_RESUMED", {
  schema: Schema.Struct({
    driver: Schema.NullOr(Driver),
    config: Schema.NullOr(RunConfig),
    reopened: Schema.Array(Reopened),
    /** All with which it goes on; left out: the same as before. */
    plugins: Schema.optionalKey(Schema.Array(PluginVersion)),
    /** Left out: it goes on with all that is left. */
    only: Schema.optionalKey(Only)
  }),
  visibility: "summary",
  evolve: (run, { config, driver, plugins }) => ({
    ...run,
    plugins: plugins ?? run.plugins,
    status: "running",
    message: "",
    failed_by: null,
    driver: driver ?? run.driver,
    config: config ?? run.config,
    resumes: run.resumes + 1,
    spent: nothingSpent,
    breakers: HashMap.empty(),
    // whoever waited for an answer works no more
    permissions: { ...run.permissions, open: [] }
  }),
  sentence: ({ only, reopened }) => {
    const named = only === undefined ? "" : ` for ${only.tasks.join(", ")} only`
    return reopened.length === 0
      ? `The run was resumed${named}.`
      : `The run was resumed${named}; ${counted(reopened.length, "task is", "tasks are")} taken up again.`
  }
})

/** Whoever works on it from here on does so with other plugins; nothing else about it has changed. */
export const RunPluginsChanged = Run.event("RUN_PLUGINS_CHANGED", {
  schema: Schema.Struct({
    /** All with which it goes on. */
    plugins: Schema.Array(PluginVersion)
  }),
  visibility: "full",
  evolve: (run, { plugins }) => ({ ...run, plugins }),
  sentence: ({ plugins }) => `The run goes on with the plugins ${plugins.map(({ name }) => name).join(", ")}.`
})

/** What is before it was told of another run, up to a version; from here on this one is a run of its own. */
export const RunForked = Run.event("RUN_FORKED", {
  schema: Origin,
  visibility: "summary",
  // nobody drives it so far
  evolve: (run, origin) => ({ ...run, forked_from: origin, driver: null }),
  sentence: ({ run_id, version }) => `The run was forked from ${run_id} behind its event ${version}.`
})

/** Nothing is left to be worked on: what is to be done before a run may end is ordered. */
export const RunEnding = Run.event("RUN_ENDING", {
  schema: Schema.Struct({
    /** Keys of that work. */
    work: Schema.Array(Schema.String)
  }),
  visibility: "summary",
  evolve: (run, { work }) => ({ ...run, ending: work }),
  sentence: () => "Nothing is left to be worked on; before the run ends, what was accepted is judged again."
})

/** What the run has shown. */
const shownFields = { proof: RecordedProof }

export const RunCompleted = Run.event("RUN_COMPLETED", {
  schema: Schema.Struct({
    ...Counts,
    /** Items, and of runs of plugins whatever they count. */
    proven: Schema.Int,
    waived: Schema.Int,
    ...shownFields
  }),
  visibility: "summary",
  evolve: (run) => ({ ...run, status: "completed", message: "" }),
  sentence: ({ completed, total }) => `The run is completed: ${completed} of ${total}.`
})

export const RunIncomplete = Run.event("RUN_INCOMPLETE", {
  schema: Schema.Struct({ ...Counts, reason: Schema.String, ...shownFields }),
  visibility: "summary",
  evolve: (run, { reason }) => ({ ...run, status: "incomplete", message: reason }),
  sentence: ({ reason }) => `The run is incomplete: ${reason}`
})

export const RunFailed = Run.event("RUN_FAILED", {
  schema: Schema.Struct({ ...Counts, reason: FailedBy, message: Schema.String, ...shownFields }),
  visibility: "summary",
  evolve: (run, { message, reason }) => ({ ...run, status: "failed", message, failed_by: reason }),
  sentence: ({ message, reason }) => `The run failed (${reason}): ${message}`
})

export const RunCancelled = Run.event("RUN_CANCELLED", {
  schema: Schema.Struct({ reason: Schema.String }),
  visibility: "summary",
  evolve: (run, { reason }) => ({ ...run, status: "cancelled", message: reason }),
  sentence: ({ reason }) => `The run was cancelled: ${reason}`
})

export const callFields = {
  agent: Schema.String,
  role: Schema.String,
  task_id: Schema.String,
  attempt: Schema.Int,
  /** Null: it did not say. */
  usage: Schema.NullOr(Usage),
  /** All that was asked and came of it; left out: it is not recorded. */
  exchange: Schema.optionalKey(BlobRef)
}

/** An agent was asked in any role and has ended. Written where it says what it used, and where calls are counted or recorded. */
export const AgentCalled = Run.event("AGENT_CALLED", {
  schema: Schema.Struct(callFields),
  visibility: "full",
  evolve: (run, { usage }) => ({ ...run, spent: withCall(run.spent, usage) }),
  sentence: ({ agent, role, task_id }) => `${agent} was asked (${role}) about ${task_id}.`
})

export const ActivityResult = Run.event("ACTIVITY_RESULT", {
  schema: Schema.Struct({ name: Schema.String, key: Schema.String, input: Schema.Json, result: Schema.Json }),
  visibility: "full",
  sentence: ({ name }) => `The work ${name} was done.`
})

export const ActivityFailed = Run.event("ACTIVITY_FAILED", {
  schema: Schema.Struct({
    ...ActivityFailure,
    /** Null: nothing waits for the work, and nothing follows from its failure. */
    awaited_by: Schema.NullOr(AwaitedBy)
  }),
  visibility: "full",
  // open the breaker; the finished work is kept and judged once the agent can be started again
  evolve: (run, { agent, awaited_by, code, message }) =>
    awaited_by?.consequence === "agent_unavailable" && agent !== undefined
      ? withBreaker(run, agent, { code, message })
      : run,
  sentence: ({ message, name }) => `The work ${name} could not be done: ${message}`
})

export const changes = [attemptSpent, breakerOpened, callEnded]
export const events = [
  RunStarted,
  RunResumed,
  RunPluginsChanged,
  RunForked,
  RunEnding,
  RunCompleted,
  RunIncomplete,
  RunFailed,
  RunCancelled,
  AgentCalled,
  ActivityResult,
  ActivityFailed,
  ...permissionEvents
]
