import { hostname } from "node:os"
import { EventLog, LogUnavailable, RunHeads, type Summarizer } from "@proofline/kernel"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { ignoreAll, layer as runHeads } from "@proofline/plugins/adapters/run-heads"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { isLogThere } from "@proofline/plugins/adapters/sqlite-log/inPlace"
import { isFull, makeDirectoryNow } from "@proofline/plugins/log"
import { loopSummary } from "@proofline/plugins/policies/requirements"
import { sessionSummary } from "@proofline/plugins/policies/sessions"
import { Effect, Layer } from "effect"
import { databaseName, inDatabase, noDatabaseForBlobs } from "../base/database.ts"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { version } from "../base/version.ts"
import { telemetrySettings } from "../telemetry/settings.ts"

/** What our policies add to the summaries of runs. */
export const summarizers: ReadonlyArray<Summarizer> = [sessionSummary, loopSummary]

/** The log with its queue, locks and presences: in a file, or in the Postgres that workers on other machines share. */
export const logOf = ({ database, databaseUrl, worker }: ProjectPaths) =>
  databaseUrl === undefined
    ? sqliteLog({ file: database, summarizers })
    : loaded(
        () => import("@proofline/plugins/adapters/postgres-log"),
        ({ layer }) =>
          layer({
            url: databaseUrl,
            summarizers,
            version,
            ...patienceOf(worker),
            holder: { pid: process.pid, host: hostname(), ...(worker === undefined ? {} : { name: worker }) }
          })
      )

/** A worker that has done something hands it in, however long the database is away. */
const patienceOf = (worker: string | undefined) => (worker === undefined ? {} : { awayMs: Number.POSITIVE_INFINITY })

/** A layer whose module only some need: it is not loaded before. */
const loaded = <M, A, E, R>(load: () => Promise<M>, make: (module: M) => Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.unwrap(Effect.map(Effect.promise(load), make))

/** Where the blobs are: as it was said, else with the log. */
export const blobsOf = ({ blobStore, blobs, databaseUrl, worker }: ProjectPaths) => {
  if (blobStore?.startsWith("s3:") === true) {
    return loaded(
      () => import("@proofline/plugins/adapters/s3-blobs"),
      ({ layer }) => layer({ url: blobStore, env: process.env })
    )
  }
  if (blobStore !== undefined && blobStore !== inDatabase) return fileBlobs({ directory: blobStore })
  if (databaseUrl === undefined) return fileBlobs({ directory: blobs })
  return loaded(
    () => import("@proofline/plugins/adapters/postgres-log/blobs"),
    ({ layer }) => layer({ url: databaseUrl, ...patienceOf(worker) })
  )
}

/** What of a storage may be had in common with others. */
export interface StorageParts {
  readonly log: ReturnType<typeof logOf>
  readonly blobs: ReturnType<typeof blobsOf>
}

/** Storage of a project: log, queue, locks, presences, blobs, and heads of runs outside of it. `parts`: its own when left out. */
export const storage = (
  paths: ProjectPaths,
  { blobs, log: own }: StorageParts = { log: logOf(paths), blobs: blobsOf(paths) }
) => {
  const measured = loaded(
    () => import("../telemetry/measuredLog.ts"),
    ({ measuredLog }) => measuredLog
  )
  const log = telemetrySettings(process.env).isOn ? Layer.provideMerge(measured, own) : own
  const layer = Layer.mergeAll(log, blobs, headsOf(paths)).pipe(Layer.provideMerge(nodeDigest))
  const isNowhere = paths.blobStore === inDatabase && paths.databaseUrl === undefined
  return Layer.unwrap(isNowhere ? Effect.fail(stop(exitCodes.usage, noDatabaseForBlobs)) : Effect.succeed(layer))
}

/** What a storage gives to the kernel. */
export type StorageServices = Layer.Success<ReturnType<typeof storage>>

/** Where the heads of a project's runs are kept. */
export const headsOf = ({ databaseUrl, heads, root, state }: ProjectPaths) =>
  runHeads({ root, stateDir: databaseUrl === undefined ? state : `/${databaseName(databaseUrl)}`, directory: heads })

/** All heads of them. */
export const headsIn = (paths: ProjectPaths) =>
  Effect.provide(
    Effect.flatMap(RunHeads, ({ all }) => all),
    headsOf(paths)
  )

/** Makes the state directory, invisible to git. */
export const prepareState = (paths: ProjectPaths): Effect.Effect<void, LogUnavailable> =>
  Effect.try({
    try: () => {
      makeDirectoryNow(paths.state)
      // so that a project without `init` stays clean too
      ignoreAll(paths.state)
    },
    catch: (cause) => {
      const { message = String(cause) } = cause as NodeJS.ErrnoException
      return new LogUnavailable({
        code: isFull(cause) ? "log_disk_full" : "log_unwritable",
        message: `The state directory ${paths.state} cannot be written: ${message}.`,
        hint: "Make it writable, free some space, or name another one with --state."
      })
    }
  })

/** Runs with the project's storage, which is made when it does not exist. */
export const withStorage = <A, E, R>(paths: ProjectPaths, use: Effect.Effect<A, E, R>, parts?: StorageParts) =>
  Effect.andThen(prepareState(paths), Effect.provide(orLost(use), storage(paths, parts)))

/** Like `withStorage`, but a project in which nothing ever ran stays untouched and gives `otherwise`. */
export const withExistingStorage = <A, E, R, B, E2>(
  paths: ProjectPaths,
  otherwise: Effect.Effect<B, E2>,
  use: Effect.Effect<A, E, R>
) =>
  paths.databaseUrl !== undefined || isLogThere(paths.database)
    ? Effect.provide(orLost(use), storage(paths))
    : otherwise

/** Of a log that is gone that is said, whatever else its directory took with it and was met first. */
const orLost = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.tapError(use, (error) =>
    error instanceof LogUnavailable
      ? Effect.flatMap(EventLog, ({ check }) =>
          Effect.catch(check, (why) => (why.code === "log_lost" ? Effect.fail(why) : Effect.void))
        )
      : Effect.void
  )
