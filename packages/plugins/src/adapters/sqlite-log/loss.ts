import { statSync } from "node:fs"
import { type LogUnavailable, makeRecent, type Recorded } from "@proofline/kernel"
import { isBusy, removed, shrunk } from "./failure.ts"
import type { Statements } from "./statements.ts"

/**
 * Notices that the log is not what this process knows of it any more. An open file that was deleted accepts writes
 * that nobody will ever see, and what another program has deleted from the table leaves no trace in it.
 */
export interface LossDetector {
  /** An event that is in the log for good, as far as this process can tell. */
  readonly know: (event: Recorded) => void
  /** Of a run that is archived. */
  readonly forget: (stream: string) => void
  /** Throws `log_lost` where events that are known are gone. Costs one `pragma` while nobody else has written. */
  readonly checkEvents: () => void
  /** The same, and where a file of the database was removed or replaced. */
  readonly check: () => void
  /** What is read from a log that is there. */
  readonly reading: <A>(read: () => A) => A
  /** The same for a transaction. What was committed is never thrown away because the file is locked afterwards. */
  readonly writing: <A>(write: () => A) => A
}

/** Streams whose last known event is looked for when somebody else has written. */
const remembered = 32

export const makeLossDetector = (file: string, statements: Statements): LossDetector => {
  const { away, dataVersion, hashAt, lastPosition } = statements
  // the files that go with the database are made by the first statement that reads it
  lastPosition.get()
  const files = [file, `${file}-wal`, `${file}-shm`].map((path) => ({ path, inode: inodeOf(path) }))
  const lastOf = makeRecent<string, Pick<Recorded, "version" | "hash">>(remembered)
  let position = 0
  let checkedAt: unknown = null
  let lost: LogUnavailable | null = null

  const lose = (why: LogUnavailable): never => {
    lost = why
    throw why
  }
  const checkFiles = () => {
    if (lost !== null) throw lost
    for (const known of files) {
      const inode = inodeOf(known.path)
      known.inode ??= inode
      if (inode !== known.inode) lose(removed(known.path))
    }
  }
  const checkEvents = () => {
    if (lost !== null) throw lost
    const now = dataVersion.get()?.data_version
    if (now === checkedAt) return
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
    checkedAt = now
  }
  const check = () => {
    checkFiles()
    checkEvents()
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
    checkEvents,
    check,
    reading: guarded(check),
    writing: guarded(checkFiles)
  }
}

/** Undefined: there is no such file. */
const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino
