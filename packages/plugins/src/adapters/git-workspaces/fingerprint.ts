import { lstat, readFile, readlink } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { blobId } from "../../git/blobId.ts"
import { isWithin } from "../../git/paths.ts"
import { type Checkout, git } from "../../git/run.ts"
import { alwaysDependencies, statusOf } from "../../git/status.ts"
import { changesBetween, type Entry, emptyTree, filesIn } from "../../git/tree.ts"
import { isOpenHere } from "../../log/openHere.ts"
import type { Fingerprint } from "../../port/index.ts"
import { type Print, printsOf, type Remembered, walk } from "./files.ts"
import { attempt, type Failing, type Git, refused } from "./store.ts"

/** What is looked at. */
export interface Watched {
  /** Absolute, links resolved. */
  readonly directory: string
  /** The checkout that it is in; null without git. */
  readonly checkout: Checkout | null
  /** Absolute; nothing in it counts. */
  readonly stateDir: string
}

export interface FilesFingerprint extends Fingerprint {
  readonly head: string | null
  /** By path from the top of the checkout: what was not as HEAD has it. Without git all files. */
  readonly prints: ReadonlyMap<string, Print>
  /** Folders with repositories of their own. From the top of the checkout, with a `/` at the end. */
  readonly nested: ReadonlyArray<string>
}

export const fingerprintOf = (watched: Watched, remembered: Remembered): Git<Fingerprint> =>
  Effect.map(
    fingerprintNow(watched, remembered),
    ({ committed: _, ...seen }): FilesFingerprint => ({
      _tag: "Fingerprint",
      ...seen
    })
  )

/** Paths from the directory, sorted. */
export const changedSince = (
  watched: Watched,
  remembered: Remembered,
  fingerprint: Fingerprint
): Git<ReadonlyArray<string>> => Effect.map(changesUntilNow(watched, remembered, fingerprint), ({ changed }) => changed)

/** Whether nothing that counts differs between two moments. */
export const isSame = (one: Fingerprint, other: Fingerprint): boolean =>
  one === other || (isOurs(one) && isOurs(other) && one.head === other.head && differingPrints(one, other).length === 0)

/** Paths of which something else was seen. */
export const differingPrints = (one: FilesFingerprint, other: FilesFingerprint): ReadonlyArray<string> =>
  [...new Set([...one.prints.keys(), ...other.prints.keys()])].filter(
    (path) => one.prints.get(path) !== other.prints.get(path)
  )

/** What changed since, and what the files are now. */
export const changesUntilNow = Effect.fnUntraced(function* (
  watched: Watched,
  remembered: Remembered,
  fingerprint: Fingerprint
): Effect.fn.Return<{ readonly changed: ReadonlyArray<string>; readonly now: Fingerprint }, Failing> {
  if (!isOurs(fingerprint)) return yield* refused("workplace_mark", "The mark was not made by this process.")
  const { checkout, directory } = watched
  const { committed, ...now } = yield* fingerprintNow(watched, remembered)
  const root = checkout?.top ?? directory
  const prefix = Path.relative(root, directory)
  const moved =
    checkout === null || fingerprint.head === now.head
      ? []
      : (yield* changesBetween(
          checkout,
          fingerprint.head ?? (yield* emptyTree(checkout)),
          now.head ?? (yield* emptyTree(checkout)),
          // keep() refuses them
          { unreadable: "left out" }
        ))
          .map(({ path }) => path)
          .filter(isCounted(watched))
  const paths = [...new Set([...fingerprint.prints.keys(), ...now.prints.keys(), ...moved])]
  const prints = yield* attempt(`${directory} cannot be read`, () =>
    printsOf(
      root,
      paths.filter((path) => fingerprint.prints.has(path) && !now.prints.has(path)),
      remembered
    )
  )
  const known = paths.filter((path) => fingerprint.prints.has(path))
  const clean = paths.filter((path) => !fingerprint.prints.has(path))
  const changed = [
    ...known.filter((path) => fingerprint.prints.get(path) !== (now.prints.get(path) ?? prints.get(path))),
    // without git all that was there is known
    ...(checkout === null
      ? clean
      : yield* differingFrom(checkout, fingerprint.head, clean, fingerprint.head === now.head ? committed : noneTold))
  ]
  const seen: FilesFingerprint = { _tag: "Fingerprint", ...now }
  return { changed: changed.map((path) => (prefix === "" ? path : path.slice(prefix.length + 1))).sort(), now: seen }
})

export const isOurs = (fingerprint: Fingerprint): fingerprint is FilesFingerprint => "prints" in fingerprint

interface Now extends Omit<FilesFingerprint, "_tag"> {
  /** What HEAD has of files that are not so, where that was told. */
  readonly committed: ReadonlyMap<string, Entry | null>
}

