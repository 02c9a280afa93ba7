import { type Away, elsewhere, type LogUnavailable, type Recorded } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { isNonEmpty, lastOfEach, type Page, paged, pageEvents, signals } from "../../log/pages.ts"
import { pause } from "../../log/pause.ts"
import { lost, toUnavailable } from "./failure.ts"
import { type EventRow, eventColumns, toRecorded } from "./rows.ts"
import { remember, type Session } from "./session.ts"

/** How often a follower looks although nothing told it to, ms. */
const pollMs = 2_000

/** The events, and in the same statement what of the known ones is gone, or that the events of the stream are in an archive. */
const page = (session: Session, where: string, name: string, stream: string | null, from: number, awayMs?: number) =>
  Effect.suspend(() => {
    const { database, known } = session
    const { schema } = database.names
    return Effect.flatMap(
      database.ask(
        {
          name,
          text: `with checked as materialized (
              select ${schema}.lost($3) as gone,
                (select to_jsonb(a) from ${schema}.away a where a.stream = $1::text and a.kind = 'archived') as away)
            select ${eventColumns.map((column) => `e.${column}`).join(", ")}, gone, away from checked
            left join lateral (select * from ${schema}.event where ${where} limit ${pageEvents}) e on true
            order by e.position`,
          values: [stream, from, known.json()]
        },
        awayMs
      ),
      (rows) => {
        const [gone, away] = rows[0]?.slice(eventColumns.length) ?? []
        if (typeof gone === "string") return Effect.fail(database.lose(lost(database.place, gone)))
        if (away != null && stream !== null) return Effect.fail(elsewhere(stream, away as Away))
        return Effect.try({
          try: () => (rows[0]?.[0] == null ? [] : rows.map((row) => toRecorded(row as unknown as EventRow))),
          catch: (error) => toUnavailable(database.place, error)
        })
      }
    )
  })

export const readStream = (session: Session, stream: string, from: number): Stream.Stream<Recorded, LogUnavailable> =>
  paged(() => {
    let next = Math.max(1, from)
    return Effect.suspend(() =>
      Effect.map(page(session, "stream = $1 and version >= $2 order by version", "read", stream, next), (events) => {
        remember(session, events)
        next = (events.at(-1)?.version ?? next - 1) + 1
        return events
      })
    )
  })

export const readLog = (session: Session, from: number): Stream.Stream<Recorded, LogUnavailable> =>
  paged(() => pagesOfLog(session, from))

const pagesOfLog = (session: Session, from: number, awayMs?: number): Effect.Effect<Page, LogUnavailable> => {
  let next = Math.max(1, from)
  return Effect.suspend(() =>
    Effect.map(page(session, "position >= $2 order by position", "read_all", null, next, awayMs), (events) => {
      next = (events.at(-1)?.position ?? next - 1) + 1
      for (const event of lastOfEach(events)) session.known.know(event)
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
      let isAtEnd = false
      const pull = Effect.gen(function* () {
        for (;;) {
          if (isAtEnd) yield* Effect.raceFirst(latch.await, pause(pollMs))
          latch.closeUnsafe()
          const events = yield* nextPage
          isAtEnd = events.length < pageEvents
          if (isNonEmpty(events)) return events
        }
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )

/** Signals at once, whenever another process has appended, and now and then in case it was not told. */
export const othersAppended = ({ notifier }: Session): Stream.Stream<void> =>
  signals(notifier.subscribe(["events", "work"], "others"))

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
