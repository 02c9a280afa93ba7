import { Clock, Effect } from "effect"

/** Where the system clock stood, against one that nobody sets, when this process began. */
const begun = Date.now() - performance.now()

/** Corrections of less than this, in ms, are none that matter. */
const least = 1_000

/** By how much somebody has set the system clock since, in ms. */
export const setBy = (): number => {
  const by = Math.round(Date.now() - performance.now() - begun)
  return Math.abs(by) < least ? 0 : by
}

/**
 * The time for the queue, in ms since the epoch. A clock that is set forward takes no work from those who are at it, and one
 * that is set back keeps nobody waiting.
 */
export const steadyMillis: Effect.Effect<number> = Effect.map(Clock.currentTimeMillis, (now) => now - setBy())
