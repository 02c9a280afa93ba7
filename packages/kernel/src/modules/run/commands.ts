import { Schema } from "effect"
import { Driver } from "../../base/Driver.ts"
import type { Decision, Json } from "../../core/contract.ts"
import { NoFields } from "../../core/contract.ts"
import { Rejection, reject, rejectConflict, rejectUnknown } from "../../core/Rejection.ts"
import { RunConfig } from "./config.ts"
import {
  ActivityFailed,
  ActivityResult,
  AgentCalled,
  callFields,
  RunCancelled,
  RunCompleted,
  RunEnding,
  RunFailed,
  RunForked,
  RunIncomplete,
  RunPluginsChanged,
  RunResumed,
  RunStarted,
  runFields
} from "./events.ts"
import { proofBy } from "./obligations.ts"
import { permissionCommands } from "./permissions.ts"
import { conditions, kindOf, kinds, type RunEnd, underway, workBeforeEnd } from "./points.ts"
import { ActivityFailure, Origin, PluginVersion } from "./schemas.ts"
import { Run, type RunView } from "./state.ts"

const RunArguments = Schema.Struct(runFields)

/** Beside the arguments of every run, those that its kind asks for, e.g. `tasks`. */
export const StartRun = Run.command("StartRun", {
  schema: Schema.StructWithRest(RunArguments, [Schema.Record(Schema.String, Schema.Json)]),
  decide: (args, state) => {
    if (state.run.status !== "none") {
      return reject(
        "run_exists",
        `Run ${state.run.run_id} was started already.`,
        "Resume it, or start a run with a new id."
      )
    }
    const { content, rest } = split(args)
    const kind = kinds(state).find(({ name }) => name === content.kind)
    if (kind === undefined) return kindUnknown(content.kind)
    const begun = kind.begin(rest, new Set(content.completed_task_ids), content.config)
    return begun._tag === "Rejection" ? begun : [RunStarted(content), begun]
  },
  recall: {
    from: [RunStarted],
    args: (batch, state) => {
      const started = batch.first(RunStarted)
      const kind = kinds(state).find(({ name }) => name === started?.kind)
      return started && kind && { ...kind.recall(batch), ...started }
    }
  }
})

const own = new Set(Object.keys(runFields))

const split = (args: typeof RunArguments.Type & Readonly<Record<string, Json>>) => ({
  content: Object.fromEntries(Object.entries(args).filter(([key]) => own.has(key))) as typeof RunArguments.Type,
  rest: Object.fromEntries(Object.entries(args).filter(([key]) => !own.has(key)))
})

const kindUnknown = (kind: string): Rejection =>
  reject("run_kind_unknown", `No plugin knows runs of the kind ${kind}.`, "Add the plugin that declares it.")

