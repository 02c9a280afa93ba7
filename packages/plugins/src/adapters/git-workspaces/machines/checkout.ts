import { existsSync } from "node:fs"
import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import type { LogUnavailable, RunId } from "@proofline/kernel"
import { Effect } from "effect"
import { removeTree } from "../../../git/removeTree.ts"
import { commitOf } from "../../../git/repository.ts"
import { git, type Checkout as Named } from "../../../git/run.ts"
import { ownRefs } from "../../../git/runRefs.ts"
import { statusOf } from "../../../git/status.ts"
import { commitTree, treeOf } from "../../../git/tree.ts"
import { merge } from "../merge.ts"
import { snapshotOf } from "../snapshot.ts"
import { attempt, type Failing, openWorktreeStore, pathsOf, refused, type WorktreeStore } from "../store.ts"
import { bundleOf, formatOf } from "./bundle.ts"
import type { Replica, Sources } from "./replica.ts"
import { headOfTrees, leavingOut, type RecordedTree, type RunTrees } from "./trees.ts"

/**
 * A checkout of a run in which one piece of work at a time is done: a repository of its own, with its own refs. It is named
 * to git in full: it may lie in the project, and work may remove its `.git`.
 */
export interface Checkout extends Named {
  /** Absolute, as is `state`. */
  readonly directory: string
  /** For what Proofline keeps of the work that is done there. */
  readonly state: string
  /** Where it finds the commits of the run. */
  readonly objects: string
  /** The commit of which it is an unchanged checkout, and the refs that it has; null: it must be made so. */
  clean: { readonly commit: string; readonly refs: Refs } | null
  /** What its repository was like when the work began, objects left out. */
  stamp: string
}

type Refs = ReadonlyMap<string, string>

/** What the work that is done there begins with. */
export interface Begun {
  readonly checkout: Checkout
  readonly run: RunId
  readonly start: RecordedTree
  /** The refs of subtasks that it has. */
  readonly refs: Refs
  /** The project's directory in it. */
  readonly root: string
}

/** Whose work it is. */
export type By = NonNullable<RecordedTree["by"]>

export const makeCheckout = Effect.fnUntraced(function* (
  { repository }: Replica,
  directory: string
): Effect.fn.Return<Checkout, Failing> {
  const top = Path.join(directory, "project")
  const state = Path.join(directory, "state")
  yield* attempt(`${directory} cannot be made`, async () => {
    for (const path of [top, state]) await mkdir(path, { recursive: true, mode: 0o700 })
  })
  const objects = Path.join(repository, "objects")
  return { directory, top, own: Path.join(top, ".git"), state, objects, clean: null, stamp: "" }
})

/** Makes the checkout what the run stands on. What git ignores in it stays: packages that were installed before. */
export const beginIn = Effect.fnUntraced(function* (
  checkout: Checkout,
  run: RunId,
  trees: RunTrees
): Effect.fn.Return<Begun, Failing> {
  const start = headOfTrees(trees)
  if (start === undefined) {
    return yield* refused(
      "checkout_no_tree",
      `The project of ${run} was never handed over: it was begun without a database. Run \`proofline resume ${run}\` with the database where the project is.`
    )
  }
  const { clean } = checkout
  const refs = refsOf(trees)
  checkout.clean = null
  if (clean === null) yield* makeAnew(checkout, start.commit)
  else if (clean.commit !== start.commit) yield* checkOut(checkout, start.commit)
  if (refs.size + (clean?.refs.size ?? 0) > 0) yield* setRefs(checkout, refs)
  checkout.stamp = yield* stampOf(checkout)
  return { checkout, run, start, refs, root: Path.join(checkout.top, start.prefix) }
})

const checkOut = (checkout: Checkout, commit: string) =>
  git(checkout, ["checkout", "-q", "--force", "-B", "proofline", commit])

/** Of what was there only objects, and files that git ignores, stay: no setting, branch, stash, hook or lock of somebody's work. */
const makeAnew = Effect.fnUntraced(function* (checkout: Checkout, commit: string): Effect.fn.Return<void, Failing> {
  const { own, state, top } = checkout
  yield* attempt(`${top} cannot be written`, async () => {
    // worktrees of subtasks are made anew of what was kept
    await removeTree(Path.join(state, "worktrees"))
    for (const name of await readdir(own).catch(() => []))
      if (name !== "objects") await removeTree(Path.join(own, name))
  })
  yield* initialise(checkout, commit)
  yield* git(checkout, ["read-tree", commit])
  // what is as it should be is not written again; it fails where something is not
  yield* Effect.ignore(git(checkout, ["update-index", "-q", "--refresh"]))
  yield* checkOut(checkout, commit)
  yield* git(checkout, ["clean", "-ffdq"])
})

