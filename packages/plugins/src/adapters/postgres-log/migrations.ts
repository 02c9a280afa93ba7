import type { LogUnavailable } from "@proofline/kernel"
import { Effect, type Scope } from "effect"
import { Kysely, PostgresDialect, type PostgresPool, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import type { PgBoss } from "pg-boss"
import type { Address } from "./address.ts"
import type { Database } from "./database.ts"
import { toUnavailable } from "./failure.ts"
import { installed, makePool, type PgPool } from "./pg.ts"
import { newer } from "./reasons.ts"
import { blobs } from "./sql/blobs.ts"
import { holdFunctions } from "./sql/holds.ts"
import { logFunctions } from "./sql/log.ts"
import { type MigrationName, migrationTable, type Names, queueName, unknownMigration } from "./sql/names.ts"
import { type BossStatements, claim, keep, queueFunctions } from "./sql/queue.ts"
import { tables } from "./sql/tables.ts"

/** In order of their names. A migration that was released never changes; a new shape or function is a new one. */
const migrations: Readonly<Record<MigrationName, (names: Names, boss: BossStatements) => ReadonlyArray<string>>> = {
  "0001_log": (names, boss) => [
    ...tables(names),
    ...queueFunctions(names, boss),
    ...logFunctions(names),
    ...holdFunctions(names),
    // a role is given each right by name
    `revoke all on all functions in schema ${names.schema} from public`
  ],
  "0002_blobs": blobs,
  // a report may settle its work
  "0003_settling_reports": logFunctions,
  // an append asks for less, and others may be told of it later
  "0004_shorter_appends": logFunctions,
  // a taker that finds nothing forces nothing to the disk
  "0005_unforced_looks": (names) => [claim(names)],
  // whoever has a result may hand it in after an outage
  "0006_kept_through_outages": (names) => [claim(names), keep(names)]
}

/** Brings the schema to today's shape. Several processes may do so at once: one does it, the others find it done. */
export const migrate = (database: Database): Effect.Effect<void, LogUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      if (await isCurrent(database)) return
      const { names, pg } = database
      // a pool of its own: of our connections none is kept by what takes long
      const pool = makePool(pg, { ...database.address.config, max: 2 })
      try {
        const client = await pool.connect()
        try {
          await client.query("set lock_timeout = 0")
          await client.query("select pg_advisory_lock(hashtextextended($1, 1))", [`${names.schema}.migration`])
          if (await isCurrent(database)) return
          const boss = await installQueue(database.address)
          const { error } = await makeMigrator(names, boss, pool).migrateToLatest()
          if (error !== undefined) throw error
        } finally {
          // its lock goes with the connection
          client.release(true)
        }
      } finally {
        await pool.end()
      }
    },
    catch: (error) => toUnavailable(database.place, error)
  })

/** Throws `log_newer` where the schema has what this Proofline does not know. */
const isCurrent = async ({ names, once, place }: Database): Promise<boolean> => {
  const has = await once({
    name: "migrated",
    text: "select to_regclass($1) is not null",
    values: [`${names.schema}.${migrationTable}`]
  })
  if (has[0]?.[0] !== true) return false
  const applied = await once({
    name: "migrations",
    text: `select name from ${names.schema}.${migrationTable} order by name`,
    values: []
  })
  const unknown = unknownMigration(applied.map(([name]) => `${name}`))
  if (unknown !== null) throw newer(place, unknown)
  return applied.length === Object.keys(migrations).length
}

const makeMigrator = (names: Names, boss: BossStatements, pool: PgPool): Migrator => {
  const kyselyMigrations = Object.fromEntries(
    Object.entries(migrations).map(([name, statements]): [string, Migration] => [
      name,
      {
        up: async (db) => {
          for (const statement of statements(names, boss)) await sql.raw(statement).execute(db)
        }
      }
    ])
  )
  return new Migrator({
    // ending the pool stays with whoever opened it
    db: new Kysely<unknown>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) }),
    provider: { getMigrations: async () => kyselyMigrations },
    migrationTableSchema: names.schema,
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`
  })
}

/** Connections of pg-boss in one process. */
const bossPoolMax = 2

const makeBoss = async (
  { config: { connectionString, options }, names }: Address,
  role: "installs" | "supervises"
): Promise<PgBoss> => {
  const { PgBoss } = await installed("pg-boss", () => import("pg-boss"))
  const installs = role === "installs"
  const boss = new PgBoss({
    connectionString,
    options,
    schema: names.queueSchema,
    application_name: "proofline-queue",
    max: bossPoolMax,
    migrate: installs,
    createSchema: installs,
    schedule: false,
    supervise: !installs,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    // it counts all jobs at each of these intervals: those that are done go soon
    maintenanceIntervalSeconds: 60,
    // it serves jobs that wait for others, which ours never do
    flowIntervalSeconds: 60,
    monitorVacuum: false,
    reindex: false
  })
  // what it does in the background it does again; a database that is away is noticed by our own statements
  boss.on("error", () => {})
  return boss
}

/** Makes the tables of pg-boss and our queue, and asks it for its statements: they become functions of ours. */
const installQueue = async (address: Address): Promise<BossStatements> => {
  const boss = await makeBoss(address, "installs")
  await boss.start()
  try {
    await boss.createQueue(queueName)
    const textOf = async (
      use: (db: { executeSql: (text: string) => Promise<{ rows: Array<unknown> }> }) => unknown
    ) => {
      let asked = ""
      await use({
        executeSql: async (text) => {
          asked = text
          return { rows: [{ count: 0, ids: [] }] }
        }
      })
      return asked
    }
    const job = { id: "00000000-0000-0000-0000-000000000000", retryCount: 0 }
    return {
      fetch: withLimit(
        await textOf((db) => boss.fetch(queueName, { ignoreGroups: ["0"], batchSize: anyLimit, db } as object))
      ),
      complete: await textOf((db) => boss.complete(queueName, job, null, { db } as object)),
      fail: await textOf((db) => boss.fail(queueName, job, null, { db } as object))
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** Stands for the number of jobs, which pg-boss writes into its statement. */
const anyLimit = 987_654

const withLimit = (fetch: string): string => {
  const parts = fetch.split(`LIMIT ${anyLimit}`)
  if (parts.length !== 2) throw new Error("pg-boss fetches jobs in another way than this version of Proofline knows.")
  return parts.join("LIMIT $2")
}

/** pg-boss at its own upkeep: done jobs are deleted, the jobs of those that are gone put back. Ends with the scope. */
export const supervise = ({ address, place }: Database): Effect.Effect<void, LogUnavailable, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const boss = await makeBoss(address, "supervises")
          await boss.start()
          return boss
        },
        catch: (error) => toUnavailable(place, error)
      }),
      (boss) => Effect.promise(() => boss.stop({ graceful: false }).catch(() => {}))
    )
  )
