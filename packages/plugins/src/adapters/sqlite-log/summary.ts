/** What the database knows of every run at a glance, read without the kernel: `status` must not wait for it to load. */
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { Away, RunSummary } from "@proofline/kernel"
import { drivenAsAWhole, type RunOverview } from "../../log/overviews.ts"
import { isGone, parseHolder } from "./holder.ts"

export type { RunOverview } from "../../log/overviews.ts"

/** The rows of all runs with their drivers, newest first, by the table that says who drives. */
const overviews = {
  presence: `select summary, holder, since, kept_at
    from run_summary left join presence on presence.kind = 'run' and presence.id = run_id
    order by started_at desc, run_id desc`,
  /** In a file of an older Proofline that was not opened for writing since. */
  run_driver: `select summary, holder, since, kept_at
    from run_summary left join run_driver using (run_id)
    order by started_at desc, run_id desc`
}

/** The runs in the file, newest first; none when there is no file. Changes nothing in it. Throws what SQLite throws. */
export const runOverviews = (file: string): ReadonlyArray<RunOverview> => {
  if (!existsSync(file)) return []
  const db = open(file)
  try {
    const table = driverTable(db)
    // a process that died while it made the file left one without tables
    if (table === null) return []
    const away = awayIn(db)
    return drivenAsAWhole(
      db
        .prepare(overviews[table])
        .all()
        .map((row): RunOverview => {
          const summary = JSON.parse(String(row["summary"])) as RunSummary
          return { ...summary, driver: driverOf(row), away: away.get(summary.run_id) ?? null }
        })
    )
  } finally {
    db.close()
  }
}

const driverTable = (db: DatabaseSync): keyof typeof overviews | null => {
  const has = db.prepare("select 1 from sqlite_schema where name = ?")
  if (has.get("presence") !== undefined) return "presence"
  return has.get("run_driver") === undefined ? null : "run_driver"
}

/** Runs that are elsewhere; none in a file of an older Proofline that was not opened for writing since. */
const awayIn = (db: DatabaseSync): ReadonlyMap<string, Away> => {
  if (db.prepare("select 1 from sqlite_schema where name = 'away'").get() === undefined) return new Map()
  const rows = db.prepare("select stream, kind, place, at, version, hash from away").all()
  return new Map(rows.map(({ stream, ...away }) => [String(stream), { ...away } as unknown as Away]))
}

/** How long to wait for a writer that is recovering the file after a crash; ms. */
const busyMs = 5_000

/**
 * For writing, although nothing is written: after a crash the first to open the file must be able to recover it. Where
 * the project may not be written, reading has to do.
 */
const open = (file: string): DatabaseSync => {
  try {
    const db = new DatabaseSync(file, { timeout: busyMs })
    db.exec("pragma query_only = 1")
    return db
  } catch {
    return new DatabaseSync(file, { readOnly: true, timeout: busyMs })
  }
}

const driverOf = (row: Readonly<Record<string, unknown>>): RunOverview["driver"] => {
  if (typeof row["holder"] !== "string") return null
  const holder = parseHolder(row["holder"])
  return isGone(holder, Number(row["kept_at"]), Date.now())
    ? null
    : { pid: holder.pid, host: holder.host, since: String(row["since"]) }
}
