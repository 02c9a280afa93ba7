import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite"
import { claimSilenceMs } from "@proofline/kernel"
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

/** Items that somebody may still do: the condition of the index `work_item_open`, so it holds no parameter. */
const isOpen = sql<boolean>`status in ('queued', 'claimed')`
/** Arguments: before when a heartbeat is silence, JSON array of the holders that are dead. */
const isLost = sql<boolean>`(kept_at < ${number} or holder in (select value from json_each(${text})))`
/** Argument: JSON array of the labels offered. */
const isOffered = sql<boolean>`(labels = '[]' or not exists (
  select 1 from json_each(labels) as needed where needed.value not in (select value from json_each(${text}))))`

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
  ...workStatements(db, kysely),
  ...runStatements(db, kysely)
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
    ),
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
  }
}

const workStatements = (db: DatabaseSync, kysely: Kysely<Tables>) => {
  const held = kysely
    .updateTable("work_item")
    .where("id", "=", text)
    .where("lease", "=", number)
    .where("status", "=", sql.lit("claimed"))
  return {
    dispatch: prepare<[id: string, item: string, labels: string, priority: number, notBefore: number]>(
      db,
      kysely
        .insertInto("work_item")
        .values({ id: text, item: text, labels: text, priority: number, not_before: number })
        .onConflict((conflict) => conflict.column("id").doNothing())
    ),
    cancel: prepare<[id: string]>(
      db,
      kysely
        .updateTable("work_item")
        .set({ status: sql.lit("cancelled") })
        .where("id", "=", text)
        .where(isOpen)
    ),
    lease: prepare<[id: string], { readonly status: string; readonly lease: number }>(
      db,
      kysely.selectFrom("work_item").select(["status", "lease"]).where("id", "=", text)
    ),
    holders: prepare<[], { readonly holder: string }>(
      db,
      kysely.selectFrom("work_item").select("holder").distinct().where(isOpen).where("holder", "is not", null)
    ),
    /** Claims of one taker that still count. */
    slotsUsed: prepare<[taker: string, silentBefore: number, dead: string], { readonly used: number }>(
      db,
      kysely
        .selectFrom("work_item")
        .select((eb) => eb.fn.countAll<number>().as("used"))
        .where(isOpen)
        .where("status", "=", sql.lit("claimed"))
        .where("taker", "=", text)
        .where((eb) => eb.not(isLost))
    ),
    best: prepare<
      [now: number, silentBefore: number, dead: string, offered: string],
      { readonly seq: number; readonly item: string; readonly status: string; readonly lease: number }
    >(
      db,
      kysely
        .selectFrom("work_item")
        .select(["seq", "item", "status", "lease"])
        .where(isOpen)
        .where(sql<boolean>`((status = 'queued' and not_before <= ${number}) or (status = 'claimed' and ${isLost}))`)
        .where(isOffered)
        .orderBy("priority", "desc")
        .orderBy("seq")
        .limit(sql.lit(1))
    ),
    claim: prepare<[lease: number, holder: string, taker: string, keptAt: number, seq: number]>(
      db,
      kysely
        .updateTable("work_item")
        .set({ status: sql.lit("claimed"), lease: number, holder: text, taker: text, kept_at: number })
        .where("seq", "=", number)
    ),
    /** When the next item becomes due or goes silent, after now; null: only a write can change anything. */
    nextChange: prepare<[now: number], { readonly at: number | null }>(
      db,
      kysely
        .selectFrom(
          kysely
            .selectFrom("work_item")
            .select(
              sql<number>`case status when 'queued' then not_before else kept_at + ${sql.lit(claimSilenceMs + 1)} end`.as(
                "due"
              )
            )
            .where(isOpen)
            .as("open")
        )
        .select((eb) => eb.fn.min("due").as("at"))
        .where("due", ">", number)
    ),
    keep: prepare<[keptAt: number, id: string, lease: number]>(db, held.set({ kept_at: number })),
    settle: prepare<[id: string, lease: number]>(db, held.set({ status: sql.lit("settled") }))
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
  ),
  driver: prepare<[run: string], { readonly holder: string; readonly since: string; readonly kept_at: number }>(
    db,
    kysely.selectFrom("run_driver").select(["holder", "since", "kept_at"]).where("run_id", "=", text)
  ),
  putDriver: prepare<[run: string, holder: string, since: string, keptAt: number, token: string]>(
    db,
    kysely
      .insertInto("run_driver")
      .values({ run_id: text, holder: text, since: text, kept_at: number, token: text })
      .onConflict((conflict) =>
        conflict.column("run_id").doUpdateSet((eb) => ({
          holder: eb.ref("excluded.holder"),
          since: eb.ref("excluded.since"),
          kept_at: eb.ref("excluded.kept_at"),
          token: eb.ref("excluded.token")
        }))
      )
  ),
  keepDriver: prepare<[keptAt: number, run: string, token: string]>(
    db,
    kysely.updateTable("run_driver").set({ kept_at: number }).where("run_id", "=", text).where("token", "=", text)
  ),
  dropDriver: prepare<[run: string, token: string]>(
    db,
    kysely.deleteFrom("run_driver").where("run_id", "=", text).where("token", "=", text)
  )
})
