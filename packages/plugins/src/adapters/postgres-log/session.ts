import { randomUUID } from "node:crypto"
import { type Away, elsewhere, type LogUnavailable, makeSummaries, type Summarizer } from "@proofline/kernel"
import { Effect, type Scope } from "effect"
import { addressOf, type Database, openDatabase } from "./database.ts"
import { lost, toUnavailable } from "./failure.ts"
import { type Known, makeKnown } from "./known.ts"
import { listen } from "./listen.ts"
import { migrate } from "./migrations.ts"
import { makeSummaryCache, type SummaryCache } from "./summaries.ts"
import { makeNotifier, type Notifier } from "./waiting.ts"

/** One open log, as this process has it. */
export interface Session {
  readonly database: Database
  readonly known: Known
  readonly summaries: SummaryCache
  readonly notifier: Notifier
  /** How this process signs what it notifies. */
  readonly sender: string
  /** Fails when events that are known are gone. */
  readonly check: Effect.Effect<void, LogUnavailable>
  /** The same for those who wait however long the database is away. */
  readonly checkPatiently: Effect.Effect<void, LogUnavailable>
  /** The same, and when the events of the stream are in an archive. */
  readonly checkStream: (stream: string) => Effect.Effect<void, LogUnavailable>
  /** From now on everything fails so. */
  readonly lose: (why: LogUnavailable) => LogUnavailable
}

/** Opens the log and brings its schema to today's shape; closed with the scope. */
export const openSession = (
  url: string,
  summarizers: ReadonlyArray<Summarizer>
): Effect.Effect<Session, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const address = yield* addressOf(url)
    const database = yield* openDatabase(address)
    // a server that is not there is said at once
    yield* Effect.tryPromise({
      try: () => database.once({ name: "hello", text: "select 1", values: [] }),
      catch: (error) => toUnavailable(address.place, error)
    })
    yield* migrate(database)
    const known = makeKnown()
    const notifier = makeNotifier()
    const sender = randomUUID()
    const lose = database.lose
    yield* listen(database, notifier, sender)
    const checkWith = (stream: string | null, awayMs?: number) =>
      Effect.flatMap(
        Effect.suspend(() =>
          database.ask(
            {
              name: "check",
              text: `select ${address.names.schema}.lost($1),
              (select to_jsonb(a) from ${address.names.schema}.away a where stream = $2 and kind = 'archived')`,
              values: [known.json(), stream]
            },
            awayMs
          )
        ),
        ([row]): Effect.Effect<void, LogUnavailable> => {
          if (typeof row?.[0] === "string") return Effect.fail(lose(lost(address.place, row[0])))
          return row?.[1] == null || stream === null ? Effect.void : Effect.fail(elsewhere(stream, row[1] as Away))
        }
      )
    return {
      database,
      known,
      summaries: makeSummaryCache(makeSummaries(summarizers)),
      notifier,
      sender,
      check: checkWith(null),
      checkPatiently: checkWith(null, Number.POSITIVE_INFINITY),
      checkStream: checkWith,
      lose
    }
  })
