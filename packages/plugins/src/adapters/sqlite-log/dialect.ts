import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler
} from "kysely"
import { patientlyAsync } from "./waiting.ts"

/** Kysely over one open `node:sqlite` database. Closing the database stays with whoever opened it. */
export const nodeSqliteDialect = (db: DatabaseSync): Dialect => ({
  createAdapter: () => new Adapter(),
  createDriver: () => makeDriver(db),
  createIntrospector: (kysely) => new SqliteIntrospector(kysely),
  createQueryCompiler: () => new SqliteQueryCompiler()
})

/** SQLite can undo DDL; Kysely does not count on it. Our migrations do: all or nothing, one process at a time. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

const makeDriver = (db: DatabaseSync): Driver => {
  const connection = makeConnection(db)
  const execute = async (sql: string) => {
    await connection.executeQuery(CompiledQuery.raw(sql))
  }
  // one connection, one owner at a time: a transaction holds it until it ends
  let free = Promise.resolve()
  let release = () => {}
  return {
    init: async () => {},
    acquireConnection: async () => {
      const before = free
      const { promise, resolve } = Promise.withResolvers<void>()
      free = promise
      await before
      release = resolve
      return connection
    },
    // takes the write lock now, since a transaction that starts by reading cannot get it once another has written
    beginTransaction: () => execute("begin immediate"),
    commitTransaction: () => execute("commit"),
    // a full disk makes SQLite roll back by itself; a second one would hide why
    rollbackTransaction: async () => {
      if (db.isTransaction) await execute("rollback")
    },
    releaseConnection: async () => release(),
    destroy: async () => {}
  }
}

const makeConnection = (db: DatabaseSync): DatabaseConnection => ({
  executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
    const values = parameters as ReadonlyArray<SQLInputValue>
    return patientlyAsync(() => {
      const statement = db.prepare(sql)
      if (statement.columns().length > 0) return { rows: statement.all(...values) as Array<R> }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes) }
    })
  },
  streamQuery: async function* () {
    throw new Error("This dialect does not stream; read in pages.")
  }
})
