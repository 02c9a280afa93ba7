import { type Base, makeRecent } from "@proofline/kernel"
import { Clock, Effect, Layer, Semaphore } from "effect"
import { blobId } from "../../git/blobId.ts"
import { tipsOf } from "../../git/heads.ts"
import { openObjects } from "../../git/objects.ts"
import { commitOf } from "../../git/repository.ts"
import { type Entry, submodule } from "../../git/tree.ts"
import { Baseline, BaseRefused, BlobStore, type Changes, type Now } from "../../port/index.ts"
import { beforeOf, isInSubmodule } from "./before.ts"
import type { Since } from "./brought.ts"
import { differingFiles, treeOf } from "./git.ts"
import { isIgnored, isOwnFolder } from "./ignored.ts"
import type { KnownBase } from "./KnownBase.ts"
import { changesBetween, digestsOf, everythingTouched, nothingTouched, unpacked } from "./lines.ts"
import { filesOf } from "./listing.ts"
import { type Looked, lookAll } from "./look.ts"
import { realPath } from "./realPath.ts"
import { changedIn, lost, restore } from "./restore.ts"
import { decode, encode, isUnseen, type KnownCommits, type Snapshot, sha256 } from "./snapshot.ts"
import { makeWithBrought } from "./withBrought.ts"

export interface NodeBaselineOptions {
  /** The project directory. */
  readonly root: string
  /** Where Proofline keeps its own state, absolute; `.proofline/state` of the project when left out. */
  readonly state?: string
}

/**
 * What a project was when a run began: the commit of its git repository, and every file that differs from it; without a
 * repository, or without git, its files. Bounds and format: snapshot.ts.
 */
export const layer = ({ root, state }: NodeBaselineOptions): Layer.Layer<Baseline, never, BlobStore> =>
  Layer.effect(
    Baseline,
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const read = yield* openObjects(root)
      const readBlob: KnownBase["readBlob"] = (id) =>
        read(id, maxBlobBytes).pipe(
          Effect.map((blob) => (blob instanceof Uint8Array ? blob : null)),
          Effect.orElseSucceed(() => null)
        )
      const known = makeKnown(root, blobs, readBlob)
      const withBrought = makeWithBrought()

      const put = Effect.fnUntraced(function* (
        commit: string | null,
        { contents, snapshot }: Looked,
        git: { readonly known?: KnownCommits } = {}
      ) {
        const kept = contents.length === 0 ? null : (yield* blobs.put(contents)).sha256
        return { commit, snapshot: yield* blobs.put(encode({ ...snapshot, ...git, contents: kept })) } satisfies Base
      })

      /** The file at the base; with what was brought to it where it is asked for as it is now. */
      const before = Effect.fnUntraced(function* (base: Base, path: string, now?: Now) {
        const file = realPath(root, path)
        const base_ = yield* known(base)
        if (file === null || base_ === null) return { _tag: "unknown" } as const
        const was = yield* beforeOf(base_, file)
        if (now === undefined) return was
        return yield* withBrought.before(base_, { directory: now.root ?? root, path: file, text: now.text }, was)
      })

      return {
        capture: Effect.gen(function* () {
          const differing = yield* differingFiles(root)
          const listing = differing ?? (yield* filesOf(root, isOwnFolder(root, state)))
          const commit = differing?.commit ?? null
          return yield* put(commit, yield* lookAll(root, listing), yield* knownCommits(root, commit))
        }),
        captureAt: Effect.fnUntraced(function* (ref) {
          const { commit, head, unseen } = yield* locate(root, ref)
          const snapshot = { complete: true, files: new Map(), unseen }
          const git = yield* knownCommits(root, head, commit)
          return { ...(yield* put(commit, { snapshot, contents: new Uint8Array() }, git)), ref }
        }),
        changes: Effect.fnUntraced(function* (base, path, text, at = root) {
          const file = realPath(root, path)
          const base_ = yield* known(base)
          if (file === null || base_ === null) return null
          const bytes = Buffer.from(text)
          const changes = yield* changesOf(base_, file, bytes)
          if (changes === null || base_.since === null) return changes
          const was = yield* before(base, path, { text, root: at })
          // git does not say what came
          if (was._tag === "unknown") return null
          if (was.brought === undefined) return changes
          const own = was._tag === "text" ? changesBetween(digestsOf(Buffer.from(was.text)), digestsOf(bytes)) : null
          const { touched } = changes
          return {
            touched: (start, end) => touched(start, end) && own?.touched(start, end) !== false,
            brought: { commit: was.brought, touched }
          }
        }),
        before,
        came: Effect.fnUntraced(function* (base, at = root) {
          const base_ = yield* known(base)
          if (base_ === null) return yield* lost("What the project was when the run began cannot be read.")
          return yield* withBrought.came(base_, at)
        }),
        isIgnored: (path) => isIgnored(root, state, path),
        restore: Effect.fnUntraced(function* (base, directory, paths) {
          const base_ = yield* known(base)
          if (base_ === null) return yield* lost("What the project was when the run began cannot be read.")
          yield* restore(base_, { root, directory, paths })
        }),
        changedIn: Effect.fnUntraced(function* (base, directory, isWanted) {
          const base_ = yield* known(base)
          if (base_ === null) return yield* lost("What the project was when the run began cannot be read.")
          return yield* changedIn(base_, directory, isWanted)
        })
      }
    })
  )

