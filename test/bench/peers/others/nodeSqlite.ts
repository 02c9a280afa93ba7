/** A client of effect/sql for node:sqlite: for effect 4.1 there is none that could be installed. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Effect, Layer, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"

type Row = Record<string, unknown>

const input = (value: unknown): SQLInputValue => {
  if (typeof value === "boolean") return Number(value)
  if (value instanceof Date) return value.toISOString()
  return (value ?? null) as SQLInputValue
}

export const layer = (file: string) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const db = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(file)),
        (open) => Effect.sync(() => open.close())
      )
      db.exec("pragma journal_mode = wal; pragma synchronous = full")
      const prepared = new Map<string, StatementSync>()
      const statementOf = (text: string): StatementSync => {
        const known = prepared.get(text) ?? db.prepare(text)
        prepared.set(text, known)
        return known
      }
      const run = (
        text: string,
        values: ReadonlyArray<unknown>
      ): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
        Effect.try({
          try: () => {
            const statement = statementOf(text)
            const given = values.map(input)
            if (statement.columns().length > 0) return statement.all(...given) as unknown as ReadonlyArray<Row>
            statement.run(...given)
            return []
          },
          catch: (cause) =>
            new SqlError.SqlError({
              reason: SqlError.classifySqliteError(cause, { message: String(cause), operation: text })
            })
        })
      type Transform = (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined
      const transformed = (text: string, values: ReadonlyArray<unknown>, transform: Transform) =>
        Effect.map(run(text, values), (rows) => (transform === undefined ? rows : transform(rows)))
      const values = (text: string, given: ReadonlyArray<unknown>) =>
        Effect.map(run(text, given), (rows) => rows.map((row) => Object.values(row)))
      const connection: SqlConnection.Connection = {
        execute: transformed,
        executeRaw: run,
        executeStream: (text, given, transform) => Stream.fromIterableEffect(transformed(text, given, transform)),
        executeValues: values,
        executeValuesUnprepared: values,
        executeUnprepared: transformed
      }
      const one = yield* Semaphore.make(1)
      const transactionAcquirer = Effect.uninterruptibleMask((restore) =>
        Effect.as(
          Effect.flatMap(restore(one.take(1)), () => Effect.addFinalizer(() => one.release(1))),
          connection
        )
      )
      return yield* SqlClient.make({
        acquirer: Effect.succeed(connection),
        compiler: Statement.makeCompilerSqlite(),
        driver: "node:sqlite",
        spanAttributes: [],
        beginTransaction: "BEGIN IMMEDIATE",
        transactionAcquirer
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
