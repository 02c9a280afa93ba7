import type { EventLog, LogUnavailable, Recorded } from "@proofline/kernel"
import { Effect, Stream } from "effect"

type Log = EventLog["Service"]
type Page = Effect.Effect<ReadonlyArray<Recorded>, LogUnavailable>

/** Events that are read at once; logs read as many, whatever is asked for. */
const pageEvents = 1_000

/** The events of a run from a version on, at most a page; empty when there are no more. */
export const pageOfRun = (log: Log, run: string, from: number): Page =>
  log.read(run, from).pipe(Stream.take(pageEvents), Stream.runCollect)

/** The events of the whole log from a position on, at most a page. */
export const pageOfLog = (log: Log, from: number): Page =>
  log.readAll(from).pipe(Stream.take(pageEvents), Stream.runCollect)

/**
 * The last page before which nothing is looked for: `isBehind` says whether a page is not far enough yet by its first
 * event. Looks at few pages, however long the log: far steps first, then half of what is left.
 */
const seek = Effect.fnUntraced(function* (read: (from: number) => Page, isBehind: (first: Recorded) => boolean) {
  const behind = (from: number) => Effect.map(read(from), ([first]) => first !== undefined && isBehind(first))
  let low = 1
  let step = pageEvents
  while (yield* behind(low + step)) {
    low += step
    step *= 2
  }
  // low is behind, or the beginning; low + step is not
  let high = low + step
  while (high - low > pageEvents) {
    const middle = Math.floor((low + high) / 2)
    if (yield* behind(middle)) low = middle
    else high = middle
  }
  return yield* read(low)
})

/** The end of the log, at most a page of it. */
export const tailOfLog = (log: Log) =>
  seek(
    (from) => pageOfLog(log, from),
    () => true
  )

/** How many events of a run stand at a position of the log or before it. */
export const versionAt = Effect.fnUntraced(function* (log: Log, run: string, position: number) {
  if (position === 0) return 0
  const page = yield* seek(
    (from) => pageOfRun(log, run, from),
    (first) => first.position <= position
  )
  return page.findLast((event) => event.position <= position)?.version ?? 0
})

/** Whether the log goes on to a position. */
export const reaches = (log: Log, position: number) =>
  Effect.map(log.readAll(position).pipe(Stream.runHead), ({ _tag }) => _tag === "Some")