const noneTold: Now["committed"] = new Map()

const fingerprintNow = (watched: Watched, remembered: Remembered): Git<Now> =>
  watched.checkout === null
    ? fingerprintAll(watched, remembered)
    : fingerprintByStatus(watched, watched.checkout, remembered)

const fingerprintAll = ({ directory, stateDir }: Watched, remembered: Remembered) =>
  attempt(`${directory} cannot be read`, async () => ({
    head: null,
    nested: [],
    committed: noneTold,
    prints: await printsOf(
      directory,
      await walk(directory, (path) => isWithin(stateDir, Path.join(directory, path))),
      remembered
    )
  }))

const isCounted = ({ checkout, directory, stateDir }: Watched) => {
  const root = checkout?.top ?? directory
  return (path: string): boolean =>
    isWithin(directory, Path.join(root, path)) && !isWithin(stateDir, Path.join(root, path))
}

/** HEAD, and what git would show as changed or new. */
const fingerprintByStatus = Effect.fnUntraced(function* (watched: Watched, checkout: Checkout, remembered: Remembered) {
  const prefix = Path.relative(checkout.top, watched.directory)
  const { changed, committed, head, untracked } = yield* statusOf(checkout, { within: prefix === "" ? "." : prefix })
  const paths = [...changed, ...untracked.filter((path) => !isInstalled(path))]
  const { folders = [], files = [] } = Object.groupBy(paths, (path) => (path.endsWith("/") ? "folders" : "files"))
  const counted = files.filter(isCounted(watched))
  return {
    head,
    nested: folders.filter(isCounted(watched)),
    committed,
    prints: yield* attempt(`${watched.directory} cannot be read`, () => printsOf(checkout.top, counted, remembered))
  }
})

const isInstalled = (path: string): boolean => path.split("/").some((segment) => alwaysDependencies.includes(segment))

/** Those of the files that are not as the commit has them; null: it had none. `told`: what is known of it. */
const differingFrom = Effect.fnUntraced(function* (
  checkout: Checkout,
  commit: string | null,
  paths: ReadonlyArray<string>,
  told: Now["committed"]
) {
  const isTold = commit === null || paths.every((path) => told.has(path))
  const listed = isTold ? told : yield* filesIn(checkout, commit)
  return yield* differing(checkout, new Map(paths.map((path) => [path, listed.get(path) ?? null])))
})

/** Paths of files that are on disk not what git would write there. */
export const differing = Effect.fnUntraced(function* (checkout: Checkout, expected: ReadonlyMap<string, Entry | null>) {
  const found = yield* attempt(`${checkout.top} cannot be read`, () =>
    Promise.all([...expected].map(async ([path, entry]) => ({ path, seen: await compared(checkout.top, path, entry) })))
  )
  const doubtful = found.flatMap(({ path, seen }) => (seen === "filtered" ? [path] : []))
  const ids = yield* filteredIds(checkout, doubtful)
  return found.flatMap(({ path, seen }) =>
    seen === "same" || (seen === "filtered" && ids.get(path) === expected.get(path)?.id) ? [] : [path]
  )
})

/** `filtered`: the bytes are others, but git may have changed them on the way out, e.g. the ends of lines. */
const compared = async (top: string, path: string, entry: Entry | null): Promise<"same" | "other" | "filtered"> => {
  const file = Path.join(top, path)
  const found = await lstat(file).catch(() => null)
  const isThere = found !== null && (found.isFile() || found.isSymbolicLink())
  if (entry === null) return isThere ? "other" : "same"
  if (!isThere) return "other"
  const format = entry.id.length === 64 ? "sha256" : "sha1"
  if (found.isSymbolicLink() || entry.mode === "120000")
    return found.isSymbolicLink() &&
      entry.mode === "120000" &&
      blobId(Buffer.from(await readlink(file)), format) === entry.id
      ? "same"
      : "other"
  if ((entry.mode === "100755") !== ((found.mode & 0o100) !== 0)) return "other"
  if (isOpenHere(file)) return "other"
  return blobId(await readFile(file), format) === entry.id ? "same" : "filtered"
}

/** Ids as git would give them. A name that git would not take from a list has none. */
const filteredIds = Effect.fnUntraced(function* (checkout: Checkout, paths: ReadonlyArray<string>) {
  const listed = paths.filter((path) => !path.includes("\n") && !path.startsWith('"'))
  if (listed.length === 0) return new Map<string, string>()
  const printed = yield* git(checkout, ["hash-object", "--stdin-paths"], {
    input: listed.map((p) => `${p}\n`).join("")
  })
  const ids = printed.trim().split("\n")
  return new Map(listed.map((path, i) => [path, ids[i] ?? ""]))
})
