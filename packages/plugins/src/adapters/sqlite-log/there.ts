import { existsSync, statSync } from "node:fs"

/** Whether there is a log; of one whose file is gone everything may stand in the write-ahead log. */
export const isLogThere = (file: string): boolean => existsSync(file) || hasBytes(`${file}-wal`)

export const hasBytes = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
