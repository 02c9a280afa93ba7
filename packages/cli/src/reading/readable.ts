import { chmodSync, copyFileSync, existsSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { EventLog, LogUnavailable } from "@proofline/kernel"
import { makeTemporary } from "@proofline/plugins/adapters/node-process"
import { explain } from "@proofline/plugins/adapters/sqlite-log/explain"
import { isReadInPlace } from "@proofline/plugins/adapters/sqlite-log/inPlace"
import { Effect, type Scope, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { withExistingStorage } from "../project/storage.ts"

/**
 * Where the log of a project can be read, until the scope closes: a copy of it where it may only be read, or its disk is
 * full, for SQLite wants to write beside a file to read it.
 */
export const readable = (paths: ProjectPaths): Effect.Effect<ProjectPaths, LogUnavailable, Scope.Scope> =>
  Effect.map(
    paths.databaseUrl === undefined ? readableFile(paths.database) : Effect.succeed(paths.database),
    (database) => ({
      ...paths,
      database
    })
  )

/** What `withExistingStorage` does, with a log of which nothing is written. */
export const withStorageToRead = <A, E, R, B, E2>(
  paths: ProjectPaths,
  otherwise: Effect.Effect<B, E2>,
  use: Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      return yield* withReadableStorage(paths, yield* readable(paths), otherwise, use)
    })
  )

/** The same of what `readable` gave. To a copy of a log nothing comes any more, so that it cannot be followed. */
export const withReadableStorage = <A, E, R, B, E2>(
  { database }: ProjectPaths,
  from: ProjectPaths,
  otherwise: Effect.Effect<B, E2>,
  use: Effect.Effect<A, E, R>
) =>
  withExistingStorage(
    from,
    otherwise,
    from.database === database
      ? use
      : Effect.updateService(use, EventLog, (log) => ({ ...log, follow: () => Stream.fail(notFollowed(database)) }))
  )

const readableFile = (database: string) =>
  !existsSync(database) || isReadInPlace(database)
    ? Effect.succeed(database)
    : Effect.map(
        Effect.acquireRelease(
          Effect.try({ try: () => copyOf(database), catch: (cause) => notCopied(database, cause) }),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
        ),
        (folder) => Path.join(folder, Path.basename(database))
      )

/** The directory for temporary files is often on the disk that is full; what Linux keeps in memory is not. */
const copyOf = (database: string): string => {
  try {
    return copyIn(tmpdir(), database)
  } catch (cause) {
    try {
      return copyIn("/dev/shm", database)
    } catch {
      throw cause
    }
  }
}

const copyIn = (place: string, database: string): string => {
  const folder = makeTemporary(place)
  try {
    // what was not written back to the file yet stands in the second one
    for (const file of [database, `${database}-wal`])
      if (existsSync(file)) {
        const copy = Path.join(folder, Path.basename(file))
        copyFileSync(file, copy)
        // the rights of the one it is made of come along
        chmodSync(copy, 0o600)
      }
    return folder
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    throw cause
  }
}

const notFollowed = (database: string): LogUnavailable =>
  new LogUnavailable({
    code: "log_unwritable",
    message: `Nothing can be written beside the log ${database}, so what is appended to it is not seen as it comes.`,
    hint: "Leave --follow out and look again later; or follow it as a user who may write to its directory, with space left there."
  })

const notCopied = (database: string, cause: unknown): LogUnavailable =>
  new LogUnavailable({
    code: explain(database, cause).code,
    message: `The log ${database} cannot be read where it is, nor copied: ${(cause as Error).message}.`,
    hint: "Make it readable for this user, and let TMPDIR name a directory with space that can be written."
  })
