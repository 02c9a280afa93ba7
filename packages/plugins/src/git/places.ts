/** What the files of a repository say of it, without git. */
import { type BigIntStats, existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs"
import * as Path from "node:path"

/** The repository that a `.git` is or names; null: it names none. Throws what the system throws. */
const ownOf = (entry: string): string | null => {
  if (statSync(entry).isDirectory()) return entry
  // of a worktree and of a submodule it is a file that names the place
  const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(entry, "utf8")) ?? []
  return named === undefined ? null : Path.resolve(Path.dirname(entry), named)
}

/** What all checkouts of a repository share. Throws what the system throws. */
export const commonOf = (own: string): string => {
  const named = Path.join(own, "commondir")
  return existsSync(named) ? Path.resolve(own, readFileSync(named, "utf8").trim()) : own
}

/** Where git finds the repository of a directory, and all that decides about it. */
export interface Place {
  readonly top: string
  readonly common: string
  /** The same for as long as git finds the same. */
  readonly mark: string
}

/** `none`: it is in no repository. Null where that is more than a checkout of this user's with its repository in it. */
export const placeOf = (directory: string): Place | "none" | null => {
  try {
    const from = realpathSync(directory)
    for (let at = from; ; at = Path.dirname(at)) {
      if (lstatSync(Path.join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return placeAt(from, at)
      // it may be a repository without files
      if (existsSync(Path.join(at, "HEAD"))) return null
      if (at === Path.dirname(at)) return "none"
    }
  } catch {
    return null
  }
}

const placeAt = (from: string, top: string): Place | null => {
  const entry = Path.join(top, ".git")
  const own = lstatSync(entry).isSymbolicLink() ? null : ownOf(entry)
  // git looks into the repositories of others only where it was told to, and somewhere else that may change
  if (own === null || ![top, entry, own].every(isOurs)) return null
  const repository = placeOfOwn(own)
  return { ...repository, top, mark: [from, top, repository.mark, surroundings()].join("\n") }
}

/** The same for a repository that git is told. Throws what the system throws. */
export const placeOfOwn = (own: string): Omit<Place, "top"> => {
  const common = commonOf(own)
  return { common, mark: markOf(own, common) }
}

const markOf = (own: string, common: string): string =>
  [
    own,
    common,
    ...[own, common, Path.join(common, "objects"), Path.join(common, "refs")].map(identityOf),
    ...[Path.join(own, "HEAD"), Path.join(common, "config"), Path.join(own, "config.worktree")].map(contentMark)
  ].join("\n")

const isOurs = (path: string): boolean => process.geteuid !== undefined && statSync(path).uid === process.geteuid()

const found = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false })

/** A folder, whatever lies in it. */
const identityOf = (path: string): string => {
  const stats = found(path)
  return stats === undefined
    ? ""
    : `${stats.dev} ${stats.ino} ${stats.uid} ${stats.gid} ${stats.mode} ${stats.birthtimeNs}`
}

/** A file or a folder, with what lies in it. */
export const contentMark = (path: string): string => {
  const stats = found(path)
  return stats === undefined ? "" : `${identityOf(path)} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
}

/** Which git it is, and how it looks for a repository. */
export const surroundings = (): string =>
  // to ask for the value of each takes many times as long as for the names
  Object.keys(process.env)
    .filter((name) => name === "PATH" || name.startsWith("GIT_"))
    .map((name) => `${name}=${process.env[name]}`)
    .sort()
    .join("\n")
