import { LogUnavailable } from "@proofline/kernel"
import { code, corrupt, explain, failed, primaryCode } from "./explain.ts"

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

export const foreign = (file: string): LogUnavailable =>
  new LogUnavailable({
    ...corrupt(file, "it is the database of another program"),
    hint: "Name another place for the state (--state). Proofline leaves the file as it is."
  })

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
