import { existsSync, realpathSync } from "node:fs"
import * as Path from "node:path"
import { Digest, EventLog, Locks, Presence, RunHeads } from "@proofline/kernel"
import { isLogThere } from "@proofline/plugins/adapters/sqlite-log/inPlace"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { databaseUrlInvalid, readDatabaseUrl } from "../base/database.ts"
import { logName, type ProjectPaths, pathsOf, projectPaths, statOf, type Where } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { prepareState, storage } from "../project/storage.ts"
import { readable } from "../reading/readable.ts"

/** A log that runs come from or go to. */
export interface Place {
  readonly paths: ProjectPaths
  /** How people know it; without secrets. */
  readonly name: string
}

/** The log of the project, or the one that is named: a state directory, the file of a log, or the URL of a database. */
export const placeOf = (named: string | undefined, where: Where): Effect.Effect<Place, Stop> => {
  const own = pathsOf(where)
  if (named === undefined) return Effect.succeed(placeAt(own))
  if (/^(postgres(ql)?|file):/.test(named)) {
    const read = readDatabaseUrl(named)
    return "url" in read
      ? Effect.succeed(placeAt({ ...own, databaseUrl: read.url }))
      : stop(exitCodes.usage, databaseUrlInvalid("--from or --to", read.fault))
  }
  const path = Path.resolve(named)
  const isFile = statOf(path)?.isFile() ?? /\.(db|sqlite3?)$/.test(path)
  const state = isFile ? Path.dirname(path) : path
  const [root] = /^(.*)[\\/]\.proofline[\\/]state$/.exec(state)?.slice(1) ?? []
  const paths = projectPaths(root ?? own.root, state)
  return Effect.succeed(placeAt(isFile ? { ...paths, database: path } : paths))
}

const placeAt = (paths: ProjectPaths): Place => ({ paths, name: logName(paths) })

/** Whether both are one log. */
export const isSame = (a: Place, b: Place): boolean => realNameOf(a) === realNameOf(b)

const realNameOf = ({ name, paths: { database, databaseUrl } }: Place): string =>
  databaseUrl === undefined && existsSync(database) ? realpathSync(database) : name

/** Stops where there is no log. */
export const existing = ({ name, paths }: Place): Effect.Effect<void, Stop> =>
  paths.databaseUrl !== undefined || isLogThere(paths.database)
    ? Effect.void
    : Effect.fail(
        stop(exitCodes.usage, {
          code: "log_unknown",
          kind: "unknown",
          message: `There is no log at ${name}.`,
          hint: "Name the state directory of a project, such as .proofline/state, the file of a log, or the URL of its database."
        })
      )

/** The services of a log that is open. */
export interface Side {
  readonly name: string
  /** Workers that nobody here knows of work on its runs. */
  readonly isShared: boolean
  /** Nothing can be written to it: what is read is a copy. */
  readonly isReadOnly: boolean
  readonly log: EventLog["Service"]
  readonly heads: (typeof RunHeads)["Service"]
  readonly presence: Presence["Service"]
  readonly locks: Locks["Service"]
  readonly blobs: BlobStore["Service"]
  readonly sha256: Digest["Service"]["sha256"]
}

/** Opens a log, making it where there is none, until the scope closes. */
export const open = ({ name, paths }: Place) =>
  Effect.andThen(paths.databaseUrl === undefined ? prepareState(paths) : Effect.void, opened(name, paths, false))

/** Opens a log that is there and of which nothing is to be written, also where that could not be done. */
export const openToRead = ({ name, paths }: Place) =>
  Effect.flatMap(readable(paths), (found) => opened(name, found, found.database !== paths.database))

const opened = Effect.fnUntraced(function* (name: string, paths: ProjectPaths, isReadOnly: boolean) {
  const services = yield* Layer.build(Layer.fresh(storage(paths)))
  return yield* Effect.provide(
    Effect.gen(function* () {
      const side: Side = {
        name,
        isShared: paths.databaseUrl !== undefined,
        isReadOnly,
        log: yield* EventLog,
        heads: yield* RunHeads,
        presence: yield* Presence,
        locks: yield* Locks,
        blobs: yield* BlobStore,
        sha256: (yield* Digest).sha256
      }
      return side
    }),
    services
  )
})
