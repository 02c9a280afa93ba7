/**
 * How an event is written down.
 *
 * The exported form is one JSON object with the keys of `Recorded` in their order, its `position` being the one in the
 * log in which it was written first: it is the same in every log that holds the run. NDJSON is one such object a line.
 * The hashed form is the canonical JSON (RFC 8785) of the same object without `hash`: keys sorted by UTF-16 code
 * units, no blanks, numbers as ECMAScript writes them. `hash` is the lower-case hex SHA-256 of its UTF-8 bytes.
 */
import { Result, Schema } from "effect"
import { LogUnavailable } from "../base/LogUnavailable.ts"
import { type EventCandidate, genesisHash, originOf, type Recorded } from "../base/Recorded.ts"
import type { Digest } from "../port/Digest.ts"

type Sha256 = Digest["Service"]["sha256"]

/** The value is no JSON: nothing that was read from JSON ever is. A mistake of whoever made it. */
export class NotCanonical extends Schema.TaggedError<NotCanonical>()("NotCanonical", {
  /** Where, from `$`, e.g. `$.items[2].name`. */
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Not canonical JSON: ${this.reason} at ${this.path}.`
  }
}

/** Containers within containers; deeper values are refused rather than left to the stack. */
const depthMax = 1_000

interface Place {
  readonly parent: Place | null
  readonly key: string | number
  readonly depth: number
}

/** RFC 8785. Throws `NotCanonical` for lone surrogates, non-finite numbers, undefined, and whatever is not plain JSON. */
export const canonicalJson = (value: unknown): string => write(value, null, "$")

const write = (value: unknown, parent: Place | null, key: string | number): string => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? JSON.stringify(value) : refuse("a lone surrogate", parent, key)
    case "number":
      // ECMAScript's own number to text is what the RFC prescribes; -0 becomes 0
      return Number.isFinite(value) ? `${value}` : refuse(`${value}`, parent, key)
    case "boolean":
      return value ? "true" : "false"
    case "object": {
      if (value === null) return "null"
      const here: Place = { parent, key, depth: parent === null ? 1 : parent.depth + 1 }
      if (here.depth > depthMax) return refuse(`more than ${depthMax} levels`, parent, key)
      if (Array.isArray(value)) return writeArray(value, here)
      return isPlain(value) ? writeObject(value, here) : refuse("an object that is not plain", parent, key)
    }
    default:
      return refuse(value === undefined ? "undefined" : `a ${typeof value}`, parent, key)
  }
}

const writeArray = (values: ReadonlyArray<unknown>, here: Place): string => {
  let text = "["
  for (let i = 0; i < values.length; i++) {
    text += i === 0 ? write(values[i], here, i) : `,${write(values[i], here, i)}`
  }
  return `${text}]`
}

const writeObject = (value: Readonly<Record<string, unknown>>, here: Place): string => {
  let text = "{"
  for (const key of sorted(Object.keys(value))) {
    const name = names.get(key) ?? nameOf(key)
    if (name === null) return refuse("a lone surrogate in a key", here, key)
    if (text !== "{") text += ","
    text += name + write(value[key], here, key)
  }
  return `${text}}`
}

/** So many keys are sooner put in order one by one. */
const fewKeys = 32

/** By UTF-16 code units, as the RFC asks: so strings are compared, and so `Array.prototype.sort` compares them. */
const sorted = (keys: Array<string>): ReadonlyArray<string> => {
  if (keys.length > fewKeys) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

/** Keys as they are written, with their colon: the same few come again and again. */
const names = new Map<string, string>()
const namesMax = 1_000
/** Longer ones are not kept. */
const nameLength = 64

const nameOf = (key: string): string | null => {
  if (!key.isWellFormed()) return null
  const name = `${JSON.stringify(key)}:`
  if (key.length <= nameLength) {
    if (names.size >= namesMax) names.clear()
    names.set(key, name)
  }
  return name
}

/** Class instances lose their class on the way through JSON, so they are refused; objects of other realms are fine. */
const isPlain = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const refuse = (reason: string, parent: Place | null, key: string | number): never => {
  let path = ""
  let step: string | number = key
  for (let at = parent; at !== null; at = at.parent) {
    path = (typeof step === "number" ? `[${step}]` : `.${step}`) + path
    step = at.key
  }
  throw new NotCanonical({ path: `${step}${path}`.toWellFormed(), reason })
}

/** Where in the log an event goes. */
export interface LogPosition {
  readonly position: number
  readonly stream: string
  readonly version: number
  readonly prev_hash: string
}

/**
 * The event as it is recorded there. Its content is what a reader will get, a copy.
 * `content` is the canonical JSON of the candidate's content, for a caller that has it already.
 * Throws `NotCanonical`.
 */
export const seal = (
  candidate: EventCandidate,
  at: LogPosition,
  sha256: Sha256,
  content: string = canonicalJson(candidate.content)
): Recorded => recordedAs(candidate, at, content, sha256(hashedText(candidate, at, content)))

/** Events as a chain of their own, from version 1 on. Throws `NotCanonical`. */
export const sealChain = (
  stream: string,
  events: ReadonlyArray<readonly [candidate: EventCandidate, position: number]>,
  sha256: Sha256
): ReadonlyArray<Recorded> => {
  let prev_hash = genesisHash
  return events.map(([candidate, position], i) => {
    const one = seal(candidate, { position, stream, version: i + 1, prev_hash }, sha256)
    prev_hash = one.hash
    return one
  })
}

/** The event as it is recorded there, where its hash was computed already. `content` is JSON. */
export const recordedAs = (candidate: EventCandidate, at: LogPosition, content: string, hash: string): Recorded => ({
  event_type: candidate.event_type,
  timestamp: candidate.timestamp,
  visibility: candidate.visibility,
  content: JSON.parse(content),
  position: at.position,
  stream: at.stream,
  version: at.version,
  schema_version: candidate.schema_version,
  command_id: candidate.command_id,
  causation_id: candidate.causation_id,
  correlation_id: candidate.correlation_id,
  prev_hash: at.prev_hash,
  hash
})

/** The content of an event as a log has stored it. Throws `LogUnavailable` when it is no JSON. */
export const storedContent = (content: string, stream: string, version: number): Recorded["content"] => {
  try {
    return JSON.parse(content)
  } catch {
    throw new LogUnavailable({
      code: "log_corrupt",
      message: `The content of event ${version} of ${stream} is not JSON: the log was changed from outside.`,
      hint: "Restore the log from a copy, or leave this run alone; the other runs can still be read."
    })
  }
}

// The keys of `Recorded` without `hash`, in canonical order. Equal to canonicalJson of that object, without its sorting.
const hashedText = (event: EventCandidate, at: LogPosition, content: string): string => {
  const [before, between, after] = hashedParts(event, at)
  return `${before}${content}${between}${at.position},"prev_hash":${quoted(at.prev_hash, "prev_hash").slice(0, -1)}${after}`
}

/**
 * The text that is hashed, without the content, the position and the hash before: those come between the parts, for a
 * log that learns them only where it writes. The hash before stands behind `,"prev_hash":"`. Throws `NotCanonical`.
 */
