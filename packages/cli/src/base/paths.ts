import { existsSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs"
import * as Path from "node:path"
import type { Problem } from "@proofline/kernel"
import { databaseName } from "./database.ts"

export interface ProjectPaths {
  /** Project directory. */
  readonly root: string
  /** Where the project's own plugins are, when they are not to be those that lie in `root` now. */
  readonly plugins?: string
  /** Event log, blobs and temporary files. */
  readonly state: string
  readonly database: string
  /** Of the Postgres that holds the log instead of the file; undefined: none does. */
  readonly databaseUrl: string | undefined
  /** Under which name this process takes work of it; by machine and process when left out. */
  readonly worker?: string
  readonly blobs: string
  /** Where blobs are kept instead: an absolute directory, `postgres:` or `s3://…`. */
  readonly blobStore: string | undefined
  /** Heads of ended runs where there is no repository: beside the state, so that whoever clears it leaves them. */
  readonly heads: string
}

/** Where things are; `--state` names another state directory than the project's own. */
export const projectPaths = (cwd: string, state?: string, databaseUrl?: string, blobStore?: string): ProjectPaths => {
  const root = Path.resolve(cwd)
  const own = Path.join(root, ".proofline", "state")
  const dir = state === undefined ? own : Path.resolve(state)
  return {
    root,
    state: dir,
    database: Path.join(dir, "proofline.db"),
    databaseUrl,
    blobs: Path.join(dir, "blobs"),
    blobStore,
    heads: dir === own ? Path.join(root, ".proofline", "heads") : `${dir}-heads`
  }
}

/** Where a command is to look, as the command line says. */
export interface Where {
  readonly cwd?: string | undefined
  readonly state?: string | undefined
  readonly databaseUrl?: string | undefined
  readonly blobs?: string | undefined
}

export const pathsOf = ({ blobs, cwd = ".", databaseUrl, state }: Where): ProjectPaths =>
  projectPaths(cwd, state, databaseUrl, blobs)

/** Where the log is, for people. */
export const logName = ({ database, databaseUrl }: Pick<ProjectPaths, "database" | "databaseUrl">): string =>
  databaseUrl === undefined ? database : databaseName(databaseUrl)

/** A file that was named: where somebody is, else in the project. `shown`: as people know it. */
export const fileNamed = (named: string, { root }: Pick<ProjectPaths, "root">) => {
  if (existsSync(named)) return { file: Path.resolve(named), shown: named }
  const file = Path.resolve(root, named)
  return { file, shown: Path.relative(process.cwd(), file) }
}

/** Where something is to be written that was named: from the project on. */
export const placeNamed = (named: string, { root }: Pick<ProjectPaths, "root">) =>
  Path.isAbsolute(named) ? named : Path.relative(process.cwd(), Path.join(root, named)) || "."

/** Whether a path is a directory or lies in it. Both absolute, links resolved. */
export const isWithin = (directory: string, path: string): boolean => {
  const from = Path.relative(directory, path)
  return from === "" || (from.split(Path.sep)[0] !== ".." && !Path.isAbsolute(from))
}

/** Links resolved, where it is there. */
export const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return Path.resolve(path)
  }
}

/** What is there; undefined: nothing, or nothing that can be looked at. */
export const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Text of a file. Throws what the system throws, and where it is none: reading a device or a pipe might never end. */
export const fileText = (path: string): string => {
  if (!statSync(path).isFile()) throw new Error(notFile)
  return readFileSync(path, "utf8")
}

export const notFile = "it is a directory, a device or a pipe, and no file"

/** The same where there may be none, or none that can be read; null: so it is. */
export const textIn = (path: string): string | null => {
  try {
    return fileText(path)
  } catch {
    return null
  }
}

/** Names of what is in a directory; none of one that is not there, or may not be read. */
export const namesIn = (directory: string, recursive = false): ReadonlyArray<string> => {
  try {
    return readdirSync(directory, { recursive, encoding: "utf8" })
  } catch {
    return []
  }
}

/** Null: there is such a directory. `flag`: by what it is named. */
export const noDirectory = (path: string, flag: string): Problem | null =>
  statOf(path)?.isDirectory() === true
    ? null
    : {
        code: "directory_missing",
        message: `There is no directory ${path}.`,
        hint: `Name an existing project directory with ${flag}.`
      }

/** Null: there is such a directory, or it can be made. */
export const noPlaceForDirectory = (path: string, flag: string): Problem | null =>
  statOf(path) === undefined && Path.dirname(path) !== path
    ? noPlaceForDirectory(Path.dirname(path), flag)
    : noDirectory(path, flag)

/** There is no such thing; what cannot be looked at may be there. */
export const isMissing = (path: string): boolean => {
  try {
    statSync(path)
    return false
  } catch (cause) {
    return ["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")
  }
}
