import { closeSync, constants, type Dirent, existsSync, lstatSync, openSync, readFileSync } from "node:fs"
import { lstat, open, readdir, readFile, readlink } from "node:fs/promises"
import * as Path from "node:path"
import { setImmediate } from "node:timers/promises"
import { blobId } from "../../git/blobId.ts"
import { alwaysDependencies } from "../../git/status.ts"
import { isOpenHere } from "../../log/openHere.ts"

/** Larger files are told apart by size and times; bytes. */
const maxBytes = 64 * 1024 * 1024
/** So much is read at once: to read it beside other work takes ten times as long. */
const maxAtOnce = 64 * 1024
/** Files that were written a moment ago may be written again without a change of their times. */
const doubtfulMs = 2_000
const maxRemembered = 100_000

/** What a file is: the same text, the same file. `none` where there is nothing, `other` for folders, devices and our log. */
export type Print = string

/** Files by place and times, so that what is as it was need not be read again. */
export type Remembered = Map<string, { readonly times: string; readonly print: Print }>

const printOf = async (file: string, remembered: Remembered): Promise<Print> => {
  const found = statsOf(file)
  if (found === null) return "none"
  if (found.isSymbolicLink()) return `link ${await readlink(file).catch(() => "")}`
  if (!found.isFile() || isOpenHere(file)) return "other"
  const times = `${found.dev} ${found.ino} ${found.size} ${found.mode} ${found.mtimeNs} ${found.ctimeNs}`
  const before = remembered.get(file)
  if (before?.times === times) return before.print
  const print = `file ${found.mode & 0o100n ? "x" : "-"} ${found.size > maxBytes ? times : found.size > maxAtOnce ? await digestOf(file) : digestAtOnce(file)}`
  const isOld = Date.now() - Math.max(Number(found.mtimeMs), Number(found.ctimeMs)) > doubtfulMs
  if (isOld && remembered.size < maxRemembered) remembered.set(file, { times, print })
  return print
}

const statsOf = (file: string) => {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** A file as git would name and hold it. */
export interface FileContent {
  readonly mode: "100644" | "100755" | "120000"
  readonly bytes: Uint8Array
}

/** Null: there is neither a file nor a link; `large`: it has more bytes. */
export const contentOf = async (file: string, atMost: number): Promise<FileContent | null | "large"> => {
  const found = await lstat(file).catch(() => null)
  if (found?.isSymbolicLink() === true) return { mode: "120000", bytes: Buffer.from(await readlink(file)) }
  if (found?.isFile() !== true || isOpenHere(file)) return null
  if (found.size > atMost) return "large"
  return { mode: found.mode & 0o100 ? "100755" : "100644", bytes: await readFile(file) }
}

const digestAtOnce = (file: string): string => {
  let descriptor: number | null = null
  try {
    // whatever may stand there by now is not waited for
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    return blobId(readFileSync(descriptor), "sha1")
  } catch (cause) {
    return unreadable(cause)
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

const unreadable = (cause: unknown): string => `unreadable ${(cause as NodeJS.ErrnoException).code ?? ""}`

const digestOf = async (file: string): Promise<string> => {
  try {
    const handle = await open(file, "r")
    try {
      return blobId(await handle.readFile(), "sha1")
    } finally {
      await handle.close()
    }
  } catch (cause) {
    return unreadable(cause)
  }
}

/** Other work goes on after so many. */
const printsAtOnce = 200

/** Prints by path. */
export const printsOf = async (
  root: string,
  paths: ReadonlyArray<string>,
  remembered: Remembered
): Promise<ReadonlyMap<string, Print>> => {
  const prints = new Map<string, Print>()
  for (const [i, path] of paths.entries()) {
    if (i % printsAtOnce === printsAtOnce - 1) await setImmediate()
    prints.set(path, await printOf(Path.join(root, path), remembered))
  }
  return prints
}

const maxWalked = 100_000

const skipped: ReadonlySet<string> = new Set([...alwaysDependencies, ".git", ".proofline", "__pycache__"])

/** Files and links of a directory without git, the nearest first; installed packages and the state are left out. */
export const walk = async (root: string, isOurs: (path: string) => boolean): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const folders = [""]
  for (const folder of folders) {
    if (found.length >= maxWalked) break
    const entries: ReadonlyArray<Dirent> = await readdir(Path.join(root, folder), { withFileTypes: true }).catch(
      () => []
    )
    for (const entry of entries) {
      const path = `${folder}${entry.name}`
      if (entry.isFile() || entry.isSymbolicLink()) found.push(path)
      else if (entry.isDirectory() && !skipped.has(entry.name) && !isOurs(path) && !isPython(Path.join(root, path)))
        folders.push(`${path}/`)
    }
  }
  return found
}

const isPython = (folder: string): boolean => existsSync(Path.join(folder, "pyvenv.cfg"))
