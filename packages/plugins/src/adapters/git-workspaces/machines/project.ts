import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import type { LogUnavailable, RunId } from "@proofline/kernel"
import { Effect } from "effect"
import { commitOf, locate } from "../../../git/repository.ts"
import { type Checkout, type GitFailed, git, gitLine } from "../../../git/run.ts"
import { ownRefs, treesRef } from "../../../git/runRefs.ts"
import { changesBetween, commitTree, treeOf } from "../../../git/tree.ts"
import { merge } from "../merge.ts"
import { snapshotOf } from "../snapshot.ts"
import {
  attempt,
  type Failing,
  fromProject,
  type Git,
  headOf,
  type Options,
  openWorktreeStore,
  pathsOf,
  refused,
  type WorktreeStore
} from "../store.ts"
import { planOf, write } from "../write.ts"
import { bundleOf } from "./bundle.ts"
import { broughtFile, comeRef, commonOf, commonRef, nextCommonRef } from "./common.ts"
import { type Sources, unreachable } from "./replica.ts"
import { headOfTrees, leavingOut, leftOutOf, type RecordedTree, readTrees } from "./trees.ts"

/**
 * The project as it is now, uncommitted changes included, for a run that begins: what is recorded with its start. With
 * `remote`, the history that is there is in no bundle.
 */
export const handOver = Effect.fnUntraced(function* (
  { blobs }: Pick<Sources, "blobs">,
  options: Options,
  run: RunId,
  remote: string | null
): Effect.fn.Return<RecordedTree, Failing | LogUnavailable> {
  const store = yield* openWorktreeStore(options)
  const { repository } = store
  if (remote !== null && /^\w+:\/\/[^/@]*:[^/@]*@/.test(remote)) {
    return yield* refused(
      "checkout_remote_secret",
      "The address of the remote has a password in it, which everybody could read in the log. Give it without: git asks its credential helper."
    )
  }
  const { commit, nested } = yield* projectCommit(store, remote)
  const known = remote === null ? [] : yield* commitsAt(store, remote)
  const isKnown = known.includes(commit)
  const bundle = isKnown ? null : yield* blobs.put(yield* firstBundle(repository, commit, known))
  yield* git(repository, ["update-ref", commonRef(run), commit])
  return {
    onto: null,
    commit,
    prefix: repository.prefix,
    refs: [],
    bundle,
    remote,
    by: null,
    ...leavingOut(nested)
  }
})

const firstBundle = (repository: Checkout, commit: string, known: ReadonlyArray<string>) =>
  Effect.catch(
    bundleOf(repository, [commit], known),
    (failed): Git<never> =>
      failed.reason === "large"
        ? refused(
            "checkout_too_large",
            "The project is too large to go through the blobs with its history. Name a git remote that workers can reach, with --remote."
          )
        : Effect.fail(failed)
  )

/** The project as a commit; HEAD where it has no other changes. */
const projectCommit = Effect.fnUntraced(function* (
  store: WorktreeStore,
  remote: string | null
): Effect.fn.Return<{ readonly commit: string; readonly nested: ReadonlyArray<string> }, Failing> {
  const { repository } = store
  const head = yield* headOf(repository)
  const { nested, tree } = yield* snapshotOf(store, repository)
  // what a shallow clone has not can only come from a remote
  const hasHistory =
    remote !== null || (yield* gitLine(repository, ["rev-parse", "--is-shallow-repository"])) === "false"
  const commit =
    hasHistory && tree === (yield* treeOf(repository, head))
      ? head
      : yield* commitTree(
          repository,
          tree,
          hasHistory ? [head] : [],
          "The project as it was handed over, with changes that are not committed\n"
        )
  return { commit, nested }
})

/** Heads of the remote that are known here too. */
const commitsAt = Effect.fnUntraced(function* ({ repository }: WorktreeStore, remote: string) {
  const printed = yield* git(repository, ["ls-remote", "--heads", "--", remote], { mayFetch: true }).pipe(
    Effect.mapError((failed) => unreachable(remote, failed))
  )
  const heads = printed.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] as string]))
  const found = yield* Effect.forEach(heads, (head) => commitOf(repository, head))
  return found.filter((head) => head !== null)
})

/**
 * What was changed in the project since, for a run that goes on; null: nothing. All of it where the run was begun without
 * workers; then `remote` is as in `handOver`.
 */
export const handOverAgain = Effect.fnUntraced(function* (
  sources: Sources,
  options: Options,
  run: RunId,
  remote: string | null
): Effect.fn.Return<RecordedTree | null, Failing | LogUnavailable> {
  const store = yield* openWorktreeStore(options)
  const { repository } = store
  const told = yield* readTrees(sources.log, run)
  const head = headOfTrees(told)
  if (head === undefined) return yield* handOver(sources, options, run, remote)
  const common = yield* commonOf(sources, options, repository, run, told, head)
  const { nested, tree } = yield* snapshotOf(store, repository)
  const [before, ours] = [yield* treeOf(repository, common), yield* treeOf(repository, head.commit)]
  const merged = yield* merge(store, before, ours, tree)
  if (merged.conflicts.length > 0) {
    return yield* refused(
      "workplace_conflict",
      `The project was changed where the run was: ${pathsOf(store, merged.conflicts)}. Take those changes back, or merge ${head.commit} yourself, then resume.`
    )
  }
  const commit =
    merged.tree === ours
      ? head.commit
      : yield* commitTree(repository, merged.tree, [head.commit], "The project as it was handed over again\n")
  if (commit === head.commit) {
    // what the project has by itself, the run has too
    const same = yield* commitTree(repository, tree, [common], "What the run has too\n")
    yield* git(repository, ["update-ref", commonRef(run), same])
    return null
  }
  const next = yield* commitTree(repository, tree, [commit], "Handed over with its parent\n")
  yield* git(repository, ["update-ref", nextCommonRef(run), next])
  return {
    onto: head.commit,
    commit,
    prefix: repository.prefix,
    refs: [],
    bundle: yield* sources.blobs.put(yield* bundleOf(repository, [commit], [head.commit])),
    remote: null,
    by: null,
    ...leavingOut(nested)
  }
})

