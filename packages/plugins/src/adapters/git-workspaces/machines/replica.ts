import { mkdir } from "node:fs/promises"
import type { EventLog, LogUnavailable, RunId } from "@proofline/kernel"
import { Effect, Semaphore } from "effect"
import { commitsAmong, withoutPassword } from "../../../git/repository.ts"
import { type GitFailed, git } from "../../../git/run.ts"
import { ownRefs } from "../../../git/runRefs.ts"
import { type BlobStore, WorkspaceRefused } from "../../../port/index.ts"
import { attempt, type Failing, type Git, refused } from "../store.ts"
import { formatOf, unbundle } from "./bundle.ts"
import { noTrees, type RecordedTree, type RunTrees, readTrees } from "./trees.ts"

/** Where the trees of runs are told, and their bundles kept. */
export interface Sources {
  readonly log: EventLog["Service"]
  readonly blobs: BlobStore["Service"]
}

/** A bare repository with every commit that a run and those that it belongs to have stood on. */
export interface Replica {
  /** Absolute path. */
  readonly repository: string
  /** The trees of a run as the log has them now; all of their commits are there afterwards. */
  readonly bring: (run: RunId) => Effect.Effect<RunTrees, Failing | LogUnavailable>
}

export const makeReplica = Effect.fnUntraced(function* (
  sources: Sources,
  repository: string
): Effect.fn.Return<Replica, Failing> {
  yield* attempt(`${repository} cannot be made`, () => mkdir(repository, { recursive: true, mode: 0o700 }))
  const oneAtATime = yield* Semaphore.make(1)
  const known = new Map<RunId, RunTrees>()
  let isMade = false
  const bring: Replica["bring"] = Effect.fnUntraced(function* (run) {
    const before = known.get(run) ?? noTrees
    const now = yield* readTrees(sources.log, run, before)
    // what a run begins with comes from the one that drives it
    if (now.parent !== null && before.parent === null) yield* bring(now.parent)
    const [first] = now.trees
    if (first !== undefined && !isMade) yield* git(repository, ["init", "-q", "--bare", ...formatOf(first.commit)])
    isMade ||= first !== undefined
    yield* addTrees(sources, repository, now.trees.slice(before.trees.length))
    known.set(run, now)
    return now
  })
  return { repository, bring: (run) => oneAtATime.withPermit(bring(run)) }
})

/** Makes the commits of trees be there, which follow each other. In a repository of the user's only refs of ours are made. */
export const addTrees = Effect.fnUntraced(function* (
  { blobs }: Pick<Sources, "blobs">,
  repository: string,
  trees: ReadonlyArray<RecordedTree>
): Effect.fn.Return<void, Failing | LogUnavailable> {
  // commits of subtasks may be new where the run's own is not
  const lacking = (among: ReadonlyArray<RecordedTree>) =>
    Effect.map(missingIn(repository, among.flatMap(commitsOf)), (commits) =>
      among.filter((tree) => commitsOf(tree).some((commit) => commits.has(commit)))
    )
  const missing = yield* lacking(trees)
  for (const { bundle, commit, remote } of missing) {
    if (remote !== null) yield* fetchHeads(repository, remote)
    if (bundle === null) continue
    const bytes = yield* blobs.get(bundle.sha256).pipe(
      Effect.catchTag("BlobMissing", ({ message }) => refused("checkout_bundle_missing", message)),
      // this work cannot be done; other work can
      Effect.catchTag(
        "LogUnavailable",
        (failure): Effect.Effect<never, LogUnavailable | WorkspaceRefused> =>
          failure.code === "log_corrupt"
            ? refused("checkout_bundle_damaged", `${failure.message} ${failure.hint}`)
            : Effect.fail(failure)
      )
    )
    yield* unbundle(repository, bytes).pipe(
      Effect.mapError((failed) =>
        failed._tag === "GitFailed" && failed.reason === "failed" ? notThere(commit, remote) : failed
      )
    )
  }
  const [first] = yield* lacking(missing)
  if (first !== undefined) return yield* notThere(first.commit, first.remote)
})

const fetchHeads = (repository: string, remote: string) =>
  git(
    repository,
    [
      ...["fetch", "-q", "--no-tags", "--prune", "--no-write-fetch-head", "--no-recurse-submodules"],
      ...["--", remote, `+refs/heads/*:${ownRefs}_remote/*`]
    ],
    { mayFetch: true }
  ).pipe(Effect.mapError((failed) => unreachable(remote, failed)))

/** Without a password, wherever git has one from. */
export const unreachable = (remote: string, { message }: GitFailed): WorkspaceRefused =>
  new WorkspaceRefused({
    code: "checkout_remote_failed",
    message: withoutPassword(`The remote ${remote} cannot be read: ${message}`)
  })

const commitsOf = ({ commit, refs }: RecordedTree): ReadonlyArray<string> => [commit, ...refs.map((ref) => ref.commit)]

/** Those of the commits that are not in the repository. */
const missingIn = (repository: string, commits: ReadonlyArray<string>): Git<ReadonlySet<string>> =>
  Effect.map(commitsAmong(repository, commits), (here) => new Set(commits.filter((commit) => !here.has(commit))))

const notThere = (commit: string, remote: string | null): WorkspaceRefused =>
  new WorkspaceRefused({
    code: "checkout_commit_missing",
    message: `Commit ${commit}, on which the run stands, cannot be had: its bundle builds on commits that are ${remote === null ? "in no bundle of the run" : "not at its remote"}.`
  })
