import type { DatabaseSync } from "node:sqlite"
import {
  type ChainHead,
  type Digest,
  genesisHash,
  LogUnavailable,
  originOf,
  type Recorded,
  verifyNext
} from "@proofline/kernel"
import { Effect, Result, type Scope } from "effect"
import { emptiedIn } from "../emptied.ts"
import { toUnavailable } from "../failure.ts"
import { type AwayRow, toRecorded } from "../rows.ts"
import { asDatabase } from "./database.ts"
import { type Candidate, eventIn, type Found, find } from "./find.ts"
import { openPages, type Pages } from "./pages.ts"
import { payloads } from "./payload.ts"

/** What of a run can still be read. */
export interface SalvagedRun {
  readonly run_id: string
  /** Where the longest part from its beginning ends of which every hash is right; null: its first event is not there. */
  readonly head: ChainHead | null
  /** A version up to which it went at least, when it was whole. */
  readonly known: number
  /** Of its first event. */
  readonly position: number
  /** Type of the last event of that part. */
  readonly lastType: string | null
  /** The events of that part, read again. */
  readonly events: () => Iterable<Recorded>
}

export interface Salvage {
  /** Those of which something was found, by their positions. */
  readonly runs: ReadonlyArray<SalvagedRun>
  /** Runs that were not here, with the position of their last event when they were archived. */
  readonly away: ReadonlyMap<string, AwayRow>
  /** Positions of which no run that was found has an event, and no archive. */
  readonly lost: number
  /** Pages that the file had, and that are not there any more. */
  readonly missingPages: number
}

/**
 * Reads a log file as bytes, whatever SQLite says of it, and changes nothing in it: every page of the file and of its
 * write-ahead log is searched for what looks like an event. What is one its hash says, in the chain of its run; so nothing
 * that was changed is taken for what was written. The file is open until the scope closes.
 */
export const salvage = (
  file: string,
  sha256: Digest["Service"]["sha256"]
): Effect.Effect<Salvage, LogUnavailable, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({ try: () => openPages(file), catch: (cause) => toUnavailable(file, cause) }),
      (pages) => Effect.sync(() => pages.close())
    ),
    (pages) => salvaged(file, pages, sha256)
  )

const salvaged = (file: string, pages: Pages, sha256: Digest["Service"]["sha256"]): Salvage => {
  const raw = find(pages)
  const { away, emptied } = asDatabase(file, told) ?? { away: raw.away, emptied: 0 }
  const found = { ...raw, away: new Map(away) }
  const positions = new Map<number, "own" | "before">()
  let last = 0
  const runs = [...new Set([...found.events.keys(), ...found.spokenOf.keys()])].flatMap(
    (run_id): Array<SalvagedRun> => {
      const versions = found.events.get(run_id) ?? new Map<number, ReadonlyArray<Candidate>>()
      const events = () => chain(pages, versions, sha256)
      let head: ChainHead | null = null
      const own: Array<number> = []
      const before: Array<number> = []
      let lastType: string | null = null
      for (const event of events()) {
        head = { stream: run_id, version: event.version, hash: event.hash }
        own.push(event.position)
        before.push(originOf(event))
        lastType = event.event_type
      }
      const away = found.away.get(run_id)
      if (away !== undefined && isBack(away, head, own.at(-1) ?? 0)) found.away.delete(run_id)
      // events of an archived run may stand in pages that are free
      if (found.away.get(run_id)?.kind === "archived") return []
      // the positions of a run that came back from an archive stay empty
      for (const position of before) if (!positions.has(position)) positions.set(position, "before")
      for (const position of own) positions.set(position, "own")
      last = Math.max(last, own.at(-1) ?? 0)
      const position = own.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
      return [{ run_id, head, known: knownOf(found, run_id, head?.version ?? 0), position, lastType, events }]
    }
  )
  return {
    // a name alone may be what damage made of another one
    runs: runs.filter(({ head, known }) => head !== null || known > 0).toSorted((a, b) => a.position - b.position),
    away: found.away,
    lost: lostOf(found, last, positions, emptied),
    missingPages: pages.missing
  }
}

/** It has events of a later time than what stands there: it came back, and the row is none any more. */
const isBack = ({ kind, position, version }: AwayRow, head: ChainHead | null, last: number): boolean =>
  kind === "archived" ? last > position : kind !== "arriving" && head !== null && head.version > version

/** What a file says of that which is not in it. A page that is free may still say what is not so any more: SQLite comes first. */
const told = (db: DatabaseSync) => {
  const rows = db.prepare("select stream, kind, place, at, version, hash, position from away").all()
  const away = new Map(rows.map(({ stream, ...row }) => [String(stream), row as unknown as AwayRow]))
  return { away, emptied: emptiedIn(db) }
}

/** The longest part of a run from its beginning that is as it was written. */
const chain = function* (
  pages: Pages,
  versions: ReadonlyMap<number, ReadonlyArray<Candidate>>,
  sha256: Digest["Service"]["sha256"]
): Iterable<Recorded> {
  let head: ChainHead | null = null
  for (;;) {
    const next = follower(pages, versions.get((head?.version ?? 0) + 1) ?? [], head, sha256)
    if (next === null) return
    head = { stream: next.stream, version: next.version, hash: next.hash }
    yield next
  }
}

/** The one of these that continues the chain; null: none does. */
const follower = (
  pages: Pages,
  candidates: ReadonlyArray<Candidate>,
  head: ChainHead | null,
  sha256: Digest["Service"]["sha256"]
): Recorded | null => {
  // of a run that was archived and came back it may stand at an earlier position too, in a page that is free
  for (const candidate of candidates.toSorted((a, b) => b.position - a.position)) {
    for (const payload of payloads(pages, candidate)) {
      const event = recordedIn(payload, candidate.position, head)
      if (event !== null && Result.isSuccess(verifyNext(head, event, sha256))) return event
    }
  }
  return null
}

const recordedIn = (payload: Buffer, position: number, head: ChainHead | null): Recorded | null => {
  const row = eventIn(payload, position)
  if (row === null) return null
  try {
    return toRecorded(row, head?.hash ?? genesisHash)
  } catch (error) {
    if (error instanceof LogUnavailable) return null
    throw error
  }
}

/**
 * How far a run went at least. What stands in a damaged file may be damaged itself: a number that stands there once counts
 * for nothing, unless an event that is there has it.
 */
const knownOf = ({ events, spokenOf }: Found, run: string, kept: number): number => {
  const beyond = (versions: Iterable<number>) => [...versions].filter((version) => version > kept)
  const seen = beyond(events.get(run)?.keys() ?? [])
  const said = beyond(spokenOf.get(run) ?? [])
  const isKnown = seen.length + said.length > 1 || (kept > 0 && seen.length > 0)
  return isKnown ? [...seen, ...said].reduce((a, b) => Math.max(a, b), kept) : kept
}

/**
 * Up to the last position of an event that is here. Those of other logs from which events came may be beyond it. `emptied`: how
 * many positions were left by archived runs, where that was counted; one that came back and went again has left more than its row says.
 */
const lostOf = (
  { away }: Found,
  last: number,
  positions: ReadonlyMap<number, "own" | "before">,
  emptied: number
): number => {
  let [own, left] = [0, 0]
  for (const [position, whose] of positions) {
    if (position > last) continue
    if (whose === "own") own++
    else left++
  }
  for (const { kind, version } of away.values()) if (kind === "archived") left += version
  return Math.max(0, last - own - Math.max(left, emptied))
}
