import { Effect } from "effect"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"

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

let waiting: Stop | null = null

/** While this is under way: what is to be said if the process ends, because something ends it or nothing is left to wait for. */
export const unlessItEnds =
  (told: Stop) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const before = waiting
      waiting = told
      return Effect.ensuring(
        work,
        Effect.sync(() => {
          waiting = before
        })
      )
    })

/** What a process that ends now says of what is under way. */
export const waitingNow = (): Stop | null => waiting

/** Of a command that waits for what never comes, where nobody knows more. */
export const nothingLeft: Stop = stop(exitCodes.unmet, {
  code: "ended_early",
  message: "The command ended before it was done: nothing was left that it could wait for.",
  hint: "What was recorded is in the log as it was. Something waits for what never comes, most likely a plugin: remove those under `plugins:` one by one."
})
