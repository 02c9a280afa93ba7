/** The shapes of the file, told without the kernel: `status` must not wait for it to load. */
import type { DatabaseSync } from "node:sqlite"

/** "PrfL": tells a log of ours from any other SQLite database. */
export const applicationId = 0x5072664c

export const migrationTable = "schema_migration"

/** Who holds something: the columns of every table of holds, beside its key. */
const hold = "holder text not null, since text not null, kept_at real not null, token text not null"

/** In order of their names. A migration that was released never changes; a new shape is a new one. */
export const migrations: Readonly<Record<string, ReadonlyArray<string>>> = {
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

/** The first change of its shape that a newer Proofline made, and that is not known here. */
export const unknownMigrationIn = (db: DatabaseSync): string | null => {
  if (db.prepare("select 1 from sqlite_schema where name = ?").get(migrationTable) === undefined) return null
  const applied = db.prepare(`select name from ${migrationTable} order by name`).all()
  return applied.map(({ name }) => String(name)).find((name) => migrations[name] === undefined) ?? null
}
