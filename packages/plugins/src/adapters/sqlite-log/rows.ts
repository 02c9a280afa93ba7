/**
 * The tables of the log file.
 *
 * ```text
 * event        position · stream, version · the rest of the event · hash · origin     unique (stream, version)
 * command      stream, command_id → first version, number of events
 * command_left from which position on events belong to commands that have no row in `command` yet; mostly empty
 * work_item    seq · id · item as JSON · what the queue asks for · status, free_at, lease, holder, taker
 * label_set    id · the labels that some items need
 * run_summary  run_id · started_at · summary as JSON: `select summary from run_summary order by started_at desc` · digest
 * lock         name · which process holds it
 * presence     kind, id · which process is there for it
 * away         stream · where a run is that takes no events here, with its last event and its position
 * ```
 *
 * An item is `waiting` until `free_at` (ms since the epoch), then `ready`; `claimed` until `free_at`, then `lost`, which its
 * holder may still keep; at the end `settled` or `cancelled`. What is ready or lost may be taken. Someone must look for the
 * status to change, so `free_at` alone says what is due. `holder` is the JSON of a process, `taker` the consumer of `take`
 * within it. Of a lock and a presence `kept_at` is the last sign of the process (ms since the epoch), and `token` is of this
 * one hold, so that one that was lost is not kept or dropped any more.
 *
 * `content` is the canonical JSON that was hashed. `prev_hash` is the hash of the row before in the stream, so it is not
 * stored; nor is a `correlation_id` that is the stream itself (null), which is nearly every one. `origin` is the position of
 * an event that came from another log, there; null where it is `position`. Of a run that was archived there are no events;
 * `user_version` counts the positions that such runs have left empty.
 */
import {
  type Away,
  type EventCandidate,
  LogUnavailable,
  type Recorded,
  storedContent,
  type Visibility
} from "@proofline/kernel"
import { damagedHint } from "./explain.ts"

/** The columns of a page, in this order; an array a row, because objects cost twice as much. */
export const eventColumns = [
  "position",
  "version",
  "event_type",
  "schema_version",
  "timestamp",
  "visibility",
  "content",
  "command_id",
  "causation_id",
  "correlation_id",
  "hash",
  "origin",
  // last, so that a page of one stream can leave it out
  "stream"
] as const

export type EventRow = readonly [
  position: number,
  version: number,
  eventType: string,
  schemaVersion: number,
  timestamp: string,
  visibility: Visibility,
  content: string,
  commandId: string,
  causationId: string | null,
  correlationId: string | null,
  hash: string,
  origin: number | null,
  stream: string
]

export const toRow = (event: Recorded, content: string): EventRow => [
  event.position,
  event.version,
  event.event_type,
  event.schema_version,
  event.timestamp,
  event.visibility,
  content,
  event.command_id,
  event.causation_id,
  storedCorrelation(event, event.stream),
  event.hash,
  event.origin_position ?? null,
  event.stream
]

const storedCorrelation = ({ correlation_id }: EventCandidate, stream: string): string | null =>
  correlation_id === stream ? null : correlation_id

/** Throws `LogUnavailable` when it is no event, or its content no JSON. */
export const toRecorded = (row: EventRow, prevHash: string, stream: string = row[12]): Recorded => {
  if (!isEvent(row)) throw noEvent(row[0], stream)
  const event = {
    event_type: row[2],
    timestamp: row[4],
    visibility: row[5],
    content: storedContent(row[6], stream, row[1]),
    position: row[0],
    stream,
    version: row[1],
    schema_version: row[3],
    command_id: row[7],
    causation_id: row[8],
    correlation_id: row[9] ?? stream,
    prev_hash: prevHash,
    hash: row[10]
  }
  return row[11] === null ? event : { ...event, origin_position: row[11] }
}

/** Whether the columns are of their types: of a file that is damaged SQLite answers with what it finds. */
const isEvent = (row: ReadonlyArray<unknown>): boolean =>
  texts.every((at) => typeof row[at] === "string") &&
  integers.every((at) => Number.isSafeInteger(row[at])) &&
  optionalTexts.every((at) => row[at] === null || typeof row[at] === "string") &&
  (row[11] === null || Number.isSafeInteger(row[11]))

const integers = [0, 1, 3]
const texts = [2, 4, 5, 6, 7, 10]
const optionalTexts = [8, 9]

const noEvent = (position: number, stream: string): LogUnavailable =>
  new LogUnavailable({
    code: "log_corrupt",
    message: `What stands at position ${position} of the log, in ${stream}, is no event: the file is damaged.`,
    hint: damagedHint
  })

/** Where a run is that takes no events here. */
export interface AwayRow extends Away {
  /** Of the last event that was here when it was archived; 0 otherwise. */
  readonly position: number
}

export const awayOf = ({ at, hash, kind, place, version }: AwayRow): Away => ({ kind, place, at, version, hash })

/** The digest of a summary. Each was given one: where it is gone, somebody took it away, and none fits. */
export const digestColumn = "coalesce(digest, '') as digest"

/** A row of `run_summary`. */
export interface SummaryRow {
  readonly run_id: string
  readonly started_at: string
  readonly summary: string
  /** Null: it was written by an older Proofline. */
  readonly digest: string | null
}
