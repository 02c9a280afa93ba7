import { createHash } from "node:crypto"
import { chmod, copyFile, lstat, mkdir, readdir, readFile, readlink, symlink } from "node:fs/promises"
import * as Path from "node:path"

/** Of a directory of checks, what is in force: without what git and Python keep beside it. */
const leftOut: ReadonlySet<string> = new Set([".git", "__pycache__"])

const maxFiles = 10_000
const maxBytes = 256 * 1_024 * 1_024

/** A sentence about the directory that does not name it. */
export class CannotTake extends Error {}

interface Entry {
  /** `/` between folders. */
  readonly path: string
  readonly kind: "directory" | "file" | "link"
  readonly isExecutable: boolean
}

const entriesIn = async (directory: string): Promise<ReadonlyArray<Entry>> => {
  const found: Array<Entry> = []
  let bytes = 0
  const walk = async (folder: string): Promise<void> => {
    for (const name of (await readdir(Path.join(directory, folder))).sort()) {
      if (leftOut.has(name)) continue
      const path = folder === "" ? name : `${folder}/${name}`
      const stat = await lstat(Path.join(directory, path))
      const kind = stat.isDirectory() ? "directory" : stat.isFile() ? "file" : stat.isSymbolicLink() ? "link" : null
      if (kind === null) throw new CannotTake("It holds something that is no file, folder or link.")
      bytes += stat.size
      found.push({ path, kind, isExecutable: kind === "file" && (stat.mode & 0o111) !== 0 })
      if (found.length > maxFiles || bytes > maxBytes)
        throw new CannotTake(`It holds more than ${maxFiles} files or ${maxBytes / 1_024 / 1_024} MiB.`)
      if (kind === "directory") await walk(path)
    }
  }
  await walk("")
  return found
}

/** Names the content of a directory: its files, with their names and whether they can be run, and its links. */
export const digestOf = async (directory: string): Promise<string> => {
  const hash = createHash("sha256")
  for (const { isExecutable, kind, path } of await entriesIn(directory)) {
    const at = Path.join(directory, path)
    const content = kind === "file" ? await readFile(at) : kind === "link" ? await readlink(at) : ""
    const digest = createHash("sha256").update(content).digest("hex")
    hash.update(`${JSON.stringify([kind, isExecutable, path, digest])}\n`)
  }
  return hash.digest("hex")
}

/** Copies it into a directory that is there, for its owner alone. */
export const copyTo = async (directory: string, target: string): Promise<void> => {
  for (const { isExecutable, kind, path } of await entriesIn(directory)) {
    const [from, to] = [Path.join(directory, path), Path.join(target, path)]
    if (kind === "directory") await mkdir(to, { mode: 0o700 })
    else if (kind === "link") await symlink(await readlink(from), to)
    else {
      await copyFile(from, to)
      await chmod(to, isExecutable ? 0o700 : 0o600)
    }
  }
}
