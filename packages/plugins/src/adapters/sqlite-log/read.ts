import { elsewhere, genesisHash, type LogUnavailable, type Recorded } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { isNonEmpty, lastOfEach, type NonEmpty, type Page, paged, pageEvents, signals } from "../../log/pages.ts"
import { corrupt, Damaged } from "./explain.ts"
import { awayOf, type EventRow, toRecorded } from "./rows.ts"
import { looking, type Session } from "./session.ts"
import type { Notifier } from "./waiting.ts"

/** Streams whose last hash is remembered while the whole log is read. */
const remembered = 1_024

/** The events of a stream from a version on, at most `limit`. */
export const pageOfStream = (session: Session, stream: string, from: number, limit: number): Array<Recorded> =>
  chained(session.statements.pageOfStream.all(stream, from, limit), stream, () => hashBefore(session, stream, from))

const hashBefore = ({ statements }: Session, stream: string, version: number): string =>
  version <= 1 ? genesisHash : (statements.hashAt.get(stream, version - 1)?.hash ?? genesisHash)

const chained = (rows: ReadonlyArray<EventRow>, stream: string, before: () => string): Array<Recorded> => {
  if (rows.length === 0) return []
  const events = new Array<Recorded>(rows.length)
  let hash = before()
  for (let i = 0; i < rows.length; i++) {
    const event = toRecorded(rows[i] as EventRow, hash, stream)
    events[i] = event
    hash = event.hash
  }
  return events
}

export const readStream = (session: Session, stream: string, from: number): Stream.Stream<Recorded, LogUnavailable> =>
  paged(() => {
    let next = Math.max(1, from)
    let hash: string | null = null
    return turning(session, () => {
      const away = session.statements.away.get(stream)
      if (away?.kind === "archived") throw elsewhere(stream, awayOf(away))
      const rows = session.statements.pageOfStream.all(stream, next, pageEvents)
      const page = chained(rows, stream, () => hash ?? hashBefore(session, stream, next))
      const last = page.at(-1)
      if (from <= 1 && rows.length < pageEvents) checkEnd(session, stream, last?.version ?? next - 1)
      if (last !== undefined) {
        session.loss.know(last)
        next = last.version + 1
        hash = last.hash
      }
      return page
    })
  })

/**
 * A damaged index may hide the end of a stream, or all of it. What the commands of the stream have written is in a table of
 * its own, and tells. Events that were deleted are in neither; of those the head that is kept of a run tells.
 */
const checkEnd = ({ file, statements }: Session, stream: string, end: number): void => {
  if ((statements.lastOfCommands.get(stream)?.version ?? 0) <= end) return
  // somebody else may have appended in between
  if (statements.pageOfStream.all(stream, end + 1, 1).length > 0) return
  if (statements.unindexed.get(stream, end) === undefined) return
  throw new Damaged(corrupt(file, `its index ends ${stream} at event ${end}, and there are others behind it`))
}

export const readLog = (session: Session, from: number): Stream.Stream<Recorded, LogUnavailable> =>
  paged(() => turning(session, pagesOfLog(session, from)))

/** Goes on with what is appended later; `notifier` notifies when there is something. */
export const followLog = (
  session: Session,
  notifier: Notifier,
  from: number
): Stream.Stream<Recorded, LogUnavailable> =>
  Stream.unwrap(
    Effect.map(notifier.subscribe, (latch) => {
      const nextPage = pagesOfLog(session, from)
      const pull = Effect.suspend(function readNext(): Effect.Effect<NonEmpty<Recorded>, LogUnavailable> {
        latch.closeUnsafe()
        return Effect.flatMap(looking(session, nextPage), (page) =>
          isNonEmpty(page) ? Effect.succeed(page) : Effect.flatMap(latch.await, readNext)
        )
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )

/** Signals at once, and whenever another connection has committed. */
export const othersAppended = (notifier: Notifier): Stream.Stream<void> => signals(notifier.subscribeToOthers)

const pagesOfLog = (session: Session, from: number): (() => Array<Recorded>) => {
  let next = Math.max(1, from)
  const hashes = new Map<string, string>()
  return () => {
    const page = session.statements.pageOfLog.all(next, pageEvents).map((row) => {
      const [version, stream] = [row[1], row[12]]
      const event = toRecorded(row, hashes.get(stream) ?? hashBefore(session, stream, version))
      if (hashes.size >= remembered) hashes.clear()
      hashes.set(stream, event.hash)
      return event
    })
    next = (page.at(-1)?.position ?? next - 1) + 1
    for (const event of lastOfEach(page)) session.loss.know(event)
    return page
  }
}

/** The event loop turns between pages. */
const turning = (session: Session, nextPage: () => Page): Effect.Effect<Page, LogUnavailable> =>
  Effect.andThen(Effect.yieldNow, looking(session, nextPage))
