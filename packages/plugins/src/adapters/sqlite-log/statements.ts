import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite"
import { type Compilable, type Kysely, sql } from "kysely"
import { type EventRow, eventColumns, type Tables } from "./rows.ts"

/** A query built by Kysely, compiled and prepared once. Arguments in the order in which they stand in the SQL. */
export interface Statement<Args extends ReadonlyArray<SQLInputValue>, Row = never> {
  readonly run: (...args: Args) => { readonly changes: number | bigint }
  readonly get: (...args: Args) => Row | undefined
  readonly all: (...args: Args) => Array<Row>
}

const prepare = <Args extends ReadonlyArray<SQLInputValue>, Row = never>(
  db: DatabaseSync,
  query: Compilable,
  as: "object" | "array" = "object"
): Statement<Args, Row> => {
  const statement = db.prepare(query.compile().sql)
  if (as === "array") statement.setReturnArrays(true)
  return statement as unknown as Statement<Args, Row>
}

const plain = (db: DatabaseSync, text: string): Statement<[], Record<string, SQLOutputValue>> =>
  db.prepare(text) as unknown as Statement<[], Record<string, SQLOutputValue>>

/** Stands where an argument will; its value is never used. */
const text = ""
const number = 0

/** The conditions of the indexes of `work_item`, word for word: SQLite uses an index only where it sees its condition. */
const isFree = sql<boolean>`status in ('ready', 'lost')`
const isDueLater = sql<boolean>`status in ('waiting', 'claimed')`
const isClaimed = sql<boolean>`status = 'claimed'`

export type Statements = ReturnType<typeof prepareStatements>

export const prepareStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => ({
  begin: plain(db, "begin immediate"),
  commit: plain(db, "commit"),
  rollback: plain(db, "rollback"),
  savepoint: plain(db, "savepoint request"),
  release: plain(db, "release request"),
  undo: plain(db, "rollback to request"),
  /** Changes when another connection has committed, and only then. */
  dataVersion: plain(db, "pragma data_version"),
  ...eventStatements(db, kysely),
  ...commandStatements(db, kysely),
  ...labelStatements(db, kysely),
  ...dispatchStatements(db, kysely),
  ...claimStatements(db, kysely),
  ...leaseStatements(db, kysely),
  ...runStatements(db, kysely),
  lock: lockStatements(db, kysely),
  presence: presenceStatements(db, kysely)
})

const eventStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => {
  const event = kysely.selectFrom("event")
  return {
    insertEvent: prepare<EventRow>(
      db,
      kysely.insertInto("event").values({
        position: number,
        version: number,
        event_type: text,
        schema_version: number,
        timestamp: text,
        visibility: text,
        content: text,
        command_id: text,
        causation_id: text,
        correlation_id: text,
        hash: text,
        stream: text
      })
    ),
    lastPosition: prepare<[], { readonly position: number | null }>(
      db,
      event.select((eb) => eb.fn.max("position").as("position"))
    ),
    lastOfStream: prepare<[stream: string], { readonly version: number; readonly hash: string }>(
      db,
      event.select(["version", "hash"]).where("stream", "=", text).orderBy("version", "desc").limit(sql.lit(1))
    ),
    hashAt: prepare<[stream: string, version: number], { readonly hash: string }>(
      db,
      event.select("hash").where("stream", "=", text).where("version", "=", number)
    ),
    pageOfStream: prepare<[stream: string, from: number, limit: number], EventRow>(
      db,
      event
        .select(eventColumns.slice(0, -1))
        .where("stream", "=", text)
        .where("version", ">=", number)
        .orderBy("version")
        .limit(number),
      "array"
    ),
    pageOfLog: prepare<[from: number, limit: number], EventRow>(
      db,
      event.select(eventColumns).where("position", ">=", number).orderBy("position").limit(number),
      "array"
    )
  }
}

const commandStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => ({
  insertCommand: prepare<[stream: string, commandId: string, firstVersion: number, events: number]>(
    db,
    kysely.insertInto("command").values({ stream: text, command_id: text, first_version: number, events: number })
  ),
  command: prepare<[stream: string, commandId: string], { readonly first_version: number; readonly events: number }>(
    db,
    kysely
      .selectFrom("command")
      .select(["first_version", "events"])
      .where("stream", "=", text)
      .where("command_id", "=", text)
  )
})

const labelStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => ({
  insertLabels: prepare<[labels: string]>(
    db,
    kysely
      .insertInto("label_set")
      .values({ labels: text })
      .onConflict((conflict) => conflict.column("labels").doNothing())
  ),
  labelSet: prepare<[labels: string], { readonly id: number }>(
    db,
    kysely.selectFrom("label_set").select("id").where("labels", "=", text)
  ),
  labelSetsAfter: prepare<[id: number], { readonly id: number; readonly labels: string }>(
    db,
    kysely.selectFrom("label_set").select(["id", "labels"]).where("id", ">", number).orderBy("id")
  )
})

/** What puts items into the queue, and takes them out of it. */
const dispatchStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => ({
  dispatch: prepare<
    [id: string, item: string, labelSet: number, priority: number, status: "waiting" | "ready", freeAt: number]
  >(
    db,
    kysely
      .insertInto("work_item")
      .values({ id: text, item: text, label_set: number, priority: number, status: "ready", free_at: number })
      .onConflict((conflict) => conflict.column("id").doNothing())
  ),
  cancel: prepare<[id: string]>(
    db,
    kysely
      .updateTable("work_item")
      .set({ status: sql.lit("cancelled") })
      .where("id", "=", text)
      .where(sql<boolean>`status in ('waiting', 'ready', 'claimed', 'lost')`)
  ),
  lease: prepare<[id: string], { readonly status: string; readonly lease: number }>(
    db,
    kysely.selectFrom("work_item").select(["status", "lease"]).where("id", "=", text)
  )
})

/** What chooses an item and claims it. */
const claimStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => {
  const items = kysely.selectFrom("work_item")
  return {
    /** The first holder of claims after this one, in the order of their texts. */
    nextHolder: prepare<[after: string], { readonly holder: string }>(
      db,
      items
        .select("holder")
        .$narrowType<{ holder: string }>()
        .where(isClaimed)
        .where("holder", ">", text)
        .orderBy("holder")
        .limit(sql.lit(1))
    ),
    /** Claims of one taker that still count. */
    slotsUsed: prepare<[holder: string, taker: string, now: number], { readonly used: number }>(
      db,
      items
        .select((eb) => eb.fn.countAll<number>().as("used"))
        .where(isClaimed)
        .where("holder", "=", text)
        .where("taker", "=", text)
        .where("free_at", ">", number)
    ),
    /** The first of those that need these labels. A clock that is ahead of ours may have let it go too early. */
    best: prepare<[labelSet: number, now: number], { readonly seq: number; readonly priority: number }>(
      db,
      items
        .select(["seq", "priority"])
        .where(isFree)
        .where("label_set", "=", number)
        .where("free_at", "<=", number)
        .orderBy("priority", "desc")
        .orderBy("seq")
        .limit(sql.lit(1))
    ),
    item: prepare<[seq: number], { readonly item: string; readonly lease: number }>(
      db,
      items.select(["item", "lease"]).where("seq", "=", number)
    ),
    claim: prepare<[lease: number, holder: string, taker: string, freeAt: number, seq: number]>(
      db,
      kysely
        .updateTable("work_item")
        .set({ status: sql.lit("claimed"), lease: number, holder: text, taker: text, free_at: number })
        .where("seq", "=", number)
    )
  }
}

/** What keeps claims, frees those that went silent, and settles those that are done. */
const leaseStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => {
  const change = kysely.updateTable("work_item")
  const ownedItem = change
    .where("id", "=", text)
    .where("lease", "=", number)
    .where(sql<boolean>`status in ('claimed', 'lost')`)
  return {
    /** When the next item becomes due or goes silent; null: only a write can change anything. */
    nextDue: prepare<[], { readonly at: number | null }>(
      db,
      kysely
        .selectFrom("work_item")
        .select((eb) => eb.fn.min("free_at").as("at"))
        .where(isDueLater)
    ),
    free: prepare<[now: number]>(
      db,
      change
        .set({ status: sql`case status when 'waiting' then 'ready' else 'lost' end` })
        .where(isDueLater)
        .where("free_at", "<=", number)
    ),
    freeFrom: prepare<[holder: string]>(
      db,
      change
        .set({ status: sql.lit("lost"), free_at: sql.lit(0) })
        .where(isClaimed)
        .where("holder", "=", text)
    ),
    keep: prepare<[freeAt: number, id: string, lease: number]>(
      db,
      ownedItem.set({ status: sql.lit("claimed"), free_at: number })
    ),
    settle: prepare<[id: string, lease: number]>(db, ownedItem.set({ status: sql.lit("settled") }))
  }
}

const runStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => ({
  summary: prepare<[run: string], { readonly summary: string }>(
    db,
    kysely.selectFrom("run_summary").select("summary").where("run_id", "=", text)
  ),
  putSummary: prepare<[run: string, startedAt: string, summary: string]>(
    db,
    kysely
      .insertInto("run_summary")
      .values({ run_id: text, started_at: text, summary: text })
      .onConflict((conflict) =>
        conflict.column("run_id").doUpdateSet((eb) => ({
          started_at: eb.ref("excluded.started_at"),
          summary: eb.ref("excluded.summary")
        }))
      )
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

const anyHold = { holder: text, since: text, kept_at: number, token: text }

const lockStatements = (db: DatabaseSync, kysely: Kysely<Tables>): HoldStatements<[name: string]> => ({
  get: prepare(db, kysely.selectFrom("lock").select(["holder", "since", "kept_at"]).where("name", "=", text)),
  put: prepare(
    db,
    kysely
      .insertInto("lock")
      .values({ name: text, ...anyHold })
      .onConflict((conflict) =>
        conflict.column("name").doUpdateSet((eb) => ({
          holder: eb.ref("excluded.holder"),
          since: eb.ref("excluded.since"),
          kept_at: eb.ref("excluded.kept_at"),
          token: eb.ref("excluded.token")
        }))
      )
  ),
  keep: prepare(
    db,
    kysely.updateTable("lock").set({ kept_at: number }).where("name", "=", text).where("token", "=", text)
  ),
  drop: prepare(db, kysely.deleteFrom("lock").where("name", "=", text).where("token", "=", text))
})

const presenceStatements = (db: DatabaseSync, kysely: Kysely<Tables>): HoldStatements<[kind: string, id: string]> => ({
  get: prepare(
    db,
    kysely.selectFrom("presence").select(["holder", "since", "kept_at"]).where("kind", "=", text).where("id", "=", text)
  ),
  put: prepare(
    db,
    kysely
      .insertInto("presence")
      .values({ kind: text, id: text, ...anyHold })
      .onConflict((conflict) =>
        conflict.columns(["kind", "id"]).doUpdateSet((eb) => ({
          holder: eb.ref("excluded.holder"),
          since: eb.ref("excluded.since"),
          kept_at: eb.ref("excluded.kept_at"),
          token: eb.ref("excluded.token")
        }))
      )
  ),
  keep: prepare(
    db,
    kysely
      .updateTable("presence")
      .set({ kept_at: number })
      .where("kind", "=", text)
      .where("id", "=", text)
      .where("token", "=", text)
  ),
  drop: prepare(
    db,
    kysely.deleteFrom("presence").where("kind", "=", text).where("id", "=", text).where("token", "=", text)
  )
})
