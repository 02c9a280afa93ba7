import { lstatSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { makeDirectoryNow } from "@proofline/plugins/log"

/**
 * Lets Node keep what it compiles from now on, so that the next start need not compile it again. It is kept where this
 * user alone can write, since it is run as it lies there; without such a directory every start compiles.
 */
export const keepCompiledCode = (): void => {
  const directory = ownDirectory()
  if (directory !== null) enableCompileCache(directory)
}

/** Null: there is none. A user whom the system does not know has no home. */
const ownDirectory = (): string | null => {
  try {
    const named = process.env["XDG_CACHE_HOME"] ?? ""
    const directory = join(isAbsolute(named) ? named : join(homedir(), ".cache"), "proofline", "compiled")
    makeDirectoryNow(directory, 0o700)
    const { mode, uid } = lstatSync(directory)
    const writableByOthers = process.platform !== "win32" && (mode & 0o022) !== 0
    return uid === (process.getuid?.() ?? uid) && !writableByOthers ? directory : null
  } catch {
    return null
  }
}
