import { LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import { addressOf } from "./database.ts"
import { toUnavailable } from "./failure.ts"
import { withClient } from "./pg.ts"
import { called, type Place } from "./reasons.ts"
import type { Names } from "./sql/names.ts"

/** The functions that front-ends and workers call; those of pg-boss within them are for nobody else. */
const functions = [
  "append",
  "adopt",
  "depart",
  "lost",
  "claim",
  "keep",
  "settle",
  "decline",
  "release",
  "beat",
  "end_workers",
  "take_hold",
  "hold_of",
  "drop_hold",
  "put_blob",
  "get_blob"
]

/** What is read without a function. */
const readTables = ["event", "away", "run_summary", "work_item", "worker", "hold", "log_head", "schema_migration"]

const statements = ({ queueSchema, schema }: Names, role: string): ReadonlyArray<string> => [
  `grant usage on schema ${schema} to ${role}`,
  `grant select on ${readTables.map((table) => `${schema}.${table}`).join(", ")} to ${role}`,
  ...functions.map((name) => `grant execute on function ${schema}.${name} to ${role}`),
  // pg-boss deletes done jobs and puts back those of workers that are gone
  `grant usage on schema ${queueSchema} to ${role}`,
  `grant select, insert, update, delete on all tables in schema ${queueSchema} to ${role}`,
  `grant execute on all functions in schema ${queueSchema} to ${role}`
]

/** The name of a role as SQL has it. */
const quoted = (role: string): string => `"${role.replaceAll('"', '""')}"`

/**
 * Gives a role, which must be there, what a worker or a front-end needs on this log and no other: it can append, take
 * and report, and read, but neither add, change nor delete an event by itself. Asked with the URL of the owner, again
 * after an update that has changed the schema.
 */
export const grantWorker = (url: string, role: string): Effect.Effect<void, LogUnavailable> =>
  Effect.gen(function* () {
    const { config, names, place } = yield* addressOf(url)
    return yield* Effect.tryPromise({
      try: () =>
        withClient(config, async (client) => {
          const { rows } = await client.query("select from pg_roles where rolname = $1", [role])
          if (rows.length === 0) throw roleMissing(place, role)
          // all of them or none
          await client.query(statements(names, quoted(role)).join(";\n"))
        }),
      catch: (error) => toUnavailable(place, error)
    })
  })

const roleMissing = (place: Place, role: string): LogUnavailable =>
  new LogUnavailable({
    code: "log_failed",
    message: `The role "${role}" can be given nothing in ${called(place)}: there is no such role.`,
    hint: `Make it first, with a password of its own: create role ${quoted(role)} login password '…'.`
  })

/** The same as text, for those who let nobody else do it. */
export const grantWorkerSql = (url: string, role: string): Effect.Effect<string, LogUnavailable> =>
  Effect.map(addressOf(url), ({ names }) => `${statements(names, quoted(role)).join(";\n")};\n`)
