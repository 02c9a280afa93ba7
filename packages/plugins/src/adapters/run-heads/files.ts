import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { nameOf } from "../../git/runRefs.ts"
import { makeDirectoryNow } from "../../log/logDirectories.ts"
import { isAbandoned, newName } from "../../processes/names.ts"
import { headText, readHead, type WrittenHead } from "./head.ts"

export const fileOf = (directory: string, run: string): string => Path.join(directory, `${nameOf(run)}.json`)

/** The head of a run; null: there is none; undefined: it cannot be read. Throws what the system throws. */
export const headInFile = (directory: string, run: string): WrittenHead | null | undefined => {
  const text = textOf(fileOf(directory, run))
  return text === null ? null : (readHead(text) ?? undefined)
}

const textOf = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return null
    throw cause
  }
}

/** All of them that can be read. */
export const headsInFiles = (directory: string): ReadonlyArray<WrittenHead> => {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => readHead(textOf(Path.join(directory, name)) ?? "") ?? [])
  } catch {
    return []
  }
}

/** All of it or nothing, also when the machine stops in between. Throws what the system throws. */
export const keepInFile = (directory: string, head: WrittenHead): void => {
  const kept = headInFile(directory, head.run_id)
  if (kept != null && kept.version >= head.version) return
  makeDirectoryNow(directory)
  // as the state directory, it is no part of the project
  ignoreAll(directory)
  writeAll(fileOf(directory, head.run_id), headText(head))
}

/** Makes a directory ignore itself, for git. What somebody else says there stays. Throws what the system throws. */
export const ignoreAll = (directory: string): void => {
  const file = Path.join(directory, ".gitignore")
  if (!existsSync(file)) writeAll(file, everything)
}

const everything = "*\n"

const writeAll = (file: string, text: string): void => {
  const directory = Path.dirname(file)
  // of processes that were killed in the middle of this
  for (const name of readdirSync(directory))
    if (isAbandoned(name, "temporary")) rmSync(Path.join(directory, name), { recursive: true, force: true })
  const part = Path.join(directory, newName("temporary"))
  try {
    const descriptor = openSync(part, "wx")
    try {
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(part, file)
  } catch (cause) {
    rmSync(part, { force: true })
    throw cause
  }
}
