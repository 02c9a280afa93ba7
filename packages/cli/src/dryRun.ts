import { Effect, Exit } from "effect"
import { requirementsRun } from "./commandLine/handed.ts"
import { run } from "./commands/run.ts"
import type { DryRunOptions } from "./dryRunOptions.ts"
import { outlet } from "./process/output.ts"

/**
 * What `run FILE --dry-run` prints, without the command line; null: that takes more, or something is to be said. In the
 * bundle it has a file of its own, without all that a run loads only where it needs it.
 */
export const dryRunText = async (options: DryRunOptions): Promise<string | null> => {
  const printed: Array<string> = []
  const write = (stream: "stdout" | "stderr", text: string): Effect.Effect<void> =>
    stream === "stdout" ? Effect.sync(() => void printed.push(text)) : Effect.die("Something is to be said.")
  const exit = await run(options, requirementsRun).pipe(Effect.provideService(outlet, write), Effect.runPromiseExit)
  return Exit.isSuccess(exit) ? printed.join("") : null
}
