import type { Plugin } from "../../core/contract.ts"
import { definePlugin } from "../../core/define.ts"
import { CancelRun, commands, RecordActivityFailure } from "./commands.ts"
import { changes, events } from "./events.ts"
import { conditions, kinds, underway } from "./points.ts"
import { Run, type RunState } from "./state.ts"

/** Starts, resumes and ends runs of all kinds; counts what they use. */
export const run: Plugin = definePlugin(Run, {
  version: "1",
  events,
  changes,
  commands,
  points: [kinds, conditions, underway],
  host: {
    isRunning: (own) => (own as RunState).status === "running",
    labels: (own) => (own as RunState).config.labels,
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
