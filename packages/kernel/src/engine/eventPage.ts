import type { RunId } from "../domain/Ids.ts"
import type { Recorded } from "../domain/Recorded.ts"
import { bytesOf, cutTo, fitting, jsonBytes, maxAnswer } from "./room.ts"

type Body = Readonly<Record<string, unknown>>

/** How many events a page holds at most. */
export const maxEvents = 200

/** Beside the events themselves. */
const pageRoom = maxAnswer - 400

const eventBody = ({ content, event_type, timestamp, version }: Recorded): Body => ({
  version,
  event_type,
  timestamp,
  content
})

/** An event that no page has room for: the beginning of its content as text, its size, and the blobs it names. */
const cutEvent = ({ content, event_type, timestamp, version }: Recorded): Body => {
  const text = JSON.stringify(content)
  const blobs = blobsOf(content)
  return {
    version,
    event_type,
    timestamp,
    content_bytes: bytesOf(text),
    ...(blobs.length === 0 ? {} : { blobs: blobs.slice(0, 10) }),
    content_cut: cutTo(text, pageRoom - 2_000)
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

/** As it is shown: whole where a page has room for it. */
const shownAs = (event: Recorded): Body => {
  const whole = eventBody(event)
  return jsonBytes(whole) <= pageRoom ? whole : cutEvent(event)
}

/** The last of the events that a page has room for. */
export const lastPage = (events: ReadonlyArray<Recorded>): ReadonlyArray<Recorded> => {
  const shown = fitting(events.toReversed().map(shownAs), pageRoom)
  return events.slice(events.length - Math.max(Math.min(1, events.length), shown.length))
}

/** A page of the events of a run with `version` events, as many of these as it has room for; `first` is where it begins. */
export const eventsBody = (run_id: RunId, version: number, events: ReadonlyArray<Recorded>, first: number): Body => {
  const all = events.map(shownAs)
  const shown = all.slice(0, Math.max(1, fitting(all, pageRoom).length))
  const from = events[0]?.version ?? first
  const next = from + shown.length
  return {
    run_id,
    events_total: version,
    from,
    next_from: next > version ? null : next,
    events_before: from - 1,
    events_left_out: version - next + 1,
    events: shown
  }
}
