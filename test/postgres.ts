import { randomUUID } from "node:crypto"
import { chmodSync } from "node:fs"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { describe } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import pg from "pg"
import { room } from "./plugins/repositories.ts"
import { socketVariable } from "./postgresServer.ts"

/** Asks the one server of this run of tests, which `postgresServer.ts` starts. */
const ask = async (what: "present" | "url"): Promise<unknown> => {
  const socket = connect(process.env[socketVariable] ?? "")
  socket.write(`${what}\n`)
  const { failed, value } = JSON.parse(await text(socket))
  if (failed !== undefined) throw new Error(failed)
  return value
}

// benchmarks read this too, outside of any run of tests
const why = process.env[socketVariable] === undefined ? "No run of tests has started one." : await ask("present")
const isRequired = process.env["CI"] !== undefined || process.env["PROOFLINE_TEST_REPORT"] !== undefined

const skipped: typeof describe.skip = ((name: string, tests: () => void) => {
  process.stderr.write(`SKIPPED, since these tests need a Postgres: ${name}. ${why} In CI they fail.\n`)
  describe.skip(name, tests)
}) as typeof describe.skip

/** Tests that need a Postgres; where none can be had they are skipped, and in CI they fail. */
export const describePostgres = why === null || isRequired ? describe : skipped

/** A directory for a server of its own, gone with the scope. Where tests run as root, the server runs as somebody else. */
export const serverDirectory = Effect.tap(room("proofline-postgres-"), (made) =>
  Effect.sync(() => chmodSync(made, 0o711))
)

const execute = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** An empty database and how to remove it, with whoever is still connected to it. */
export const newDatabase = async (): Promise<{ readonly url: string; readonly remove: () => Promise<void> }> => {
  const server = String(await ask("url"))
  const name = `test_${randomUUID().replaceAll("-", "")}`
  await execute(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, remove: () => execute(server, `drop database ${name} with (force)`) }
}

/** The URL of an empty database, removed with the scope. */
export const freshDatabase: Effect.Effect<string, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(Effect.promise(newDatabase), ({ remove }) => Effect.promise(remove)),
  ({ url }) => url
)
