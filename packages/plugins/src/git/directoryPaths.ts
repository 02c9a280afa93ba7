import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { gitNames } from "./run.ts"

/** Entries of a directory without git that are looked at; more files than that are nobody's sources. */
const walkMax = 100_000

/** Paths of a directory's files: what git knows and does not ignore, without git all but dependencies and state. */
export const directoryPaths = (root: string): Effect.Effect<ReadonlyArray<string>> =>
  gitNames(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { unreadable: "left out" }).pipe(
    Effect.map((known) => [...new Set(known)]),
    Effect.catch(() => Effect.promise(() => walk(root)))
  )

const walk = async (root: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const folders = [""]
  let seen = 0
  for (let folder = folders.shift(); folder !== undefined && seen < walkMax; folder = folders.shift()) {
    const entries: ReadonlyArray<Dirent> = await readdir(Path.join(root, folder), { withFileTypes: true }).catch(
      () => []
    )
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      seen++
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) found.push(path)
      else if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path)
    }
  }
  return found
}

const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", ".proofline"])
