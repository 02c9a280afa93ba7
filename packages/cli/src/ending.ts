import { Effect } from "effect"
import { exitCodes } from "./problems.ts"

let done: number | null = null

/** What was asked for is done with this exit code; whoever interrupts from now on only stops what stays open to be looked at. */
export const doneWith = (exitCode: number): Effect.Effect<void> =>
  Effect.sync(() => {
    done = exitCode
  })

/** The exit code of a process that is interrupted now. */
export const interruptedCode = (): number => done ?? exitCodes.interrupted
