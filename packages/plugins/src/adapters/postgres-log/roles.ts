import type { LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import { loadPg, readAddress } from "./address.ts"
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
  "drop_hold"
]

/** What is read without a function. */
const readTables = ["event", "away", "run_summary", "work_item", "worker", "hold", "log_head", "schema_migration"]

const statements = ({ queueSchema, schema }: Names, role: string): ReadonlyArray<string> => [
  `grant usage on schema ${schema} to ${role}`,
  `grant select on ${readTables.map((table) => `${schema}.${table}`).join(", ")} to ${role}`,
  `do $$ declare called regprocedure; begin
    for called in select p.oid from pg_proc p where p.pronamespace = '${schema}'::regnamespace
      and p.proname in (${functions.map((name) => `'${name}'`).join(", ")})
    loop execute format('grant execute on function %s to ${role}', called); end loop;
  end $$`,
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
  Effect.suspend(() => {
    const { config, names, place } = readAddress(url)
    return Effect.tryPromise({
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
