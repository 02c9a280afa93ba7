import type { Names } from "./names.ts"

/**
 * ```text
 * log_head     the last position · when work was dispatched last
 * event        position · stream, version · the rest of the event · hash    unique (stream, version)
 * away         stream → where it is, when it is not here
 * label_set    id · labels that some items need; never changed, never removed
 * work_item    id · job of pg-boss · item as JSON · state · number of the lease and who has it
 * run_summary  run_id · started_at · summary as JSON
 * worker       name · host, pid · until when it counts as alive · since when the database was never without an answer
 * hold         kind, name · which process holds this lock, or is there
 * blob         sha256, part · how many parts there are · bytes: `blobs.ts`
 * ```
 *
 * An item is `queued`, `claimed`, and at the end `settled` or `cancelled`; whether its claim is silent is told by
 * `kept_at` and the deadline of its worker. `dispatched` grows with every item: it is the order of equal priorities.
 * `origin` is the position that an event had in the log it was copied from; null: it was written here.
 */
export const tables = ({ schema }: Names): ReadonlyArray<string> => [
  `create table ${schema}.log_head (
    one int primary key default 1 check (one = 1),
    position bigint not null,
    dispatched timestamptz not null
  ) with (fillfactor = 10)`,
  `insert into ${schema}.log_head (position, dispatched) values (0, '-infinity')`,
  `create table ${schema}.event (
    position bigint primary key,
    stream text collate "C" not null,
    version int not null,
    event_type text not null,
    schema_version int not null,
    timestamp text not null,
    visibility text not null,
    content text not null,
    command_id text collate "C" not null,
    causation_id text,
    correlation_id text not null,
    prev_hash text not null,
    hash text not null,
    origin bigint,
    constraint event_version unique (stream, version)
  )`,
  `create index event_command on ${schema}.event ((stream || ' ' || command_id))`,
  `create table ${schema}.away (
    stream text collate "C" primary key,
    kind text not null,
    place text not null,
    at text not null,
    version int not null,
    hash text not null
  )`,
  `create table ${schema}.label_set (
    id int generated always as identity primary key,
    labels text[] not null unique
  )`,
  `create table ${schema}.work_item (
    id text collate "C" primary key,
    run text collate "C" not null,
    job uuid not null unique,
    item text not null,
    label_set int not null,
    priority int not null,
    dispatched timestamptz not null,
    due timestamptz not null,
    state text not null default 'queued',
    lease bigint not null default 0,
    attempt int,
    worker text,
    taker text,
    ask bigint,
    claimed_at timestamptz,
    kept_at timestamptz
  ) with (fillfactor = 70)`,
  `create index work_item_due on ${schema}.work_item (due) where state = 'queued'`,
  `create index work_item_taker on ${schema}.work_item (taker) where state = 'claimed'`,
  `create index work_item_worker on ${schema}.work_item (worker) where state = 'claimed'`,
  `create index work_item_run on ${schema}.work_item (run)`,
  `create table ${schema}.run_summary (
    run_id text collate "C" primary key,
    started_at text collate "C" not null,
    version int not null,
    summary text not null
  )`,
  `create index run_summary_started on ${schema}.run_summary (started_at)`,
  `create table ${schema}.worker (
    name text primary key,
    host text not null,
    pid int not null,
    slots int not null,
    labels text[] not null,
    version text not null,
    seen_at timestamptz not null,
    deadline timestamptz not null,
    unbroken_since timestamptz not null
  ) with (fillfactor = 10)`,
  `create table ${schema}.hold (
    kind text not null,
    name text not null,
    worker text not null,
    token text not null,
    since text not null,
    constraint hold_pk primary key (kind, name)
  )`
]
