import type { LogUnavailable, Recorded } from "@proofline/kernel"
import { Cause, Effect, type Pull, Stream } from "effect"
import { toUnavailable } from "./failure.ts"
import { type EventRow, eventColumns, toRecorded } from "./rows.ts"
import type { Session } from "./session.ts"
import { pause } from "./waiting.ts"

/** Events a page. No transaction stays open between pages. */
const pageEvents = 1_000

/** How often a follower looks although nothing told it to, ms. */
const pollMs = 2_000

type Page = ReadonlyArray<Recorded>

const page = (session: Session, where: string, name: string, values: ReadonlyArray<unknown>, awayMs?: number) =>
  Effect.flatMap(
    session.database.ask(
      {
        name,
        text: `select ${eventColumns.join(", ")} from ${session.database.names.schema}.event where ${where} limit ${pageEvents}`,
        values
      },
      awayMs
    ),
    (rows) =>
      Effect.try({
        try: () => rows.map((row) => toRecorded(row as unknown as EventRow)),
        catch: (error) => toUnavailable(session.database.place, error)
      })
  )

export const readStream = (session: Session, stream: string, from: number): Stream.Stream<Recorded, LogUnavailable> =>
  paged(session.checkStream(stream), () => {
    let next = Math.max(1, from)
    return Effect.suspend(() =>
      Effect.map(page(session, "stream = $1 and version >= $2 order by version", "read", [stream, next]), (events) => {
        const last = events.at(-1)
        if (last !== undefined) session.known.know(last)
        session.summaries.follow(events)
        next = (last?.version ?? next - 1) + 1
        return events
      })
    )
  })

export const readLog = (session: Session, from: number): Stream.Stream<Recorded, LogUnavailable> =>
  paged(session.check, () => pagesOfLog(session, from))

const pagesOfLog = (session: Session, from: number, awayMs?: number): Effect.Effect<Page, LogUnavailable> => {
  let next = Math.max(1, from)
  return Effect.suspend(() =>
    Effect.map(page(session, "position >= $1 order by position", "read_all", [next], awayMs), (events) => {
      next = (events.at(-1)?.position ?? next - 1) + 1
      // of each stream the last
      for (const event of new Map(events.map((event) => [event.stream, event])).values()) session.known.know(event)
      return events
    })
  )
}

/** Goes on with what is appended later. */
export const followLog = (session: Session, from: number): Stream.Stream<Recorded, LogUnavailable> =>
  Stream.unwrap(
    Effect.map(session.notifier.subscribe(["events", "work"]), (latch) => {
      // whoever waits goes on when the database is back
      const nextPage = pagesOfLog(session, from, Number.POSITIVE_INFINITY)
      const pull = Effect.suspend(function readNext(): Effect.Effect<NonEmpty<Recorded>, LogUnavailable> {
        latch.closeUnsafe()
        return Effect.flatMap(nextPage, (events) =>
          isNonEmpty(events)
            ? Effect.succeed(events)
            : session.checkPatiently.pipe(
                Effect.andThen(Effect.raceFirst(latch.await, pause(pollMs))),
                Effect.andThen(Effect.suspend(readNext))
              )
        )
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )

/** Signals at once, whenever another process has appended, and now and then in case it was not told. */
export const othersAppended = ({ notifier }: Session): Stream.Stream<void> =>
  Stream.unwrap(
    Effect.map(notifier.subscribe(["events", "work"], "others"), (latch) => {
      latch.openUnsafe()
      const pull = Effect.map(latch.await, (): NonEmpty<void> => {
        latch.closeUnsafe()
        return [undefined]
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )

/** Pages until one is not full. What is known must still be there, at the first and when it ends. */
const paged = (
  check: Effect.Effect<void, LogUnavailable>,
  start: () => Effect.Effect<Page, LogUnavailable>
): Stream.Stream<Recorded, LogUnavailable> =>
  Stream.fromPull(
    Effect.sync(() => {
      const nextPage = start()
      let ended = false
      let isFirst = true
      return Effect.suspend((): Pull.Pull<NonEmpty<Recorded>, LogUnavailable> => {
        if (ended) return Cause.done()
        return Effect.flatMap(nextPage, (events): Pull.Pull<NonEmpty<Recorded>, LogUnavailable> => {
          ended = events.length < pageEvents
          const answer: Pull.Pull<NonEmpty<Recorded>, LogUnavailable> = isNonEmpty(events)
            ? Effect.succeed(events)
            : Cause.done()
          const looks = ended || isFirst
          isFirst = false
          return looks ? Effect.andThen(check, answer) : answer
        })
      })
    })
  )

type NonEmpty<A> = readonly [A, ...Array<A>]

const isNonEmpty = <A>(values: ReadonlyArray<A>): values is NonEmpty<A> => values.length > 0

/** The stored summary and what was appended since, of a run that this process has not read as a whole. */
export const learnSummary = (session: Session, stream: string, expected: number): Effect.Effect<void, LogUnavailable> =>
  Effect.gen(function* () {
    const { database, summaries } = session
    const [row] = yield* database.ask({
      name: "summary",
      text: `select version, summary from ${database.names.schema}.run_summary where run_id = $1`,
      values: [stream]
    })
    const version = row === undefined ? 0 : Number(row[0])
    if (version > expected) return
    if (row !== undefined) summaries.put(stream, { version, summary: JSON.parse(`${row[1]}`) })
    yield* Stream.runDrain(readStream(session, stream, version + 1))
  })
