import { type EventCandidate, type Recorded, storedContent, type Visibility } from "@proofline/kernel"

/** The columns of a page, in this order; the function `append` answers repeated commands so too. */
export const eventColumns = [
  "position",
  "stream",
  "version",
  "event_type",
  "schema_version",
  "timestamp",
  "visibility",
  "content",
  "command_id",
  "causation_id",
  "correlation_id",
  "prev_hash",
  "hash",
  "origin"
] as const

export type EventRow = readonly [
  position: number,
  stream: string,
  version: number,
  eventType: string,
  schemaVersion: number,
  timestamp: string,
  visibility: Visibility,
  content: string,
  commandId: string,
  causationId: string | null,
  correlationId: string,
  prevHash: string,
  hash: string,
  origin: number | null
]

/** Throws `LogUnavailable` when the content is no JSON. */
export const toRecorded = (row: EventRow): Recorded => ({
  event_type: row[3],
  timestamp: row[5],
  visibility: row[6],
  content: storedContent(row[7], row[1], row[2]),
  position: row[0],
  stream: row[1],
  version: row[2],
  schema_version: row[4],
  command_id: row[8],
  causation_id: row[9],
  correlation_id: row[10],
  prev_hash: row[11],
  hash: row[12],
  ...(row[13] === null ? {} : { origin_position: row[13] })
})

/** What the functions `append` and `adopt` take of an event, whichever log it comes from. */
export const eventFields = (event: EventCandidate, content: string) => ({
  type: event.event_type,
  schema: event.schema_version,
  at: event.timestamp,
  visibility: event.visibility,
  content,
  command: event.command_id,
  cause: event.causation_id,
  correlation: event.correlation_id
})
