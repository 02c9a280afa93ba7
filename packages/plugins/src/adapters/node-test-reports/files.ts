import type { Dirent } from "node:fs"
import { readdir, readFile, realpath, stat } from "node:fs/promises"
import * as Path from "node:path"
import { isWithin } from "../../git/paths.ts"
import type { ReportPlace } from "../../policies/execution/contract.ts"
import type { ReportFile } from "../../port/index.ts"

/** Entries that are looked at for one place, reports that are read, and bytes of one of them and of all. */
const most = { entries: 100_000, files: 2_000, bytes: 32 * 1024 * 1024, allBytes: 256 * 1024 * 1024 }

export interface Found {
  /** Absolute path, links resolved. */
  readonly file: string
  readonly bytes: number
  /** Changes with the file. */
  readonly signature: string
}

/** Files that may be reports, by their path in the directory. What cannot be read is not there. */
export const look = async (
  directory: string,
  places: ReadonlyArray<ReportPlace>
): Promise<ReadonlyMap<string, Found>> => {
  const found = new Map<string, Found>()
  const root = await realpath(directory).catch(() => null)
  if (root === null) return found
  for (const { depth, folder, isReport } of places) {
    let left = most.entries
    const folders = [{ path: folder, depth }]
    for (let next = folders.shift(); next !== undefined && left > 0; next = folders.shift()) {
      for (const entry of await entriesOf(root, next.path)) {
        if (left-- <= 0) break
        const path = next.path === "" ? entry.name : `${next.path}/${entry.name}`
        if (entry.isDirectory()) {
          if (next.depth > 0 && !skipped.has(entry.name)) folders.push({ path, depth: next.depth - 1 })
        } else if (isReport(path) && !found.has(path)) {
          const one = await fileAt(root, path)
          if (one !== null) found.set(path, one)
        }
      }
    }
  }
  return found
}

const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", ".proofline"])

const entriesOf = async (root: string, folder: string): Promise<ReadonlyArray<Dirent>> => {
  try {
    const real = await realpath(Path.join(root, folder))
    return isWithin(root, real) ? await readdir(real, { withFileTypes: true }) : []
  } catch {
    return []
  }
}

/** Null: it is no file, or a link leads out of the directory. */
const fileAt = async (root: string, path: string): Promise<Found | null> => {
  try {
    const file = await realpath(Path.join(root, path))
    const found = await stat(file, { bigint: true })
    if (!found.isFile() || !isWithin(root, file)) return null
    return { file, bytes: Number(found.size), signature: `${found.mtimeNs} ${found.size} ${found.ino}` }
  } catch {
    return null
  }
}

/** The texts of files that are not too large. */
export const read = async (
  written: ReadonlyArray<readonly [path: string, found: Found]>
): Promise<ReadonlyArray<ReportFile>> => {
  const files: Array<ReportFile> = []
  let left = most.allBytes
  for (const [path, { bytes, file }] of written) {
    if (files.length === most.files) break
    if (bytes > most.bytes || bytes > left) continue
    const text = await readFile(file, "utf8").catch(() => null)
    if (text === null) continue
    left -= bytes
    files.push({ path, text })
  }
  return files
}
