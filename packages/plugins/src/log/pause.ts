import { Effect } from "effect"

/** Waits on the wall clock, whatever `Clock` the fiber has: other processes do not live in our test's time. */
export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })
