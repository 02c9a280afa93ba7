import { mkdir } from "node:fs/promises"
import type { EventLog, LogUnavailable, RunId } from "@proofline/kernel"
import { Effect, Semaphore } from "effect"
import { git } from "../../../git/run.ts"
import { type BlobStore, WorkspaceRefused } from "../../../port/index.ts"
import { attempt, type Failing, refused } from "../store.ts"
import { unbundle } from "./bundle.ts"
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
  yield* git(repository, ["init", "-q", "--bare"])
  const oneAtATime = yield* Semaphore.make(1)
  const known = new Map<RunId, RunTrees>()
  const bring: Replica["bring"] = Effect.fnUntraced(function* (run) {
    const before = known.get(run) ?? noTrees
    const now = yield* readTrees(sources.log, run, before)
    // what a run begins with comes from the one that drives it
    if (now.parent !== null && before.parent === null) yield* bring(now.parent)
    yield* addTrees(sources, repository, now.trees.slice(before.trees.length))
    known.set(run, now)
    return now
  })
  return { repository, bring: (run) => oneAtATime.withPermit(bring(run)) }
})

/** Makes the commits of trees be there, which follow each other. */
export const addTrees = Effect.fnUntraced(function* (
  { blobs }: Pick<Sources, "blobs">,
  repository: string,
  trees: ReadonlyArray<RecordedTree>
): Effect.fn.Return<void, Failing | LogUnavailable> {
  const missing = new Set(
    yield* missingIn(
      repository,
      trees.map(({ commit }) => commit)
    )
  )
  for (const { bundle, commit, remote } of trees.filter((tree) => missing.has(tree.commit))) {
    if (remote !== null) {
      yield* git(repository, ["fetch", "-q", "--no-tags", remote, "+refs/heads/*:refs/remotes/origin/*"], {
        mayFetch: true
      })
    }
    if (bundle === null) continue
    const bytes = yield* blobs
      .get(bundle.sha256)
      .pipe(Effect.catchTag("BlobMissing", ({ message }) => refused("checkout_bundle_missing", message)))
    yield* unbundle(repository, bytes).pipe(
      Effect.mapError((failed) =>
        failed._tag === "GitFailed" && failed.reason === "failed" ? notThere(commit, remote) : failed
      )
    )
  }
})

/** Those of the commits that are not in the repository. */
const missingIn = (repository: string, commits: ReadonlyArray<string>) =>
  commits.length === 0
    ? Effect.succeed([])
    : Effect.map(
        git(repository, ["cat-file", "--batch-check=%(objecttype)"], {
          input: commits.map((commit) => `${commit}\n`).join("")
        }),
        (printed) => {
          const types = printed.split("\n")
          return commits.filter((_, i) => types[i] !== "commit")
        }
      )

const notThere = (commit: string, remote: string | null): WorkspaceRefused =>
  new WorkspaceRefused({
    code: "checkout_commit_missing",
    message: `Commit ${commit}, on which the run stands, cannot be had: its bundle builds on commits that are ${remote === null ? "in no bundle of the run" : "not at its remote"}.`
  })