/** Goes on with a run that stopped; tasks that failed get a new budget of attempts. */
export const ResumeRun = Run.command("ResumeRun", {
  schema: Schema.Struct({
    driver: Schema.NullOr(Driver),
    /** Null: the settings of before stay. */
    config: Schema.NullOr(RunConfig),
    /** Those that are here; left out: nobody says, and they are taken for those of before. */
    plugins: Schema.optionalKey(Schema.Array(PluginVersion)),
    /** Ids; left out: it goes on with all that is left. */
    tasks: Schema.optionalKey(Schema.Array(Schema.String)),
    /** For whoever works on these tasks; left out: nothing. */
    note: Schema.optionalKey(Schema.String)
  }),
  decide: ({ config, driver, note, plugins, tasks }, state) => {
    const { run_id, status } = state.run
    if (status === "none")
      return rejectUnknown("run_unknown", "There is no such run.", "Look it up with `proofline history`.")
    if (status === "completed") {
      return reject("run_completed", `Run ${run_id} is completed; every task is proven.`, "Start a new run.")
    }
    const parts = underway(state)
    const isSame = plugins === undefined || areSame(plugins, state.run.plugins)
    const by = { driver, config, ...(isSame ? {} : { plugins }) }
    // whoever resumes takes over: what still runs elsewhere can no longer report
    const lost = parts.flatMap((part) => part.lost?.() ?? [])
    if (tasks === undefined) {
      const reopened = parts.flatMap((part) => part.reopened?.() ?? [])
      return note === undefined ? [RunResumed({ ...by, reopened }), ...lost] : noteWithoutTask
    }
    const [taken = taskUnknown(tasks)] = parts.flatMap(
      (part) => part.takesUp?.(tasks, config ?? state.run.config, note ?? null) ?? []
    )
    if (taken instanceof Rejection) return taken
    const { reopened, ...left } = taken
    const only = { tasks, ...left, ...(note === undefined ? {} : { note }) }
    return [RunResumed({ ...by, reopened, only }), ...lost]
  },
  recall: {
    from: [RunResumed],
    args: (batch) => {
      const resumed = batch.first(RunResumed)
      if (resumed === undefined) return undefined
      const { config, driver, only, plugins } = resumed
      const by = { driver, config, ...(plugins === undefined ? {} : { plugins }) }
      if (only === undefined) return by
      const { note, tasks } = only
      return { ...by, tasks, ...(note === undefined ? {} : { note }) }
    }
  }
})

const areSame = (plugins: ReadonlyArray<PluginVersion>, others: ReadonlyArray<PluginVersion>): boolean =>
  JSON.stringify(plugins) === JSON.stringify(others)

/** Nobody would be told. */
export const noteWithoutTask = reject(
  "note_without_task",
  "A note is for whoever works on a task, and no task is named.",
  "Name the task that it is for."
)

/** No part of the run has tasks. */
const taskUnknown = (tasks: ReadonlyArray<string>): Rejection =>
  rejectUnknown("task_unknown", `There is no task ${tasks.join(", ")}.`, "Name a registered task.")

/** Tells the plugins of who works on the run, where they are not those of before. */
export const RecordPlugins = Run.command("RecordPlugins", {
  schema: Schema.Struct({ plugins: Schema.Array(PluginVersion) }),
  decide: ({ plugins }, { run }) =>
    run.status !== "running" || areSame(plugins, run.plugins) ? [] : [RunPluginsChanged({ plugins })],
  recall: { from: [RunPluginsChanged], args: (batch) => batch.first(RunPluginsChanged) }
})

/** The run so far is that of another one; a resume goes on with it. */
export const ForkRun = Run.command("ForkRun", {
  schema: Origin,
  decide: (origin, { run }) => {
    if (run.status === "none")
      return rejectUnknown("run_unknown", "There is no such run.", "Look it up with `proofline history`.")
    return run.status === "completed"
      ? reject(
          "run_completed",
          "The run is completed there: nothing is left to go on with.",
          "Fork it at an earlier version."
        )
      : [RunForked(origin)]
  },
  recall: { from: [RunForked], args: (batch) => batch.first(RunForked) }
})

const notRunning = ({ run }: RunView, hint: string): Rejection =>
  rejectConflict("run_not_running", `Run ${run.run_id} is not running.`, hint)

const givenUp = (state: RunView, reason: string) => underway(state).flatMap((part) => part.giveUp?.(reason) ?? [])

export const CancelRun = Run.command("CancelRun", {
  schema: Schema.Struct({ reason: Schema.String }),
  decide: ({ reason }, state) =>
    state.run.status === "running"
      ? [...givenUp(state, "run_cancelled"), RunCancelled({ reason })]
      : notRunning(state, "Nothing needs to be cancelled."),
  recall: { from: [RunCancelled], args: (batch) => batch.first(RunCancelled) }
})

const proofSoFar = (state: RunView, isCompleted: boolean) => proofBy(kindOf(state)?.obligations?.() ?? [], isCompleted)

