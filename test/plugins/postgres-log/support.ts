import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "@effect/vitest"
import type { Digest, EventLog, Locks, Presence, WorkQueue } from "@proofline/kernel"
import { TimePasses } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Effect, Layer } from "effect"
import pg from "pg"
import { newDatabase } from "../../postgres.ts"

/** Rows of one statement, over a connection of its own. */
export const execute = async (url: string, sql: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export interface TestLog {
  readonly url: string
  readonly schema: string
}

/** Logs of their own in one database of the file. */
export const useDatabase = (): { readonly url: () => string; readonly newLog: () => TestLog } => {
  let url = ""
  let remove = async () => {}
  let logs = 0
  beforeAll(async () => {
    const database = await newDatabase()
    url = database.url
    remove = database.remove
  })
  afterAll(() => remove())
  return {
    url: () => url,
    newLog: () => {
      const schema = `log_${++logs}`
      return { schema, url: `${url}?schema=${schema}` }
    }
  }
}

type Services = EventLog | WorkQueue | Locks | Presence

/**
 * A log in which only the hand of the cases moves the time: all SQL of ours and of pg-boss asks `job_now()` for it.
 */
export const standingLog = (url: string, { schema, url: logUrl }: TestLog): Layer.Layer<Services | Digest, unknown> => {
  let now = Date.UTC(2026, 0, 2, 12)
  const stand = Effect.promise(() =>
    execute(
      url,
      `create or replace function ${schema}_queue.job_now() returns timestamptz language sql stable as
        $$ select timestamptz 'epoch' + interval '${now} milliseconds' $$; select pg_notify('${schema}_log', ' work')`
    )
  )
  const passes = (ms: number) =>
    Effect.suspend(() => {
      now += ms
      return stand
    })
  return Layer.effectDiscard(stand).pipe(
    Layer.provideMerge(postgresLog({ url: logUrl })),
    Layer.provideMerge(nodeDigest),
    Layer.provideMerge(Layer.succeed(TimePasses, passes))
  )
}

/** What another process on a log says, a value a line; it is killed with the scope. */
export const another = (...args: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(
          process.execPath,
          ["--conditions=@proofline/source", fileURLToPath(new URL("process.ts", import.meta.url)), ...args],
          { stdio: ["ignore", "pipe", "inherit"] }
        )
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      return {
        next: Effect.promise(async (): Promise<unknown> => JSON.parse(`${(await lines.next()).value}`)),
        kill: Effect.promise(async () => {
          const ended = once(child, "exit")
          child.kill("SIGKILL")
          await ended
        })
      }
    }
  )
