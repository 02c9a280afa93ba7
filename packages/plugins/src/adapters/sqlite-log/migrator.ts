import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { Kysely, type SqliteDatabase, SqliteDialect, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"

/** Applies statements by the names of their migrations, and notes in `table` which were applied. */
export const makeMigrator = (
  db: DatabaseSync,
  migrations: Readonly<Record<string, ReadonlyArray<string>>>,
  table: string
): Migrator => {
  const all = Object.fromEntries(
    Object.entries(migrations).map(([name, statements]): [string, Migration] => [
      name,
      {
        up: async (db) => {
          for (const statement of statements) await sql.raw(statement).execute(db)
        }
      }
    ])
  )
  return new Migrator({
    db: new Kysely<unknown>({ dialect: new SqliteDialect({ database: forKysely(db) }) }),
    provider: { getMigrations: async () => all },
    migrationTableName: table,
    migrationLockTableName: `${table}_lock`
  })
}

/** The part of a database that the dialect of Kysely uses. Closing it stays with whoever opened it. */
const forKysely = (db: DatabaseSync): SqliteDatabase => ({
  close: () => {},
  prepare: (text) => {
    const statement = db.prepare(text)
    const values = (parameters: ReadonlyArray<unknown>) => parameters as ReadonlyArray<SQLInputValue>
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...values(parameters)),
      run: (parameters) => statement.run(...values(parameters)),
      iterate: (parameters) => statement.iterate(...values(parameters))
    }
  }
})
