import { renameSync } from "node:fs"
import { type Away, canonicalJson, type Digest, LogUnavailable, type Summarizer } from "@proofline/kernel"
import { Effect, Result } from "effect"
import { pageEvents } from "../../../log/pages.ts"
import { addEmptied } from "../emptied.ts"
import { failed } from "../explain.ts"
import { toUnavailable } from "../failure.ts"
import { adopt, leave } from "../moving.ts"
import { digestColumn, type SummaryRow } from "../rows.ts"
import { openSession, type Session } from "../session.ts"
import { digestOf, summaryIn } from "../summaryDigest.ts"
import { patiently } from "../waiting.ts"
import { asDatabase } from "./database.ts"
import { partOf, removePart } from "./parts.ts"
import type { Salvage, SalvagedRun } from "./salvage.ts"

export interface SalvageInto {
  /** The damaged log. */
  readonly from: string
  /** A file that is not there yet. */
  readonly to: string
  /** ISO 8601. */
  readonly at: string
  readonly sha256: Digest["Service"]["sha256"]
  readonly summarizers: ReadonlyArray<Summarizer>
  /** Runs whose end is lost. They take no events in the new log. */
  readonly cut: ReadonlySet<string>
}

/**
 * Writes what was salvaged as a new log, with the hashes it had. Open work is left out, as after a crash. The file has its
 * name once all of it is there.
 */
export const salvageInto = (salvage: Salvage, options: SalvageInto): Effect.Effect<void, LogUnavailable> => {
  const part = partOf(options.to)
  return Effect.gen(function* () {
    yield* Effect.scoped(
      Effect.flatMap(openSession(part, options.summarizers), (session) => fill(session, salvage, options))
    )
    // the scope has closed it, and with it all of it is in this one file
    yield* Effect.try({ try: () => renameSync(part, options.to), catch: (cause) => toUnavailable(options.to, cause) })
  }).pipe(Effect.ensuring(Effect.sync(() => removePart(part))))
}

const fill = Effect.fnUntraced(function* (session: Session, salvage: Salvage, options: SalvageInto) {
  for (const run of salvage.runs) {
    if (run.head === null) continue
    for (const page of pagesOf(run)) {
      yield* transaction(session, () => take(session, run, page, options))
    }
    const away = salvage.away.get(run.run_id)
    const left: Pick<Away, "kind" | "place" | "at"> | undefined =
      away !== undefined && away.kind !== "archived"
        ? away
        : options.cut.has(run.run_id)
          ? { kind: "cut", place: options.from, at: options.at }
          : undefined
    const { version } = run.head
    if (left !== undefined) yield* transaction(session, () => void leave(session, run.run_id, version, left))
  }
  yield* transaction(session, () => {
    for (const [run, { at, hash, kind, place, position, version }] of salvage.away) {
      if (kind === "archived") session.statements.putAway.run(run, kind, place, at, version, hash, position)
    }
    for (const row of archivedSummaries(options.from, salvage)) {
      const { run_id, started_at, summary } = row
      session.statements.insertSummary.run(run_id, started_at, summary, digestOf(run_id, started_at, summary))
    }
    // what is appended next stands behind the positions of archived runs
    const written = salvage.runs.reduce((sum, { head }) => sum + (head?.version ?? 0), 0)
    addEmptied(session.db, Math.max(0, (session.statements.lastPosition.get()?.position ?? 0) - written))
  })
})

const pagesOf = function* ({ events }: SalvagedRun) {
  let page = []
  for (const event of events()) {
    page.push(event)
    if (page.length < pageEvents) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

type Events = Parameters<typeof adopt>[2]["events"]

const take = (session: Session, { run_id: stream }: SalvagedRun, events: Events, options: SalvageInto): void => {
  const contents = events.map((event) => canonicalJson(event.content))
  const expected = (events[0]?.version ?? 1) - 1
  const taken = adopt(session, options.sha256, { stream, expected, events, contents })
  if (Result.isFailure(taken)) throw new LogUnavailable(failed(options.to, taken.failure.message))
}

const transaction = (session: Session, write: () => void): Effect.Effect<void, LogUnavailable> =>
  patiently(session.file, () => {
    const { db, heads, statements } = session
    statements.begin.run()
    try {
      heads.enter(statements.dataVersion.get()?.data_version)
      write()
      statements.commit.run()
    } catch (error) {
      if (db.isTransaction) statements.rollback.run()
      heads.forget()
      throw error
    }
  })

/** Of runs that are in archives only their summaries are in a log; they are taken where they can be read. */
const archivedSummaries = (file: string, { away }: Salvage): ReadonlyArray<SummaryRow> => {
  const rows = asDatabase(file, (db) =>
    db.prepare(`select run_id, started_at, summary, ${digestColumn} from run_summary`).all()
  )
  return ((rows ?? []) as unknown as ReadonlyArray<SummaryRow>).filter(
    (row) => away.get(row.run_id)?.kind === "archived" && summaryIn(row) !== null
  )
}
