import { existsSync, readdirSync, rmSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { lifeOf } from "../holder.ts"

/** Under which name this process writes a new log, or another file of runs, until all of it is there. */
export const partOf = (file: string): string => `${file}.${hostname()}.${process.pid}.part`

/** The files of a directory that were never finished: the processes that wrote them have ended, as far as can be told here. */
export const abandonedParts = (directory: string): ReadonlyArray<string> =>
  namesIn(directory).flatMap((name) => {
    const pid = writerOf(name)
    const isAbandoned = pid !== null && lifeOf({ pid, host: hostname(), started: null }) === "dead"
    return isAbandoned ? [join(directory, name)] : []
  })

/** The process of this host that has such a name for its new log; null: it is none. */
const writerOf = (name: string): number | null => {
  const host = `.${hostname()}.`
  const at = name.lastIndexOf(host)
  const [, pid] = (at === -1 ? null : /^(\d+)\.part$/.exec(name.slice(at + host.length))) ?? []
  return pid === undefined ? null : Number(pid)
}

/** With what SQLite has beside it. Throws what the system throws. */
export const removePart = (part: string): void => {
  // where its directory cannot be there is nothing to remove, which rmSync takes for an error
  for (const end of ["-wal", "-shm", ""]) if (existsSync(`${part}${end}`)) rmSync(`${part}${end}`)
}

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
