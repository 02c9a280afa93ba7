import { existsSync, statSync } from "node:fs"
import { Damaged, notRegular } from "./explain.ts"

/** Whether there is a log; of one whose file is gone everything may stand in the write-ahead log. */
export const isLogThere = (file: string): boolean => {
  try {
    return existsSync(file) || hasBytes(`${file}-wal`)
  } catch {
    // nobody may look: who opens it is told why
    return true
  }
}

/** Throws `Damaged` where a log, or what SQLite keeps beside it, is no file: to open a pipe may take for ever. */
export const checkRegular = (file: string): void => {
  const found = notFileOf(file)
  if (found !== undefined) throw new Damaged(notRegular(found))
}

/** What is in the place of a file of the log and is none; undefined: nothing. */
export const notFileOf = (file: string): string | undefined =>
  [file, `${file}-wal`, `${file}-shm`].find((path) => isOther(path))

/** What may not be looked at is told by who opens it. */
const isOther = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === false
  } catch {
    return false
  }
}

export const hasBytes = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
