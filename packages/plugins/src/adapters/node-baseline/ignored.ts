import { existsSync, realpathSync, statSync } from "node:fs"
import * as Path from "node:path"
import { isWithin } from "../../git/paths.ts"
import { ignores, prefixOf } from "./git.ts"
import { realPath } from "./realPath.ts"

/** Whether git ignores a file of the project, or whether git or Proofline keeps it for itself. */
export const isIgnored = async (
  root: string,
  state: string | undefined,
  path: string,
  signal: AbortSignal
): Promise<boolean> => {
  const found = realPath(root, path)
  if (found === null) return false
  const top = realpathSync(root)
  const file = Path.join(top, found)
  if (found.split("/").includes(".git") || isOwnState(top, state, file)) return true
  const prefix = await prefixOf(top, signal)
  if (prefix === null) return false
  // a repository around it that ignores the whole project knows nothing of it
  if (prefix !== "" && (await ignores(Path.dirname(top), Path.basename(top), signal))) return false
  if (await ignores(top, found, signal)) return true
  // a folder may be a repository of its own
  const folder = nearest(Path.dirname(file))
  return folder !== top && (await ignores(folder, Path.relative(folder, file), signal))
}

/** A worktree lies in the state, and what is in it is a project's all the same. */
const isOwnState = (top: string, state: string | undefined, file: string): boolean =>
  [Path.join(top, ".proofline", "state"), ...(state === undefined ? [] : [real(state)])].some(
    (directory) => isWithin(directory, file) && !isWithin(directory, top)
  )

const real = (directory: string): string => (existsSync(directory) ? realpathSync(directory) : directory)

/** The folder, or the nearest above it that is there. */
const nearest = (folder: string): string =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : nearest(Path.dirname(folder))
