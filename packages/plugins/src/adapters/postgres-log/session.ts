import { randomUUID } from "node:crypto"
import { type LogUnavailable, makeSummaries, type Recorded, type Summarizer } from "@proofline/kernel"
import { Effect, type Scope } from "effect"
import { addressOf, type Database, openDatabase } from "./database.ts"
import { lost, toUnavailable } from "./failure.ts"
import { type Known, makeKnown } from "./known.ts"
import { listen } from "./listen.ts"
import { migrate } from "./migrations.ts"
import { makeSummaryCache, type SummaryCache } from "./summaries.ts"
import { makeTeller, type Teller } from "./telling.ts"
import { makeNotifier, type Notifier } from "./waiting.ts"

/** One open log, as this process has it. */
export interface Session {
  readonly database: Database
  readonly known: Known
  readonly summaries: SummaryCache
  readonly notifier: Notifier
  /** How this process signs what it notifies. */
  readonly sender: string
  readonly teller: Teller
  /** Fails when events that are known are gone. */
  readonly check: Effect.Effect<void, LogUnavailable>
  /** From now on everything fails so. */
  readonly lose: (why: LogUnavailable) => LogUnavailable
}

/** Opens the log and brings its schema to today's shape; closed with the scope. */
export const openSession = (
  url: string,
  summarizers: ReadonlyArray<Summarizer>,
  awayMs?: number
): Effect.Effect<Session, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const address = yield* addressOf(url)
    const database = yield* openDatabase(address, awayMs)
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
    const teller = yield* makeTeller(database, sender)
    const check = Effect.flatMap(
      Effect.suspend(() => database.ask(database.function("lost", [known.json()]))),
      ([row]) => (typeof row?.[0] === "string" ? Effect.fail(lose(lost(address.place, row[0]))) : Effect.void)
    )
    return {
      database,
      known,
      summaries: makeSummaryCache(makeSummaries(summarizers)),
      notifier,
      sender,
      teller,
      check,
      lose
    }
  })

/** Events of one stream, in their order, that were read or appended. */
export const remember = ({ known, summaries }: Session, events: ReadonlyArray<Recorded>): void => {
  const last = events.at(-1)
  if (last !== undefined) known.know(last)
  summaries.follow(events)
}
