import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { LogUnavailable } from "@proofline/kernel"

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const code = {
  perm: 3,
  busy: 5,
  locked: 6,
  nomem: 7,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  protocol: 15,
  notadb: 26
} as const

/** With less than this left, in bytes, an I/O error is put down to the full disk. */
const fullBelow = 1 << 20

const primaryCode = (error: unknown): number | null => {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode === "number" ? errcode & 0xff : null
}

/** Somebody else has the lock: nothing happened, ask again. */
export const isBusy = (error: unknown): boolean => {
  const primary = primaryCode(error)
  return primary === code.busy || primary === code.locked || primary === code.protocol
}

const storageCodes: ReadonlySet<number> = new Set(Object.values(code))

/** True for what the storage refused, whoever asks; anything else is a mistake in the one request. */
export const isStorageError = (error: unknown): boolean => {
  const primary = primaryCode(error)
  return primary !== null && storageCodes.has(primary)
}

/** What went wrong with the file, for people. */
export const toUnavailable = (file: string, error: unknown): LogUnavailable =>
  error instanceof LogUnavailable ? error : new LogUnavailable({ ...explain(file, error) })

type Explanation = Pick<LogUnavailable, "code" | "message" | "hint">

const explain = (file: string, error: unknown): Explanation => {
  const { code: name, message } = error as { readonly code?: string; readonly message?: string }
  switch (primaryCode(error)) {
    case code.full:
      return diskFull(file)
    case code.ioerr:
      return hasSpace(file) ? failed(file, `the disk reported an error (${message})`) : diskFull(file)
    case code.perm:
    case code.readonly:
    case code.cantopen:
      return unwritable(file, `${message}`)
    case code.corrupt:
      return corrupt(file, "it is damaged")
    case code.notadb:
      return corrupt(file, "it is no SQLite database")
    case code.busy:
    case code.locked:
    case code.protocol:
      return failed(file, "another process has kept it locked for too long")
  }
  switch (name) {
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(file)
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOTDIR":
    case "EEXIST":
      return unwritable(file, `${message}`)
    default:
      return failed(file, `${message ?? error}`)
  }
}

const hasSpace = (file: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize >= fullBelow
  } catch {
    return true
  }
}

const diskFull = (file: string): Explanation => ({
  code: "log_disk_full",
  message: `The log ${file} cannot be written: the disk is full.`,
  hint: "Free some space on that disk and run the command again; nothing that was acknowledged is lost."
})

const unwritable = (file: string, why: string): Explanation => ({
  code: "log_unwritable",
  message: `The log ${file} cannot be opened or written: ${why}.`,
  hint: `Make ${dirname(file)} and the files in it writable for this user, or keep the state in another directory.`
})

const corrupt = (file: string, why: string): Explanation => ({
  code: "log_corrupt",
  message: `${file} is not a usable log: ${why}.`,
  hint: "Move the file away to start a new log, or put a copy of the log back. Proofline leaves the file as it is."
})

const failed = (file: string, why: string): Explanation => ({
  code: "log_failed",
  message: `The log ${file} cannot be used: ${why}.`,
  hint: "Nothing of the request was written. Run the command again; if it fails again, look at the disk and at other processes that use the file."
})

export const foreign = (file: string): LogUnavailable =>
  new LogUnavailable(corrupt(file, "it is the database of another program"))

export const newer = (file: string, unknown: string): LogUnavailable =>
  new LogUnavailable({
    code: "log_newer",
    message: `The log ${file} was written by a newer Proofline: its schema has "${unknown}".`,
    hint: "Update Proofline, then run the command again."
  })

export const noWal = (file: string): LogUnavailable =>
  new LogUnavailable(failed(file, "its file system does not support SQLite's write-ahead log"))

const lost = (why: string): LogUnavailable =>
  new LogUnavailable({
    code: "log_lost",
    message: `${why}.`,
    hint: "What was reported since then cannot be proven. Put the log back from a copy, or keep it where nobody cleans up (--state), and start again."
  })

/** Proofline never does that. */
export const removed = (path: string): LogUnavailable =>
  lost(`The event log was lost: ${path} was removed or replaced while it was in use`)

export const shrunk = (file: string, how: string): LogUnavailable =>
  lost(`The event log ${file} has lost events while it was in use: ${how}`)

export const closed = (file: string): LogUnavailable => new LogUnavailable(failed(file, "it was closed"))
