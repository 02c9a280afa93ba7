import { readFileSync, statSync } from "node:fs"
import * as Path from "node:path"
import { blobId } from "../../git/blobId.ts"

/** What git would say of a file of the repository that holds the directory, read from `.git` without a process. */
export interface GitFacts {
  /** Object id of the bytes as they are on disk; null outside a repository. */
  readonly git_blob: string | null
  /** The commit of HEAD; null outside a repository, before the first commit, and where refs are no files (reftable). */
  readonly git_commit: string | null
}

export const gitFacts = (directory: string, bytes: Uint8Array): GitFacts => {
  const folder = gitFolder(directory)
  if (folder === null) return { git_blob: null, git_commit: null }
  return { git_blob: blobId(bytes, objectFormat(folder)), git_commit: headCommit(folder) }
}

const objectFormat = (folder: string): "sha1" | "sha256" =>
  /^\s*objectformat\s*=\s*"?sha256\b/im.test(text(Path.join(commonFolder(folder), "config")) ?? "") ? "sha256" : "sha1"

const headCommit = (folder: string): string | null => {
  const head = text(Path.join(folder, "HEAD"))
  return head === null ? null : follow(folder, head, 0)
}

/** A ref may name another one; git itself goes no deeper than five. */
const follow = (folder: string, value: string, depth: number): string | null => {
  const ref = /^ref: (refs\/.+)$/.exec(value)?.[1]
  if (ref === undefined) return objectId(value)
  const next = depth < 5 && !ref.split("/").includes("..") ? lookUp(folder, ref) : null
  return next === null ? null : follow(folder, next, depth + 1)
}

/** `.git` of the nearest folder upwards; a worktree and a submodule have a file there that names the real one. */
const gitFolder = (directory: string): string | null => {
  for (let at = directory; ; at = Path.dirname(at)) {
    const candidate = Path.join(at, ".git")
    const found = kindOf(candidate)
    // an empty folder of that name is no repository
    if (found === "directory" && text(Path.join(candidate, "HEAD")) !== null) return candidate
    if (found === "file") {
      const named = /^gitdir: (.+)$/m.exec(text(candidate) ?? "")?.[1]
      return named === undefined ? null : Path.resolve(at, named.trim())
    }
    if (Path.dirname(at) === at) return null
  }
}

/** A branch is a file of its own or a line in packed-refs; a worktree keeps both in the main repository. */
const lookUp = (folder: string, ref: string): string | null => {
  const common = commonFolder(folder)
  const loose = text(Path.join(folder, ref)) ?? text(Path.join(common, ref))
  if (loose !== null) return loose
  const packed = text(Path.join(common, "packed-refs"))
    ?.split("\n")
    .find((line) => line.endsWith(` ${ref}`))
  return packed?.split(" ")[0] ?? null
}

const commonFolder = (folder: string): string => {
  const common = text(Path.join(folder, "commondir"))
  return common === null ? folder : Path.resolve(folder, common)
}

const objectId = (found: string): string | null => (/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(found) ? found : null)

const kindOf = (path: string): "directory" | "file" | null => {
  try {
    const found = statSync(path)
    return found.isDirectory() ? "directory" : found.isFile() ? "file" : null
  } catch {
    return null
  }
}

const text = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    return null
  }
}
