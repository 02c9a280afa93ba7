import { readFile } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import type { Done, Kept } from "./keep.ts"
import { fromProject, setRef } from "./keep.ts"
import { commitTree, merge, sidesOf, treeOf } from "./merge.ts"
import { type Checkout, type Failing, gitAt, headOf, type Room, stateOf } from "./room.ts"
import { snapshotOf } from "./snapshot.ts"
import { find, make, remove } from "./worktrees.ts"

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
  readonly theirs: Pick<Done["kept"], "commit" | "tree">
  /** From the top of the repository. */
  readonly conflicts: ReadonlyArray<string>
}

export type Answer = { readonly tree: string } | { readonly message: string }

/**
 * What a person has made of it, on what is there now; or what the person has to do. Nothing that a person has done in
 * the worktree is ever thrown away.
 */
export const decide = Effect.fnUntraced(function* (room: Room, question: Question): Effect.fn.Return<Answer, Failing> {
  let { conflicts, from, ours, theirs } = { ...question, theirs: question.theirs.tree }
  if (question.known !== undefined) {
    const again = yield* onceMore(room, question, question.known)
    if (again !== null) {
      if (again.conflicts.length === 0) return { tree: again.tree }
      ;({ conflicts, from, theirs } = again)
    }
  }
  const sides = yield* sidesOf(room.repository, from, ours, theirs)
  const checkout = yield* find(room, question.top, sides.ours)
  if (checkout !== null) {
    const seen = yield* inspect(room, checkout, sides)
    if (seen === "asked") return { message: asking(room, question, conflicts) }
    if (seen === "unfinished") return { message: unfinished(room, question) }
    if (seen === "other") return { message: occupied(room, question) }
    if (seen !== "untouched") return yield* accepted(room, question, checkout, seen)
    yield* remove(room, checkout)
  }
  yield* make(room, question.top, sides.ours, (made) =>
    gitAt(made, [
      ...["-c", "merge.directoryRenames=false", "merge", "--quiet", "--no-ff", "--no-commit"],
      ...["-m", "What a person made of both sides", sides.theirs]
    ]).pipe(
      // exit code 1: there are conflicts, which is why a person is asked
      Effect.catchTag("GitFailed", (failed) => (failed.exit_code === 1 ? Effect.void : Effect.fail(failed))),
      Effect.asVoid
    )
  )
  return { message: asking(room, question, conflicts) }
})

/** An earlier answer, put onto what is there now; null when it answered something else. */
const onceMore = Effect.fnUntraced(function* (room: Room, { ours, theirs }: Question, { parents, tree }: Kept) {
  const [before = "", asked = ""] = parents
  if ((yield* treeOf(room.repository, asked)) !== theirs.tree) return null
  const from = yield* treeOf(room.repository, before)
  return { ...(yield* merge(room, from, ours, tree)), from, theirs: tree }
})

const accepted = Effect.fnUntraced(function* (
  room: Room,
  question: Question,
  checkout: Checkout,
  { before, tree }: { readonly before: string; readonly tree: string }
): Effect.fn.Return<Answer, Failing> {
  const parents = [before, question.theirs.commit]
  const commit = yield* commitTree(room.repository, tree, parents, "What a person made of both sides\n")
  yield* setRef(room, question.ref, commit)
  yield* remove(room, checkout)
  return yield* decide(room, { ...question, known: { commit, tree, parents } })
})

/**
 * `asked`: the merge is in progress; `untouched`: it was given up; `unfinished`: it is committed, but not all of it;
 * `other`: something else is there. Otherwise what was committed, and the commit that it was put onto.
 */
const inspect = Effect.fnUntraced(function* (
  room: Room,
  checkout: Checkout,
  sides: { readonly ours: string; readonly theirs: string }
) {
  const merging = yield* Effect.promise(() =>
    readFile(Path.join(checkout.own, "MERGE_HEAD"), "utf8").then(
      (text) => text.trim(),
      () => null
    )
  )
  if (merging !== null) return merging === sides.theirs ? "asked" : "other"
  const head = yield* headOf(checkout)
  const { tree } = yield* snapshotOf(room, checkout)
  const isClean = tree === (yield* treeOf(room.repository, head))
  const lines = (yield* gitAt(room.repository, ["rev-list", "--parents", head, `^${sides.theirs}`])).trim().split("\n")
  const before = lines.map((line) => line.split(" ")).find((ids) => ids.slice(1).includes(sides.theirs))?.[1]
  if (before !== undefined) return isClean ? { before, tree } : "unfinished"
  return head === sides.ours && isClean ? "untouched" : "other"
})

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`

/** From wherever one is. */
const resuming = (room: Room, run: string): string => {
  const project = Path.join(room.repository.top, room.repository.prefix)
  const isUsual = stateOf(room) === Path.join(project, ".proofline", "state")
  return `proofline resume ${run} --cwd ${quoted(project)}${isUsual ? "" : ` --state ${quoted(stateOf(room))}`}`
}

const commands = (room: Room, { run, top }: Question, commit = "git commit --no-edit --no-verify"): string =>
  [`cd ${quoted(top)}`, `git add -A && ${commit}`, resuming(room, run)].map((line) => `  ${line}`).join("\n")

const asking = (room: Room, question: Question, conflicts: ReadonlyArray<string>): string =>
  `Both sides changed ${conflicts.map((path) => fromProject(room, path)).join(", ")}. Nothing was written to the project. Edit the files between the first command and the second until they are as they should be:\n${commands(room, question)}`

const unfinished = (room: Room, question: Question): string =>
  `The merge in ${question.top} is committed, but there are changes that are not. Add them to it, or take them back:\n${commands(room, question, "git commit --amend --no-edit --no-verify")}`

const occupied = (room: Room, question: Question): string =>
  `The worktree ${question.top} holds something that does not belong to this merge. Save what you need of it, then remove it:\n  git worktree remove --force ${quoted(question.top)}\n  ${resuming(room, question.run)}`
