import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import type { LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import { corrupt, Damaged } from "./explain.ts"
import { foreign, newer, toUnavailable } from "./failure.ts"
import { appliedIn, hasMigrations, type MigrationName, migrationTable } from "./schema.ts"
import { digestOf } from "./summaryDigest.ts"
import { patiently } from "./waiting.ts"

/** "PrfL": tells a log of ours from any other SQLite database. */
const applicationId = 0x5072664c

/** Who holds something: the columns of every table of holds, beside its key. */
const hold = "holder text not null, since text not null, kept_at real not null, token text not null"

/** In order of their names. A migration that was released never changes; a new shape is a new one. */
const migrations: Readonly<Record<MigrationName, ReadonlyArray<string>>> = {
  "0001_log": [
    `pragma application_id = ${applicationId}`,
    `create table event (
      position integer primary key,
      stream text not null,
      version integer not null,
      event_type text not null,
      schema_version integer not null,
      timestamp text not null,
      visibility text not null,
      content text not null,
      command_id text not null,
      causation_id text,
      correlation_id text,
      hash text not null,
      constraint event_version unique (stream, version)
    ) strict`,
    `create table command (
      stream text not null,
      command_id text not null,
      first_version integer not null,
      events integer not null,
      constraint command_pk primary key (stream, command_id)
    ) strict, without rowid`,
    `create table work_item (
      seq integer primary key,
      id text not null unique,
      item text not null,
      labels text not null,
      priority real not null,
      not_before real not null,
      status text default 'queued' not null,
      lease integer default 0 not null,
      holder text,
      taker text,
      kept_at real default 0 not null
    ) strict`,
    "create index work_item_open on work_item (priority desc, seq) where status in ('queued', 'claimed')",
    `create table run_summary (
      run_id text not null primary key,
      started_at text not null,
      summary text not null
    ) strict, without rowid`,
    "create index run_summary_started on run_summary (started_at)",
    `create table run_driver (run_id text not null primary key, ${hold}) strict, without rowid`
  ],
  // every question of the queue is answered from the end of an index, however many items there are
  "0002_queue": [
    "create table label_set (id integer primary key, labels text not null unique) strict",
    "insert into label_set (labels) select distinct labels from work_item",
    "alter table work_item rename to work_item_0001",
    `create table work_item (
      seq integer primary key,
      id text not null unique,
      item text not null,
      label_set integer not null,
      priority real not null,
      status text not null,
      free_at real not null,
      lease integer default 0 not null,
      holder text,
      taker text
    ) strict`,
    // a claim was free again 10 s after its last sign, and still is
    `insert into work_item
      select seq, work_item_0001.id, item, label_set.id, priority,
        case status when 'queued' then 'waiting' else status end,
        case status when 'queued' then not_before else kept_at + 10001 end,
        lease, holder, taker
      from work_item_0001 join label_set using (labels) order by seq`,
    "drop table work_item_0001",
    "create index work_item_free on work_item (label_set, priority desc, seq) where status in ('ready', 'lost')",
    "create index work_item_due on work_item (free_at) where status in ('waiting', 'claimed')",
    "create index work_item_held on work_item (holder, taker, free_at) where status = 'claimed'"
  ],
  // what `run_driver` was for, each in a table of its own; whoever is at work now is so afterwards
  "0003_locks_and_presence": [
    `create table lock (name text not null primary key, ${hold}) strict, without rowid`,
    `create table presence (
      kind text not null, id text not null, ${hold}, constraint presence_pk primary key (kind, id)
    ) strict, without rowid`,
    `insert into lock select run_id, holder, since, kept_at, token from run_driver
      where run_id = 'sessions' or run_id like 'input:%'`,
    `insert into presence
      select case when run_id like 'session:%' then 'session' else 'run' end,
        case when run_id like 'session:%' then substr(run_id, 9) else run_id end,
        holder, since, kept_at, token
      from run_driver where run_id <> 'sessions' and run_id not like 'input:%'`,
    "drop table run_driver"
  ],
  // runs that move between logs
  "0004_moving": [
    "alter table event add column origin integer",
    `create table away (
      stream text not null primary key,
      kind text not null,
      place text not null,
      at text not null,
      version integer not null,
      hash text not null,
      position integer not null
    ) strict, without rowid`
  ],
  // a summary is in no hash chain: what says whether it is as it was written
  "0005_summary_digest": [
    "alter table run_summary add column digest text",
    "update run_summary set digest = digest_of(run_id, started_at, summary)"
  ],
  // from where on commands have no row of their own yet
  "0006_commands_left": ["create table command_left (position integer primary key) strict"]
}

type Shape = "new" | "old" | "current"

/** What the file is. Throws `LogUnavailable` when it is not ours or too new. Changes nothing. */
export const shapeOf = (db: DatabaseSync, file: string): Shape => {
  const pragma = db.prepare("pragma application_id").get() as { readonly application_id: number }
  if (pragma.application_id !== applicationId) {
    const { n } = db.prepare("select count(*) as n from sqlite_schema").get() as { readonly n: number }
    // the tables of the migrator come before the migration that writes the id
    if (n > 0 && pragma.application_id === 0 && !hasMigrations(db)) throw foreign(file)
    if (pragma.application_id !== 0) throw foreign(file)
    return "new"
  }
  const applied = appliedIn(db)
  const known = Object.keys(migrations)
  // a newer one has all that are known here, and others behind them
  const unlike = known.findIndex((name, at) => at < applied.length && applied[at] !== name)
  if (unlike !== -1) throw new Damaged(corrupt(file, `its list of migrations lacks ${known[unlike]}`))
  const unknown = applied[known.length]
  if (unknown !== undefined) throw newer(file, unknown)
  return applied.length === known.length ? "current" : "old"
}

/**
 * Brings the file to today's shape in one transaction; several processes may do so at once. The transaction is ours and
 * not the migrator's: it takes the write lock first, since one that begins by reading cannot get it once another has written.
 */
export const migrate = (db: DatabaseSync, file: string): Effect.Effect<void, LogUnavailable> =>
  // few files are not of today's shape, and nobody else waits for what the migrator needs
  Effect.flatMap(
    Effect.promise(() => import("./migrator.ts")),
    ({ makeMigrator }) =>
      Effect.acquireUseRelease(
        patiently(file, () => db.exec("begin immediate")),
        () =>
          Effect.tryPromise({
            try: async () => {
              db.function("digest_of", digestOf as (...columns: ReadonlyArray<SQLOutputValue>) => string)
              const { error } = await makeMigrator(db, migrations, migrationTable).migrateToLatest()
              if (error !== undefined) throw error
              db.exec("commit")
            },
            catch: (error) => toUnavailable(file, error)
          }).pipe(Effect.uninterruptible),
        // a full disk makes SQLite roll back by itself; a second one would hide why
        () => Effect.sync(() => db.isTransaction && db.exec("rollback"))
      )
  )
