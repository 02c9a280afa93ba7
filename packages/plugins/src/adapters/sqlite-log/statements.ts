import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { type AwayRow, digestColumn, type EventRow, eventColumns, type SummaryRow } from "./rows.ts"

/**
 * SQL prepared once, with the types of its arguments, in their order, and of its rows. It is SQL and not a query of
 * Kysely, because a commit is one piece of synchronous code and the append path cannot afford to build its queries again.
 */
export interface Statement<Args extends ReadonlyArray<SQLInputValue>, Row = never> {
  readonly run: (...args: Args) => { readonly changes: number | bigint }
  readonly get: (...args: Args) => Row | undefined
  readonly all: (...args: Args) => Array<Row>
}

type Prepare = ReturnType<typeof preparing>

const preparing =
  (db: DatabaseSync) =>
  <Args extends ReadonlyArray<SQLInputValue>, Row = never>(sql: string, as: "object" | "array" = "object") => {
    const statement = db.prepare(sql)
    if (as === "array") statement.setReturnArrays(true)
    return statement as unknown as Statement<Args, Row>
  }

export type Statements = ReturnType<typeof prepareStatements>

export const prepareStatements = (db: DatabaseSync) => {
  const prepare = preparing(db)
  return {
    begin: prepare<[]>("begin immediate"),
    commit: prepare<[]>("commit"),
    rollback: prepare<[]>("rollback"),
    savepoint: prepare<[]>("savepoint request"),
    release: prepare<[]>("release request"),
    undo: prepare<[]>("rollback to request"),
    /** Changes when another connection has committed, and only then. */
    dataVersion: prepare<[], { readonly data_version: number }>("pragma data_version"),
    ...eventStatements(prepare),
    ...awayStatements(prepare),
    ...dispatchStatements(prepare),
    ...claimStatements(prepare),
    ...leaseStatements(prepare),
    summary: prepare<[run: string], SummaryRow>(
      `select run_id, started_at, summary, ${digestColumn} from run_summary where run_id = ?`
    ),
    /** Where the start stays the same, the index of it is left alone. */
    renewSummary: prepare<[summary: string, digest: string, run: string, startedAt: string]>(
      "update run_summary set summary = ?, digest = ? where run_id = ? and started_at = ?"
    ),
    insertSummary: prepare<[run: string, startedAt: string, summary: string, digest: string]>(
      "insert or replace into run_summary (run_id, started_at, summary, digest) values (?, ?, ?, ?)"
    ),
    lock: holdStatements(prepare, "lock", ["name"]),
    presence: holdStatements(prepare, "presence", ["kind", "id"])
  }
}

const pageOfStream = (prepare: Prepare) =>
  prepare<[stream: string, from: number, limit: number], EventRow>(
    `select ${eventColumns.slice(0, -1).join(", ")} from event
      where stream = ? and version >= ? order by version limit ?`,
    "array"
  )

/** What reads events, also of a file that lacks the newest tables. */
export const prepareReading = (db: DatabaseSync) => ({ pageOfStream: pageOfStream(preparing(db)) })

/** Those of events from a position on, in the order of their rows. The index of all events would be read to its end. */
const commandsFrom = `select stream, command_id, min(version) as first_version, count(*) as events
  from event not indexed where position >= ? group by stream, command_id order by stream, command_id`

/** The events of a command may come in parts, which follow each other. */
const joinsRow = `on conflict (stream, command_id) do update set
  first_version = min(first_version, excluded.first_version),
  events = max(first_version + events, excluded.first_version + excluded.events)
    - min(first_version, excluded.first_version)`

const eventStatements = (prepare: Prepare) => ({
  insertEvent: prepare<EventRow>(
    `insert into event (${eventColumns.join(", ")}) values (${eventColumns.map(() => "?").join(", ")})`
  ),
  lastPosition: prepare<[], { readonly position: number | null }>(
    `select max(position) as position from (
      select max(position) as position from event union all select max(position) from away
    )`
  ),
  lastOfStream: prepare<[stream: string], { readonly version: number; readonly hash: string }>(
    "select version, hash from event where stream = ? order by version desc limit 1"
  ),
  hashAt: prepare<[stream: string, version: number], { readonly hash: string }>(
    "select hash from event where stream = ? and version = ?"
  ),
  pageOfStream: pageOfStream(prepare),
  pageOfLog: prepare<[from: number, limit: number], EventRow>(
    `select ${eventColumns.join(", ")} from event where position >= ? order by position limit ?`,
    "array"
  ),
  /** Whether the table holds an event that the index of its stream does not. Reads all of it. */
  unindexed: prepare<[stream: string, version: number], { readonly version: number }>(
    "select version from event not indexed where stream = ? and version > ? limit 1"
  ),
  /** The last version that a command of the stream has written. The index of its events is not asked. */
  lastOfCommands: prepare<[stream: string], { readonly version: number | null }>(
    // Node 22 takes `?1` for a name, which a value without one does not reach
    `with asked (stream) as (select ?)
    select max(version) as version from (
      select max(first_version + events - 1) as version from command where stream = (select stream from asked)
      union all
      select max(version) from event not indexed
        where position >= (select position from command_left) and stream = (select stream from asked)
    )`
  ),
  insertCommand: prepare<[stream: string, commandId: string, firstVersion: number, events: number]>(
    `insert into command (stream, command_id, first_version, events) values (?, ?, ?, ?) ${joinsRow}`
  ),
  /** From which position on events belong to commands without a row. */
  commandsLeft: prepare<[], { readonly position: number }>("select position from command_left"),
  leaveCommands: prepare<[position: number]>("insert into command_left (position) values (?)"),
  noneLeft: prepare<[]>("delete from command_left"),
  commandsFrom: prepare<
    [position: number],
    { readonly stream: string; readonly command_id: string; readonly first_version: number; readonly events: number }
  >(commandsFrom),
  writeCommands: prepare<[position: number]>(
    `insert into command (stream, command_id, first_version, events) ${commandsFrom} ${joinsRow}`
  ),
  command: prepare<[stream: string, commandId: string], { readonly first_version: number; readonly events: number }>(
    "select first_version, events from command where stream = ? and command_id = ?"
  )
})

/** What runs that come and go need. */
const awayStatements = (prepare: Prepare) => ({
  away: prepare<[stream: string], AwayRow>(
    "select kind, place, at, version, hash, position from away where stream = ?"
  ),
  putAway: prepare<
    [stream: string, kind: string, place: string, at: string, version: number, hash: string, position: number]
  >("insert or replace into away (stream, kind, place, at, version, hash, position) values (?, ?, ?, ?, ?, ?, ?)"),
  /** A run that was archived has left its positions empty: they are not given again. */
  comesHome: prepare<[stream: string]>("delete from away where stream = ?"),
  lastPositionOf: prepare<[stream: string], { readonly position: number }>(
    "select position from event where stream = ? order by version desc limit 1"
  ),
  removeEvents: prepare<[stream: string]>("delete from event where stream = ?"),
  removeCommands: prepare<[stream: string]>("delete from command where stream = ?"),
  cancelOf: prepare<[run: string]>(
    `update work_item set status = 'cancelled'
      where status in ('waiting', 'ready', 'claimed', 'lost') and json_extract(item, '$.run') = ?`
  ),
  removeItems: prepare<[run: string]>("delete from work_item where json_extract(item, '$.run') = ?")
})

/** What puts items into the queue, and takes them out of it. */
const dispatchStatements = (prepare: Prepare) => ({
  insertLabels: prepare<[labels: string]>("insert into label_set (labels) values (?) on conflict do nothing"),
  labelSet: prepare<[labels: string], { readonly id: number }>("select id from label_set where labels = ?"),
  labelSetsAfter: prepare<[id: number], { readonly id: number; readonly labels: string }>(
    "select id, labels from label_set where id > ? order by id"
  ),
  dispatch: prepare<
    [id: string, item: string, labelSet: number, priority: number, status: "waiting" | "ready", freeAt: number]
  >(
    `insert into work_item (id, item, label_set, priority, status, free_at) values (?, ?, ?, ?, ?, ?)
      on conflict (id) do nothing`
  ),
  cancel: prepare<[id: string]>(
    "update work_item set status = 'cancelled' where id = ? and status in ('waiting', 'ready', 'claimed', 'lost')"
  ),
  lease: prepare<[id: string], { readonly status: string; readonly lease: number }>(
    "select status, lease from work_item where id = ?"
  )
})

