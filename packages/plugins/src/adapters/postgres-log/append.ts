import {
  type Appended,
  type AppendOptions,
  type Away,
  Conflict,
  canonicalJson,
  commandIdOf,
  type EventCandidate,
  elsewhere,
  hashedParts,
  LeaseLost,
  type LogUnavailable,
  type Recorded,
  type RunSummary,
  recordedAs,
  type WorkItem
} from "@proofline/kernel"
import { Result } from "effect"
import { type EventRow, eventFields, toRecorded } from "./rows.ts"
import type { SummaryCache } from "./summaries.ts"

/** One append, ready to be asked for: all that can be wrong with it by itself was found before. */
export interface AppendRequest {
  readonly stream: string
  readonly expected: number
  readonly events: ReadonlyArray<EventCandidate>
  readonly contents: ReadonlyArray<string>
  readonly options: AppendOptions
  /** As the function `append` wants them, without the number of the request. */
  readonly rows: {
    readonly request: object
    readonly events: ReadonlyArray<object>
    readonly items: ReadonlyArray<object>
  }
}

/** A hundred years, ms: later than that is never. */
const neverMs = 3_155_760_000_000

const intMax = 2_147_483_647

/** `now` is the caller's clock: the database adds to its own what is left until an item is due. */
export const makeRequest = (
  now: number,
  stream: string,
  expected: number,
  events: ReadonlyArray<EventCandidate>,
  options: AppendOptions
): AppendRequest => {
  const command = commandIdOf(events)
  const contents = events.map(({ content }) => canonicalJson(content))
  const { behind, cancel = [], dispatch = [], lease, settles } = options
  return {
    stream,
    expected,
    events,
    contents,
    options,
    rows: {
      request: {
        stream: storable(stream, "stream"),
        expected,
        command: command === null ? null : storable(command, "command_id"),
        item: lease === undefined ? null : storable(lease.item, "lease"),
        lease: lease?.number,
        settles: settles === true && lease !== undefined,
        cancel: cancel.map((id) => storable(id, "cancel")),
        behind: behind === undefined ? null : storable(behind, "behind"),
        count: events.length
      },
      events: events.map((event, i) => eventRow(event, contents[i] as string, stream, expected + i + 1)),
      items: dispatch.map((item) => itemRow(item, now))
    }
  }
}

/** PostgreSQL stores every text but one that is no Unicode or holds the character 0. */
const storable = (text: string, what: string): string => {
  if (!text.isWellFormed() || text.includes("\u0000"))
    throw new Error(`The ${what} ${JSON.stringify(text)} is no text.`)
  return text
}

const eventRow = (event: EventCandidate, content: string, stream: string, version: number): object => {
  const [before, between, after] = hashedParts(event, { stream, version })
  for (const text of [event.causation_id ?? "", event.correlation_id, event.event_type, event.timestamp]) {
    storable(text, "field of an event")
  }
  return {
    stream,
    version,
    ...eventFields(event, content),
    a: before,
    b: between,
    c: after
  }
}

const itemRow = (item: WorkItem, now: number): object => ({
  id: storable(item.id, "item"),
  run: storable(item.run, "run"),
  item: JSON.stringify(item),
  labels: item.labels.map((label) => storable(label, "label")),
  priority: Math.max(-intMax, Math.min(intMax, Math.round(item.priority))),
  delay: Math.max(0, Math.min(neverMs, item.not_before - now))
})

/** The events as far as they are known before they are written, without those that no summary looks at. */
const seenBy = ({ summaries }: SummaryCache, { contents, events, expected, stream }: AppendRequest) =>
  events.flatMap((event, i) =>
    summaries.types.has(event.event_type)
      ? // a summary says nothing of positions and hashes
        [recordedAs(event, { ...unknown, stream, version: expected + i + 1 }, contents[i] as string, "")]
      : []
  )

const unknown = { position: 0, prev_hash: "" }

/** The summary of a run after these events. */
export const summaryAfter = (
  { summaries }: SummaryCache,
  before: RunSummary | null,
  events: ReadonlyArray<Recorded>
): RunSummary | null =>
  events.reduce<RunSummary | null>(
    (summary, event) => (summaries.types.has(event.event_type) ? summaries.summarize(summary, event) : summary),
    before
  )

/** As the functions `append` and `adopt` want it; without fields where it stays as it is. */
export const summaryRow = (before: RunSummary | null, after: RunSummary | null, version: number): object =>
  after === null || after === before ? {} : { started_at: after.started_at, version, summary: JSON.stringify(after) }

