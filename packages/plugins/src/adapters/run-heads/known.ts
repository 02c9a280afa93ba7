/** Of which runs a head is kept, from names alone: without git, and without the kernel. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import * as Path from "node:path"
import { placeOf } from "../../git/places.ts"
import { besideOf, nameOf, ownRefs } from "../../git/runRefs.ts"

/** Whether these runs are all of which a head is kept. */
export type AreAll = (runs: Iterable<string>) => boolean

/** Looks at the heads of a project, in its repository and in `directory`; null: git would have to be asked. */
export const knownHeads = ({
  directory,
  root
}: {
  readonly root: string
  readonly directory: string
}): AreAll | null => {
  try {
    const inGit = namesInGit(root)
    if (inGit === null) return null
    const inDirectory = namesIn(directory).flatMap((name) => /^(.*)\.json$/s.exec(name)?.[1] ?? [])
    return (runs) => {
      const left = new Set([...inDirectory, ...inGit])
      for (const run of runs) left.delete(nameOf(run))
      return left.size === 0
    }
  } catch {
    return null
  }
}

const namesIn = (directory: string): ReadonlyArray<string> => (existsSync(directory) ? readdirSync(directory) : [])

/** Larger ones are git's to read. */
const maxPackedBytes = 4 * 1_024 * 1_024

/** The names of heads in the repository of a directory; null: it is one that only git knows how to read. */
const namesInGit = (root: string): ReadonlyArray<string> | null => {
  const place = placeOf(root)
  if (place === "none") return []
  // one that is broken git passes over
  if (place === null || !existsSync(Path.join(place.common, "HEAD"))) return null
  const packed = Path.join(place.common, "packed-refs")
  const isLarge = (statSync(packed, { throwIfNoEntry: false })?.size ?? 0) > maxPackedBytes
  // refs that lie in no files
  if (isLarge || existsSync(Path.join(place.common, "reftable"))) return null
  const below = existsSync(packed) ? packedBelow(readFileSync(packed, "utf8")) : []
  const loose = Path.join(place.common, ownRefs)
  const entries = existsSync(loose) ? readdirSync(loose, { withFileTypes: true }) : []
  return [
    ...below.flatMap((name) => /^([^/]+)(?:\/_head)?$/.exec(name)?.[1] ?? []),
    ...entries.flatMap((entry) => {
      const isHead = entry.isFile() || existsSync(besideOf(Path.join(loose, entry.name)))
      return isHead && !entry.name.endsWith(".lock") ? [entry.name] : []
    })
  ]
}

/** The refs of Proofline among those that git has packed, without what all of them begin with. */
const packedBelow = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const ref = line.slice(line.indexOf(" ") + 1)
    return !line.startsWith("#") && ref.startsWith(ownRefs) ? [ref.slice(ownRefs.length)] : []
  })
