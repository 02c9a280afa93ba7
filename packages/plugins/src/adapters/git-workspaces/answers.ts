import { readFile } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { type Checkout, type GitFailed, git, gitNames } from "../../git/run.ts"
import { changesBetween, commitTree, treeOf } from "../../git/tree.ts"
import { merge, sidesOf } from "./merge.ts"
import { nameOf, refsOf } from "./names.ts"
import { type Kept, setRef } from "./refs.ts"
import { snapshotOf } from "./snapshot.ts"
import { type Failing, headOf, type WorktreeStore } from "./store.ts"
import { find, folderOf, remove } from "./worktrees.ts"

/** Two sides that a person must bring together. */
export interface Question {
  readonly run: string
  /** Where the person does it: a worktree. */
  readonly top: string
  /** What keeps the answer. */
  readonly ref: string
  readonly known: Kept | undefined
  /** Trees. */
  readonly from: string
  readonly ours: string
  /** What is put onto `ours`, as a commit. */
  readonly theirs: Pick<Kept, "commit" | "tree">
  /** From the top of the repository. */
  readonly conflicts: ReadonlyArray<string>
}

/** What a subtask, or all of them, began with and came to. */
export interface Meeting {
  readonly task: string
  readonly start: Pick<Kept, "tree">
  readonly kept: Pick<Kept, "commit" | "tree">
}

/** The same question wherever a subtask's changes meet others: what was answered for the one holds for the other. */
export const questionOf = (
  store: WorktreeStore,
  { parent_task_id, run_id }: { readonly parent_task_id: string; readonly run_id: string },
  known: ReadonlyMap<string, Kept>,
  { kept, start, task }: Meeting,
  ours: string,
  conflicts: ReadonlyArray<string>
): Question => {
  const ref = refsOf(run_id, parent_task_id).decided(task)
  return {
    run: run_id,
    top: Path.join(folderOf(store, run_id), `${nameOf(parent_task_id)}.merge`),
    ref,
    known: known.get(ref),
    from: start.tree,
    ours,
    theirs: kept,
    conflicts
  }
}

/** What is left to be decided, and what was found where it is decided. */
export interface Open {
  readonly conflicts: ReadonlyArray<string>
  /** Commits of both sides. */
  readonly sides: { readonly ours: string; readonly theirs: string }
  readonly checkout: Checkout | null
  /** Null without a checkout. */
  readonly seen: Exclude<Seen, object> | null
}

/** What a person has made of it, on what is there now; or what is still to be decided. An answer is noted. */
export const settle = Effect.fnUntraced(function* (
  store: WorktreeStore,
  question: Question
): Effect.fn.Return<{ readonly tree: string } | Open, Failing> {
  let { conflicts, from, ours, theirs } = { ...question, theirs: question.theirs.tree }
  if (question.known !== undefined) {
    const again = yield* onceMore(store, question, question.known)
    if (again !== null) {
      if (again.conflicts.length === 0) return { tree: again.tree }
      ;({ conflicts, from, theirs } = again)
    }
  }
  const sides = yield* sidesOf(store.repository, from, ours, theirs)
  const checkout = yield* find(store, question.top, sides.ours)
  if (checkout === null) return { conflicts, sides, checkout, seen: null }
  const seen = yield* inspect(store, checkout, sides)
  if (seen === "asked") {
    const open = yield* openIn(store, checkout, conflicts)
    return open.length > 0
      ? { conflicts: open, sides, checkout, seen }
      : { conflicts, sides, checkout, seen: "uncommitted" }
  }
  if (typeof seen === "string") return { conflicts, sides, checkout, seen }
  const marked = yield* markedIn(store, seen.tree, conflicts)
  if (marked.length > 0) return { conflicts: marked, sides, checkout, seen: "marked" }
  const parents = [seen.before, question.theirs.commit]
  const commit = yield* commitTree(store.repository, seen.tree, parents, "What a person made of both sides\n")
  yield* setRef(store, question.ref, commit)
  yield* remove(store, checkout)
  return yield* settle(store, { ...question, known: { commit, tree: seen.tree, parents } })
})

/** An earlier answer, put onto what is there now; null when it answered something else. */
const onceMore = Effect.fnUntraced(function* (
  store: WorktreeStore,
  { ours, theirs }: Question,
  { parents, tree }: Kept
) {
  const [before = "", asked = ""] = parents
  if ((yield* treeOf(store.repository, asked)) !== theirs.tree) return null
  const from = yield* treeOf(store.repository, before)
  return { ...(yield* merge(store, from, ours, tree)), from, theirs: tree }
})

/**
 * Of a merge in progress the files that nobody has decided about: marks of both sides still stand in them, or they have
 * no lines that could be marked, are as git left them, and were not added.
 */
const openIn = Effect.fnUntraced(function* (
  store: WorktreeStore,
  checkout: Checkout,
  conflicts: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<string>, Failing> {
  const { tree } = yield* snapshotOf(store, checkout)
  const marked = yield* markedIn(store, tree, conflicts)
  const unmerged = yield* gitNames(checkout, ["diff", "--name-only", "--diff-filter=U", "--no-renames", "-z"])
  const left = yield* noted(checkout, "AUTO_MERGE")
  const edited = new Set(
    left === null ? [] : (yield* changesBetween(store.repository, left, tree)).map(({ path }) => path)
  )
  return [...new Set([...marked, ...unmerged.filter((path) => !edited.has(path))])].sort()
})

/** An id that git notes for a worktree while a merge is in progress. */
const noted = ({ own }: Checkout, name: "AUTO_MERGE" | "MERGE_HEAD"): Effect.Effect<string | null> =>
  Effect.promise(() =>
    readFile(Path.join(own, name), "utf8").then(
      (text) => text.trim(),
      () => null
    )
  )

/** Files in which git's marks of both sides still stand: nobody has decided about them. */
const markedIn = (
  store: WorktreeStore,
  tree: string,
  paths: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  gitNames(store.repository, ["grep", "-z", "-l", "--full-name", "-E", "^(<<<<<<<|>>>>>>>) ", tree, "--", ...paths], {
    mayFetch: true
  }).pipe(
    Effect.map((names) => names.map((found) => found.slice(found.indexOf(":") + 1))),
    // exit code 1: there are none
    Effect.catchTag("GitFailed", (failed) => (failed.exit_code === 1 ? Effect.succeed([]) : Effect.fail(failed)))
  )

type Seen =
  | "asked"
  | "uncommitted"
  | "untouched"
  | "unfinished"
  | "other"
  | "marked"
  | { readonly before: string; readonly tree: string }

/**
 * `asked`: the merge is in progress; `uncommitted`: and nothing of it is left to be decided; `untouched`: it was given up; `unfinished`: it is committed, but not all of it;
 * `other`: something else is there; `marked`: marks of both sides are left in it. Otherwise what was committed, and the commit that it was put onto.
 */
const inspect = Effect.fnUntraced(function* (
  store: WorktreeStore,
  checkout: Checkout,
  sides: Open["sides"]
): Effect.fn.Return<Seen, Failing> {
  const merging = yield* noted(checkout, "MERGE_HEAD")
  if (merging !== null) return merging === sides.theirs ? "asked" : "other"
  const head = yield* headOf(checkout)
  const { tree } = yield* snapshotOf(store, checkout)
  const isClean = tree === (yield* treeOf(store.repository, head))
  const lines = (yield* git(store.repository, ["rev-list", "--parents", head, `^${sides.theirs}`])).trim().split("\n")
  const before = lines.map((line) => line.split(" ")).find((ids) => ids.slice(1).includes(sides.theirs))?.[1]
  if (before !== undefined) return isClean ? { before, tree } : "unfinished"
  return head === sides.ours && isClean ? "untouched" : "other"
})