/** Somebody may be working in the project: then it is tried again on what it has become. */
const tries = 5

/** What was written into the project. */
export interface Brought {
  readonly commit: string
  /** From the project, sorted. */
  readonly files: ReadonlyArray<string>
  /** Repositories of their own that work has left, which are lost. From the top of the repository, sorted. */
  readonly leftOut: ReadonlyArray<string>
}

/**
 * Writes what a run has come to into the project, all of it or nothing; what was changed there meanwhile is merged or
 * stands in the way. Null: there is nothing that is not there. The index and branches are not touched. One that `isOver`
 * never goes on again: once it was brought, only the trees that it stood on stay in the repository.
 */
export const bringHome = Effect.fnUntraced(function* (
  sources: Sources,
  options: Options,
  run: RunId,
  isOver: boolean
): Effect.fn.Return<Brought | null, Failing | LogUnavailable> {
  const store = yield* openWorktreeStore(options)
  const { repository } = store
  const told = yield* readTrees(sources.log, run)
  const head = headOfTrees(told)
  if (head === undefined || (isOver && existsSync(broughtFile(options, run)))) return null
  const before = yield* treeOf(repository, yield* commonOf(sources, options, repository, run, told, head))
  const theirs = yield* treeOf(repository, head.commit)
  const refs = [comeRef(run), treesRef(run)]
  yield* git(repository, ["update-ref", "--stdin"], {
    input: refs.map((ref) => `update ${ref} ${head.commit}\n`).join("")
  })
  for (let attempt = 0; attempt < tries; attempt++) {
    const now = (yield* snapshotOf(store, repository)).tree
    const merged = yield* merge(store, before, now, theirs)
    if (merged.conflicts.length > 0) return yield* inTheWay(store, run, head.commit, merged.conflicts)
    const changes = yield* changesBetween(repository, now, merged.tree)
    const { blocked, plan } = yield* planOf(store, changes)
    if (blocked.length > 0) return yield* inTheWay(store, run, head.commit, blocked)
    if (yield* write(store, merged.tree, plan)) {
      yield* isOver
        ? forget(repository, options, run)
        : git(repository, ["update-ref", "--stdin"], {
            input: `update ${commonRef(run)} ${head.commit}\ndelete ${comeRef(run)}\n`
          })
      const files = changes.map(({ path }) => fromProject(store, path)).sort()
      const leftOut = leftOutOf(told)
      return files.length + leftOut.length === 0 ? null : { commit: head.commit, files, leftOut }
    }
  }
  return yield* refused(
    "workplace_busy",
    `The project was changed again and again while what ${run} has come to was written. Nothing was left half done. Stop what changes it, then run \`proofline resume ${run}\`.`
  )
})

/** Those of these runs, which are over, that this project has handed over and of which it has not got the work back. */
export const notBroughtHome = Effect.fnUntraced(function* (
  options: Options,
  over: ReadonlyArray<RunId>
): Effect.fn.Return<ReadonlyArray<RunId>, GitFailed> {
  if (over.length === 0) return []
  const repository = yield* locate(options.root)
  const printed = yield* git(repository, ["for-each-ref", "--format=%(refname)", `${ownRefs}_handed/`])
  const handed = new Set(printed.split("\n"))
  return over.filter((run) => handed.has(commonRef(run)) && !existsSync(broughtFile(options, run)))
})

const forget = Effect.fnUntraced(function* (
  repository: Checkout,
  options: Options,
  run: RunId
): Effect.fn.Return<void, Failing> {
  const file = broughtFile(options, run)
  yield* attempt(`${file} cannot be written`, async () => {
    await mkdir(Path.dirname(file), { recursive: true })
    await writeFile(Path.join(Path.dirname(file), ".gitignore"), "*\n")
    await writeFile(file, "")
  })
  yield* git(repository, ["update-ref", "--stdin"], {
    input: [commonRef, nextCommonRef, comeRef].map((ref) => `delete ${ref(run)}\n`).join("")
  })
})

const inTheWay = (store: WorktreeStore, run: RunId, commit: string, paths: ReadonlyArray<string>) =>
  refused(
    "workplace_conflict",
    `What ${run} has come to was not written into the project, which was changed meanwhile at ${pathsOf(store, paths)}. It is commit ${commit}: take those changes back and run \`proofline resume ${run}\`, or merge it yourself with \`git merge ${commit}\`.`
  )
