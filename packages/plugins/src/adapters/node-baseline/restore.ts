import { constants, statSync } from "node:fs"
import { copyFile, lstat, mkdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { blobId } from "../../git/blobId.ts"
import { isWithin, wordsOf } from "../../git/paths.ts"
import { type Entry, link, submodule } from "../../git/tree.ts"
import { isOpenHere } from "../../log/openHere.ts"
import { BaseRefused } from "../../port/index.ts"
import { isInSubmodule, keptBytes } from "./before.ts"
import type { KnownBase } from "./KnownBase.ts"
import { filesOf } from "./listing.ts"
import { signatureOf } from "./look.ts"
import { realPath } from "./realPath.ts"
import { isUnseen, type SeenFile, sha256 } from "./snapshot.ts"

interface Target {
  /** The project. */
  readonly root: string
  readonly directory: string
  /** Undefined: all that no commit holds. */
  readonly paths: ReadonlyArray<string> | undefined
}

/** Makes files of a directory what they were at the base. */
export const restore = Effect.fnUntraced(function* (
  base: KnownBase,
  { directory, paths, root }: Target
): Effect.fn.Return<void, BaseRefused> {
  const { snapshot } = base
  if (paths === undefined && !snapshot.complete)
    return yield* lost("The project was too large when the run began: not all of its files were kept.")
  const contents = yield* base.contents
  const places: Places = { root, directory: yield* tried(directory, () => realpath(directory)), contents }
  if (paths !== undefined) {
    for (const path of paths) yield* restoreOne(base, path, places)
    return
  }
  const files = [...snapshot.files]
  // first what is gone: a file may stand where a directory was, and the other way round
  for (const [path, file] of files) if (file.kind === "gone") yield* restoreSeen(path, file, places)
  for (const [path, file] of files) if (file.kind !== "gone") yield* restoreSeen(path, file, places)
})

interface Places {
  readonly root: string
  /** Links resolved. */
  readonly directory: string
  readonly contents: Uint8Array | null
}

const restoreOne = Effect.fnUntraced(function* (base: KnownBase, given: string, places: Places) {
  const { readBlob, snapshot, tree } = base
  const path = realPath(places.root, given)
  if (path === null) return yield* lost(`${given} lies outside of the project.`)
  const seen = snapshot.files.get(path)
  if (seen !== undefined) return yield* restoreSeen(path, seen, places)
  const entry = tree?.get(path)
  if (entry !== undefined) {
    const bytes = entry.mode === submodule ? null : yield* readBlob(entry.id)
    if (bytes === null) return yield* notKept(path)
    return yield* committed(path, bytes, entry, places)
  }
  if (tree === null || !snapshot.complete || isUnseen(snapshot, path) || isInSubmodule(tree, path))
    return yield* notKept(path)
  yield* place(path, places, async () => {})
})

const committed = (path: string, bytes: Uint8Array, { mode }: Entry, places: Places) =>
  place(path, places, (file) =>
    mode === link
      ? symlink(leadingTo(Buffer.from(bytes).toString(), places), file)
      : writeFile(file, bytes, { mode: mode === "100755" ? 0o755 : 0o644 })
  )

const restoreSeen = Effect.fnUntraced(function* (path: string, file: SeenFile, places: Places) {
  switch (file.kind) {
    case "gone":
      return yield* place(path, places, async () => {})
    case "link":
      return yield* place(path, places, (to) => symlink(leadingTo(file.target, places), to))
    case "digests":
      return yield* notKept(path)
    case "text":
    case "other": {
      const bytes = keptBytes(places.contents, file)
      const mode = file.executable ? 0o755 : 0o644
      if (bytes !== null) return yield* place(path, places, (to) => writeFile(to, bytes, { mode }))
      const from = Path.join(places.root, path)
      const isSame = yield* Effect.promise(() => isStill(from, file))
      if (!isSame) return yield* notKept(path)
      yield* place(path, places, (to) => copyFile(from, to, constants.COPYFILE_FICLONE))
    }
  }
})

/** What was too large to be kept may lie in the project as it was. */
const isStill = async (file: string, known: { readonly sha256: string | null; readonly stat?: string }) => {
  if (isOpenHere(file)) return false
  try {
    if (known.stat !== undefined && signatureOf(statSync(file, { bigint: true })) === known.stat) return true
    return known.sha256 !== null && sha256(await readFile(file)) === known.sha256
  } catch {
    return false
  }
}

/** A link within the project leads to the same within the directory. */
const leadingTo = (target: string, { directory, root }: Places): string =>
  Path.isAbsolute(target) && isWithin(root, Path.normalize(target))
    ? Path.join(directory, Path.relative(root, target))
    : target

/** Takes away what is there, and lets something new be put in its place. */
export const place = (path: string, { directory }: Pick<Places, "directory">, put: (file: string) => Promise<void>) =>
  tried(path, async () => {
    const file = Path.join(directory, path)
    const segments = path.split("/")
    for (let i = 1; i < segments.length; i++) {
      const folder = Path.join(directory, ...segments.slice(0, i))
      const found = await lstat(folder).catch(() => null)
      // neither a link nor a file was there: files were below it
      if (found !== null && !found.isDirectory()) await rm(folder, { force: true })
      await mkdir(folder, { recursive: true })
    }
    await rm(file, { force: true, recursive: true })
    await put(file)
  })

const tried = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, BaseRefused> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new BaseRefused({
        code: "base_lost",
        message: `${path} could not be made what it was: ${wordsOf(cause)}.`,
        hint: "Free some space, or set TMPDIR to a directory that can be written."
      })
  })

/** Files of a directory that are not what they were at the base, as far as that is known of them. */
export const changedIn = Effect.fnUntraced(function* (
  { snapshot, tree }: KnownBase,
  directory: string,
  isWanted: (path: string) => boolean
) {
  const { paths } = yield* filesOf(directory)
  const names = new Set([...paths, ...snapshot.files.keys(), ...(tree?.keys() ?? [])].filter(isWanted))
  const isAsBefore = async (path: string): Promise<boolean> => {
    const file = Path.join(directory, path)
    if (isOpenHere(file)) return true
    const bytes = await readFile(file).catch(() => null)
    const seen = snapshot.files.get(path)
    if (seen !== undefined) {
      if (seen.kind === "gone") return bytes === null
      return seen.kind === "link" || seen.sha256 === null || (bytes !== null && sha256(bytes) === seen.sha256)
    }
    const entry = tree?.get(path)
    if (entry !== undefined) {
      if (entry.mode === submodule || entry.mode === link) return true
      return bytes !== null && blobId(bytes, entry.id.length === 64 ? "sha256" : "sha1") === entry.id
    }
    return tree === null || !snapshot.complete || isUnseen(snapshot, path) || isInSubmodule(tree, path)
  }
  return yield* Effect.filter(
    [...names].toSorted(),
    (path) =>
      Effect.map(
        Effect.promise(() => isAsBefore(path)),
        (is) => !is
      ),
    {
      concurrency: 8
    }
  )
})

const notKept = (path: string) =>
  lost(`${path} is not what it was when the run began, and its content of then was not kept.`)

export const lost = (message: string): Effect.Effect<never, BaseRefused> =>
  Effect.fail(new BaseRefused({ code: "base_lost", message, hint: "Start a new run." }))