export const hashedParts = (
  event: EventCandidate,
  at: Pick<LogPosition, "stream" | "version">
): readonly [before: string, between: string, after: string] => [
  `{"causation_id":${event.causation_id === null ? "null" : quoted(event.causation_id, "causation_id")}` +
    `,"command_id":${quoted(event.command_id, "command_id")}` +
    `,"content":`,
  `,"correlation_id":${quoted(event.correlation_id, "correlation_id")}` +
    `,"event_type":${quoted(event.event_type, "event_type")}` +
    `,"position":`,
  `","schema_version":${event.schema_version}` +
    `,"stream":${quoted(at.stream, "stream")}` +
    `,"timestamp":${quoted(event.timestamp, "timestamp")}` +
    `,"version":${at.version}` +
    `,"visibility":${quoted(event.visibility, "visibility")}}`
]

const quoted = (value: string, key: string): string =>
  value.isWellFormed() ? JSON.stringify(value) : refuse("a lone surrogate", { parent: null, key: "$", depth: 1 }, key)

/** The event as it is exported: these keys, in this order. */
export const toExport = (event: Recorded): Recorded => ({
  event_type: event.event_type,
  timestamp: event.timestamp,
  visibility: event.visibility,
  content: event.content,
  position: originOf(event),
  stream: event.stream,
  version: event.version,
  schema_version: event.schema_version,
  command_id: event.command_id,
  causation_id: event.causation_id,
  correlation_id: event.correlation_id,
  prev_hash: event.prev_hash,
  hash: event.hash
})

/** One line of NDJSON, its line end included. */
export const toNdjson = (event: Recorded): string => `${JSON.stringify(toExport(event))}\n`

/** How far a chain was followed: its last event. */
export interface ChainHead {
  readonly stream: string
  readonly version: number
  readonly hash: string
}

/** The first event of a stream that does not continue it. */
export class ChainBroken extends Schema.TaggedError<ChainBroken>()("ChainBroken", {
  stream: Schema.String,
  /** Version the event claims; for a hole, the version that is missing. */
  version: Schema.Int,
  /** `hole`: a version is missing, repeated or out of order. The others name the field that is wrong. */
  reason: Schema.Literals(["stream", "hole", "prev_hash", "hash"]),
  expected: Schema.String,
  actual: Schema.String
}) {
  override get message() {
    return `${sentences[this.reason]} at version ${this.version} of ${this.stream}: expected ${this.expected}, found ${this.actual}.`
  }
}

