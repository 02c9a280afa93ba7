import type { DatabaseSync } from "node:sqlite"
import { isUnwritable } from "../explain.ts"
import { LogDatabase } from "../logDatabase.ts"
import { shapeOf } from "../migrations.ts"
import { asDatabase } from "./database.ts"

/** Places that are named at most. */
const placesMax = 100

/**
 * What SQLite finds wrong with the pages, tables and indexes of a file, which is locked for nobody and not changed; empty:
 * nothing. Throws what SQLite throws, and `LogUnavailable` or `Damaged` where the tables are not those of a log that can be read here.
 */
export const databaseFaults = (file: string): ReadonlyArray<string> => {
  try {
    const db = new LogDatabase(file, { readOnly: true, timeout: 5_000 })
    try {
      return faultsIn(db, file)
    } finally {
      db.close()
    }
  } catch (error) {
    // SQLite wants to write beside a file to read it
    const found = isUnwritable(file, error) ? asDatabase(file, (db) => faultsIn(db, file)) : null
    if (found === null) throw error
    return found
  }
}

const faultsIn = (db: DatabaseSync, file: string): ReadonlyArray<string> => {
  const faults = ofPages(db)
  if (faults.length === 0) shapeOf(db, file)
  return faults
}

const ofPages = (db: DatabaseSync): ReadonlyArray<string> =>
  db
    .prepare(`pragma integrity_check(${placesMax})`)
    .all()
    .map((row) =>
      String(row["integrity_check"])
        .replaceAll(/\s+/g, " ")
        .replace(/^\*\*\* in database main \*\*\* /, "")
    )
    .filter((fault) => fault !== "ok")
