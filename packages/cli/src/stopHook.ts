import * as hook from "./commands/hook.ts"
import { handle } from "./process/handle.ts"
import { runToEnd } from "./process/runToEnd.ts"

/**
 * `proofline hook claude-stop` without the command line: an agent waits for it whenever it stops. Schemas are not compiled
 * here, which takes longer than the few events that are read.
 */
export const start = (args: ReadonlyArray<string>, options: hook.HookOptions): void => {
  runToEnd(args, () =>
    handle(
      "hook",
      false,
      async () => hook,
      ({ claudeStop }) => claudeStop(options)
    )
  )
}
