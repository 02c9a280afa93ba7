import type { LogUnavailable } from "@proofline/kernel"
import { Effect, type Scope } from "effect"
import { pause } from "../../log/pause.ts"
import { type Address, readAddress } from "./address.ts"
import { toUnavailable } from "./failure.ts"
import { loadPg, makePool, type Pg, type PgPool } from "./pg.ts"
import { isMomentary, type Place } from "./reasons.ts"
import type { Names } from "./sql/names.ts"

/** Connections of one process for statements; one more listens. */
const poolMax = 4

/** How long a statement of a program may be asked again while the database is away, where it does not say so, ms. */
const usualAwayMs = 60_000

/** A statement that gets no answer for so long was asked over a connection that is dead, ms. */
const answerMaxMs = 15_000

/** 64-bit integers are numbers to us; no log is that long. */
const typesOf = ({ types }: Pg): Pg["types"] => ({
  getTypeParser: (oid, format) => (oid === 20 ? Number : types.getTypeParser(oid, format))
})

/** One function or query, with the name under which the server keeps its plan. */
export interface Asked {
  readonly name: string
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

type Rows = ReadonlyArray<ReadonlyArray<unknown>>

export const addressOf = (url: string): Effect.Effect<Address, LogUnavailable> =>
  Effect.try({
    try: () => readAddress(url),
    catch: (error) => toUnavailable({ host: "", port: "", database: "", schema: "" }, error)
  })

/** The connections to one log. */
export interface Database {
  readonly place: Place
  readonly names: Names
  readonly address: Address
  readonly pg: Pg
  readonly pool: PgPool
  /** A function of our schema. */
  readonly function: (name: string, values: ReadonlyArray<unknown>) => Asked
  /** One statement, asked once; the promise is rejected with what pg says, also when there is no answer in time. */
  readonly once: (asked: Asked, answerMs?: number) => Promise<Rows>
  /**
   * Again and again while the database is away, for as long as the program waits by default. Then the statement may have been done although
   * its answer was lost. Fails with what pg says.
   */
  readonly attempt: (asked: Asked, awayMs?: number) => Effect.Effect<Rows, unknown>
  readonly ask: (asked: Asked, awayMs?: number) => Effect.Effect<Rows, LogUnavailable>
  /** What pg says, in our words. Where the log is lost, everything fails so from now on. */
  readonly failed: (error: unknown) => LogUnavailable
  /** From now on everything fails so. */
  readonly lose: (why: LogUnavailable) => LogUnavailable
}

/** `programAwayMs`: for so long the program waits for a database that is away. */
export const openDatabase = (
  address: Address,
  programAwayMs = usualAwayMs
): Effect.Effect<Database, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { config, names, place } = address
    const pg = yield* Effect.tryPromise({ try: loadPg, catch: (error) => toUnavailable(place, error) })
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => makePool(pg, { ...config, types: typesOf(pg), max: poolMax })),
      (pool) => Effect.promise(() => pool.end().catch(() => {}))
    )
    let lost: LogUnavailable | null = null
    const lose = (why: LogUnavailable): LogUnavailable => (lost ??= why)
    const failed = (error: unknown): LogUnavailable => {
      const failure = toUnavailable(place, error)
      return failure.code === "log_lost" ? lose(failure) : failure
    }
    const once: Database["once"] = async (asked, answerMs = answerMaxMs) => {
      if (lost !== null) throw lost
      const { rows } = await pool.query({
        ...asked,
        values: [...asked.values],
        rowMode: "array",
        query_timeout: answerMs
      })
      return rows
    }
    const attempt: Database["attempt"] = (asked, awayMs = programAwayMs) =>
      Effect.suspend(() => {
        // from the first loss on: a process that was stopped for longer while it waited for an answer asks again too
        let until: number | null = null
        return Effect.suspend(function again(): Effect.Effect<Rows, unknown> {
          return Effect.catch(Effect.tryPromise({ try: () => once(asked), catch: (error) => error }), (error) => {
            until ??= performance.now() + awayMs
            return isMomentary(error) && performance.now() < until
              ? Effect.flatMap(retryDelay, () => Effect.suspend(again))
              : Effect.fail(error)
          })
        })
      })
    return {
      place,
      names,
      address,
      pg,
      pool,
      once,
      attempt,
      lose,
      failed,
      ask: (asked, awayMs) => Effect.mapError(attempt(asked, awayMs), failed),
      function: (name, values) => ({
        name,
        text: `select ${names.schema}.${name}(${values.map((_, i) => `$${i + 1}`).join(", ")})`,
        values
      })
    }
  })

/** Not all processes at the same moment. */
export const retryDelay: Effect.Effect<void> = Effect.suspend(() => pause(50 + Math.random() * 200))
