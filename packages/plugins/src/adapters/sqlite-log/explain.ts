/** What went wrong with the file of a log, told without the kernel: `status` must not wait for it to load. */
import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { goOn } from "../../log/goOn.ts"

export interface Explanation {
  readonly code: "log_disk_full" | "log_unwritable" | "log_not_regular" | "log_corrupt" | "log_failed"
  readonly message: string
  readonly hint: string
}

/** The file is not as it was written, which SQLite itself did not say. */
export class Damaged extends Error {
  readonly explanation: Explanation
  constructor(explanation: Explanation) {
    super(explanation.message)
    this.explanation = explanation
  }
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
export const code = {
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

/** A statement that cannot be run. */
const cannotRun = 1

/** With less than this left, in bytes, an I/O error is put down to the full disk. */
const fullBelow = 1 << 20

export const primaryCode = (error: unknown): number | null => {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode === "number" ? errcode & 0xff : null
}

/** Whether what SQLite says is that the file is not as it was written. */
export const isDamage = (error: unknown): boolean => {
  const primary = primaryCode(error)
  return error instanceof Damaged || primary === code.corrupt || primary === code.notadb
}

/** Whether it may be that the file can be read and nothing be made beside it. */
export const isUnwritable = (file: string, error: unknown): boolean => {
  const primary = primaryCode(error)
  return primary === code.readonly || primary === code.cantopen || explain(file, error).code === "log_disk_full"
}

export const explain = (file: string, error: unknown): Explanation => {
  if (error instanceof Damaged) return error.explanation
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
    case cannotRun:
      // every statement is one of ours, made for the tables of a log
      return corrupt(file, `its tables are not those of a log (${message})`)
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

/** Whether the disk of a file has more left than what SQLite needs beside it to read it. */
export const hasSpace = (file: string): boolean => {
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
  hint: `Free some space on that disk; nothing that was acknowledged is lost. ${goOn}`
})

const unwritable = (file: string, why: string): Explanation => ({
  code: "log_unwritable",
  message: `The log ${file} cannot be opened or written: ${why}.`,
  hint: `Make ${dirname(file)} and the files in it writable for this user, or keep the state in another directory.`
})

export const notRegular = (path: string): Explanation => ({
  code: "log_not_regular",
  message: `A directory, a device or a pipe is where a file of the log should be: ${path}.`,
  hint: "Take it away, or name another state directory with --state."
})

/** What to do about a file that is damaged. */
export const damagedHint =
  "`proofline doctor` says what of it can still be read, and `proofline doctor --repair` takes that into a new file; or put a copy of the log back. Proofline leaves the file as it is."

export const corrupt = (file: string, why: string): Explanation => ({
  code: "log_corrupt",
  message: `${file} is not a usable log: ${why}.`,
  hint: damagedHint
})

export const failed = (file: string, why: string): Explanation => ({
  code: "log_failed",
  message: `The log ${file} cannot be used: ${why}.`,
  hint: `Look at the disk and at other processes that use the file. ${goOn}`
})
