import { Effect, type Scope } from "effect"
import { pause } from "../../log/pause.ts"
import { type Database, retryDelay } from "./database.ts"
import { makeClient, type PgClient } from "./pg.ts"
import type { News, Notifier } from "./waiting.ts"

/**
 * How often the connection that listens is tried, since nothing says that it is dead, and how long it may take; ms. What somebody
 * has written who was killed before he told of it is found so too.
 */
const heartbeatMs = 2_000
const answerMaxMs = 5_000

/** Passes on what other processes notify, and connects again whenever it must: something may have been missed then. */
export const listen = (
  database: Database,
  notifier: Notifier,
  sender: string
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.forkScoped(
      Effect.forever(
        Effect.scoped(
          Effect.gen(function* () {
            const client = yield* connected(database, notifier, sender)
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
  )

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
    yield* Effect.tryPromise(() => client.connect())
    yield* Effect.tryPromise(() => client.query(`listen ${names.channel}`))
    return client
  })
