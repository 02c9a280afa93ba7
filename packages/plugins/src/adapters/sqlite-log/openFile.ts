import { readdirSync, readlinkSync, readSync, statSync } from "node:fs"

/** A file that SQLite has open. */
export interface OpenFile {
  /** Whether the path still leads to it. */
  readonly isInPlace: () => boolean
  /** Whether it has become shorter than it was. */
  readonly isShorter: () => boolean
}

const descriptors = "/proc/self/fd"

/** More than a commit of a few events makes the file longer. */
const bytesAtOnce = 65_536

/**
 * Looks at a file that is written all the time through the descriptor that SQLite has of it. Whoever asks for the state
 * of a file (`stat`) asks for its times too, and on Linux the next write has to note the time exactly then: every `fsync`
 * after that writes a journal entry of the file system beside the data. Null where the system does not tell descriptors, or the
 * path is not that of the file itself.
 */
export const openFile = (path: string): OpenFile | null => {
  const stat = statSync(path, { throwIfNoEntry: false })
  const link = stat === undefined ? null : linkTo(path, stat.ino)
  if (stat === undefined || link === null) return null
  const descriptor = Number(link.slice(descriptors.length + 1))
  const bytes = Buffer.allocUnsafe(bytesAtOnce)
  let { size } = stat
  return {
    isInPlace: () => targetOf(link) === path,
    isShorter: () => {
      for (;;) {
        // from the last known byte on
        const from = Math.max(0, size - 1)
        const read = readSync(descriptor, bytes, 0, bytesAtOnce, from)
        if (from + read < size) return true
        size = from + read
        if (read < bytesAtOnce) return false
      }
    }
  }
}

const linkTo = (path: string, inode: number): string | null => {
  try {
    const links = readdirSync(descriptors).map((descriptor) => `${descriptors}/${descriptor}`)
    return links.find((link) => targetOf(link) === path && statSync(link).ino === inode) ?? null
  } catch {
    return null
  }
}

/** Ends with " (deleted)" where the path leads to it no more. */
const targetOf = (link: string): string | null => {
  try {
    return readlinkSync(link)
  } catch {
    return null
  }
}
