import * as Path from "node:path"
import { Effect } from "effect"
import { git } from "../../git/run.ts"
import { type Question, settle } from "./answers.ts"
import { type Failing, fromProject, stateOf, type WorktreeStore } from "./store.ts"
import { make, remove } from "./worktrees.ts"

export type Answer = { readonly tree: string } | { readonly message: string }

/**
 * What a person has made of it, on what is there now; or what the person has to do. Nothing that a person has done in
 * the worktree is ever thrown away.
 */
export const decide = Effect.fnUntraced(function* (
  store: WorktreeStore,
  question: Question
): Effect.fn.Return<Answer, Failing> {
  const settled = yield* settle(store, question)
  if ("tree" in settled) return settled
  const { checkout, conflicts, seen, sides } = settled
  if (seen === "asked") return { message: asking(store, question, conflicts) }
  if (seen === "uncommitted") return { message: uncommitted(store, question) }
  if (seen === "unfinished") return { message: unfinished(store, question) }
  if (seen === "marked") return { message: marked(store, question, conflicts) }
  if (seen === "other") return { message: occupied(store, question) }
  if (checkout !== null) yield* remove(store, checkout)
  yield* make(store, question.top, sides.ours, (made) =>
    git(made, ["merge", "--quiet", "--no-ff", "--no-commit", "-m", "What a person made of both sides", sides.theirs], {
      mayFetch: true
    }).pipe(
      // exit code 1: there are conflicts, which is why a person is asked
      Effect.catchTag("GitFailed", (failed) => (failed.exit_code === 1 ? Effect.void : Effect.fail(failed))),
      Effect.asVoid
    )
  )
  return { message: asking(store, question, conflicts) }
})

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`

/** From wherever one is. */
const resuming = (store: WorktreeStore, run: string): string => {
  const project = Path.join(store.repository.top, store.repository.prefix)
  const isUsual = stateOf(store) === Path.join(project, ".proofline", "state")
  return `proofline resume ${run} --cwd ${quoted(project)}${isUsual ? "" : ` --state ${quoted(stateOf(store))}`}`
}

const commands = (store: WorktreeStore, { run, top }: Question, commit = "git commit --no-edit --no-verify"): string =>
  [`cd ${quoted(top)}`, `git add -A && ${commit}`, resuming(store, run)].map((line) => `  ${line}`).join("\n")

const asking = (store: WorktreeStore, question: Question, conflicts: ReadonlyArray<string>): string =>
  `Both sides changed ${conflicts.map((path) => fromProject(store, path)).join(", ")}. The project stays as it is until you have decided. Edit the files between the first command and the second until they are as they should be:\n${commands(store, question)}`

const uncommitted = (store: WorktreeStore, question: Question): string =>
  `No conflict is left in ${question.top}, but the merge is not committed, and counts only once it is. Commit it:\n${commands(store, question)}`

const unfinished = (store: WorktreeStore, question: Question): string =>
  `The merge in ${question.top} is committed, but there are changes that are not. Add them to it, or take them back:\n${commands(store, question, "git commit --amend --no-edit --no-verify")}`

const marked = (store: WorktreeStore, question: Question, conflicts: ReadonlyArray<string>): string =>
  `The merge in ${question.top} is committed, but the marks of both sides (<<<<<<<, >>>>>>>) are left in ${conflicts.map((path) => fromProject(store, path)).join(", ")}. Edit the files between the first command and the second:\n${commands(store, question, "git commit --amend --no-edit --no-verify")}`

const occupied = (store: WorktreeStore, question: Question): string =>
  `The worktree ${question.top} holds something that does not belong to this merge. Save what you need of it, then remove it:\n  git worktree remove --force ${quoted(question.top)}\n  ${resuming(store, question.run)}`
