/** What the database knows of every run at a glance, read without the kernel: `status` must not wait for it to load. */
import { existsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import type { Away, RunSummary } from "@proofline/kernel"
import { drivenAsAWhole, type RunOverview } from "../../log/overviews.ts"
import { isDamage, isUnwritable } from "./explain.ts"
import { isGone, parseHolder } from "./holder.ts"
import { LogDatabase } from "./logDatabase.ts"
import { digestColumn, type SummaryRow } from "./rows.ts"
import { asDatabase } from "./salvage/database.ts"
import { unknownMigrationIn } from "./schema.ts"
import { summaryIn } from "./summaryDigest.ts"
import { isLogThere } from "./there.ts"
import { checkWal } from "./wal.ts"

export type { RunOverview } from "../../log/overviews.ts"

/**
 * Summaries that are not as they were written, or not there. `rows` are the others; those of `runs` can be made anew from
 * their events (`remade.ts`), which takes the kernel, and are completed by `placed`.
 */
export class SummariesDamaged extends Error {
  readonly rows: ReadonlyArray<RunOverview>
  readonly runs: ReadonlyArray<string>
  readonly placed: (summary: RunSummary) => RunOverview
  constructor(
    rows: ReadonlyArray<RunOverview>,
    runs: ReadonlyArray<string>,
    placed: (summary: RunSummary) => RunOverview
  ) {
    super(`The summaries of ${runs.length} runs are damaged.`)
    this.rows = rows
    this.runs = runs
    this.placed = placed
  }
}

/**
 * The runs in the file, newest first; none when there is no file. Changes nothing in it. Throws `SummariesDamaged`,
 * `Damaged` and what SQLite throws. `tellNewer` is told first of what a newer Proofline changed in the shape of the file.
 */
export const runOverviews = (file: string, tellNewer?: (change: string) => void): ReadonlyArray<RunOverview> => {
  if (!isLogThere(file)) return []
  checkWal(file)
  return reading(file, (db) => {
    const table = driverTable(db)
    // a process that died while it made the file left one without tables
    if (table === null) return []
    const change = tellNewer === undefined ? null : unknownMigrationIn(db)
    if (change !== null) tellNewer?.(change)
    const away = awayIn(db)
    const drivers = driversOf(db, table)
    const { damaged, summaries } = summariesIn(db)
    const placed = (summary: RunSummary): RunOverview => ({
      ...summary,
      driver: drivers.get(summary.run_id) ?? null,
      away: away.get(summary.run_id) ?? null
    })
    const rows = summaries.map(placed)
    if (damaged.length > 0) throw new SummariesDamaged(rows, damaged, placed)
    return drivenAsAWhole(rows)
  })
}

/** Who drives each run that somebody drives; whatever else is damaged in the file. Throws what SQLite throws. */
export const driversIn = (file: string): ReadonlyMap<string, Driver> =>
  existsSync(file)
    ? reading(file, (db) => {
        const table = driverTable(db)
        return table === null ? new Map() : driversOf(db, table)
      })
    : new Map()

/** What a process that has ended still stands as the holder of. */
export interface LeftHold {
  /** `run`, `session` or any other kind of presence, or `lock`. */
  readonly kind: string
  readonly id: string
  readonly pid: number
  readonly host: string
}

/** Where holds are, by the names of the tables, each with what drops one. */
const holds = {
  presence: {
    select: "select kind, id, holder, kept_at from presence",
    drop: "delete from presence where kind = ? and id = ? and holder = ?"
  },
  lock: {
    select: "select 'lock' as kind, name as id, holder, kept_at from lock",
    drop: "delete from lock where ? = 'lock' and name = ? and holder = ?"
  }
} as const

/** Holds of processes that have ended: nobody waits for them. Throws what SQLite throws. */
export const holdsLeft = (file: string): ReadonlyArray<LeftHold> =>
  existsSync(file) ? reading(file, (db) => leftIn(db).map(({ hold }) => hold)) : []

/** Drops them, each only while it is the same. Throws what SQLite throws. */
export const dropHoldsLeft = (file: string): void => {
  const db = new LogDatabase(file, { timeout: busyMs })
  try {
    db.exec("begin immediate")
    for (const { hold, holder, table } of leftIn(db)) db.prepare(holds[table].drop).run(hold.kind, hold.id, holder)
    db.exec("commit")
  } finally {
    db.close()
  }
}

const leftIn = (db: DatabaseSync) => {
  const now = Date.now()
  return (["presence", "lock"] as const).flatMap((table) => {
    if (db.prepare("select 1 from sqlite_schema where name = ?").get(table) === undefined) return []
    return db
      .prepare(holds[table].select)
      .all()
      .flatMap(({ holder, id, kept_at, kind }) => {
        const process = parseHolder(String(holder))
        if (!isGone(process, Number(kept_at), now)) return []
        const hold: LeftHold = { kind: String(kind), id: String(id), pid: process.pid, host: process.host }
        return [{ table, holder: String(holder), hold }]
      })
  })
}

/** Those that are as they were written, and the runs of which there is none such. */
const summariesIn = (db: DatabaseSync) => {
  const whole = new Map<string, RunSummary>()
  const others = new Set<string>()
  for (const row of summaryRows(db)) {
    const summary = summaryIn(row)
    if (summary === null) others.add(row.run_id)
    else whole.set(row.run_id, summary)
  }
  for (const run of begunRuns(db)) if (!whole.has(run)) others.add(run)
  return { summaries: [...whole.values()], damaged: [...others].filter((run) => !whole.has(run)) }
}

const summaryRows = (db: DatabaseSync): ReadonlyArray<SummaryRow> => {
  // in a file of an older Proofline that was not opened for writing since
  const has = db.prepare("select 1 from pragma_table_info('run_summary') where name = 'digest'").get() !== undefined
  const select = db.prepare(
    `select run_id, started_at, summary, ${has ? digestColumn : "null as digest"} from run_summary
      order by started_at desc, run_id desc`
  )
  try {
    return select.all() as unknown as ReadonlyArray<SummaryRow>
  } catch (error) {
    // all of them can be made anew
    if (isDamage(error)) return []
    throw error
  }
}

/** Runs that have begun, by the index of the events alone; those have a summary. */
const begunRuns = (db: DatabaseSync): ReadonlyArray<string> => {
  const begins = db.prepare("select event_type from event where stream = ? and version = 1")
  return db
    .prepare(
      `with recursive run(stream) as (
        select min(stream) from event
        union all select (select min(stream) from event where stream > run.stream) from run where run.stream is not null
      ) select stream from run where stream is not null`
    )
    .all()
    .map(({ stream }) => String(stream))
    .filter((stream) => begins.get(stream)?.["event_type"] === "RUN_STARTED")
}

/** Where it is said who drives a run; by the names of the table. */
const driving = {
  presence: "select id, holder, since, kept_at from presence where kind = 'run'",
  /** In a file of an older Proofline that was not opened for writing since. */
  run_driver: "select run_id as id, holder, since, kept_at from run_driver"
}

type Driver = NonNullable<RunOverview["driver"]>

const driversOf = (db: DatabaseSync, table: keyof typeof driving): ReadonlyMap<string, Driver> =>
  new Map(
    db
      .prepare(driving[table])
      .all()
      .flatMap((row) => {
        const driver = driverOf(row)
        return driver === null ? [] : [[String(row["id"]), driver]]
      })
  )

const driverTable = (db: DatabaseSync): keyof typeof driving | null => {
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

/** All that is read is of one moment, whoever writes meanwhile. */
const reading = <A>(file: string, read: (db: DatabaseSync) => A): A => {
  try {
    const db = open(file)
    try {
      db.exec("begin")
      return read(db)
    } finally {
      // and with it what was begun
      db.close()
    }
  } catch (error) {
    // SQLite wants to write beside a file to read it
    const found = isUnwritable(file, error) ? asDatabase(file, read) : null
    if (found === null) throw error
    return found
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
    const db = new LogDatabase(file, { timeout: busyMs })
    db.exec("pragma query_only = 1")
    return db
  } catch {
    return new LogDatabase(file, { readOnly: true, timeout: busyMs })
  }
}

const driverOf = (row: Readonly<Record<string, unknown>>): RunOverview["driver"] => {
  if (typeof row["holder"] !== "string") return null
  const holder = parseHolder(row["holder"])
  return isGone(holder, Number(row["kept_at"]), Date.now())
    ? null
    : { pid: holder.pid, host: holder.host, since: String(row["since"]) }
}
