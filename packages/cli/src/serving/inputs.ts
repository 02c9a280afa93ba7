import { type Dirent, readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { fileKindOf } from "@proofline/plugins/adapters/project-files"
import type { InputFile } from "@proofline/plugins/frontends/http/api"
import { Effect } from "effect"
import { statOf } from "../base/paths.ts"

/** Files that are named at most; those of the project directory before all others. */
const filesMax = 200
/** Directories of the project that are looked into. */
const directoriesMax = 200
/** Nobody writes a larger one by hand; one that was made can be named all the same. */
const bytesMax = 1_024 * 1_024

/** What a run writes is a part of that run, and dependencies are somebody else's. */
const skipped: ReadonlySet<string> = new Set(["generated", "node_modules"])

/**
 * The files of a project that can be run: those of tasks and of requirements in its directory and one level below, by
 * path. Links are not followed.
 */
export const makeInputs = (root: string): Effect.Effect<ReadonlyArray<InputFile>> => {
  /** Whoever asks again and again must not have every file read again. */
  const known = new Map<string, { readonly mark: string; readonly kind: InputFile["kind"] | null }>()
  const kindOf = (path: string, mark: string) => {
    const before = known.get(path)
    if (before?.mark === mark) return before.kind
    const kind = kindIn(Path.join(root, path))
    known.set(path, { mark, kind })
    return kind
  }
  return Effect.sync(() => {
    const found: Array<InputFile> = []
    const paths = candidates(root)
    const there = new Set(paths)
    for (const path of known.keys()) if (!there.has(path)) known.delete(path)
    for (const path of paths) {
      const file = statOf(Path.join(root, path))
      if (file === undefined || !file.isFile() || file.size > bytesMax) continue
      const kind = kindOf(path, `${file.ino} ${file.size} ${file.mtimeMs}`)
      if (kind !== null) found.push({ path, kind, bytes: file.size })
      if (found.length === filesMax) break
    }
    return found.sort((a, b) => (a.path < b.path ? -1 : 1))
  })
}

const candidates = (root: string): ReadonlyArray<string> => {
  const entries = entriesOf(root)
  const below = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !skipped.has(entry.name))
    .slice(0, directoriesMax)
    .flatMap(({ name }) =>
      entriesOf(Path.join(root, name))
        .filter(isYaml)
        .map((entry) => `${name}/${entry.name}`)
    )
  return [...entries.filter(isYaml).map(({ name }) => name), ...below].slice(0, 10 * filesMax)
}

const entriesOf = (directory: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

const isYaml = (entry: Dirent): boolean => entry.isFile() && /\.ya?ml$/i.test(entry.name) && !entry.name.startsWith(".")

const kindIn = (file: string): InputFile["kind"] | null => {
  try {
    const text = readFileSync(file, "utf8")
    // most files of a project are neither, and need not be parsed to see it
    return /\b(?:tasks|requirements)\b/.test(text) ? fileKindOf(text) : null
  } catch {
    return null
  }
}
