/**
 * Where the checks of a run lie is kept for its resume: in the user's own directory of state and not in the project, its
 * log or the state beside it, where agents read.
 */
import { createHash } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import * as Path from "node:path"

export interface Keeping {
  /** The state directory of the project, absolute. */
  readonly state: string
  /** The user's own directory of state; XDG_STATE_HOME or ~/.local/state when left out. */
  readonly home?: string | undefined
}

const homeOf = ({ home }: Keeping): string => {
  if (home !== undefined) return home
  const named = process.env["XDG_STATE_HOME"] ?? ""
  return Path.isAbsolute(named) ? named : Path.join(homedir(), ".local", "state")
}

const fileOf = (keeping: Keeping, sha256: string): string => {
  const project = createHash("sha256").update(keeping.state).digest("hex").slice(0, 32)
  return Path.join(homeOf(keeping), "proofline", "checks", project, sha256)
}

/** Keeps where the checks with this digest lie. */
export const keep = async (keeping: Keeping, sha256: string, directory: string): Promise<void> => {
  const file = fileOf(keeping, sha256)
  await mkdir(Path.dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, directory, { mode: 0o600 })
  await rename(fresh, file)
}

/** Null: nobody knows, or it cannot be read. */
export const kept = (keeping: Keeping, sha256: string): Promise<string | null> =>
  readFile(fileOf(keeping, sha256), "utf8").catch(() => null)
