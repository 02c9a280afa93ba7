import * as Path from "node:path"
import { Effect, type Scope } from "effect"
import { serverAccount } from "./account.ts"
import { failed, PrivatePostgresFailed } from "./failed.ts"
import { homeFor, lockHome, makeData, passwordOf, role, versionOf } from "./home.ts"
import { findPrograms } from "./programs.ts"
import { startServer } from "./server.ts"

export { PrivatePostgresFailed } from "./failed.ts"
export { tryLock } from "./lock.ts"

export interface PrivatePostgresOptions {
  /** What it writes lies below; kept, and used again at the next start. */
  readonly directory: string
  /** Settings of Postgres (`postgresql.conf`). Without `fsync` the data are not for keeping. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface PrivatePostgres {
  /** With the password: for whoever started it. */
  readonly url: string
  readonly pid: number
  readonly port: number
  /** Where its files are: below the directory, or elsewhere when the server, which never runs as root, cannot get there. */
  readonly home: string
  /** As whom it runs where we are root. */
  readonly account: string | null
  /** Completes when the server has ended, whoever ended it. */
  readonly ended: Effect.Effect<void>
}

/** Checks that there is a Postgres, and starts nothing. */
export const present: Effect.Effect<void, PrivatePostgresFailed> = Effect.suspend(() =>
  Effect.asVoid(Effect.try({ try: () => findPrograms(serverAccount(), null), catch: toFailed }))
)

/**
 * A Postgres of one's own, until the scope ends: on 127.0.0.1 alone, without Unix sockets, and nobody gets in without the
 * password, which lies in a file that only its owner can read. One server a directory; one that was left by a killed
 * process is ended first.
 *
 * It ends with this process too, even one that is killed: a shell waits for that. Where somebody kills the shell as well,
 * or stops the server (`SIGSTOP`), it stays until the next start in this directory.
 */
export const start = (
  options: PrivatePostgresOptions
): Effect.Effect<PrivatePostgres, PrivatePostgresFailed, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.tryPromise({ try: () => starting(options), catch: toFailed }), ({ stop }) =>
      Effect.promise(stop)
    ),
    ({ postgres }) => postgres
  )

const starting = async ({ directory, settings = {} }: PrivatePostgresOptions) => {
  const account = serverAccount()
  findPrograms(account, null)
  const home = homeFor(Path.resolve(directory), account)
  const lock = lockHome(home)
  try {
    const programs = findPrograms(account, versionOf(home))
    if (versionOf(home) === null) makeData(home, programs, account, settings["fsync"] !== "off")
    const server = await startServer(home, programs, account, settings, lock.before?.port ?? null)
    lock.write({ pid: process.pid, port: server.port, since: new Date().toISOString() })
    const stop = async () => {
      try {
        await server.stop()
      } finally {
        lock.release()
      }
    }
    const postgres: PrivatePostgres = {
      url: `postgresql://${role}:${passwordOf(home)}@127.0.0.1:${server.port}/postgres`,
      pid: server.pid,
      port: server.port,
      home: home.directory,
      account: account.other?.name ?? null,
      ended: Effect.promise(() => server.ended)
    }
    return { postgres, stop }
  } catch (cause) {
    lock.release()
    throw cause
  }
}

const toFailed = (cause: unknown): PrivatePostgresFailed =>
  cause instanceof PrivatePostgresFailed
    ? cause
    : failed(
        "postgres_failed",
        `A private Postgres could not be started: ${cause instanceof Error ? cause.message : String(cause)}`,
        "Mend what it says, name another state directory with --state, or give the URL of a Postgres with --database-url."
      )
