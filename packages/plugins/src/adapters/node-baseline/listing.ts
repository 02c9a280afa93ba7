import { type Dirent, readdirSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"

/** Files that are looked at; of a project with more, not all are. */
export const maxFiles = 50_000

/** Which files to look at. */
export interface Listing {
  readonly paths: ReadonlyArray<string>
  readonly unseen: ReadonlyArray<string>
  readonly isComplete: boolean
}

/** Folders of others: what is in them is no work of a run. */
const isForeign = (name: string): boolean => name === ".git" || name === ".proofline" || name === "node_modules"

/** Leaves out what lies in the folders of others. */
export const withoutForeign = ({ isComplete, paths, unseen }: Listing): Listing => {
  const foreign = new Set<string>()
  const own = paths.filter((path) => {
    const segments = path.split("/")
    const at = segments.findIndex((segment, i) => i < segments.length - 1 && isForeign(segment))
    if (at !== -1) foreign.add(`${segments.slice(0, at + 1).join("/")}/`)
    return at === -1
  })
  return { paths: own, unseen: [...unseen, ...foreign], isComplete }
}

/**
 * The files and links of a directory that is no repository, the nearest to the root first; links are not followed.
 * `isOurs`: of a folder that is not looked into either, from the root, with a `/` at the end.
 */
export const filesOf = Effect.fnUntraced(function* (root: string, isOurs: (folder: string) => boolean = () => false) {
  const paths: Array<string> = []
  const unseen: Array<string> = []
  const folders = [""]
  let isComplete = true
  for (const folder of folders) {
    if (paths.length > maxFiles) isComplete = false
    if (!isComplete) break
    yield* Effect.sync(() => {
      const entries = entriesOf(Path.join(root, folder))
      if (entries !== null) {
        for (const entry of entries) {
          const path = `${folder}${entry.name}`
          if (entry.isFile() || entry.isSymbolicLink()) paths.push(path)
          else if (entry.isDirectory())
            (isForeign(entry.name) || isOurs(`${path}/`) ? unseen : folders).push(`${path}/`)
        }
      } else if (folder === "") isComplete = false
      else unseen.push(folder)
    })
  }
  return { paths, unseen, isComplete } satisfies Listing
})

const entriesOf = (folder: string): ReadonlyArray<Dirent> | null => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return null
  }
}
