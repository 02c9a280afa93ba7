/** What the database knows of every run at a glance, read without the kernel: `status` must not wait for it to load. */
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { RunSummary } from "@proofline/kernel"
import { lifeOf, parseHolder } from "./holder.ts"

export interface RunOverview extends RunSummary {
  /** The process that drives the run, or the one it is a part of; null when nobody does, or when it died. */
  readonly driver: { readonly pid: number; readonly host: string; readonly since: string } | null
}

/** After so long without a sign, a driver on another host counts as gone; ms. */
const silentMs = 15_000

/** The runs in the file, newest first; none when there is no file. Changes nothing in it. Throws what SQLite throws. */
export const runOverviews = (file: string): ReadonlyArray<RunOverview> => {
  if (!existsSync(file)) return []
  const db = open(file)
  try {
    // a process that died while it made the file left one without tables
    if (db.prepare("select 1 from sqlite_schema where name = 'run_driver'").get() === undefined) return []
    const rows = db
      .prepare(
        "select summary, holder, since, kept_at from run_summary left join run_driver using (run_id) order by started_at desc, run_id desc"
      )
      .all()
      .map((row): RunOverview => ({ ...(JSON.parse(String(row["summary"])) as RunSummary), driver: driverOf(row) }))
    const drivers = new Map(rows.map(({ driver, run_id }) => [run_id, driver]))
    // whoever drives the whole drives its parts
    return rows.map((row) => ({ ...row, driver: row.driver ?? drivers.get(row.parent_run_id ?? "") ?? null }))
  } finally {
    db.close()
  }
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
  const life = lifeOf(holder)
  const gone = life === "dead" || (life === "unknown" && Date.now() - Number(row["kept_at"]) > silentMs)
  return gone ? null : { pid: holder.pid, host: holder.host, since: String(row["since"]) }
}
