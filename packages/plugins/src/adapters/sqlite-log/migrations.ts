import type { DatabaseSync } from "node:sqlite"
import { type Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { foreign, newer } from "./failure.ts"
import type { Tables } from "./rows.ts"

/** "PrfL": tells a log of ours from any other SQLite database. */
const applicationId = 0x5072664c

const migrationTable = "schema_migration"

/** In order of their names. A migration that was released never changes; a new shape is a new one. */
const migrations: Readonly<Record<string, Migration>> = {
  "0001_log": {
    up: async (db: Kysely<unknown>) => {
      await sql`pragma application_id = ${sql.lit(applicationId)}`.execute(db)
      await db.schema
        .createTable("event")
        .addColumn("position", "integer", (column) => column.primaryKey())
        .addColumn("stream", "text", (column) => column.notNull())
        .addColumn("version", "integer", (column) => column.notNull())
        .addColumn("event_type", "text", (column) => column.notNull())
        .addColumn("schema_version", "integer", (column) => column.notNull())
        .addColumn("timestamp", "text", (column) => column.notNull())
        .addColumn("visibility", "text", (column) => column.notNull())
        .addColumn("content", "text", (column) => column.notNull())
        .addColumn("command_id", "text", (column) => column.notNull())
        .addColumn("causation_id", "text")
        .addColumn("correlation_id", "text")
        .addColumn("hash", "text", (column) => column.notNull())
        .addUniqueConstraint("event_version", ["stream", "version"])
        .modifyEnd(sql`strict`)
        .execute()
      await db.schema
        .createTable("command")
        .addColumn("stream", "text", (column) => column.notNull())
        .addColumn("command_id", "text", (column) => column.notNull())
        .addColumn("first_version", "integer", (column) => column.notNull())
        .addColumn("events", "integer", (column) => column.notNull())
        .addPrimaryKeyConstraint("command_pk", ["stream", "command_id"])
        .modifyEnd(sql`strict, without rowid`)
        .execute()
      await db.schema
        .createTable("work_item")
        .addColumn("seq", "integer", (column) => column.primaryKey())
        .addColumn("id", "text", (column) => column.notNull().unique())
        .addColumn("item", "text", (column) => column.notNull())
        .addColumn("labels", "text", (column) => column.notNull())
        .addColumn("priority", "real", (column) => column.notNull())
        .addColumn("not_before", "real", (column) => column.notNull())
        .addColumn("status", "text", (column) => column.notNull().defaultTo("queued"))
        .addColumn("lease", "integer", (column) => column.notNull().defaultTo(0))
        .addColumn("holder", "text")
        .addColumn("taker", "text")
        .addColumn("kept_at", "real", (column) => column.notNull().defaultTo(0))
        .modifyEnd(sql`strict`)
        .execute()
      await sql`create index work_item_open on work_item (priority desc, seq)
        where status in ('queued', 'claimed')`.execute(db)
      await db.schema
        .createTable("run_summary")
        .addColumn("run_id", "text", (column) => column.primaryKey().notNull())
        .addColumn("started_at", "text", (column) => column.notNull())
        .addColumn("summary", "text", (column) => column.notNull())
        .modifyEnd(sql`strict, without rowid`)
        .execute()
      await db.schema.createIndex("run_summary_started").on("run_summary").column("started_at").execute()
      await db.schema
        .createTable("run_driver")
        .addColumn("run_id", "text", (column) => column.primaryKey().notNull())
        .addColumn("holder", "text", (column) => column.notNull())
        .addColumn("since", "text", (column) => column.notNull())
        .addColumn("kept_at", "real", (column) => column.notNull())
        .addColumn("token", "text", (column) => column.notNull())
        .modifyEnd(sql`strict, without rowid`)
        .execute()
    }
  },
  // every question of the queue is answered from the end of an index, however many items there are
  "0002_queue": {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("label_set")
        .addColumn("id", "integer", (column) => column.primaryKey())
        .addColumn("labels", "text", (column) => column.notNull().unique())
        .modifyEnd(sql`strict`)
        .execute()
      await sql`insert into label_set (labels) select distinct labels from work_item`.execute(db)
      await db.schema.alterTable("work_item").renameTo("work_item_0001").execute()
      await db.schema
        .createTable("work_item")
        .addColumn("seq", "integer", (column) => column.primaryKey())
        .addColumn("id", "text", (column) => column.notNull().unique())
        .addColumn("item", "text", (column) => column.notNull())
        .addColumn("label_set", "integer", (column) => column.notNull())
        .addColumn("priority", "real", (column) => column.notNull())
        .addColumn("status", "text", (column) => column.notNull())
        .addColumn("free_at", "real", (column) => column.notNull())
        .addColumn("lease", "integer", (column) => column.notNull().defaultTo(0))
        .addColumn("holder", "text")
        .addColumn("taker", "text")
        .modifyEnd(sql`strict`)
        .execute()
      // a claim was free again 10 s after its last sign, and still is
      await sql`insert into work_item
        select seq, work_item_0001.id, item, label_set.id, priority,
          case status when 'queued' then 'waiting' else status end,
          case status when 'queued' then not_before else kept_at + 10001 end,
          lease, holder, taker
        from work_item_0001 join label_set using (labels) order by seq`.execute(db)
      await db.schema.dropTable("work_item_0001").execute()
      await sql`create index work_item_free on work_item (label_set, priority desc, seq)
        where status in ('ready', 'lost')`.execute(db)
      await sql`create index work_item_due on work_item (free_at)
        where status in ('waiting', 'claimed')`.execute(db)
      await sql`create index work_item_held on work_item (holder, taker, free_at)
        where status = 'claimed'`.execute(db)
    }
  },
  // what `run_driver` was for, each in a table of its own; whoever is at work now is so afterwards
  "0003_locks_and_presence": {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("lock")
        .addColumn("name", "text", (column) => column.primaryKey().notNull())
        .addColumn("holder", "text", (column) => column.notNull())
        .addColumn("since", "text", (column) => column.notNull())
        .addColumn("kept_at", "real", (column) => column.notNull())
        .addColumn("token", "text", (column) => column.notNull())
        .modifyEnd(sql`strict, without rowid`)
        .execute()
      await db.schema
        .createTable("presence")
        .addColumn("kind", "text", (column) => column.notNull())
        .addColumn("id", "text", (column) => column.notNull())
        .addColumn("holder", "text", (column) => column.notNull())
        .addColumn("since", "text", (column) => column.notNull())
        .addColumn("kept_at", "real", (column) => column.notNull())
        .addColumn("token", "text", (column) => column.notNull())
        .addPrimaryKeyConstraint("presence_pk", ["kind", "id"])
        .modifyEnd(sql`strict, without rowid`)
        .execute()
      await sql`insert into lock select run_id, holder, since, kept_at, token from run_driver
        where run_id = 'sessions' or run_id like 'input:%'`.execute(db)
      await sql`insert into presence
        select case when run_id like 'session:%' then 'session' else 'run' end,
          case when run_id like 'session:%' then substr(run_id, 9) else run_id end,
          holder, since, kept_at, token
        from run_driver where run_id <> 'sessions' and run_id not like 'input:%'`.execute(db)
      await db.schema.dropTable("run_driver").execute()
    }
  }
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
  const applied = db.prepare(`select name from ${migrationTable} order by name`).all() as Array<{ name: string }>
  const unknown = applied.find(({ name }) => migrations[name] === undefined)
  if (unknown !== undefined) throw newer(file, unknown.name)
  return applied.length === Object.keys(migrations).length ? "current" : "old"
}

const hasMigrations = (db: DatabaseSync): boolean =>
  db.prepare("select 1 from sqlite_schema where name = ?").get(migrationTable) !== undefined

/** Brings the file to today's shape in one transaction; several processes may do so at once. */
export const migrate = (kysely: Kysely<Tables>): Promise<void> =>
  kysely.transaction().execute(async (transaction) => {
    const migrator = new Migrator({
      db: transaction,
      provider: { getMigrations: async () => migrations },
      migrationTableName: migrationTable,
      migrationLockTableName: `${migrationTable}_lock`
    })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
  })
