import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import type { LogUnavailable, RunId } from "@proofline/kernel"
import { Effect } from "effect"
import { removeTree } from "../../../git/removeTree.ts"
import { git } from "../../../git/run.ts"
import { ownRefs } from "../../../git/runRefs.ts"
import { statusOf } from "../../../git/status.ts"
import { commitTree, treeOf } from "../../../git/tree.ts"
import { merge } from "../merge.ts"
import { snapshotOf } from "../snapshot.ts"
import { attempt, type Failing, openWorktreeStore, refused, type WorktreeStore } from "../store.ts"
import { bundleOf } from "./bundle.ts"
import type { Replica, Sources } from "./replica.ts"
import { headOfTrees, type RecordedTree, type RunTrees } from "./trees.ts"

/** A checkout of a run in which one piece of work at a time is done: a repository of its own, with its own refs. */
export interface Checkout {
  /** Absolute, as is `state`. */
  readonly directory: string
  readonly top: string
  /** For what Proofline keeps of the work that is done there. */
  readonly state: string
  /** The commit of which it is an unchanged checkout, and the refs that it has; null: it must be made so. */
  clean: { readonly commit: string; readonly refs: Refs } | null
}

type Refs = ReadonlyMap<string, string>

/** What the work that is done there begins with. */
export interface Begun {
  readonly checkout: Checkout
  readonly run: RunId
  readonly start: RecordedTree
  /** The project's directory in it. */
  readonly root: string
}

/** Whose work it is. */
export type By = NonNullable<RecordedTree["by"]>

export const makeCheckout = Effect.fnUntraced(function* (
  { repository }: Replica,
  directory: string
): Effect.fn.Return<Checkout, Failing> {
  const checkout: Checkout = {
    directory,
    top: Path.join(directory, "project"),
    state: Path.join(directory, "state"),
    clean: null
  }
  yield* attempt(`${directory} cannot be made`, async () => {
    for (const path of [checkout.top, checkout.state]) await mkdir(path, { recursive: true, mode: 0o700 })
  })
  yield* git(checkout.top, ["init", "-q", "-b", "proofline"])
  yield* attempt(`${checkout.top} cannot be written`, () =>
    writeFile(Path.join(checkout.top, ".git/objects/info/alternates"), `${Path.join(repository, "objects")}\n`)
  )
  return checkout
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
  if (clean === null) yield* cleanUp(checkout)
  if (clean?.commit !== start.commit) {
    yield* git(checkout.top, ["checkout", "-q", "--force", "-B", "proofline", start.commit])
  }
  if (clean === null || refs.size + clean.refs.size > 0) yield* setRefs(checkout.top, refs)
  return { checkout, run, start, root: Path.join(checkout.top, start.prefix) }
})

/** What git ignores stays. */
const cleanUp = Effect.fnUntraced(function* ({ state, top }: Checkout): Effect.fn.Return<void, Failing> {
  // worktrees of subtasks are made anew of what was kept
  yield* Effect.promise(() => removeTree(Path.join(state, "worktrees")))
  yield* git(top, ["worktree", "prune"])
  yield* git(top, ["clean", "-ffdq"])
})

const setRefs = Effect.fnUntraced(function* (top: string, refs: Refs): Effect.fn.Return<void, Failing> {
  const gone = [...(yield* refsIn(top)).keys()].filter((name) => !refs.has(name))
  yield* git(top, ["update-ref", "--stdin"], {
    input: [
      ...gone.map((name) => `delete ${name}\n`),
      ...[...refs].map(([name, commit]) => `update ${name} ${commit}\n`)
    ].join("")
  })
})

/** The refs of subtasks, as the last tree that names each has them. */
const refsOf = ({ trees }: RunTrees): Refs =>
  new Map(trees.flatMap(({ refs }) => refs.map(({ commit, name }) => [name, commit] as const)))

const refsIn = (top: string) =>
  Effect.map(
    git(top, ["for-each-ref", "--format=%(refname) %(objectname)", ownRefs]),
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
}

/** Keeps what was done as a commit; null: nothing was changed. */
export const workIn = Effect.fnUntraced(function* (
  { checkout, root, start }: Begun,
  known: RunTrees
): Effect.fn.Return<Work | null, Failing> {
  const { state, top } = checkout
  const before = refsOf(known)
  // refs are made with worktrees only
  const hasWorktrees = before.size > 0 || existsSync(Path.join(state, "worktrees"))
  const refs = hasWorktrees
    ? [...(yield* refsIn(top))].flatMap(([name, commit]) => (before.get(name) === commit ? [] : [{ name, commit }]))
    : []
  const { changed, head, untracked } = yield* statusOf(top, { within: "." })
  if (head === start.commit && changed.length + untracked.length + refs.length === 0) {
    checkout.clean = hasWorktrees ? null : { commit: start.commit, refs: before }
    return null
  }
  const store = yield* openWorktreeStore({ root, stateDir: state })
  const { tree } = yield* snapshotOf(store, store.repository, start.commit)
  const isSame = tree === (yield* treeOf(top, start.commit))
  if (isSame && refs.length === 0) return null
  // the commits that an agent has made stay in the history
  const commit = isSame ? start.commit : yield* commitTree(top, tree, [head ?? start.commit], "Work of an agent\n")
  return { commit, refs }
})

/**
 * The tree of the run with this work merged into what the run stands on now, its bundle kept. Refused where both have
 * changed the same lines.
 */
export const mergedTree = Effect.fnUntraced(function* (
  { blobs }: Pick<Sources, "blobs">,
  { checkout, root, run, start }: Begun,
  now: RunTrees,
  { commit, refs }: Work,
  by: By | null
): Effect.fn.Return<RecordedTree, Failing | LogUnavailable> {
  const { state, top } = checkout
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
    bundle: commits.length === 0 ? null : yield* blobs.put(yield* bundleOf(top, commits, [...known])),
    remote: null,
    by
  }
})

const mergeCommits = Effect.fnUntraced(function* (
  store: WorktreeStore,
  run: RunId,
  before: string,
  onto: string,
  commit: string
): Effect.fn.Return<string, Failing> {
  const { top } = store.repository
  const [from, ours, theirs] = [yield* treeOf(top, before), yield* treeOf(top, onto), yield* treeOf(top, commit)]
  const merged = yield* merge(store, from, ours, theirs)
  if (merged.conflicts.length > 0) return yield* refused("workplace_conflict", conflictText(run, merged.conflicts))
  return yield* commitTree(top, merged.tree, [onto, commit], "Merge the work of an agent\n")
})

const conflictText = (run: RunId, paths: ReadonlyArray<string>): string =>
  `Other work of ${run} was merged meanwhile, and both changed the same lines of ${paths.join(", ")}. Nothing of this work was merged. Do it again on what the run stands on now.`
