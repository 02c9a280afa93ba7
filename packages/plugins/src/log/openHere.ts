import { statSync } from "node:fs"

/** How many connections this process has to a database, by the identity of its file. */
const connections = new Map<string, number>()

/** Notes a connection to a database file that was just opened; what comes back notes its end. */
export const noteConnection = (file: string): (() => void) => {
  const key = keyOf(file)
  if (key === null) return () => {}
  connections.set(key, (connections.get(key) ?? 0) + 1)
  return () => {
    const left = (connections.get(key) ?? 1) - 1
    if (left === 0) connections.delete(key)
    else connections.set(key, left)
  }
}

/**
 * Whether this process has a connection to a database, by any name of its file or of one that SQLite keeps beside it. Nothing
 * else in the process may open it then: closing a descriptor of it ends the locks of SQLite
 * (https://www.sqlite.org/howtocorrupt.html, "Posix advisory locks"), and another process then takes the write-ahead log away.
 */
export const isOpenHere = (file: string): boolean =>
  connections.size > 0 && (isOpen(file) || (beside.test(file) && isOpen(file.replace(beside, ""))))

const isOpen = (database: string): boolean => connections.has(keyOf(database) ?? "")

const beside = /-(wal|shm)$/

/** The same for every name of the file; null: there is none that can be looked at. */
const keyOf = (file: string): string | null => {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat === undefined ? null : `${stat.dev}:${stat.ino}`
  } catch {
    return null
  }
}
