import type { Schema } from "effect"

export type Visibility = "summary" | "full"

/** An event ready to be appended. The log adds position, version and the hash chain. */
export interface EventCandidate {
  readonly event_type: string
  readonly schema_version: number
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  readonly visibility: Visibility
  readonly content: Schema.Json
  readonly command_id: string
  /** The command whose events led to this one; null when a person or a client asked. */
  readonly causation_id: string | null
  readonly correlation_id: string
}

/**
 * An event in the log, keys in the order in which they are exported.
 *
 * `position` counts from 1 over the whole log, `version` from 1 within the stream, both without holes.
 * `hash` is the lower-case hex SHA-256 of the canonical JSON (RFC 8785) of this object as it is exported, without `hash`:
 * with the position that it had where it was written first. `prev_hash` is the hash of the event before it in the
 * stream, 64 zeros for the first.
 */
export interface Recorded {
  readonly event_type: string
  readonly timestamp: string
  readonly visibility: Visibility
  readonly content: Schema.Json
  readonly position: number
  readonly stream: string
  readonly version: number
  readonly schema_version: number
  readonly command_id: string
  readonly causation_id: string | null
  readonly correlation_id: string
  readonly prev_hash: string
  readonly hash: string
  /** Its position in the log in which it was written first; left out where that is `position`. */
  readonly origin_position?: number
}

/** Its position in the log in which it was written first: the one that is hashed and exported. */
export const originOf = ({ origin_position, position }: Pick<Recorded, "origin_position" | "position">): number =>
  origin_position ?? position

/** `prev_hash` of the first event of a stream. */
export const genesisHash = "0".repeat(64)
