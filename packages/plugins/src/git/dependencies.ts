import { type Dirent, existsSync } from "node:fs"
import {
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
  writeFile
} from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { isWithin, wordsOf } from "./paths.ts"
import type { Repository } from "./repository.ts"
import { type Checkout, GitFailed } from "./run.ts"
import { alwaysDependencies, statusOf, unknownFiles } from "./status.ts"

/** Installed packages when git ignores them; otherwise they are sources like any other. */
const ignoredDependencies: ReadonlySet<string> = new Set([...alwaysDependencies, "vendor", ".bundle"])

/** A repository with more has something else that is called so. */
const maxFolders = 500
const maxCopiedBytes = 1024 * 1024

/** Directories of installed packages that only hold others, or files that find the project by their own place. */
const opened = /^(?:@.*|\.bin|bin|Scripts|lib|lib64|Lib|python[\d.]*|site-packages|composer)$/

/** Written while a project is worked on: it must neither be read nor written from a checkout. */
const caches = /^(?:\..*cache.*|\.vite.*|\.turbo|\.te?mp|__pycache__)$/i

/**
 * Gives a checkout the packages that are installed in the project and ignored by git. Each folder of them is a folder of
 * its own there, and what lies in it a link to the user's: what is added or removed there is not added or removed at the
 * user's. Links within the repository (workspaces) are made anew, so that they lead to the checkout; `named` is where that will lie in the end.
 */
export const linkDependencies = (
  repository: Repository,
  checkout: string,
  named = checkout
): Effect.Effect<void, GitFailed> =>
  Effect.flatMap(folders(repository), (found) =>
    Effect.tryPromise({
      try: async () => {
        for (const folder of found) {
          const from = Path.join(repository.top, folder)
          // it may be a link itself; where it leads nowhere there is nothing to give
          if ((await stat(from).catch(() => null))?.isDirectory() !== true) continue
          await mirror(await realpath(from), Path.join(checkout, folder), {
            top: repository.top,
            checkout,
            named
          })
        }
      },
      catch: (cause) =>
        new GitFailed({
          reason: "failed",
          message: `The installed packages could not be linked into ${checkout}: ${wordsOf(cause)}.`,
          said: "",
          exit_code: null,
          printed: ""
        })
    })
  )

/** From the top of the repository, `/` separated. */
const folders = ({ top }: Repository): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.map(unknownFiles(top, "ignored"), (ignored) => {
    const found = ignored.map((path) => dependenciesAt(top, path)).filter((folder) => folder !== null)
    return [...new Set(found)].slice(0, maxFolders)
  })

/** The folder of installed packages that an ignored path is or lies in; null: none. */
const dependenciesAt = (top: string, path: string): string | null => {
  const segments = path.split("/").filter((segment) => segment !== "")
  const at = segments.findIndex((segment) => ignoredDependencies.has(segment))
  if (at >= 0) return segments.slice(0, at + 1).join("/")
  return path.endsWith("/") && existsSync(Path.join(top, path, "pyvenv.cfg")) ? segments.join("/") : null
}

/** What git ignores in a checkout and somebody may want: neither installed packages nor caches. Folders end with a `/`. */
export const ignoredWork = (checkout: Checkout): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.map(statusOf(checkout, { ignored: true, within: "." }), ({ ignored }) =>
    ignored.filter(
      (path) => dependenciesAt(checkout.top, path) === null && !path.split("/").some((segment) => caches.test(segment))
    )
  )

interface Places {
  readonly top: string
  readonly checkout: string
  readonly named: string
}

const mirror = async (from: string, to: string, places: Places): Promise<void> => {
  await mkdir(to, { recursive: true })
  if (!isWithin(places.checkout, await realpath(to))) return
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (caches.test(entry.name)) continue
    const target = Path.join(to, entry.name)
    const isThere = (await lstat(target).catch(() => null)) !== null
    if (isOpened(entry)) await mirror(Path.join(from, entry.name), target, places)
    // part of the commit
    else if (!isThere) await give(entry, from, target, places)
  }
}

const isOpened = (entry: Dirent): boolean => entry.isDirectory() && opened.test(entry.name)

const give = async (entry: Dirent, folder: string, to: string, places: Places): Promise<void> => {
  const from = Path.join(folder, entry.name)
  if (entry.isSymbolicLink()) await symlink(leadingTo(folder, await readlink(from), places), to)
  else if (entry.isDirectory()) await symlink(from, to)
  else if (entry.isFile()) await giveFile(from, to, places)
}

/** Within the repository a link leads to the checkout, elsewhere to where it led. */
const leadingTo = (folder: string, link: string, { named, top }: Places): string => {
  const target = Path.resolve(folder, link)
  if (!isWithin(top, target)) return target
  return Path.isAbsolute(link) ? Path.join(named, Path.relative(top, target)) : link
}

/** Small files are copied: programs and lists of paths that name the project, which must name the checkout. */
const giveFile = async (from: string, to: string, { named, top }: Places): Promise<void> => {
  const { mode, size } = await stat(from)
  if (size > maxCopiedBytes) return symlink(from, to)
  const bytes = await readFile(from)
  if (bytes.includes(0) || !bytes.includes(top)) return copyFile(from, to)
  await writeFile(to, movedText(bytes, top, named), { mode })
}

/** The text of a file, with another directory wherever it names this one. */
export const movedText = (bytes: Buffer, from: string, to: string): Buffer =>
  Buffer.from(renamed(bytes.toString("latin1"), latin1(from), latin1(to)), "latin1")

/** Bytes that are not UTF-8 stay what they are. */
const latin1 = (text: string): string => Buffer.from(text).toString("latin1")

const renamed = (text: string, path: string, to: string): string =>
  text
    .split(path)
    // another path that merely begins with the same letters
    .reduce((before, after) => `${before}${/^[\w.-]/.test(after) ? path : to}${after}`)
