/** What there is of shapes of the file by name, told without the kernel and without what makes them: `status` waits for neither. */
import type { DatabaseSync } from "node:sqlite"

export const migrationTable = "schema_migration"

const migrationNames = [
  "0001_log",
  "0002_queue",
  "0003_locks_and_presence",
  "0004_moving",
  "0005_summary_digest",
  "0006_commands_left"
] as const
export type MigrationName = (typeof migrationNames)[number]

/** Whether the file has a list of the changes of its shape. */
export const hasMigrations = (db: DatabaseSync): boolean =>
  db.prepare("select 1 from sqlite_schema where name = ?").get(migrationTable) !== undefined

/** The changes of its shape that were made, in order. */
export const appliedIn = (db: DatabaseSync): ReadonlyArray<string> =>
  db
    .prepare(`select name from ${migrationTable} order by name`)
    .all()
    .map(({ name }) => String(name))

/** The first of them that a newer Proofline made, and that is not known here. */
export const unknownMigrationIn = (db: DatabaseSync): string | null => {
  const known: ReadonlySet<string> = new Set(migrationNames)
  return hasMigrations(db) ? (appliedIn(db).find((name) => !known.has(name)) ?? null) : null
}
