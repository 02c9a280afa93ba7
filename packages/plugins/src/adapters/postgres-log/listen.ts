import { Effect, type Scope } from "effect"
import { pause } from "../../log/pause.ts"
import { type Database, retryDelay } from "./database.ts"
import { toUnavailable } from "./failure.ts"
import { makeClient, type PgClient } from "./pg.ts"
import { called } from "./reasons.ts"
import type { News, Notifier } from "./waiting.ts"

/**
 * How often the connection that listens is tried, since nothing says that it is dead, and how long it may take; ms. What somebody
 * has written who was killed before he told of it is found so too.
 */
const heartbeatMs = 2_000
const answerMaxMs = 5_000

/** An absence of the database that is longer is told to people, ms; one that is shorter nobody notices. */
const toldAfterMs = 2_000

/** Passes on what other processes notify, and connects again whenever it must: something may have been missed then. */
export const listen = (
  database: Database,
  notifier: Notifier,
  sender: string
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const { back, missed } = absence(database)
    return Effect.forkScoped(
      Effect.forever(
        Effect.scoped(
          Effect.gen(function* () {
            const client = yield* Effect.tapError(connected(database, notifier, sender), missed)
            yield* back
            let end = yield* endOf(database, client)
            notifier.notifyAll()
            const beating = Effect.gen(function* () {
              for (;;) {
                yield* pause(heartbeatMs)
                const now = yield* endOf(database, client)
                if (now !== end) notifier.notify("events", "others")
                end = now
              }
            })
            yield* Effect.raceFirst(beating, ended(client))
          })
        ).pipe(Effect.ignore, Effect.andThen(retryDelay))
      )
    )
  }).pipe(Effect.asVoid)

/** Tells people once that the database is away, and that it is back: until then nothing that is shown moves. */
const absence = ({ place }: Database) => {
  let since: number | null = null
  let isTold = false
  return {
    missed: (error: unknown): Effect.Effect<void> =>
      Effect.suspend(() => {
        since ??= performance.now()
        if (isTold || performance.now() - since < toldAfterMs) return Effect.void
        isTold = true
        return Effect.logWarning(`${toUnavailable(place, error).message} It is asked again until it answers.`)
      }),
    back: Effect.suspend(() => {
      const seconds = since === null ? 0 : Math.round((performance.now() - since) / 1_000)
      const wasTold = isTold
      since = null
      isTold = false
      return wasTold ? Effect.logWarning(`The log in ${called(place)} answers again, after ${seconds} s.`) : Effect.void
    })
  }
}

/** The last position; null where there is no log any more, which those who ask for more are told. */
const endOf = ({ names }: Database, client: PgClient) =>
  Effect.tryPromise(() => client.query(`select position from ${names.schema}.log_head`)).pipe(
    Effect.map(({ rows }) => rows[0]?.["position"] ?? null),
    // but the connection has to answer
    Effect.catch(() =>
      Effect.as(
        Effect.tryPromise(() => client.query("select 1")),
        null
      )
    )
  )

const ended = (client: PgClient): Effect.Effect<void> =>
  Effect.callback((resume) => {
    client.on("end", () => resume(Effect.void))
    client.on("error", () => resume(Effect.void))
  })

const connected = ({ address, names, pg }: Database, notifier: Notifier, sender: string) =>
  Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => makeClient(pg, { ...address.config, query_timeout: answerMaxMs })),
      (client) => Effect.sync(() => void client.end().catch(() => {}))
    )
    client.on("notification", ({ payload = "" }) => {
      const [from, news] = payload.split(" ")
      // of its own this process has told itself
      if (from !== sender) notifier.notify(news as News, "others")
    })
    const asking = (ask: () => Promise<unknown>) => Effect.tryPromise({ try: ask, catch: (error) => error })
    yield* asking(() => client.connect())
    yield* asking(() => client.query(`listen ${names.channel}`))
    return client
  })
