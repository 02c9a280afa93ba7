import type { LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import { loadPg } from "./address.ts"
import { addressOf } from "./database.ts"
import { toUnavailable } from "./failure.ts"
import { makeClient } from "./pg.ts"
import { type Names, namesOf } from "./sql/names.ts"

/** The functions that front-ends and workers call; those of pg-boss within them are for nobody else. */
const functions = [
  "append",
  "adopt",
  "depart",
  "lost",
  "claim",
  "keep",
  "settle",
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
 * and report, and read, but neither add, change nor delete an event by itself. Asked with the URL of the owner.
 */
export const grantWorker = (url: string, role: string): Effect.Effect<void, LogUnavailable> =>
  Effect.gen(function* () {
    const { config, names, place } = yield* addressOf(url)
    return yield* Effect.tryPromise({
      try: async () => {
        const client = makeClient(await loadPg(), config)
        await client.connect()
        try {
          for (const statement of statements(names, quoted(role))) await client.query(statement)
        } finally {
          await client.end()
        }
      },
      catch: (error) => toUnavailable(place, error)
    })
  })

/** The same as text, for those who let nobody else do it. */
export const grantWorkerSql = (schema: string, role: string): string =>
  `${statements(namesOf(schema), quoted(role)).join(";\n")};\n`
