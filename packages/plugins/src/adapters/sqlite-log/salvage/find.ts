import { awayKinds } from "@proofline/kernel"
import type { AwayRow, EventRow } from "../rows.ts"
import type { Pages } from "./pages.ts"
import { localBytes, type Payload } from "./payload.ts"
import { isInteger, isNull, isText, type Layout, layoutAt, type Value, valuesOf, varint } from "./record.ts"

/** Something that looks like an event. Whether it is one, its hash says. */
export interface Candidate extends Payload {
  readonly position: number
}

/** All that looks like something of a log. */
export interface Found {
  /** By run and version. */
  readonly events: ReadonlyMap<string, ReadonlyMap<number, ReadonlyArray<Candidate>>>
  /** Where runs were that are not here. */
  readonly away: ReadonlyMap<string, AwayRow>
  /** By run: the versions that commands and the index of events speak of. */
  readonly spokenOf: ReadonlyMap<string, ReadonlyArray<number>>
}

/** Of a text of 24 characters, as every time is that is written: what events and absences are found by. */
const timeType = 13 + 2 * 24

export const find = (pages: Pages): Found => {
  const events = new Map<string, Map<number, Array<Candidate>>>()
  const away = new Map<string, AwayRow>()
  const spokenOf = new Map<string, Array<number>>()
  /** Those that the index of the events names. */
  const runs = new Set<string>()
  const addEvent = (stream: string, version: number, candidate: Candidate) => {
    const run = events.get(stream) ?? new Map<number, Array<Candidate>>()
    events.set(stream, run)
    run.set(version, [...(run.get(version) ?? []), candidate])
  }
  for (const { at, bytes } of pages.all()) {
    for (let time = bytes.indexOf(timeType); time !== -1; time = bytes.indexOf(timeType, time + 1)) {
      const event = eventAround(pages.size, at, bytes, time)
      if (event !== null) addEvent(...event)
      const left = awayAround(bytes, time)
      if (left !== null) away.set(...left)
    }
    for (const [stream, version, isIndex] of spokenOfIn(bytes)) {
      const versions = spokenOf.get(stream) ?? []
      spokenOf.set(stream, versions)
      versions.push(version)
      if (isIndex) runs.add(stream)
    }
  }
  // what looks like a command may be in the index of another table
  for (const stream of spokenOf.keys()) if (!runs.has(stream) && !events.has(stream)) spokenOf.delete(stream)
  return { events, away, spokenOf }
}

// --- events ---------------------------------------------------------------------------------------------------------

const optional = (of: (type: number) => boolean) => (type: number) => isNull(type) || of(type)

/** Types of the columns of `event` as they are stored: the position is in the cell, and 0 here. `origin` came later. */
const eventTypes: ReadonlyArray<(type: number) => boolean> = [
  isNull,
  isText,
  isInteger,
  isText,
  isInteger,
  (type) => type === timeType,
  isText,
  isText,
  isText,
  optional(isText),
  optional(isText),
  isText,
  optional(isInteger)
]

const isEvent = ({ types }: Layout): boolean =>
  (types.length === eventTypes.length || types.length === eventTypes.length - 1) &&
  types.every((type, at) => eventTypes[at]?.(type) === true)

/** Bytes of the header of an event before the type of its time: length, 0, stream, version, event type, schema version. */
const beforeTime = [6, 7, 8, 9]
/** Bytes of two numbers of variable length at most: of the payload, and the position. */
const cellHeaderMost = 18

const eventAround = (
  size: number,
  at: number,
  bytes: Buffer,
  time: number
): readonly [stream: string, version: number, candidate: Candidate] | null => {
  for (const before of beforeTime) {
    const from = time - before
    if (from < 2 || bytes[from + 1] !== 0) continue
    const layout = layoutAt(bytes, from)
    if (layout === null || !isEvent(layout)) continue
    const position = positionBefore(bytes, from, layout.bytes)
    const [, stream, version] = valuesOf(layout, bytes.subarray(from), 3) ?? []
    if (position === null || typeof stream !== "string" || typeof version !== "number") continue
    if (from + localBytes(size, layout.bytes) > bytes.length) continue
    return [stream, version, { at, from, bytes: layout.bytes, position }]
  }
  return null
}

/** The position that stands before a record of this length; null: none does. */
const positionBefore = (bytes: Buffer, record: number, length: number): number | null => {
  for (let at = record - 2; at >= Math.max(0, record - cellHeaderMost); at--) {
    const payload = varint(bytes, at)
    if (payload === null || payload[0] !== length) continue
    const position = varint(bytes, payload[1])
    if (position !== null && position[1] === record) return position[0]
  }
  return null
}

/** The event in a whole payload; null: it is none. */
export const eventIn = (payload: Buffer, position: number): EventRow | null => {
  const layout = layoutAt(payload, 0)
  const values = layout === null ? null : valuesOf(layout, payload)
  if (values === null) return null
  const [, stream, version, type, schema, time, visibility, content, command, causation, correlation, hash, origin] =
    values
  return [
    position,
    version,
    type,
    schema,
    time,
    visibility,
    content,
    command,
    causation,
    correlation,
    hash,
    origin ?? null,
    stream
  ] as ReadonlyArray<Value> as unknown as EventRow
}

// --- runs that are elsewhere ----------------------------------------------------------------------------------------

const awayTypes: ReadonlyArray<(type: number) => boolean> = [
  isText,
  isText,
  isText,
  (type) => type === timeType,
  isInteger,
  isText,
  isInteger
]

const awayAround = (bytes: Buffer, time: number): readonly [stream: string, row: AwayRow] | null => {
  for (const before of [4, 5, 6, 7]) {
    const layout = time < before ? null : layoutAt(bytes, time - before)
    if (layout === null || layout.types.length !== awayTypes.length) continue
    if (!layout.types.every((type, at) => awayTypes[at]?.(type) === true)) continue
    const values = valuesOf(layout, bytes.subarray(time - before))
    const [stream, kind, place, at, version, hash, position] = values ?? []
    if (awayKinds.every((one) => one !== kind)) continue
    return [stream as string, { kind, place, at, version, hash, position } as AwayRow]
  }
  return null
}

// --- what else speaks of events -------------------------------------------------------------------------------------

const indexPages = { interior: 0x02, leaf: 0x0a }

/** Runs and versions of which the commands (run, id, first version, events) and the index (run, version, position) speak. */
const spokenOfIn = function* (bytes: Buffer): Iterable<readonly [stream: string, version: number, isIndex: boolean]> {
  const [kind] = bytes
  if (kind !== indexPages.leaf && kind !== indexPages.interior) return
  const [header, child] = kind === indexPages.leaf ? [8, 0] : [12, 4]
  for (let i = 0; i < bytes.readUInt16BE(3) && header + 2 * i + 2 <= bytes.length; i++) {
    const payload = varint(bytes, bytes.readUInt16BE(header + 2 * i) + child)
    const layout = payload === null ? null : layoutAt(bytes, payload[1])
    if (payload === null || layout === null || layout.bytes !== payload[0]) continue
    const { types } = layout
    const isCommand = types.length === 4 && isText(types[0] ?? 0) && isText(types[1] ?? 0)
    const isIndex = types.length === 3 && isText(types[0] ?? 0) && isInteger(types[1] ?? 0)
    if (!(isCommand || isIndex) || !types.slice(-2).every(isInteger)) continue
    const values = valuesOf(layout, bytes.subarray(payload[1]))
    if (values === null) continue
    const [stream, second, third, fourth] = values
    yield [stream as string, isIndex ? (second as number) : (third as number) + (fourth as number) - 1, isIndex]
  }
}
