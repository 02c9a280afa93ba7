import {
  type AdoptOptions,
  type Away,
  type ChainBroken,
  Conflict,
  canonicalJson,
  continuing,
  type Digest,
  genesisHash,
  type LogUnavailable,
  notAsItLeft,
  originOf,
  type Recorded
} from "@proofline/kernel"
import { Effect } from "effect"
import { needsSummary, summaryAfter, summaryRow } from "./append.ts"
import { learnSummary } from "./read.ts"
import { eventFields } from "./rows.ts"
import { remember, type Session } from "./session.ts"

/** The end of a stream, and where it is when it is not here. */
interface End {
  readonly version: number
  readonly hash: string
  readonly away: Away | null
  /** Of its event at the version at which it left. */
  readonly hashAt: string | null
}

export const lookAt = ({ database }: Session, stream: string): Effect.Effect<End, LogUnavailable> => {
  const { schema } = database.names
  return Effect.map(
    database.ask({
      name: "end",
      text: `select coalesce(e.version, 0), coalesce(e.hash, '${genesisHash}'), to_jsonb(a) - 'stream',
          (select hash from ${schema}.event l where l.stream = $1 and l.version = a.version)
        from (select) one
        left join lateral
          (select version, hash from ${schema}.event where stream = $1 order by version desc limit 1) e on true
        left join ${schema}.away a on a.stream = $1`,
      values: [stream]
    }),
    ([row]): End => {
      const [version, hash, away, hashAt] = row ?? []
      return { version, hash, away, hashAt } as End
    }
  )
}

export interface AdoptRequest extends AdoptOptions {
  readonly stream: string
  readonly expected: number
  readonly events: ReadonlyArray<Recorded>
}

/** What is checked here stays so while the stream is at the expected version, and only then the events are added. */
export const adopt = (
  session: Session,
  sha256: Digest["Service"]["sha256"],
  { arriving, events, expected, stream }: AdoptRequest
): Effect.Effect<ReadonlyArray<Recorded>, Conflict | ChainBroken | LogUnavailable> =>
  Effect.gen(function* () {
    const { database, sender, summaries } = session
    const rows = events.map(eventRow)
    const end = yield* lookAt(session, stream)
    if (end.version !== expected) return yield* new Conflict({ stream, expected, actual: end.version })
    const head = { stream, version: end.version, hash: end.hash }
    const taken = yield* Effect.fromResult(continuing(stream, head, 0, events, sha256))
    if (arriving === undefined) {
      const at = taken.find(({ version }) => version === end.away?.version)
      const fault = notAsItLeft(stream, end.away, at?.hash ?? end.hashAt)
      if (fault !== null) return yield* fault
    }
    if (needsSummary(summaries, stream, expected, events)) yield* learnSummary(session, stream, expected)
    const before = summaries.at(stream, expected)?.summary ?? null
    const summary = summaryRow(before, summaryAfter(summaries, before, taken), expected + taken.length)
    const [row] = yield* database.ask(
      database.function("adopt", [
        stream,
        expected,
        JSON.stringify(rows),
        arriving === undefined ? null : JSON.stringify(arriving),
        "summary" in summary ? JSON.stringify(summary) : null,
        sender
      ])
    )
    const position = Number(row?.[0])
    if (position < 0) return yield* conflict(session, stream, expected)
    session.notifier.notify("events", "ours")
    const recorded = yield* Effect.fromResult(continuing(stream, head, position, events, sha256))
    remember(session, recorded)
    return recorded
  })

const eventRow = (event: Recorded): object => ({
  version: event.version,
  ...eventFields(event, canonicalJson(event.content)),
  prev: event.prev_hash,
  hash: event.hash,
  origin: originOf(event)
})

export const leave = (
  session: Session,
  stream: string,
  expected: number,
  { at, kind, place }: Pick<Away, "kind" | "place" | "at">
): Effect.Effect<Away, Conflict | LogUnavailable> =>
  Effect.gen(function* () {
    const { database, known, notifier, sender } = session
    const [row] = yield* database.ask(database.function("depart", [stream, expected, kind, place, at, sender]))
    if (row?.[0] == null) return yield* conflict(session, stream, expected)
    if (kind === "archived") known.forget(stream)
    notifier.notify("work", "ours")
    return row[0] as Away
  })

/** The stream has moved on. */
const conflict = (
  session: Session,
  stream: string,
  expected: number
): Effect.Effect<never, Conflict | LogUnavailable> =>
  Effect.flatMap(lookAt(session, stream), ({ version }) =>
    Effect.fail(new Conflict({ stream, expected, actual: version }))
  )
