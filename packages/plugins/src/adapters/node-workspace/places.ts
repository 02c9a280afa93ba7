import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs"
import * as Path from "node:path"

/** The path without links; throws when there is nothing. */
export const resolved = (path: string): string => realpathSync.native(path)

export const isWithin = (root: string, file: string): boolean =>
  file === root || file.startsWith(root.endsWith(Path.sep) ? root : root + Path.sep)

/**
 * Whether what was opened is what lies at the path, which holds no links. A folder of it may have been replaced by a
 * link between the two, and only the last name is protected by the open itself.
 */
export const isOpenAt = (descriptor: number, opened: Stats, path: string): boolean => {
  const place = placeOf(descriptor)
  if (place !== null) return place === path || place === `${path} (deleted)`
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.ino === opened.ino && found.dev === opened.dev && resolved(path) === path
}

/** Where the system says that an open file lies; null where it cannot be asked. */
const placeOf = (descriptor: number): string | null => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return null
  }
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
