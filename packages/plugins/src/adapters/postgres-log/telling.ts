import { Effect, Latch, type Scope } from "effect"
import type { Database } from "./database.ts"
import { pause } from "./waiting.ts"

/** Appends no further apart than that may share what tells others of them; ms. */
const apartMs = 10

/** So long after others were told they are told again, where no append has done it meanwhile; ms. */
const latestMs = 20

/** How long it may take to tell, also at the end of a process; ms. */
const tellMaxMs = 2_000

/**
 * Tells other processes of events. A notification wakes a process of the server and one of all who listen, the writer among them.
 * So where one append follows upon the other not each of them tells: the first does, and the next after `apartMs`, or else a
 * statement of its own. Whoever is killed before that leaves the others to their polling.
 */
export interface Teller {
  /** Whether the transaction of an append that is about to be sent tells by itself. */
  readonly isDue: () => boolean
  /** An append that does not was sent, and may be written. */
  readonly owe: () => void
  /** One that does was written, behind all others. */
  readonly told: () => void
}

export const makeTeller = (database: Database, sender: string): Effect.Effect<Teller, never, Scope.Scope> =>
  Effect.gen(function* () {
    let toldAt = Number.NEGATIVE_INFINITY
    let isOwed = false
    const owed = Latch.makeUnsafe(false)
    const told = () => {
      toldAt = performance.now()
      isOwed = false
      owed.closeUnsafe()
    }
    // one that has begun is brought to its end: nobody else owes it any more
    const tell = Effect.suspend(() => {
      if (!isOwed) return Effect.void
      told()
      const values = [database.names.channel, `${sender} events`]
      // once: when a database that was away is back, all who listen look for themselves
      return Effect.ignore(
        Effect.tryPromise(() => database.once({ name: "tell", text: "select pg_notify($1, $2)", values }, tellMaxMs))
      )
    }).pipe(Effect.uninterruptible)
    const telling = Effect.andThen(
      owed.await,
      Effect.suspend(() => {
        const leftMs = toldAt + latestMs - performance.now()
        return leftMs > 0 ? pause(leftMs) : tell
      })
    )
    yield* Effect.addFinalizer(() => tell)
    yield* Effect.forkScoped(Effect.forever(telling))
    return {
      isDue: () => performance.now() - toldAt >= apartMs,
      owe: () => {
        isOwed = true
        owed.openUnsafe()
      },
      told
    }
  })
