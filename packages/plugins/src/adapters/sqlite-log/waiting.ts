import type { LogUnavailable } from "@proofline/kernel"
import { Effect, Latch, type Scope } from "effect"
import { pause } from "../../log/pause.ts"
import { isBusy, toUnavailable } from "./failure.ts"

/**
 * How long another process may hold the lock, in ms, before we give up. A writer holds it for one commit, so this is
 * reached only when one is stopped in the middle.
 */
const lockedMaxMs = 30_000

/**
 * The wait after SQLITE_BUSY: 0 to 2 ms, however often it happens. SQLite's own timeout blocks the event loop and lets
 * one writer starve the others, and so does any backoff that grows.
 */
const retryDelayMs = (): number => Math.random() * 2

/** Runs `attempt`, again and again while the file is locked. It must leave nothing behind when it throws. */
export const patiently = <A>(file: string, attempt: () => A): Effect.Effect<A, LogUnavailable> =>
  Effect.suspend(() => {
    const deadline = performance.now() + lockedMaxMs
    return Effect.suspend(function again(): Effect.Effect<A, LogUnavailable> {
      try {
        return Effect.succeed(attempt())
      } catch (error) {
        return isBusy(error) && performance.now() < deadline
          ? Effect.flatMap(pause(retryDelayMs()), again)
          : Effect.fail(toUnavailable(file, error))
      }
    })
  })

/** Wakes those who wait for news. */
export interface Notifier {
  /** A latch that `notify` opens, as long as the scope is open. Close it, look, then wait for it: no news is missed. */
  readonly subscribe: Effect.Effect<Latch.Latch, never, Scope.Scope>
  /** The same for news of other connections alone. */
  readonly subscribeToOthers: Effect.Effect<Latch.Latch, never, Scope.Scope>
  readonly notify: (of: "ours" | "others") => void
  /** Open while there are subscribers. */
  readonly hasSubscribers: Latch.Latch
}

export const makeNotifier = (): Notifier => {
  const forAll = new Set<Latch.Latch>()
  const forOthers = new Set<Latch.Latch>()
  const hasSubscribers = Latch.makeUnsafe(false)
  const subscribe = (latches: Set<Latch.Latch>) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const latch = Latch.makeUnsafe(false)
        latches.add(latch)
        hasSubscribers.openUnsafe()
        return latch
      }),
      (latch) =>
        Effect.sync(() => {
          latches.delete(latch)
          if (forAll.size + forOthers.size === 0) hasSubscribers.closeUnsafe()
        })
    )
  return {
    subscribe: subscribe(forAll),
    subscribeToOthers: subscribe(forOthers),
    notify: (of) => {
      for (const latch of forAll) latch.openUnsafe()
      if (of === "others") for (const latch of forOthers) latch.openUnsafe()
    },
    hasSubscribers
  }
}
