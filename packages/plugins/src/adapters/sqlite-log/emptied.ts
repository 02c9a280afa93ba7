import type { DatabaseSync } from "node:sqlite"

/*
 * How many positions of a log are empty for good: those of events that were archived. What is missing beyond them is lost. The
 * number stands in `user_version`, which SQLite keeps in the header of the file and otherwise leaves alone.
 */

/** 0 in a log that an older Proofline wrote, whatever was archived there. */
export const emptiedIn = (db: DatabaseSync): number => Number(db.prepare("pragma user_version").get()?.["user_version"])

/** Within the running transaction. */
export const addEmptied = (db: DatabaseSync, positions: number): void =>
  db.exec(`pragma user_version = ${emptiedIn(db) + positions}`)
