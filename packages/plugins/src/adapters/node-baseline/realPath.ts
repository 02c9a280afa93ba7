import { lstatSync, realpathSync } from "node:fs"
import * as Path from "node:path"

/**
 * Where a path leads, relative to the root, `/` separated; of what is not there (any more), where it would be. Null when
 * it leads out of the root, or nowhere.
 */
export const realPath = (root: string, path: string): string | null => {
  try {
    const relative = Path.relative(realpathSync(root), resolved(Path.join(root, path)))
    const segments = relative.split(Path.sep)
    return segments[0] === ".." || Path.isAbsolute(relative) ? null : segments.join("/")
  } catch {
    return null
  }
}

/** Links are followed as far as there is something. */
const resolved = (path: string): string => {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path)
  const above = Path.dirname(path)
  return above === path ? path : Path.join(resolved(above), Path.basename(path))
}
