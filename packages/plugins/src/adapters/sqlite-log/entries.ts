import { lstatSync, type Stats, statSync } from "node:fs"
import { dirname } from "node:path"

/** The names in a directory, and which files they are. */
export interface Entries {
  /** False: none was added, removed or replaced since this was asked before, nor was the directory itself. */
  readonly mayHaveChanged: () => boolean
}

/** Two changes so close to each other may bear the same time: the clock by which systems note it ticks every few ms. */
const tickMs = 50

/**
 * Of the directory of a file, by one look at it. Nothing is known where the file lies elsewhere, behind a link, and on Windows,
 * which promises nothing of the times of a directory.
 */
export const watchEntries = (file: string): Entries => {
  const directory = dirname(file)
  const isHere = process.platform !== "win32" && lstatSync(file).isFile()
  let known: Stats | null = null
  return {
    mayHaveChanged: () => {
      const state = isHere ? statSync(directory, { throwIfNoEntry: false }) : undefined
      if (state === undefined) return true
      if (known !== null && isSame(state, known)) return false
      // a change that is still to come would bear the same time
      known = Math.abs(Date.now() - state.ctimeMs) < tickMs ? null : state
      return true
    }
  }
}

const isSame = (one: Stats, other: Stats): boolean =>
  one.ctimeMs === other.ctimeMs && one.ino === other.ino && one.dev === other.dev
