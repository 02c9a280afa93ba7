import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { type LogUnavailable, makeSummaries, type Summaries, type Summarizer } from "@proofline/kernel"
import { Effect, type Scope } from "effect"
import { holdDirectory } from "../../log/logDirectories.ts"
import { type Commands, makeCommands } from "./commands.ts"
import { noWal } from "./failure.ts"
import { type Heads, makeHeads } from "./heads.ts"
import { LogDatabase } from "./logDatabase.ts"
import { type LossDetector, makeLossDetector } from "./loss.ts"
import { migrate, shapeOf } from "./migrations.ts"
import { prepareStatements, type Statements } from "./statements.ts"
import { patiently } from "./waiting.ts"
import { checkWal } from "./wal.ts"

/** One open log file: one connection for reads and writes, used by one piece of synchronous code at a time. */
export interface Session {
  readonly file: string
  readonly db: DatabaseSync
  readonly statements: Statements
  readonly heads: Heads
  readonly commands: Commands
  readonly loss: LossDetector
  /** How events change the summaries of runs. */
  readonly summaries: Summaries
  /** Set within a transaction when it changes what others wait for. */
  news: boolean
}

/** Opens the log, making the file and its directory, and brings it to today's shape. Closed with the scope. */
export const openSession = (
  file: string,
  summarizers: ReadonlyArray<Summarizer> = []
): Effect.Effect<Session, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const db = yield* Effect.acquireRelease(open(file), (db) => Effect.sync(() => db.close()))
    yield* Effect.acquireRelease(
      patiently(file, () => holdDirectory(dirname(file))),
      (release) => Effect.sync(release)
    )
    const shape = yield* patiently(file, () => shapeOf(db, file))
    yield* patiently(file, () => configure(db, file))
    if (shape !== "current") yield* migrate(db, file)
    const statements = yield* patiently(file, () => prepareStatements(db))
    const loss = yield* patiently(file, () => makeLossDetector(file, statements))
    const summaries = makeSummaries(summarizers)
    const commands = makeCommands(statements)
    const heads = makeHeads(statements, summaries, commands)
    return { file, db, statements, loss, summaries, heads, commands, news: false }
  })

/** Reads, again and again while the file is locked; fails when the log is lost. */
export const looking = <A>({ file, loss }: Session, read: () => A): Effect.Effect<A, LogUnavailable> =>
  patiently(file, () => loss.reading(read))

const open = (file: string): Effect.Effect<DatabaseSync, LogUnavailable> =>
  patiently(file, () => {
    mkdirSync(dirname(file), { recursive: true })
    checkWal(file)
    // a timeout of SQLite's own would block the event loop
    return new LogDatabase(file, { timeout: 0 })
  })

const configure = (db: DatabaseSync, file: string): void => {
  const { journal_mode } = db.prepare("pragma journal_mode = wal").get() as { readonly journal_mode: string }
  if (journal_mode !== "wal") throw noWal(file)
  // an acknowledged event survives the loss of power
  db.exec("pragma synchronous = full")
}
