import { statSync } from "node:fs"
import { type LogUnavailable, makeRecent, type Recorded } from "@proofline/kernel"
import { watchEntries } from "./entries.ts"
import { isBusy, removed, shrunk } from "./failure.ts"
import { LogDatabase } from "./logDatabase.ts"
import { type OpenFile, openFile } from "./openFile.ts"
import { prepareStatements, type Statements } from "./statements.ts"

/**
 * Notices that the log is not what this process knows of it any more. An open file that was deleted accepts writes
 * that nobody will ever see, and what another program has deleted from the table leaves no trace in it.
 */
export interface LossDetector {
  /** An event that is in the log for good, as far as this process can tell. */
  readonly know: (event: Recorded) => void
  /** Of a run that is archived. */
  readonly forget: (stream: string) => void
  /**
   * Throws `log_lost` where events that are known are gone, or a file of the database was removed, replaced or cut. Costs one
   * `pragma` and a look at the files while nobody else has written.
   */
  readonly check: () => void
  /**
   * The same before a transaction writes, of what cannot be seen behind it any more; the rest is seen by `writing`. Gives the
   * number that changes when another connection has committed.
   */
  readonly checkBefore: () => unknown
  /** What is read from a log that is there. */
  readonly reading: <A>(read: () => A) => A
  /** The same for a transaction. What was committed is never thrown away because the file is locked afterwards. */
  readonly writing: <A>(write: () => A) => A
}

/** Streams whose last known event is looked for when somebody else has written. */
const remembered = 32

/** The database file, which hardly any commit writes, is not looked at again so soon after a look; ms. */
const freshMs = 1

export const makeLossDetector = (file: string, statements: Statements): LossDetector => {
  const { dataVersion } = statements
  // the files that go with the database are made by the first statement that reads it
  statements.lastPosition.get()
  const [database, log, index] = [file, `${file}-wal`, `${file}-shm`].map(
    (path): KnownFile => ({ path, ...lookAt(path) })
  ) as [KnownFile, KnownFile, KnownFile]
  let openLog: OpenFile | null = openFile(log.path)
  const entries = watchEntries(file)
  let lookedAt = 0
  const lastOf = makeRecent<string, Pick<Recorded, "version" | "hash">>(remembered)
  let position = 0
  let checkedAt: unknown = null
  let lost: LogUnavailable | null = null

  const lose = (why: LogUnavailable): never => {
    lost = why
    throw why
  }
  const checkFile = (known: KnownFile) => {
    const { inode, size } = lookAt(known.path)
    known.inode ??= inode
    if (inode !== known.inode) lose(removed(known.path))
    if (size < known.size) checkOnDisk(known.path)
    known.size = size
  }
  /** The write-ahead log, which every transaction writes. */
  const checkLog = (isInPlace: boolean) => {
    const isShorter = openLog?.isShorter() === true
    if (openLog !== null && isInPlace && !isShorter) return
    // only now its state is asked for
    if (isShorter) log.size = Number.POSITIVE_INFINITY
    checkFile(log)
    if (openLog !== null) openLog = openFile(log.path)
  }
  const checkDatabase = () => {
    const now = performance.now()
    if (now - lookedAt < freshMs) return
    checkFile(database)
    lookedAt = now
  }
  const checkFiles = () => {
    if (lost !== null) throw lost
    // none was removed or replaced while no entry of their directory has changed
    const mayHaveChanged = entries.mayHaveChanged()
    if (mayHaveChanged) lookedAt = 0
    checkDatabase()
    checkLog(!mayHaveChanged || openLog?.isInPlace() === true)
    if (mayHaveChanged) checkFile(index)
  }
  /** SQLite may have made the file smaller for somebody (`vacuum`); else this process still reads what it has in memory. */
  const checkOnDisk = (path: string) => {
    try {
      const db = new LogDatabase(file, { readOnly: true })
      try {
        // it reads every page
        const { quick_check } = db.prepare("pragma quick_check(1)").get() ?? {}
        if (quick_check !== "ok") lose(shrunk(file, `${path} was cut off`))
        checkEventsIn(prepareStatements(db))
      } finally {
        db.close()
      }
    } catch (error) {
      if (lost === null && !isBusy(error)) lose(shrunk(file, `${path} was cut off`))
      throw error
    }
  }
  const checkEvents = () => {
    if (lost !== null) throw lost
    const now = dataVersion.get()?.data_version
    if (now === checkedAt) return now
    checkEventsIn(statements)
    checkedAt = now
    return now
  }
  const checkEventsIn = ({ away, hashAt, lastPosition }: Pick<Statements, "away" | "hashAt" | "lastPosition">) => {
    const end = lastPosition.get()?.position ?? 0
    if (end < position) lose(shrunk(file, `it ends at position ${end}, and there was an event at position ${position}`))
    for (const [stream, { hash, version }] of lastOf.entries()) {
      if (hashAt.get(stream, version)?.hash === hash) continue
      const left = away.get(stream)
      if (left?.kind === "archived" && left.version >= version) {
        lastOf.delete(stream)
        continue
      }
      lose(shrunk(file, `event ${version} of ${stream}, which was in it, is gone`))
    }
  }
  const check = () => {
    checkFiles()
    checkEvents()
  }
  const checkBefore = () => {
    if (lost !== null) throw lost
    // what was cut is long again once it is written
    checkDatabase()
    checkLog(true)
    return checkEvents()
  }
  const guarded =
    (after: () => void) =>
    <A>(use: () => A): A => {
      if (lost !== null) throw lost
      try {
        const answer = use()
        after()
        return answer
      } catch (error) {
        // without its files SQLite may say anything
        if (!isBusy(error)) checkFiles()
        throw error
      }
    }
  const know = ({ hash, position: at, stream, version }: Recorded) => {
    if (at > position) position = at
    if ((lastOf.get(stream)?.version ?? 0) > version) return
    lastOf.set(stream, { version, hash })
  }
  return {
    know,
    forget: lastOf.delete,
    check,
    checkBefore,
    reading: guarded(check),
    writing: guarded(checkFiles)
  }
}

/** No inode: there is no such file. */
interface FileState {
  inode: number | undefined
  size: number
}

interface KnownFile extends FileState {
  readonly path: string
}

const lookAt = (path: string): FileState => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return { inode: stat?.ino, size: stat?.size ?? 0 }
}