const noCounts = { total: 0, completed: 0, failed: 0, skipped: 0 }

/** A limit that only a clock can see is reached: whatever runs is ended. */
export const ExhaustBudget = Run.command("ExhaustBudget", {
  schema: Schema.Struct({ message: Schema.String }),
  decide: ({ message }, state) => {
    if (state.run.status !== "running") return notRunning(state, "Nothing needs to be ended.")
    const counts = kindOf(state)?.counts(true) ?? noCounts
    return [
      ...givenUp(state, "budget"),
      RunFailed({ ...counts, reason: "budget", message, proof: proofSoFar(state, false) })
    ]
  },
  recall: {
    from: [RunFailed],
    args: (batch) => {
      const failed = batch.first(RunFailed)
      return failed?.reason === "budget" ? { message: failed.message } : undefined
    }
  }
})

/** Ends the run when its kind says so, and nothing is to be done before; otherwise nothing. */
export const FinishRun = Run.command("FinishRun", {
  schema: NoFields,
  decide: (_, state) => {
    const end = state.run.status === "running" ? (kindOf(state)?.ends() ?? null) : null
    if (end === null) return []
    // a run that failed was stopped: nobody goes on with it
    const work = end.outcome === "failed" ? [] : workBeforeEnd(state).map(({ key }) => key)
    if (work.length === 0) return ended(state, end)
    return work.every((key) => state.run.ending.includes(key)) ? [] : [RunEnding({ work })]
  },
  recall: "follows"
})

const ended = (state: RunView, end: RunEnd): Decision<"run"> => {
  switch (end.outcome) {
    case "completed": {
      const { counts, proven, waived } = end
      const [unmet] = conditions(state).flatMap((condition) => condition.unmet() ?? [])
      return unmet === undefined
        ? [RunCompleted({ ...counts, proven, waived, proof: proofSoFar(state, true) })]
        : [RunIncomplete({ ...counts, reason: unmet, proof: proofSoFar(state, false) })]
    }
    case "incomplete":
      return [
        ...(end.before === undefined ? [] : [end.before]),
        RunIncomplete({ ...end.counts, reason: end.reason, proof: proofSoFar(state, false) })
      ]
    case "failed": {
      const { before, counts, message, reason } = end
      return [
        ...(before === undefined ? [] : [before]),
        RunFailed({ ...counts, reason, message, proof: proofSoFar(state, false) })
      ]
    }
  }
}

/** The result of a plugin activity that has no event of its own. */
export const RecordActivity = Run.command("RecordActivity", {
  schema: Schema.Struct({ name: Schema.String, key: Schema.String, input: Schema.Json, result: Schema.Json }),
  decide: (args) => [ActivityResult(args)],
  recall: { from: [ActivityResult], args: (batch) => batch.first(ActivityResult) }
})

export const RecordActivityFailure = Run.command("RecordActivityFailure", {
  schema: Schema.Struct(ActivityFailure),
  decide: (args, state) => {
    const [awaited_by = null] = underway(state).flatMap((part) => part.awaits?.(args) ?? [])
    return [ActivityFailed({ ...args, awaited_by })]
  },
  recall: {
    from: [ActivityFailed],
    args: (batch) => {
      const failed = batch.first(ActivityFailed)
      if (failed === undefined) return undefined
      const { awaited_by, ...args } = failed
      return args
    }
  }
})

export const RecordUsage = Run.command("RecordUsage", {
  schema: Schema.Struct(callFields),
  decide: (args) => [AgentCalled(args)],
  recall: { from: [AgentCalled], args: (batch) => batch.first(AgentCalled) }
})

export const commands = [
  StartRun,
  ForkRun,
  RecordPlugins,
  ResumeRun,
  CancelRun,
  ExhaustBudget,
  FinishRun,
  RecordActivity,
  RecordActivityFailure,
  RecordUsage,
  ...permissionCommands
]
