/**
 * The tables of the log file.
 *
 * ```text
 * event        position · stream, version · the rest of the event · hash       unique (stream, version)
 * command      stream, command_id → first version, number of events
 * work_item    seq · id · item as JSON · what the queue asks for · status, free_at, lease, holder, taker
 * label_set    id · the labels that some items need
 * run_summary  run_id · started_at · summary as JSON: `select summary from run_summary order by started_at desc`
 * lock         name · which process holds it
 * presence     kind, id · which process is there for it
 * ```
 *
 * `content` is the canonical JSON that was hashed. `prev_hash` is the hash of the row before in the stream, so it is not
 * stored; nor is a `correlation_id` that is the stream itself (null), which is nearly every one.
 */
import { type EventCandidate, LogUnavailable, type Recorded, type Visibility } from "@proofline/kernel"
import type { Generated } from "kysely"

export interface Tables {
  readonly event: {
    readonly position: number
    readonly stream: string
    readonly version: number
    readonly event_type: string
    readonly schema_version: number
    readonly timestamp: string
    readonly visibility: string
    readonly content: string
    readonly command_id: string
    readonly causation_id: string | null
    readonly correlation_id: string | null
    readonly hash: string
  }
  readonly command: {
    readonly stream: string
    readonly command_id: string
    readonly first_version: number
    readonly events: number
  }
  readonly work_item: {
    readonly seq: Generated<number>
    readonly id: string
    readonly item: string
    readonly label_set: number
    readonly priority: number
    /**
     * `waiting` until `free_at`, then `ready`; `claimed` until `free_at`, then `lost`, which its holder may still keep.
     * What is ready or lost may be taken. Someone must look for it to change, so `free_at` alone says what is due.
     */
    readonly status: "waiting" | "ready" | "claimed" | "lost" | "settled" | "cancelled"
    /** When it may be taken if nobody says anything until then, ms since the epoch. */
    readonly free_at: number
    readonly lease: Generated<number>
    /** JSON of the process that holds the claim. */
    readonly holder: Generated<string | null>
    /** The consumer of `take` within that process. */
    readonly taker: Generated<string | null>
  }
  readonly label_set: {
    readonly id: Generated<number>
    /** JSON array. */
    readonly labels: string
  }
  readonly run_summary: {
    readonly run_id: string
    readonly started_at: string
    readonly summary: string
  }
  readonly lock: Hold & { readonly name: string }
  readonly presence: Hold & { readonly kind: string; readonly id: string }
}

/** That a process holds something. */
interface Hold {
  /** JSON of the process. */
  readonly holder: string
  /** ISO 8601. */
  readonly since: string
  /** The last sign of the process, ms since the epoch. */
  readonly kept_at: number
  /** Of this one hold, so that one that was lost is not kept or dropped any more. */
  readonly token: string
}

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
  event.stream
]

const storedCorrelation = ({ correlation_id }: EventCandidate, stream: string): string | null =>
  correlation_id === stream ? null : correlation_id

/** Throws `LogUnavailable` when the content is no JSON. */
export const toRecorded = (row: EventRow, prevHash: string, stream: string = row[11]): Recorded => ({
  event_type: row[2],
  timestamp: row[4],
  visibility: row[5],
  content: parse(row, stream),
  position: row[0],
  stream,
  version: row[1],
  schema_version: row[3],
  command_id: row[7],
  causation_id: row[8],
  correlation_id: row[9] ?? stream,
  prev_hash: prevHash,
  hash: row[10]
})

const parse = (row: EventRow, stream: string): Recorded["content"] => {
  try {
    return JSON.parse(row[6])
  } catch {
    throw new LogUnavailable({
      code: "log_corrupt",
      message: `The content of event ${row[1]} of ${stream} is not JSON: the log was changed from outside.`,
      hint: "Restore the log from a copy, or leave this run alone; the other runs can still be read."
    })
  }
}
