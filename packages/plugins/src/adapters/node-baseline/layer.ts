import { realpathSync } from "node:fs"
import * as Path from "node:path"
import type { Base } from "@proofline/kernel"
import { Effect, Layer, Semaphore } from "effect"
import { blobId } from "../../git/blobId.ts"
import { Baseline, BlobStore, type Changes } from "../../port/index.ts"
import { makeBlobReader, statusOf, type TreeEntry, treeOf } from "./git.ts"
import { changesBetween, digestsOf, everythingTouched, nothingTouched, unpacked } from "./lines.ts"
import { decode, encode, filesOf, isUnseen, type Snapshot, sha256, snapshotOf, withoutForeign } from "./snapshot.ts"

export interface NodeBaselineOptions {
  /** The project directory. */
  readonly root: string
}

/**
 * What a project was when a run began: the commit of its git repository, and digests of the lines of every file that
 * differs from it; without a repository, or without git, digests of its text files. Bounds and format: snapshot.ts.
 */
export const layer = ({ root }: NodeBaselineOptions): Layer.Layer<Baseline, never, BlobStore> =>
  Layer.effect(
    Baseline,
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const lock = yield* Semaphore.make(1)
      const readBlob = makeBlobReader(root)
      let latest: { readonly base: string; readonly before: Before } | null = null

      const load = Effect.fnUntraced(function* (base: Base) {
        const name = `${base.commit} ${base.snapshot.sha256}`
        if (latest?.base === name) return latest.before
        const snapshot = decode(yield* blobs.get(base.snapshot.sha256))
        if (snapshot === null) return null
        const { commit } = base
        const tree = commit === null ? noTree : yield* Effect.promise((signal) => treeOf(root, commit, signal))
        const before = { snapshot, tree }
        // a commit that could not be read may be readable the next time
        if (tree !== null) latest = { base: name, before }
        return before
      })

      const changes = Effect.fnUntraced(function* (base: Base, path: string, text: string) {
        const file = realPath(root, path)
        const before = yield* lock.withPermit(Effect.orElseSucceed(load(base), () => null))
        if (file === null || before === null) return null
        return yield* changesOf(before, file, Buffer.from(text), readBlob)
      })

      return {
        capture: Effect.gen(function* () {
          const status = yield* Effect.promise((signal) => statusOf(root, signal))
          const listing = status === null ? yield* filesOf(root) : listingOf(status)
          const snapshot = yield* blobs.put(encode(yield* snapshotOf(root, listing)))
          return { commit: status?.commit ?? null, snapshot }
        }),
        changes
      }
    })
  )

/** A base as it is kept in memory. */
interface Before {
  readonly snapshot: Snapshot
  /** Null: the commit cannot be read. */
  readonly tree: ReadonlyMap<string, TreeEntry> | null
}

const noTree: ReadonlyMap<string, TreeEntry> = new Map()

const listingOf = ({ changed, unseen, untracked }: NonNullable<Awaited<ReturnType<typeof statusOf>>>) => {
  const others = withoutForeign({ paths: untracked, unseen, isComplete: true })
  return { ...others, paths: [...changed, ...others.paths] }
}

/** Where a path leads, relative to the root, `/` separated; null when it leads nowhere or out of the root. */
const realPath = (root: string, path: string): string | null => {
  try {
    const relative = Path.relative(realpathSync(root), realpathSync(Path.join(root, path)))
    const segments = relative.split(Path.sep)
    return segments[0] === ".." || Path.isAbsolute(relative) ? null : segments.join("/")
  } catch {
    return null
  }
}

const changesOf = (
  { snapshot, tree }: Before,
  path: string,
  now: Buffer,
  readBlob: ReturnType<typeof makeBlobReader>
): Effect.Effect<Changes | null> => {
  const known = snapshot.files.get(path)
  if (known === null) return unknown
  if (known !== undefined)
    return Effect.sync(() =>
      known.sha256 === sha256(now) ? nothingTouched : changesBetween(unpacked(known.lines), digestsOf(now))
    )
  if (tree === null || !snapshot.complete) return unknown
  const entry = tree.get(path)
  if (entry === undefined) {
    const wasThere = isUnseen(snapshot, path) || isInSubmodule(tree, path)
    return wasThere ? unknown : Effect.succeed(everythingTouched)
  }
  if (entry.mode === submodule) return unknown
  if (entry.id === blobId(now, entry.id.length === 64 ? "sha256" : "sha1")) return Effect.succeed(nothingTouched)
  return Effect.map(
    Effect.promise(() => readBlob(entry.id)),
    (before) => (before === null ? null : changesBetween(digestsOf(before), digestsOf(now)))
  )
}

const unknown = Effect.succeed(null)
const submodule = "160000"

const isInSubmodule = (tree: ReadonlyMap<string, TreeEntry>, path: string): boolean =>
  path.split("/").some((_, i, segments) => tree.get(segments.slice(0, i).join("/"))?.mode === submodule)
