import type { LogUnavailable, Recorded } from "@proofline/kernel"
import { Cause, Effect, type Latch, type Pull, type Scope, Stream } from "effect"

/** Events a page. No transaction stays open between pages, so readers never hold up the log. */
export const pageEvents = 1_000

export type Page = ReadonlyArray<Recorded>

export type NonEmpty<A> = readonly [A, ...Array<A>]

export const isNonEmpty = <A>(values: ReadonlyArray<A>): values is NonEmpty<A> => values.length > 0

/** Pages until one is not full. `start` is asked once by each reader, for what reads its next page. */
export const paged = (start: () => Effect.Effect<Page, LogUnavailable>): Stream.Stream<Recorded, LogUnavailable> =>
  Stream.fromPull(
    Effect.sync(() => {
      const nextPage = start()
      let ended = false
      return Effect.suspend((): Pull.Pull<NonEmpty<Recorded>, LogUnavailable> => {
        if (ended) return Cause.done()
        return Effect.flatMap(nextPage, (events): Pull.Pull<NonEmpty<Recorded>, LogUnavailable> => {
          ended = events.length < pageEvents
          return isNonEmpty(events) ? Effect.succeed(events) : Cause.done()
        })
      })
    })
  )

/** The last event of each stream in a page. */
export const lastOfEach = (page: Page): Iterable<Recorded> =>
  new Map(page.map((event) => [event.stream, event])).values()

/** Signals at once, and whenever the latch is opened. */
export const signals = (subscribe: Effect.Effect<Latch.Latch, never, Scope.Scope>): Stream.Stream<void> =>
  Stream.unwrap(
    Effect.map(subscribe, (latch) => {
      latch.openUnsafe()
      const pull = Effect.map(latch.await, (): NonEmpty<void> => {
        latch.closeUnsafe()
        return [undefined]
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )
