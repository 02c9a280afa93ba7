import type { Plugin } from "../../core/contract.ts"
import { definePlugin } from "../../core/define.ts"
import { CancelRun, commands, RecordActivityFailure } from "./commands.ts"
import { changes, events, RunCancelled, RunEnding, RunFailed, RunResumed } from "./events.ts"
import { conditions, kinds, underway, workBeforeEnd } from "./points.ts"
import { Run, type RunState } from "./state.ts"

const reactions = [
  Run.react([RunEnding], (_, state) => workBeforeEnd(state)),
  // after a resume it is ordered anew, under other keys
  Run.react([RunCancelled, RunFailed, RunResumed], (_, { run: { ending } }) =>
    ending.map((key) => ({ _tag: "Cancel", work: { key } }) as const)
  )
]

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
    failed: ({ activity, input, key }, { code, message, terminalAgent }) =>
      RecordActivityFailure({
        name: activity,
        key,
        input,
        code,
        message,
        ...(terminalAgent === undefined ? {} : { agent: terminalAgent, terminal: true })
      }),
    cancel: (reason) => CancelRun({ reason }),
    overtaken: new Set(["task_not_ready", "task_unknown", "attempt_not_current"])
  }
})
