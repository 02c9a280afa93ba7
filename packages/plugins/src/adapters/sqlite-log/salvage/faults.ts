import { DatabaseSync } from "node:sqlite"

/** Places that are named at most. */
const placesMax = 100

/**
 * What SQLite finds wrong with the pages, tables and indexes of a file, which is locked for nobody and not changed; empty:
 * nothing. Throws what SQLite throws.
 */
export const databaseFaults = (file: string): ReadonlyArray<string> => {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    return db
      .prepare(`pragma integrity_check(${placesMax})`)
      .all()
      .map((row) =>
        String(row["integrity_check"])
          .replaceAll(/\s+/g, " ")
          .replace(/^\*\*\* in database main \*\*\* /, "")
      )
      .filter((fault) => fault !== "ok")
  } finally {
    db.close()
  }
}
