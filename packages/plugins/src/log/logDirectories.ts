import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs"
import { dirname, relative, resolve, sep } from "node:path"

/** The directories in which this process has a log open, by each of their names, and how often. */
const held = new Map<string, number>()

/** Notes that a log is open there; what comes back notes its end. */
export const holdDirectory = (directory: string): (() => void) => {
  const names = new Set([resolve(directory), realpathSync(directory)])
  for (const name of names) held.set(name, (held.get(name) ?? 0) + 1)
  return () => {
    for (const name of names) {
      const left = (held.get(name) ?? 1) - 1
      if (left === 0) held.delete(name)
      else held.set(name, left)
    }
  }
}

/**
 * Makes a directory and those above it, but for one in which this process has a log open: where that is gone, so is the log, and
 * what is made in its place would be a state without one. Gives the first that was made, as `mkdir` does.
 */
export const makeDirectoryNow = (path: string, mode?: number): string | undefined => {
  const to = resolve(path)
  const state = [...held.keys()].find((name) => to === name || to.startsWith(name + sep))
  const options = mode === undefined ? {} : { mode }
  // the first of them fails where the directory of the log is gone
  if (state !== undefined) return madeOf(pathsBetween(state, to), options)
  for (let tries = 1; ; tries++) {
    try {
      return madeOf(missingOf(to), options)
    } catch (cause) {
      // somebody may have removed what has just been there
      if (codeOf(cause) !== "ENOENT" || tries === mostTries) throw cause
    }
  }
}

const mostTries = 3

/** Makes one after the other: what Node makes recursively it tries for ever where nothing can be made, as below `/proc`. */
const madeOf = (paths: ReadonlyArray<string>, options: { readonly mode?: number }): string | undefined => {
  let made: string | undefined
  for (const at of paths) {
    try {
      mkdirSync(at, options)
      made ??= at
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST" || !statSync(at).isDirectory()) throw cause
    }
  }
  return made
}

const codeOf = (cause: unknown): string => `${(cause as NodeJS.ErrnoException).code}`

/** The directory and those above it that are not there, the outermost first; itself where it is there. */
const missingOf = (to: string): ReadonlyArray<string> => {
  const missing = [to]
  for (let at = dirname(to); at !== dirname(at) && !existsSync(at); at = dirname(at)) missing.unshift(at)
  return missing
}

/** The same as a promise, for whoever waits for more. */
export const makeDirectory = async (path: string, mode?: number): Promise<string | undefined> =>
  makeDirectoryNow(path, mode)

/** The paths below `from` that lead to `to`, with it at the end. */
const pathsBetween = (from: string, to: string): ReadonlyArray<string> => {
  const names = relative(from, to)
    .split(sep)
    .filter((name) => name !== "")
  return names.map((_, i) => resolve(from, ...names.slice(0, i + 1)))
}
