import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats
} from "node:fs"
import * as Path from "node:path"

/** The path without links; throws when there is nothing. */
export const resolved = (path: string): string => realpathSync.native(path)

export const isWithin = (root: string, file: string): boolean =>
  file === root || file.startsWith(root.endsWith(Path.sep) ? root : root + Path.sep)

/**
 * Opens a file by a path that holds no links, for reading; null: what was opened does not lie there. Only the last name
 * is protected by the open itself: a folder before it may become a link at that moment.
 */
export const openAt = (root: string, path: string): number | null => {
  const before = canAsk() ? null : chainOf(root, path)
  // NONBLOCK: opening a pipe must not wait for somebody to write
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const isThere =
      before === null
        ? isPlace(readlinkSync(`${descriptors}/${descriptor}`), path)
        : isSame(fstatSync(descriptor), path) && resolved(path) === path && chainOf(root, path) === before
    if (isThere) return descriptor
  } catch {
    // gone again: it does not lie there either
  }
  closeSync(descriptor)
  return null
}

/** Where the system tells of every open file where it lies (Linux). */
const descriptors = "/proc/self/fd"
let isAsked: boolean | undefined
const canAsk = (): boolean => {
  isAsked ??= existsSync(descriptors)
  return isAsked
}

const isPlace = (place: string, path: string): boolean => place === path || place === `${path} (deleted)`

const isSame = (opened: Stats, path: string): boolean => {
  const found = lstatSync(path)
  return found.ino === opened.ino && found.dev === opened.dev
}

/** The folders from the root to a file; another text once a name in one of them was made, removed or replaced. */
const chainOf = (root: string, path: string): string => {
  const folders: Array<string> = []
  for (let at = Path.dirname(path); isWithin(root, at); at = Path.dirname(at)) {
    const { ctimeNs, dev, ino } = lstatSync(at, { bigint: true })
    folders.push(`${dev}:${ino}:${ctimeNs}`)
    if (at === root) break
  }
  return folders.join(" ")
}

const forms = ["NFC", "NFD"] as const

/**
 * Names that look alike may be written in two ways: é is one character (NFC) or two (NFD). The form in which a path
 * that does not exist does exist below the root; null when it does not.
 */
export const differentlyEncoded = (root: string, path: string): string | null => {
  if (path.normalize("NFC") === path.normalize("NFD")) return null
  const segments = path.split("/")
  const used = new Set<string>()
  let at = root
  for (const [i, segment] of segments.entries()) {
    const form = existsSync(Path.join(at, segment))
      ? undefined
      : forms.find((form) => existsSync(Path.join(at, segment.normalize(form))))
    at = Path.join(at, form === undefined ? segment : segment.normalize(form))
    if (form !== undefined) used.add(form)
    // links are not followed: what they lead to may lie outside
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found === undefined || (i < segments.length - 1 && !found.isDirectory())) return null
  }
  return used.size === 0 ? null : [...used].join(" and ")
}
