import { existsSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, join, relative, sep } from "node:path"
import { leadingVariables } from "../../git/environment.ts"

/**
 * What of our environment must be another for a command that runs in a copy of the project: what names a place in the
 * project names the same place in the copy, so that an active virtual environment or a directory for output does not
 * lead the command back. Undefined takes a variable away.
 */
export const movedEnvironment = (root: string, directory: string): Readonly<Record<string, string | undefined>> => ({
  ...movedPlaces(...roots(realOf(root), directory)),
  ...Object.fromEntries(leadingVariables.map((name) => [name, undefined]))
})

const movedPlaces = (from: string, to: string): Readonly<Record<string, string>> =>
  // the user's own settings are not part of a project that happens to hold them
  isWithin(from, homedir())
    ? {}
    : Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value = ""]) => {
          const moved = name === "PATH" ? movedPath(value, from, to) : renamed(value, from, to)
          return moved === value ? [] : [[name, moved]]
        })
      )

/** A project that is one folder of a larger one was copied with it: without what both paths end with. */
const roots = (root: string, directory: string): readonly [string, string] => {
  const from = root.split(sep)
  const to = directory.split(sep)
  while (from.length > 2 && to.length > 2 && from.at(-1) === to.at(-1)) {
    from.pop()
    to.pop()
  }
  return [from.join(sep), to.join(sep)]
}

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Programs are looked for in the copy where it has them. */
const movedPath = (value: string, from: string, to: string): string =>
  value
    .split(delimiter)
    .map((entry) => {
      const moved = isWithin(from, entry) ? join(to, relative(from, entry)) : entry
      return existsSync(moved) ? moved : entry
    })
    .join(delimiter)

const renamed = (value: string, from: string, to: string): string =>
  value
    .split(from)
    // `from` may be within another path, or only the beginning of a name
    .reduce(
      (before, after) =>
        `${before}${/(?:^|[:;,=\s"'])$/.test(before) && /^(?:$|[/:;,\s"'])/.test(after) ? to : from}${after}`
    )

const isWithin = (directory: string, path: string): boolean => path === directory || path.startsWith(directory + sep)
