/**
 * Which projects were used lately, for `serve --recent`: one small file for each in the user's own directory of state, so
 * that those who write at once take nothing from each other. Nothing else reads them, and they are sent nowhere.
 */
import { createHash, randomBytes } from "node:crypto"
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import * as Path from "node:path"
import { makeDirectoryNow } from "@proofline/plugins/log"
import { isMissing, type ProjectPaths, projectPaths, realPath } from "../base/paths.ts"

/** The variable that keeps projects from being noted. */
export const offVariable = "PROOFLINE_NO_RECENT"

/** So many are known; those that were used longest ago are forgotten. */
const most = 20

const directory = (): string => {
  const named = process.env["XDG_STATE_HOME"] ?? ""
  return Path.join(Path.isAbsolute(named) ? named : Path.join(homedir(), ".local", "state"), "proofline", "projects")
}

/** Notes that a run was begun or taken up in a project now. Nobody is told when it cannot be noted. */
export const noteProject = ({ root, state }: Pick<ProjectPaths, "root" | "state">): void => {
  // one whose state is elsewhere would not be found by its directory
  if (process.env[offVariable] || state !== projectPaths(root).state) return
  try {
    const place = directory()
    makeDirectoryNow(place, 0o700)
    const file = Path.join(place, `${createHash("sha256").update(realPath(root)).digest("hex").slice(0, 32)}.json`)
    replace(file, `${JSON.stringify({ root, used_at: new Date().toISOString() })}\n`)
    // one that is not there now may come back, and is forgotten before others
    const [gone, there] = [noted(place, isMissing), noted(place, (root) => !isMissing(root))]
    for (const { file } of [...there, ...gone].slice(most)) rmSync(file, { force: true })
  } catch {
    // a run does not fail for a note of it
  }
}

const replace = (file: string, text: string): void => {
  const part = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.part`
  try {
    writeFileSync(part, text, { mode: 0o600, flag: "wx" })
    renameSync(part, file)
  } catch (cause) {
    rmSync(part, { force: true })
    throw cause
  }
}

/** Directories of projects in which a run was begun or taken up, the last one first, without those that are gone. */
export const recentProjects = (): ReadonlyArray<string> =>
  noted(directory(), (root) => !isMissing(root))
    .map(({ root }) => root)
    .slice(0, most)

interface Noted {
  readonly file: string
  readonly root: string
  readonly used_at: string
}

/** Those that are meant, the last one first; what cannot be read is passed over. */
const noted = (place: string, isMeant: (root: string) => boolean): ReadonlyArray<Noted> =>
  namesIn(place)
    .flatMap((name) => readNote(Path.join(place, name)) ?? [])
    .filter(({ root }) => isMeant(root))
    .toSorted((one, other) => (one.used_at < other.used_at ? 1 : -1))

const namesIn = (place: string): ReadonlyArray<string> => {
  try {
    return readdirSync(place).filter((name) => name.endsWith(".json"))
  } catch {
    return []
  }
}

const readNote = (file: string): Noted | null => {
  try {
    const { root, used_at } = JSON.parse(readFileSync(file, "utf8"))
    if (typeof root !== "string" || !Path.isAbsolute(root) || typeof used_at !== "string") return null
    return { file, root, used_at }
  } catch {
    return null
  }
}
