import { statSync } from "node:fs"
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite"

/** How many connections this process has to a file, by the file's identity. */
const connections = new Map<string, number>()

/**
 * A connection to a log file. While there is one, nothing else in this process may open the files of the database: closing a
 * descriptor of theirs ends the locks of SQLite (https://www.sqlite.org/howtocorrupt.html, "Posix advisory locks"), and
 * another process then cuts off what this one has mapped into its memory, which kills it.
 */
export class LogDatabase extends DatabaseSync {
  readonly #key: string | null

  constructor(file: string, options: DatabaseSyncOptions) {
    super(file, options)
    this.#key = keyOf(file)
    if (this.#key !== null) connections.set(this.#key, (connections.get(this.#key) ?? 0) + 1)
  }

  override close(): void {
    super.close()
    if (this.#key === null) return
    const left = (connections.get(this.#key) ?? 1) - 1
    if (left === 0) connections.delete(this.#key)
    else connections.set(this.#key, left)
  }
}

/** Whether this process has a connection to the file. */
export const isOpenHere = (file: string): boolean => connections.has(keyOf(file) ?? "")

/** The same for every name of the file; null: there is no such file. */
const keyOf = (file: string): string | null => {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`
}
