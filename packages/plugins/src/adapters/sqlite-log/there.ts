import { existsSync, statSync } from "node:fs"

/** Whether there is a log; of one whose file is gone everything may stand in the write-ahead log. */
export const isLogThere = (file: string): boolean => {
  try {
    return existsSync(file) || hasBytes(`${file}-wal`)
  } catch {
    // nobody may look: who opens it is told why
    return true
  }
}

export const hasBytes = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
