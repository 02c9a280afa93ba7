import type { EventLog, LogUnavailable, Recorded, RunId } from "@proofline/kernel"
import { Effect, Stream } from "effect"
import type { Body } from "../../operations/Answer.ts"
import { bytesOf, jsonBytes, maxResponseBytes, truncateText } from "../../operations/sizeLimit.ts"

/** How many events a page holds at most. */
export const maxEvents = 200

/** Bytes of JSON for the events themselves. */
const pageBytes = maxResponseBytes - 400

/** So many events are read at once where it is not known how many fit. */
const readAtOnce = 25

/** A page of the events of a run with `version` events, from `first` on: as many as fit, but at least one. */
export const pageFrom = (
  log: EventLog["Service"],
  run: RunId,
  { first, limit, version }: { readonly first: number; readonly limit: number; readonly version: number }
): Effect.Effect<Body, LogUnavailable> =>
  Effect.suspend(() => {
    const fits = fitting()
    const count = Math.min(limit, version - first + 1)
    const events = count < 1 ? Stream.empty : log.read(run, first).pipe(Stream.take(count), Stream.takeWhile(fits))
    return Effect.map(Stream.runCollect(events), (page) => pageBody(run, version, page, first))
  })

/** The last page of the events of a run, which is read backwards. */
export const lastPage = Effect.fnUntraced(function* (
  log: EventLog["Service"],
  run: RunId,
  { limit, version }: { readonly limit: number; readonly version: number }
): Effect.fn.Return<Body, LogUnavailable> {
  const fits = fitting()
  const least = Math.max(1, version - limit + 1)
  const page: Array<Recorded> = []
  for (let end = version, isFull = false; end >= least && !isFull; end -= readAtOnce) {
    const from = Math.max(least, end - readAtOnce + 1)
    const read = yield* log.read(run, from).pipe(Stream.take(end - from + 1), Stream.runCollect)
    const fitted = takeWhile(read.toReversed(), fits)
    page.unshift(...fitted.toReversed())
    isFull = fitted.length < read.length
  }
  return pageBody(run, version, page, least)
})

/** Whether the next event fits into a page as well. */
const fitting = (): ((event: Recorded) => boolean) => {
  let used = 0
  return (event) => {
    const isFirst = used === 0
    used += jsonBytes(shownAs(event)) + 1
    return isFirst || used <= pageBytes
  }
}

const takeWhile = <A>(items: ReadonlyArray<A>, fits: (item: A) => boolean): ReadonlyArray<A> => {
  const end = items.findIndex((item) => !fits(item))
  return end === -1 ? items : items.slice(0, end)
}

const pageBody = (run_id: RunId, version: number, events: ReadonlyArray<Recorded>, first: number): Body => {
  const from = events[0]?.version ?? first
  const next = from + events.length
  return {
    run_id,
    events_total: version,
    from,
    next_from: next > version ? null : next,
    events_before: from - 1,
    events_left_out: version - next + 1,
    events: events.map(shownAs)
  }
}

/** As it is shown: whole where it fits into a page. */
const shownAs = (event: Recorded): Body => {
  const { content, event_type, timestamp, version } = event
  const whole = { version, event_type, timestamp, content }
  return jsonBytes(whole) <= pageBytes ? whole : cutEvent(event)
}

/** An event that fits into no page: the beginning of its content as text, its size, and the blobs it names. */
const cutEvent = ({ content, event_type, timestamp, version }: Recorded): Body => {
  const text = JSON.stringify(content)
  const blobs = blobsOf(content)
  return {
    version,
    event_type,
    timestamp,
    content_bytes: bytesOf(text),
    ...(blobs.length === 0 ? {} : { blobs: blobs.slice(0, 10) }),
    content_cut: truncateText(text, pageBytes - 2_000)
  }
}

/** References to blobs, wherever they stand. */
const blobsOf = (value: unknown): ReadonlyArray<Body> => {
  if (typeof value !== "object" || value === null) return []
  const { bytes, sha256 } = value as Body
  return typeof sha256 === "string" && typeof bytes === "number" && Object.keys(value).length === 2
    ? [{ sha256: sha256.slice(0, 64), bytes }]
    : Object.values(value).flatMap(blobsOf)
}
