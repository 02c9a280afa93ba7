import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isAbandoned, newName } from "./names.ts"

/**
 * A new directory that this user alone can read, to be removed by the caller. One that a killed process has left is removed
 * by the next process that makes one in the same place. Throws what the system throws.
 */
export const makeTemporary = (place: string = tmpdir()): string => {
  if (!swept.has(place)) sweep(place)
  swept.add(place)
  const directory = join(place, newName("temporary"))
  mkdirSync(directory, { mode: 0o700 })
  return directory
}

/** Places in which this process has looked. */
const swept = new Set<string>()

const sweep = (place: string): void => {
  for (const name of namesIn(place)) {
    if (!isAbandoned(name, "temporary")) continue
    const directory = join(place, name)
    try {
      // the processes of others may be hidden from us and live
      if (lstatSync(directory).uid === process.getuid?.()) rmSync(directory, { recursive: true, force: true })
    } catch {
      // what cannot be removed does no harm
    }
  }
}

const namesIn = (place: string): ReadonlyArray<string> => {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}
