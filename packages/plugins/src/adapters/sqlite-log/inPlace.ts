import { accessSync, constants } from "node:fs"
import { dirname } from "node:path"
import { explain, hasSpace } from "./explain.ts"
import { LogDatabase } from "./logDatabase.ts"

export { isLogThere, notFileOf } from "./there.ts"

/** Whether a log can be read where it is: SQLite makes files beside it, for which the right may be missing, or the space. */
export const isReadInPlace = (file: string): boolean => mayWrite(file) && (hasSpace(file) || opens(file))

const mayWrite = (file: string): boolean => {
  try {
    accessSync(file, constants.W_OK)
    accessSync(dirname(file), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Whatever else is wrong with it is told by who reads it. */
const opens = (file: string): boolean => {
  try {
    const db = new LogDatabase(file, {})
    try {
      db.prepare("select 1 from sqlite_schema limit 1").get()
      return true
    } finally {
      db.close()
    }
  } catch (error) {
    return explain(file, error).code !== "log_disk_full"
  }
}
