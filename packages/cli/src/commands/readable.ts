import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { LogUnavailable } from "@proofline/kernel"
import { Effect, type Scope } from "effect"
import type { ProjectPaths } from "../paths.ts"
import { withExistingStorage } from "../storage.ts"

/**
 * Where the log of a project can be read, until the scope closes: a copy of it where it may only be read, for SQLite wants
 * to write beside a file to read it.
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
      const from = yield* readable(paths)
      return yield* withExistingStorage(from, otherwise, use)
    })
  )

const readableFile = (database: string) =>
  !existsSync(database) || isWritable(database)
    ? Effect.succeed(database)
    : Effect.map(
        Effect.acquireRelease(
          Effect.try({ try: () => copyOf(database), catch: (cause) => notCopied(database, cause) }),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
        ),
        (folder) => Path.join(folder, Path.basename(database))
      )

const isWritable = (database: string): boolean => {
  try {
    accessSync(database, constants.W_OK)
    accessSync(Path.dirname(database), constants.W_OK)
    return true
  } catch {
    return false
  }
}

const copyOf = (database: string): string => {
  const folder = mkdtempSync(Path.join(tmpdir(), "proofline-read-"))
  // what was not written back to the file yet stands in the second one
  for (const file of [database, `${database}-wal`])
    if (existsSync(file)) copyFileSync(file, Path.join(folder, Path.basename(file)))
  return folder
}

const notCopied = (database: string, cause: unknown): LogUnavailable =>
  new LogUnavailable({
    code: "log_unwritable",
    message: `The log ${database} cannot be read where it is, nor copied: ${(cause as Error).message}.`,
    hint: "Make it readable for this user, and let TMPDIR name a directory that can be written."
  })
