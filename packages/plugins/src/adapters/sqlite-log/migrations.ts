import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import type { LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import { corrupt, Damaged } from "./explain.ts"
import { foreign, newer, toUnavailable } from "./failure.ts"
import { applicationId, migrations, migrationTable } from "./schema.ts"
import { digestOf } from "./summaryDigest.ts"
import { patiently } from "./waiting.ts"

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
  const known = Object.keys(migrations)
  // a newer one has all that are known here, and others behind them
  const unlike = known.findIndex((name, at) => at < applied.length && applied[at]?.name !== name)
  if (unlike !== -1) throw new Damaged(corrupt(file, `its list of migrations lacks ${known[unlike]}`))
  const unknown = applied[known.length]
  if (unknown !== undefined) throw newer(file, unknown.name)
  return applied.length === known.length ? "current" : "old"
}

const hasMigrations = (db: DatabaseSync): boolean =>
  db.prepare("select 1 from sqlite_schema where name = ?").get(migrationTable) !== undefined

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