/** Whether the summary that follows can be told only when the one before is known. */
export const needsSummary = (
  { at, summaries }: SummaryCache,
  stream: string,
  expected: number,
  events: ReadonlyArray<EventCandidate>
): boolean => events.some(({ event_type }) => summaries.types.has(event_type)) && at(stream, expected) === undefined

/** The runs, and at which version, whose summary must be known before these appends. */
export const unknownSummaries = (
  cache: SummaryCache,
  requests: ReadonlyArray<AppendRequest>
): ReadonlyArray<{ readonly stream: string; readonly expected: number }> => {
  const starts = new Map<string, number>()
  return requests.flatMap(({ events, expected, options: { behind }, stream }) => {
    const start = behind === undefined ? expected : (starts.get(stream) ?? expected)
    starts.set(stream, start)
    return needsSummary(cache, stream, start, events) ? [{ stream, expected: start }] : []
  })
}

/** The summary of each, where it is another one: of those that are decided behind another of them, on top of its summary. */
const summaryRows = (cache: SummaryCache, requests: ReadonlyArray<AppendRequest>): ReadonlyArray<object> => {
  const ahead = new Map<string, { readonly summary: RunSummary | null } | undefined>()
  return requests.map((request) => {
    const { events, expected, options, stream } = request
    const isBehind = options.behind !== undefined && ahead.has(stream)
    const seen = isBehind ? ahead.get(stream) : cache.at(stream, expected)
    const before = seen?.summary ?? null
    const summary = summaryAfter(cache, before, seenBy(cache, request))
    ahead.set(stream, seen === undefined ? undefined : { summary })
    return summaryRow(before, summary, expected + events.length)
  })
}

/** The first of the requests, from 1, on the same stream as each. */
const firstsOf = (requests: ReadonlyArray<AppendRequest>): ReadonlyArray<number> => {
  const firsts = new Map<string, number>()
  return requests.map(({ stream }, i) => {
    const first = firsts.get(stream) ?? i + 1
    firsts.set(stream, first)
    return first
  })
}

/** What the function `append` wants of many requests. */
export const toArguments = (cache: SummaryCache, requests: ReadonlyArray<AppendRequest>): ReadonlyArray<unknown> => {
  const [firsts, summaries] = [firstsOf(requests), summaryRows(cache, requests)]
  return [
    JSON.stringify(requests.map(({ rows }, i) => ({ ...rows.request, first: firsts[i], ...summaries[i] }))),
    JSON.stringify(requests.flatMap(({ rows }, i) => rows.events.map((event) => ({ n: i + 1, ...event })))),
    JSON.stringify(requests.flatMap(({ rows }, i) => rows.items.map((item) => ({ n: i + 1, ...item })))),
    // all in one order, so that no two wait for each other
    [
      ...new Set(requests.flatMap(({ options: { cancel = [], lease } }) => [...cancel, ...(lease ? [lease.item] : [])]))
    ].sort()
  ]
}

/** As the function `append` answers. */
export interface AppendAnswer {
  readonly lost?: string
  /** Of each request: written, its lease is lost, the version of the stream, where it is, or what was written before. */
  readonly answers: ReadonlyArray<
    true | "lease" | number | { readonly away: Away } | { readonly repeated: ReadonlyArray<EventRow> }
  >
  /** Of each request: the hash at which its stream ended before all of them. */
  readonly ends: ReadonlyArray<string>
  /** The last before those that were written. */
  readonly position?: number
  readonly hashes?: ReadonlyArray<string>
}

export type AppendResult = Result.Result<Appended, Conflict | LeaseLost | LogUnavailable>

export const toResults = (
  requests: ReadonlyArray<AppendRequest>,
  answer: AppendAnswer
): ReadonlyArray<AppendResult> => {
  let written = 0
  const ends = new Map<string, string>()
  return requests.map(({ contents, events, expected, options, stream }, i): AppendResult => {
    const one = answer.answers[i]
    if (typeof one === "number") return Result.fail(new Conflict({ stream, expected, actual: one }))
    if (one === "lease") {
      return Result.fail(new LeaseLost({ item: `${options.lease?.item}`, lease: options.lease?.number ?? 0 }))
    }
    if (typeof one === "object" && "away" in one) return Result.fail(elsewhere(stream, one.away))
    if (typeof one === "object") return Result.succeed({ events: one.repeated.map(toRecorded), repeated: true })
    const recorded = events.map((event, j) => {
      const hash = answer.hashes?.[written] as string
      const position = (answer.position ?? 0) + ++written
      const prev_hash = ends.get(stream) ?? (answer.ends[i] as string)
      ends.set(stream, hash)
      const at = { position, stream, version: expected + j + 1, prev_hash }
      return recordedAs(event, at, contents[j] as string, hash)
    })
    return Result.succeed({ events: recorded, repeated: false })
  })
}
