import type { Plugin } from "../../core/contract.ts"
import { definePlugin } from "../../core/define.ts"
import { CancelRun, commands, RecordActivityFailure } from "./commands.ts"
import {
  changes,
  events,
  RunCancelled,
  RunEnding,
  RunFailed,
  RunPluginsChanged,
  RunResumed,
  RunStarted
} from "./events.ts"
import { conditions, kinds, underway, workBeforeEnd } from "./points.ts"
import { type PluginVersion, taskNamedBy } from "./schemas.ts"
import { Run, type RunState } from "./state.ts"

const reactions = [
  Run.react([RunEnding], (_, state) => workBeforeEnd(state)),
  // after a resume it is ordered anew, under other keys
  Run.react([RunCancelled, RunFailed, RunResumed], (_, { run: { ending } }) =>
    ending.map((key) => ({ _tag: "Cancel", work: { key } }) as const)
  )
]

const tellsPlugins: ReadonlySet<string> = new Set([RunStarted.name, RunResumed.name, RunPluginsChanged.name])

/** Starts, resumes and ends runs of all kinds; counts what they use. */
export const run: Plugin = definePlugin(Run, {
  version: "1",
  events,
  changes,
  commands,
  points: [kinds, conditions, underway],
  parts: reactions,
  host: {
    isRunning: (own) => (own as RunState).status === "running",
    labels: (own) => (own as RunState).config.labels,
    at: (own, root): RunState => ({ ...(own as RunState), root }),
    awaits: (state, { activity, input, key, task_id }) => {
      const ended = { name: activity, key, input, code: "", message: "", ...(task_id === null ? {} : { task_id }) }
      const [by] = underway(state).flatMap((part) => part.awaits?.(ended) ?? [])
      return by == null || by.task_id === null
        ? null
        : `Task ${by.task_id} still waits behind a gate of plugin ${by.plugin}: the work ${activity} that it wants has ended, and is not done again.`
    },
    madeWith: ({ content, event_type }) =>
      tellsPlugins.has(event_type)
        ? ((content as { readonly plugins?: ReadonlyArray<PluginVersion> }).plugins ?? []).map(({ name }) => name)
        : [],
    failed: ({ activity, input, key, task_id }, { code, message, terminalAgent }) =>
      RecordActivityFailure({
        name: activity,
        key,
        input,
        ...(task_id === null || task_id === taskNamedBy(input) ? {} : { task_id }),
        code,
        message,
        ...(terminalAgent === undefined ? {} : { agent: terminalAgent, terminal: true })
      }),
    cancel: (reason) => CancelRun({ reason }),
    overtaken: new Set(["task_not_ready", "task_unknown", "attempt_not_current"])
  }
})
