import { Effect } from "effect"
import { exitCodes, type Problem } from "./problems.ts"

let done: number | null = null

/** What was asked for is done with this exit code; whoever interrupts from now on only stops what stays open to be looked at. */
export const doneWith = (exitCode: number): Effect.Effect<void> =>
  Effect.sync(() => {
    done = exitCode
  })

/** The exit code of a process that is interrupted now. */
export const interruptedCode = (): number => done ?? exitCodes.interrupted

let left: Problem | null = null

/** While this is under way: what is to be said to whoever does not wait until it has ended. */
export const leaving =
  (problem: Problem) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      left = problem
      return work
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          left = null
        })
      )
    )

/** What is left behind by a process that ends now. */
export const leftNow = (): Problem | null => left