/** Makes the repository, or what it lacks to be one that has the commits of the run. */
const initialise = Effect.fnUntraced(function* (
  { objects, own, top }: Checkout,
  commit: string
): Effect.fn.Return<void, Failing> {
  yield* attempt(`${own} cannot be removed`, async () => {
    const found = await lstat(own).catch(() => null)
    if (found?.isDirectory() === false) await removeTree(own)
  })
  yield* git(top, ["init", "-q", "-b", "proofline", "--template=", ...formatOf(commit)])
  yield* attempt(`${own} cannot be written`, async () => {
    await mkdir(Path.join(own, "objects/info"), { recursive: true })
    await writeFile(Path.join(own, "objects/info/alternates"), `${objects}\n`)
  })
})

/** Work may have removed the repository or begun it anew: what it did to the files is its work nevertheless. */
const repaired = Effect.fnUntraced(function* (checkout: Checkout, commit: string): Effect.fn.Return<void, Failing> {
  const { objects, own } = checkout
  const isOurs = yield* Effect.promise(async () => {
    const known = await readFile(Path.join(own, "objects/info/alternates"), "utf8").catch(() => "")
    return known.split("\n").includes(objects) && existsSync(Path.join(own, "HEAD"))
  })
  if (!isOurs) yield* initialise(checkout, commit)
  if ((yield* commitOf(checkout, "HEAD")) === null) yield* git(checkout, ["update-ref", "HEAD", commit])
})

const stampOf = ({ own }: Checkout) =>
  attempt(`${own} cannot be read`, async () => {
    const names = await readdir(own, { recursive: true })
    const stats = await Promise.all(
      names
        .filter((name) => !/^objects(\/|$)/.test(name))
        .map(async (name) => {
          const { ino, isDirectory, mtimeNs, size } = await statOf(Path.join(own, name))
          return isDirectory ? name : `${name} ${ino} ${size} ${mtimeNs}`
        })
    )
    return stats.sort().join("\n")
  })

const statOf = async (file: string) => {
  const found = await lstat(file, { bigint: true })
  return { ino: found.ino, mtimeNs: found.mtimeNs, size: found.size, isDirectory: found.isDirectory() }
}

const setRefs = Effect.fnUntraced(function* (checkout: Checkout, refs: Refs): Effect.fn.Return<void, Failing> {
  const gone = [...(yield* refsIn(checkout)).keys()].filter((name) => !refs.has(name))
  yield* git(checkout, ["update-ref", "--stdin"], {
    input: [
      ...gone.map((name) => `delete ${name}\n`),
      ...[...refs].map(([name, commit]) => `update ${name} ${commit}\n`)
    ].join("")
  })
})

/** The refs of subtasks, as the last tree that names each has them. */
const refsOf = ({ trees }: RunTrees): Refs =>
  new Map(trees.flatMap(({ refs }) => refs.map(({ commit, name }) => [name, commit] as const)))

const refsIn = (checkout: Checkout) =>
  Effect.map(
    git(checkout, ["for-each-ref", "--format=%(refname) %(objectname)", ownRefs]),
    (printed) =>
      new Map(
        printed.split("\n").flatMap((line): ReadonlyArray<readonly [string, string]> => {
          const [name = "", commit = ""] = line.split(" ")
          return commit === "" ? [] : [[name, commit]]
        })
      )
  )

/** What was done in a checkout, as commits. */
export interface Work {
  readonly commit: string
  /** Refs that are new or were moved. */
  readonly refs: RecordedTree["refs"]
  /** Repositories of their own, which the commit has not. */
  readonly leftOut: ReadonlyArray<string>
}

