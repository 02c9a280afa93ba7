import { lstatSync, mkdirSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

/**
 * Lets Node keep what it compiles from now on, so that the next start need not compile it again. It is kept where this
 * user alone can write, since it is run as it lies there; without such a directory every start compiles.
 */
export const keepCompiledCode = (): void => {
  const directory = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "proofline", "compiled")
  if (isOwn(directory)) enableCompileCache(directory)
}

const isOwn = (directory: string): boolean => {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const { mode, uid } = lstatSync(directory)
    const writableByOthers = process.platform !== "win32" && (mode & 0o022) !== 0
    return uid === (process.getuid?.() ?? uid) && !writableByOthers
  } catch {
    return false
  }
}
