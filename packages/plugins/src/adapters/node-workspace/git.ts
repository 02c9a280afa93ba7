import { createHash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import * as Path from "node:path"

/** Git's object id of a file with this content (SHA-1 repositories). */
export const blobId = (bytes: Uint8Array): string =>
  createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")

/** The commit of HEAD in the repository that holds the directory; null outside one or before the first commit. */
export const headCommit = (directory: string): string | null => {
  const folder = gitFolder(directory)
  if (folder === null) return null
  const head = text(Path.join(folder, "HEAD"))
  if (head === null) return null
  const ref = /^ref: (.+)$/.exec(head)?.[1]
  return ref === undefined ? objectId(head) : resolveRef(folder, ref)
}

/** True when a repository holds the directory. */
export const isInRepository = (directory: string): boolean => gitFolder(directory) !== null

/** `.git` of the nearest folder upwards; a worktree and a submodule have a file there that names the real one. */
const gitFolder = (directory: string): string | null => {
  for (let at = directory; ; at = Path.dirname(at)) {
    const candidate = Path.join(at, ".git")
    const found = statSync(candidate, { throwIfNoEntry: false })
    if (found?.isDirectory()) return candidate
    if (found?.isFile()) {
      const named = /^gitdir: (.+)$/m.exec(text(candidate) ?? "")?.[1]
      return named === undefined ? null : Path.resolve(at, named.trim())
    }
    if (Path.dirname(at) === at) return null
  }
}

/** A branch is a file of its own or a line in packed-refs; a worktree keeps both in the main repository. */
const resolveRef = (folder: string, ref: string): string | null => {
  const common = text(Path.join(folder, "commondir"))
  const folders = common === null ? [folder] : [folder, Path.resolve(folder, common)]
  for (const at of folders) {
    const loose = text(Path.join(at, ref))
    if (loose !== null) return objectId(loose)
    const packed = text(Path.join(at, "packed-refs"))
      ?.split("\n")
      .find((line) => line.endsWith(` ${ref}`))
    if (packed !== undefined) return objectId(packed.split(" ")[0] ?? "")
  }
  return null
}

const objectId = (found: string): string | null => (/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(found) ? found : null)

const text = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    return null
  }
}