const sentences = {
  stream: "An event of another stream stands",
  hole: "The versions have a hole",
  prev_hash: "The event before was changed or removed; the chain breaks",
  hash: "The event was changed; its hash is wrong"
} as const

/** Follows the chain by one event; `head` is null before the first. */
export const verifyNext = (
  head: ChainHead | null,
  event: Recorded,
  sha256: Sha256
): Result.Result<ChainHead, ChainBroken> => {
  const stream = head?.stream ?? event.stream
  const version = (head?.version ?? 0) + 1
  const broken = (at: number, reason: ChainBroken["reason"], expected: string | number, actual: string | number) =>
    Result.fail(new ChainBroken({ stream, version: at, reason, expected: `${expected}`, actual: `${actual}` }))
  if (event.stream !== stream) return broken(event.version, "stream", stream, event.stream)
  if (event.version !== version) return broken(version, "hole", version, event.version)
  const prevHash = head?.hash ?? genesisHash
  if (event.prev_hash !== prevHash) return broken(version, "prev_hash", prevHash, event.prev_hash)
  const hash = hashOf(event, sha256)
  if (event.hash !== hash) return broken(version, "hash", hash, event.hash)
  return Result.succeed({ stream, version, hash })
}

/**
 * Follows one stream from its first event, one event in memory at a time. Gives where it ends, null for an empty one,
 * or the first break.
 */
export const verifyChain = (
  events: Iterable<Recorded>,
  sha256: Sha256
): Result.Result<ChainHead | null, ChainBroken> => {
  let head: ChainHead | null = null
  for (const event of events) {
    const next: Result.Result<ChainHead, ChainBroken> = verifyNext(head, event, sha256)
    if (Result.isFailure(next)) return next
    head = next.success
  }
  return Result.succeed(head)
}

/**
 * Events of another log as they stand in this one, where they continue a stream: with new positions, and the hashes they
 * had. `head` is where the stream ends here, null where there is nothing of it; `position` where the log does.
 */
export const continuing = (
  stream: string,
  head: ChainHead | null,
  position: number,
  events: ReadonlyArray<Recorded>,
  sha256: Sha256
): Result.Result<ReadonlyArray<Recorded>, ChainBroken> => {
  const taken: Array<Recorded> = []
  let end = head ?? { stream, version: 0, hash: genesisHash }
  for (const event of events) {
    const next = verifyNext(end, event, sha256)
    if (Result.isFailure(next)) return Result.fail(next.failure)
    end = next.success
    const { origin_position: _, ...rest } = event
    const [here, origin] = [position + taken.length + 1, originOf(event)]
    taken.push({ ...rest, position: here, ...(here === origin ? {} : { origin_position: origin }) })
  }
  return Result.succeed(taken)
}

/**
 * The hashed text in one go, in half of the time: every event that is read is hashed. Null where the content is not as one
 * that was read of canonical JSON.
 */
const quickText = (event: Recorded, position: number): string | null => {
  if (!isCanonical(event.content, 1)) return null
  const text = JSON.stringify({
    causation_id: event.causation_id,
    command_id: event.command_id,
    content: event.content,
    correlation_id: event.correlation_id,
    event_type: event.event_type,
    position,
    prev_hash: event.prev_hash,
    schema_version: event.schema_version,
    stream: event.stream,
    timestamp: event.timestamp,
    version: event.version,
    visibility: event.visibility
  })
  // half of a surrogate pair may be among the texts
  return text.includes("\\ud") ? null : text
}

/** Whether `JSON.stringify` writes the value as `canonicalJson` does, but for halves of surrogate pairs. */
const isCanonical = (value: unknown, depth: number): boolean => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "number":
      return Number.isFinite(value)
    case "object": {
      if (value === null) return true
      if (depth > depthMax) return false
      if (Array.isArray(value)) {
        for (const one of value) if (!isCanonical(one, depth + 1)) return false
        return true
      }
      if (!isPlain(value)) return false
      let before = ""
      for (const key in value) {
        if (key < before || !isCanonical(value[key], depth + 1)) return false
        before = key
      }
      return true
    }
    default:
      return false
  }
}

// text that is no JSON cannot have been hashed: whatever its hash says, it is wrong
const hashOf = (event: Recorded, sha256: Sha256): string => {
  try {
    const at = event.origin_position === undefined ? event : { ...event, position: event.origin_position }
    return sha256(quickText(event, at.position) ?? hashedText(event, at, canonicalJson(event.content)))
  } catch (error) {
    if (error instanceof NotCanonical) return `none, it is ${error.message}`
    throw error
  }
}
