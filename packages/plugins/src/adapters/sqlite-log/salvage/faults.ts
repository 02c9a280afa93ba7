import type { DatabaseSync } from "node:sqlite"
import { isUnwritable } from "../explain.ts"
import { LogDatabase } from "../logDatabase.ts"
import { asDatabase } from "./database.ts"

/** Places that are named at most. */
const placesMax = 100

/**
 * What SQLite finds wrong with the pages, tables and indexes of a file, which is locked for nobody and not changed; empty:
 * nothing. Throws what SQLite throws.
 */
export const databaseFaults = (file: string): ReadonlyArray<string> => {
  try {
    const db = new LogDatabase(file, { readOnly: true, timeout: 5_000 })
    try {
      return faultsIn(db)
    } finally {
      db.close()
    }
  } catch (error) {
    // SQLite wants to write beside a file to read it
    const found = isUnwritable(file, error) ? asDatabase(file, faultsIn) : null
    if (found === null) throw error
    return found
  }
}

const faultsIn = (db: DatabaseSync): ReadonlyArray<string> =>
  db
    .prepare(`pragma integrity_check(${placesMax})`)
    .all()
    .map((row) =>
      String(row["integrity_check"])
        .replaceAll(/\s+/g, " ")
        .replace(/^\*\*\* in database main \*\*\* /, "")
    )
    .filter((fault) => fault !== "ok")
