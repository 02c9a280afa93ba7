import { createInterface } from "node:readline"
import { Effect } from "effect"

/** Whether somebody can be asked. */
export const isTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** What a person says on a terminal; without one nobody agrees. */
export const isAgreedUpon = (question: string): Effect.Effect<boolean> =>
  Effect.suspend(() =>
    isTerminal()
      ? Effect.callback<boolean>((resume) => {
          const lines = createInterface({ input: process.stdin, output: process.stderr })
          // the terminal tells Ctrl-C to nobody else meanwhile
          lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
          lines.on("close", () => resume(Effect.succeed(false)))
          lines.question(`${question} [y/N] `, (answer) => {
            resume(Effect.succeed(/^\s*y(es)?\s*$/i.test(answer)))
            lines.close()
          })
          return Effect.sync(() => lines.close())
        })
      : Effect.succeed(false)
  )
