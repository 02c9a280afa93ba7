import { Effect, Latch, type Scope } from "effect"

export { pause } from "../../log/pause.ts"

/** What is new: `events` alone, also `work`; in the `queue` alone, such as a slot that is free; or a lock was dropped. */
export type News = "events" | "work" | "queue" | "hold"

/** Wakes those who wait for news. */
export interface Notifier {
  /** A latch that `notify` opens, as long as the scope is open. Close it, look, then wait for it: no news is missed. */
  readonly subscribe: (of: ReadonlyArray<News>, by?: "all" | "others") => Effect.Effect<Latch.Latch, never, Scope.Scope>
  readonly notify: (news: News, by: "ours" | "others") => void
  /** Something may have been missed: everybody looks. */
  readonly notifyAll: () => void
}

export const makeNotifier = (): Notifier => {
  const subscribers = new Set<{ readonly latch: Latch.Latch; readonly of: ReadonlySet<News>; readonly by: string }>()
  return {
    subscribe: (of, by = "all") =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const subscriber = { latch: Latch.makeUnsafe(false), of: new Set(of), by }
          subscribers.add(subscriber)
          return subscriber
        }),
        (subscriber) => Effect.sync(() => subscribers.delete(subscriber))
      ).pipe(Effect.map(({ latch }) => latch)),
    notify: (news, by) => {
      for (const subscriber of subscribers) {
        if (subscriber.of.has(news) && (by === "others" || subscriber.by === "all")) subscriber.latch.openUnsafe()
      }
    },
    notifyAll: () => {
      for (const { latch } of subscribers) latch.openUnsafe()
    }
  }
}
