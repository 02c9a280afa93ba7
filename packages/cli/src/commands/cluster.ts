import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { EventLog } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import {
  type PrivatePostgresFailed,
  start as startPostgres,
  tryLock
} from "@proofline/plugins/adapters/private-postgres"
import { Effect, Layer } from "effect"
import { ownProgram } from "../assets.ts"
import { blobsVariable, databaseVariable, fileWithUrl, readDatabaseUrl } from "../base/database.ts"
import type { ProjectPaths, Where } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { clusterDocument } from "../documents/workers.ts"
import { type ClusterWorker, type Crew, makeCrew } from "../driving/crew.ts"
import type { WorkerFlags } from "../driving/workerFlags.ts"
import { commandFor, print, printLine, say } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { logOf, prepareState } from "../project/storage.ts"
import { count } from "../render/lines.ts"

export interface ClusterOptions extends WorkerFlags, Where {
  readonly workers?: number | undefined
  readonly restart: boolean
  /** A command of Proofline, carried out on the cluster, which ends with it; empty: it stays up. */
  readonly command: ReadonlyArray<string>
  readonly json: boolean
}

const usualWorkers = 3

/** `proofline cluster up`: a database and workers on this machine, until it is told to end; it ends exactly what it started. */
export const clusterUp = Effect.fnUntraced(function* (options: ClusterOptions) {
  const own = yield* existingProject(options)
  yield* prepareState(own)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      yield* holdState(own)
      const { ended, paths } = yield* databaseOf(own)
      // makes or brings up to date what is in it, before all workers would do it at once
      yield* Effect.provide(
        Effect.flatMap(EventLog, ({ check }) => check),
        Layer.provide(logOf(paths), nodeDigest)
      )
      const crew = yield* makeCrew(paths, options)
      const workers = yield* Effect.forEach(
        Array.from({ length: options.workers ?? usualWorkers }, (_, i) => i),
        () => crew.add,
        { concurrency: "unbounded" }
      )
      if (options.command.length === 0) yield* tell(paths, crew, workers, options.json)
      const waiting = options.command.length === 0 ? Effect.never : carriedOut(paths, options.command)
      const exitCode = yield* Effect.raceAllFirst([ended, crew.watch, waiting])
      if (own.databaseUrl === undefined) {
        yield* say(
          `The log stays in ${own.state}; look at it with: ${commandFor(own)("cluster up --workers 1 -- history")}`
        )
      }
      return exitCode
    })
  )
})

/** A Proofline of its own, which is told to end as we are; its exit code. */
const carriedOut = (
  { blobStore, databaseUrl, root }: ProjectPaths,
  command: ReadonlyArray<string>
): Effect.Effect<number> =>
  Effect.callback((resume) => {
    const child = spawn(process.execPath, [ownProgram, ...command], {
      cwd: root,
      env: {
        ...process.env,
        [databaseVariable]: databaseUrl,
        ...(blobStore === undefined ? {} : { [blobsVariable]: blobStore })
      },
      stdio: "inherit"
    })
    child.once("error", () => resume(Effect.succeed(exitCodes.unmet)))
    child.once("close", (code) => resume(Effect.succeed(code ?? exitCodes.interrupted)))
    return Effect.promise(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, "close")
      child.kill("SIGINT")
      await ended
    })
  })

/** The paths with the database that was named, or with one of our own; and what waits for the end of our own, as a failure. */
const databaseOf = Effect.fnUntraced(function* (own: ProjectPaths) {
  const databaseUrl = own.databaseUrl ?? (yield* ofEnvironment)
  if (databaseUrl !== undefined) return { paths: { ...own, databaseUrl }, ended: Effect.never }
  const postgres = yield* Effect.mapError(startPostgres({ directory: own.state }), asStop)
  const place = Path.relative(own.state, postgres.home).startsWith("..") ? postgres.home : null
  if (place !== null) yield* say(`Its files are in ${place}: the user ${postgres.account} cannot reach ${own.state}.`)
  const died = stop(exitCodes.unmet, {
    code: "postgres_failed",
    message: "The private Postgres has ended by itself.",
    hint: `What it said is in ${Path.join(postgres.home, "server.log")}. Nothing that was acknowledged is lost: start it again.`
  })
  return {
    paths: { ...own, databaseUrl: postgres.url },
    ended: Effect.andThen(postgres.ended, Effect.fail(died))
  }
})

/** The variable that many programs share; taken away, so that agents do not get the log with it. */
const ofEnvironment = Effect.gen(function* () {
  const said = process.env["DATABASE_URL"]
  if (!said) return undefined
  const read = readDatabaseUrl(said)
  if ("url" in read) {
    delete process.env["DATABASE_URL"]
    return read.url
  }
  yield* say(`DATABASE_URL ${read.fault}, so it is left alone, and a private Postgres is used.`)
  return undefined
})

const asStop = ({ code, hint, message }: PrivatePostgresFailed): Stop =>
  stop(code === "postgres_failed" ? exitCodes.unmet : exitCodes.usage, { code, message, hint })

/** One cluster a state directory. */
const holdState = ({ state }: ProjectPaths) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const lock = tryLock(Path.join(state, "cluster.lock"))
      if ("heldBy" in lock) return Effect.fail(isUp(state, lock.heldBy))
      lock.write({ pid: process.pid, since: new Date().toISOString() })
      return Effect.succeed(lock)
    }),
    ({ release }) => Effect.sync(release)
  )

const isUp = (state: string, who: { readonly pid: number; readonly since: string } | null) =>
  stop(exitCodes.usage, {
    code: "cluster_is_up",
    kind: "conflict",
    message: `A cluster of ${state} is up already${who === null ? "" : `: process ${who.pid}, since ${who.since}`}.`,
    hint: "Use that one, end it, or name another state directory with --state."
  })

const tell = Effect.fnUntraced(function* (
  paths: ProjectPaths & { readonly databaseUrl: string },
  { slots }: Crew,
  workers: ReadonlyArray<ClusterWorker>,
  json: boolean
) {
  if (json) {
    yield* printLine(clusterDocument, {
      database_url: paths.databaseUrl,
      workers: workers.map(({ name, pid }) => ({ name, pid }))
    })
  } else {
    yield* print(
      [
        `Database  ${paths.databaseUrl}`,
        ...workers.map(({ name, pid }) => `Worker    ${name}, process ${pid}, ${count(slots, "slot")}`),
        ""
      ].join("\n")
    )
  }
  // what is copied into a shell's history holds no password
  const named = `--database-url file:${fileWithUrl(paths.databaseUrl, paths.state)}`
  const plain = commandFor({ root: paths.root, state: paths.state })
  yield* say(`Start a run with: ${plain(`run tasks.yaml --agent claude ${named}`)}`)
  yield* say(`See its workers with: ${plain(`status --workers ${named}`)}`)
  yield* say("Stop all of it with Ctrl-C.")
})