/** The name of the blob that a base names within its own; null: it is none, or names none. */
export const blobIn = (bytes: Uint8Array): string | null =>
  bytes[0] === brace && bytes.length < maxBlobBytes ? (decode(bytes)?.contents ?? null) : null

/** A base is an object of JSON. */
const brace = 0x7b

/** Larger ones are not looked into. */
const maxBlobBytes = 256 * 1_024 * 1_024

/** Bases in memory: of the runs that one process is at. */
const keptBases = 8

/** Reads bases; those that were asked for last are kept in memory. */
const makeKnown = (root: string, blobs: BlobStore["Service"], readBlob: KnownBase["readBlob"]) => {
  const lock = Semaphore.makeUnsafe(1)
  const bases = makeRecent<string, KnownBase>(keptBases)

  const contentsOf = (name: string | null): Effect.Effect<Uint8Array | null> =>
    name === null ? Effect.succeed(null) : Effect.orElseSucceed(blobs.get(name), () => null)

  const load = Effect.fnUntraced(function* (base: Base) {
    const name = `${base.commit} ${base.snapshot.sha256}`
    const before = bases.get(name)
    if (before !== undefined) return before
    const snapshot = decode(yield* blobs.get(base.snapshot.sha256))
    if (snapshot === null) return null
    const { commit } = base
    const tree = commit === null ? noTree : yield* treeOf(root, commit)
    const known: KnownBase = {
      snapshot,
      tree,
      since: sinceOf(commit, snapshot),
      contents: yield* Effect.cached(contentsOf(snapshot.contents)),
      readBlob
    }
    // a commit that could not be read may be readable the next time
    if (tree !== null) bases.set(name, known)
    return known
  })
  return (base: Base): Effect.Effect<KnownBase | null> => lock.withPermit(Effect.orElseSucceed(load(base), () => null))
}

const sinceOf = (commit: string | null, { known }: Snapshot): Since | null => {
  const head = known?.head ?? commit
  return known === undefined || head === null ? null : { ...known, head }
}

/** What git knows of other work now, for a base at a commit; nothing outside a repository. */
const knownCommits = Effect.fnUntraced(function* (root: string, head: string | null, commit = head) {
  if (head === null) return {}
  const refs = yield* Effect.orElseSucceed(tipsOf(root), () => null)
  if (refs === null) return {}
  const at = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const others = refs.filter((id) => id !== head)
  return { known: { at, refs: others, ...(head === commit ? {} : { head }) } satisfies KnownCommits }
})

const noTree: ReadonlyMap<string, Entry> = new Map()

/** The commit of a name, and what nobody looks at today: whether it was there then is not known either. */
export const locate = Effect.fnUntraced(function* (root: string, ref: string) {
  const differing = yield* differingFiles(root)
  if (differing === null) {
    return yield* new BaseRefused({
      code: "base_no_repository",
      message: `The project is in no git repository, so there is no commit ${JSON.stringify(ref)} in it.`,
      hint: "Leave --base out: what is there now is the base."
    })
  }
  const commit = yield* Effect.orElseSucceed(commitOf(root, ref), () => null)
  if (commit === null) {
    return yield* new BaseRefused({
      code: "base_unknown",
      message: `The repository has no commit ${JSON.stringify(ref)}.`,
      hint: "Name one that `git log` shows: an id, a branch, a tag, HEAD~1."
    })
  }
  return { commit, head: differing.commit, unseen: differing.unseen }
})

const changesOf = (
  { readBlob, snapshot, tree }: KnownBase,
  path: string,
  now: Buffer
): Effect.Effect<Changes | null> => {
  const known = snapshot.files.get(path)
  switch (known?.kind) {
    case "other":
      return unknown
    case "gone":
    case "link":
      return Effect.succeed(changesBetween([], digestsOf(now)))
    case "digests":
    case "text":
      return Effect.sync(() =>
        known.sha256 === sha256(now) ? nothingTouched : changesBetween(unpacked(known.lines), digestsOf(now))
      )
    case undefined:
      break
  }
  if (tree === null || !snapshot.complete) return unknown
  const entry = tree.get(path)
  if (entry === undefined) {
    const wasThere = isUnseen(snapshot, path) || isInSubmodule(tree, path)
    return wasThere ? unknown : Effect.succeed(everythingTouched)
  }
  if (entry.mode === submodule) return unknown
  if (entry.id === blobId(now, entry.id.length === 64 ? "sha256" : "sha1")) return Effect.succeed(nothingTouched)
  return Effect.map(readBlob(entry.id), (before) =>
    before === null ? null : changesBetween(digestsOf(before), digestsOf(now))
  )
}

const unknown = Effect.succeed(null)