/** Keeps what was done as a commit; null: nothing was changed that is not known of the run now. */
export const workIn = Effect.fnUntraced(function* (
  { checkout, refs: before, root, start }: Begun,
  known: RunTrees
): Effect.fn.Return<Work | null, Failing> {
  const { state } = checkout
  yield* repaired(checkout, start.commit)
  const now = refsOf(known)
  // refs are made with worktrees only
  const hasWorktrees = before.size > 0 || existsSync(Path.join(state, "worktrees"))
  const refs = hasWorktrees
    ? [...(yield* refsIn(checkout))].flatMap(([name, commit]) =>
        // what others have moved meanwhile is not moved back
        before.get(name) === commit || now.get(name) === commit ? [] : [{ name, commit }]
      )
    : []
  const { changed, head, unreadable, untracked } = yield* statusOf(checkout, { within: "." })
  if (head === start.commit && changed.length + untracked.length + refs.length + unreadable === 0) {
    if (!hasWorktrees && (yield* stampOf(checkout)) === checkout.stamp)
      checkout.clean = { commit: start.commit, refs: before }
    return null
  }
  const store = yield* openWorktreeStore({ root, stateDir: state })
  const { nested, tree } = yield* snapshotOf(store, store.repository, start.commit, "refused")
  const isSame = tree === (yield* treeOf(checkout, start.commit))
  if (isSame && refs.length + nested.length === 0) return null
  const commit = isSame
    ? start.commit
    : yield* commitTree(checkout, tree, yield* parentsOf(checkout, start.commit, head), "Work of an agent\n")
  return { commit, refs, leftOut: nested }
})

/** The commits that an agent has made stay in the history, and so does the one that it began with. */
const parentsOf = (checkout: Checkout, start: string, head: string | null) =>
  head === null || head === start
    ? Effect.succeed([start])
    : git(checkout, ["merge-base", "--is-ancestor", start, head]).pipe(
        Effect.as([head]),
        Effect.catchTag("GitFailed", (failed) =>
          failed.exit_code === 1 ? Effect.succeed([start, head]) : Effect.fail(failed)
        )
      )

/**
 * The tree of the run with this work merged into what the run stands on now, its bundle kept. Refused where both have
 * changed the same lines.
 */
export const mergedTree = Effect.fnUntraced(function* (
  { blobs }: Pick<Sources, "blobs">,
  { checkout, root, run, start }: Begun,
  now: RunTrees,
  { commit, leftOut, refs }: Work,
  by: By | null
): Effect.fn.Return<RecordedTree, Failing | LogUnavailable> {
  const { state } = checkout
  const onto = headOfTrees(now) ?? start
  const together = yield* onto.commit === start.commit || commit === onto.commit
    ? Effect.succeed(commit)
    : commit === start.commit
      ? Effect.succeed(onto.commit)
      : Effect.flatMap(openWorktreeStore({ root, stateDir: state }), (store) =>
          mergeCommits(store, run, start.commit, onto.commit, commit)
        )
  const known = new Set([onto.commit, start.commit])
  const commits = [...new Set([together, ...refs.map((ref) => ref.commit)])].filter((one) => !known.has(one))
  return {
    onto: onto.commit,
    commit: together,
    prefix: start.prefix,
    refs,
    bundle: commits.length === 0 ? null : yield* blobs.put(yield* bundleOf(checkout, commits, [...known])),
    remote: null,
    by,
    ...leavingOut(leftOut)
  }
})

const mergeCommits = Effect.fnUntraced(function* (
  store: WorktreeStore,
  run: RunId,
  before: string,
  onto: string,
  commit: string
): Effect.fn.Return<string, Failing> {
  const { repository } = store
  const from = yield* treeOf(repository, before)
  const [ours, theirs] = [yield* treeOf(repository, onto), yield* treeOf(repository, commit)]
  const merged = yield* merge(store, from, ours, theirs)
  if (merged.conflicts.length > 0)
    return yield* refused("workplace_conflict", conflictText(store, run, merged.conflicts))
  return yield* commitTree(repository, merged.tree, [onto, commit], "Merge the work of an agent\n")
})

const conflictText = (store: WorktreeStore, run: RunId, paths: ReadonlyArray<string>): string =>
  `Other work of ${run} was merged meanwhile, and both changed the same lines of ${pathsOf(store, paths)}. Nothing of this work was merged. Do it again on what the run stands on now.`

/** Writes the files of a commit into a directory that is nobody's checkout. */
export const writeFiles = Effect.fnUntraced(function* (
  { directory, top }: Checkout,
  commit: string,
  into: string
): Effect.fn.Return<void, Failing> {
  const index = Path.join(directory, "files.index")
  yield* git(top, ["read-tree", commit], { index })
  yield* git(top, ["checkout-index", "-a", "-q", "-f", `--prefix=${into}/`], { index })
})