/** The conditions of the indexes of `work_item`, word for word: SQLite uses an index only where it sees its condition. */
const isFree = "status in ('ready', 'lost')"
const isDueLater = "status in ('waiting', 'claimed')"
const isClaimed = "status = 'claimed'"

/** What chooses an item and claims it. */
const claimStatements = (prepare: Prepare) => ({
  /** The first holder of claims after this one, in the order of their texts. */
  nextHolder: prepare<[after: string], { readonly holder: string }>(
    `select holder from work_item where ${isClaimed} and holder > ? order by holder limit 1`
  ),
  /** Claims of one taker that still count. */
  slotsUsed: prepare<[holder: string, taker: string, now: number], { readonly used: number }>(
    `select count(*) as used from work_item where ${isClaimed} and holder = ? and taker = ? and free_at > ?`
  ),
  /** The first of those that need these labels. A clock that is ahead of ours may have let it go too early. */
  best: prepare<[labelSet: number, now: number], { readonly seq: number; readonly priority: number }>(
    `select seq, priority from work_item where ${isFree} and label_set = ? and free_at <= ?
      order by priority desc, seq limit 1`
  ),
  item: prepare<[seq: number], { readonly item: string; readonly lease: number }>(
    "select item, lease from work_item where seq = ?"
  ),
  claim: prepare<[lease: number, holder: string, taker: string, freeAt: number, seq: number]>(
    "update work_item set status = 'claimed', lease = ?, holder = ?, taker = ?, free_at = ? where seq = ?"
  )
})

/** What keeps claims, frees those that went silent, and ends those that are done or declined. */
const leaseStatements = (prepare: Prepare) => ({
  /** When the next item becomes due or goes silent; null: only a write can change anything. */
  nextDue: prepare<[], { readonly at: number | null }>(`select min(free_at) as at from work_item where ${isDueLater}`),
  free: prepare<[now: number]>(
    `update work_item set status = case status when 'waiting' then 'ready' else 'lost' end
      where ${isDueLater} and free_at <= ?`
  ),
  freeFrom: prepare<[holder: string]>(
    `update work_item set status = 'lost', free_at = 0 where ${isClaimed} and holder = ?`
  ),
  keep: prepare<[freeAt: number, id: string, lease: number]>(
    `update work_item set status = 'claimed', free_at = ?
      where id = ? and lease = ? and status in ('claimed', 'lost')`
  ),
  settle: prepare<[id: string, lease: number]>(
    "update work_item set status = 'settled' where id = ? and lease = ? and status in ('claimed', 'lost')"
  ),
  /** Gives back what its taker never saw. */
  giveBack: prepare<[id: string, lease: number, taker: string]>(
    `update work_item set status = 'lost', free_at = 0 where id = ? and lease = ? and taker = ? and ${isClaimed}`
  ),
  decline: prepare<[freeAt: number, id: string, lease: number]>(
    `update work_item set status = 'waiting', free_at = ?
      where id = ? and lease = ? and status in ('claimed', 'lost')`
  )
})

/** Who holds something, as it is stored. */
interface HoldRow {
  readonly holder: string
  readonly since: string
  readonly kept_at: number
}

/** The statements of a table whose rows are held by processes, each under a key of its own. */
export interface HoldStatements<Key extends ReadonlyArray<string>> {
  readonly get: Statement<Key, HoldRow>
  readonly put: Statement<[...key: Key, holder: string, since: string, keptAt: number, token: string]>
  readonly keep: Statement<[keptAt: number, ...key: Key, token: string]>
  readonly drop: Statement<[...key: Key, token: string]>
}

const holdStatements = <const Columns extends ReadonlyArray<string>>(
  prepare: Prepare,
  table: string,
  key: Columns
): HoldStatements<{ [K in keyof Columns]: string }> => {
  const columns = [...key, "holder", "since", "kept_at", "token"]
  const isKey = key.map((column) => `${column} = ?`).join(" and ")
  return {
    get: prepare(`select holder, since, kept_at from ${table} where ${isKey}`),
    put: prepare(
      `insert or replace into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`
    ),
    keep: prepare(`update ${table} set kept_at = ? where ${isKey} and token = ?`),
    drop: prepare(`delete from ${table} where ${isKey} and token = ?`)
  }
}
