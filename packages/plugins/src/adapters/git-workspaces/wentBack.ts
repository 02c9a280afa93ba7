import { Effect } from "effect"
import { keepBlob } from "../../git/objects.ts"
import { mergeBase } from "../../git/repository.ts"
import { gitNames } from "../../git/run.ts"
import { changesBetween, commitTree, treeOf } from "../../git/tree.ts"
import { always, applied, merge } from "./merge.ts"
import type { Kept } from "./refs.ts"
import type { Failing, WorktreeStore } from "./store.ts"

/** What a subtask came to, on what it began with. */
export interface Brought {
  readonly kept: Kept
  /** Files that it had put aside, and of which `kept` has what they were when it began. From the top of the repository. */
  readonly left_alone: ReadonlyArray<string>
  /** Files that it has put aside and changed, so that neither can be had with the other. */
  readonly contested: ReadonlyArray<string>
}

/**
 * An agent may have checked out a commit without what its worktree began with: uncommitted changes, or the work of other
 * subtasks. What is missing then it has not removed. So its changes count from where both histories part.
 */
export const broughtOnto = Effect.fnUntraced(function* (
  store: WorktreeStore,
  start: Kept,
  kept: Kept
): Effect.fn.Return<Brought, Failing> {
  const as = { kept, left_alone: [], contested: [] }
  const [stood] = kept.parents.filter((id) => id !== start.commit)
  const fork = stood === undefined ? null : yield* mergeBase(store.repository, start.commit, stood)
  if (fork === null || fork === start.commit) return as
  const { repository } = store
  const changed = new Set((yield* changesBetween(repository, start.tree, kept.tree)).map(({ path }) => path))
  const missing = yield* changesBetween(repository, start.tree, yield* treeOf(repository, fork))
  const from = yield* applied(
    store,
    start.tree,
    missing.filter(({ path }) => changed.has(path))
  )
  const { conflicts, tree } = yield* merge(store, from, start.tree, kept.tree)
  if (tree === kept.tree) return { ...as, contested: conflicts }
  const disputes = new Set(conflicts)
  const left = (yield* changesBetween(repository, kept.tree, tree)).flatMap(({ path }) =>
    disputes.has(path) ? [] : [path]
  )
  const commit = yield* commitTree(repository, tree, [kept.commit], "The same, on what it began with\n", always)
  return { kept: { commit, tree, parents: [kept.commit] }, left_alone: left, contested: conflicts }
})

/** What the project was when it was split, and what is put onto it: trees, but for `head`, the commit it stood on. */
interface Sides {
  readonly head: string
  readonly before: string
  readonly from: string
  readonly theirs: string
}

/**
 * Files with uncommitted changes of which nothing is left: they are as the commit has them, or gone. A file that was
 * moved is there still.
 */
export const takenAway = Effect.fnUntraced(function* (
  { repository }: WorktreeStore,
  { before, from, head, theirs }: Sides
): Effect.fn.Return<ReadonlyArray<string>, Failing> {
  const committed = new Map(
    (yield* changesBetween(repository, head, before)).map(({ before, path }) => [path, before?.id])
  )
  const taken = (yield* changesBetween(repository, from, theirs)).filter(
    ({ after, path }) => committed.has(path) && (after === null || after.id === committed.get(path))
  )
  if (taken.length === 0) return []
  const moved = new Set(
    yield* gitNames(repository, [
      ...["diff-tree", "-r", "-z", "--find-renames", "--name-status", "--diff-filter=R", "--no-commit-id"],
      ...[from, theirs]
    ])
  )
  return taken.flatMap(({ path }) => (moved.has(path) ? [] : [path]))
})

/** The same tree with other files in these places, so that a change of either side meets that of the other. */
export const disputed = Effect.fnUntraced(function* (
  store: WorktreeStore,
  tree: string,
  paths: ReadonlyArray<string>
): Effect.fn.Return<string, Failing> {
  if (paths.length === 0) return tree
  const id = yield* keepBlob(store.repository, "Neither side has this.\n")
  return yield* applied(
    store,
    tree,
    paths.map((path) => ({ path, before: null, after: { mode: "100644", id } }))
  )
})
