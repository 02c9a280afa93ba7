import { realpath } from "node:fs/promises"
import * as Path from "node:path"
import type { RunId, TaskId } from "@proofline/kernel"
import { Effect, Layer, Semaphore } from "effect"
import { ignoresAll, locate } from "../../git/repository.ts"
import {
  type AggregationRequest,
  type Fingerprint,
  type Workspace,
  type WorkspaceRefused,
  type WorkspaceSpec,
  Workspaces
} from "../../port/index.ts"
import { aggregate } from "./aggregate.ts"
import { close } from "./close.ts"
import type { Remembered } from "./files.ts"
import { changedSince, changesUntilNow, fingerprintOf, isSame, type Watched } from "./fingerprint.ts"
import { keep, openWork, type Work } from "./keep.ts"
import { lookAtSteps, looking, type Newest, noLooks, nothingKept, treeKeeper, treesOf } from "./keptTrees.ts"
import { asRefusal, attempt, type Git, type Options, openWorktreeStore, storeOf, worktreesIn } from "./store.ts"
import { besideIn, nobodyYet, type Together, watchedIn } from "./together.ts"
import { folderOf, isFolder, prepare } from "./worktrees.ts"

export { ignoredAmong, makeRepository } from "../../git/repository.ts"
export { treesRef } from "../../git/runRefs.ts"
export { type ChangedLines, changedLines } from "./keptTrees.ts"
export { type GitFound, lookAtGit, oldestGit } from "./look.ts"
export { type Begun, mergedTree, type Work, workIn, writeFiles } from "./machines/checkout.ts"
export { makeRunCheckouts, type Opened, type RunCheckouts } from "./machines/pool.ts"
export { type Brought, bringHome, handOver, handOverAgain, notBroughtHome } from "./machines/project.ts"
export type { Sources } from "./machines/replica.ts"
export { headOfTrees, leftOutOf, type RecordedTree, type RunTrees } from "./machines/trees.ts"
export { type Written, writtenOf } from "./written.ts"

export type GitWorkspacesOptions = Options

/** Where the worktrees of a run lie; it is gone when none is left. */
export const worktreesOf = (stateDir: string, run: string): string =>
  folderOf({ worktrees: worktreesIn(stateDir) }, run)

/**
 * Where subtasks work: in the project itself, or each in a worktree of its repository below the state directory. What
 * they come to is kept by refs below `refs/proofline/`, until the run is closed.
 */
export const layer = (options: GitWorkspacesOptions): Layer.Layer<Workspaces> =>
  Layer.effect(
    Workspaces,
    Effect.map(Semaphore.make(1), (inOrder) => {
      const remembered: Remembered = new Map()
      const places = new Map<string, Together>()
      const newest = nothingKept()
      const shared = (run: RunId, task: TaskId) => openShared(options, { remembered, places, newest }, run, task)
      return {
        open: (workspaceSpec) =>
          refusing(
            workspaceSpec.workspace === "shared"
              ? shared(workspaceSpec.run_id, workspaceSpec.task_id)
              : inOrder.withPermit(openWorktree(options, { remembered, newest }, workspaceSpec))
          ),
        aggregate: (request) => {
          const { parent_task_id, run_id } = request
          const together = inOrder.withPermit(aggregateIn(options, { newest, remembered }, request))
          // what it writes into the project is the work of none who works there
          return refusing(Effect.flatMap(shared(run_id, parent_task_id), ({ beside }) => beside(together)))
        },
        close: (run, lost) => inOrder.withPermit(close(options, run, lost))
      }
    })
  )

/** No failure of git leaves as anything else than a refusal. */
const refusing = <A>(effect: Git<A>): Effect.Effect<A, WorkspaceRefused> =>
  Effect.mapError(effect, (failed) => (failed._tag === "GitFailed" ? asRefusal(failed) : failed))

/** What this process remembers of files and trees. */
interface Memory {
  readonly remembered: Remembered
  readonly newest: Newest
}

const openWorktree = Effect.fnUntraced(function* (options: Options, memory: Memory, workspaceSpec: WorkspaceSpec) {
  const store = yield* openWorktreeStore(options)
  yield* prepare(store, workspaceSpec.run_id)
  return worktreeOf(yield* openWork(store, workspaceSpec), options, memory)
})

const worktreeOf = (work: Work, { keepsTrees = true }: Options, { newest, remembered }: Memory): Workspace => {
  const { checkout, store, workspaceSpec } = work
  const { run_id, task_id } = workspaceSpec
  const keeper = treeKeeper(store, newest, run_id)
  const directory = Path.join(checkout.top, store.repository.prefix)
  const watched: Watched = { directory, checkout, stateDir: Path.join(directory, ".proofline/state") }
  const own = { ...watching(watched, remembered), keep: refusing(keep(work)) }
  return {
    ...own,
    watched: (working, asked) =>
      Effect.gen(function* () {
        const watching = keepsTrees ? asked : undefined
        const before = yield* own.fingerprint
        const looks = noLooks()
        let last: Fingerprint | null = null
        const keepSeen = (seen: Fingerprint, when: string, at = checkout) =>
          Effect.map(keeper.keep(at, seen, `${task_id}: ${when}`), (kept) => {
            last = seen
            return kept
          })
        if (watching !== undefined) {
          yield* looking(looks, keepSeen(before, "before"), (tree) => {
            looks.before = tree
          })
        }
        const look = Effect.flatMap(fingerprintOf(watched, remembered), (seen) =>
          last !== null && isSame(last, seen) ? Effect.succeed(null) : keepSeen(seen, "while it worked")
        )
        const value = yield* watching === undefined
          ? working
          : Effect.raceFirst(working, Effect.andThen(lookAtSteps(looks, watching, look), Effect.never))
        // what works there may have removed it
        const there = yield* refusing(stillThere(work))
        const left = { ...watched, checkout: there.checkout }
        const { changed, now } = yield* refusing(changesUntilNow(left, remembered, before))
        // also what an attempt left behind that a crash took
        const kept = yield* refusing(keep(there))
        const changes = { modified: [...new Set([...changed, ...kept])].sort(), undecided: [] }
        if (watching === undefined) return [value, changes] as const
        const end = last !== null && isSame(last, now) ? Effect.succeed(null) : keepSeen(now, "after", left.checkout)
        yield* looking(looks, end, (tree) => {
          looks.after = tree
        })
        const trees = treesOf(looks, true)
        return [value, trees === undefined ? changes : { ...changes, trees }] as const
      }),
    beside: (working) => working
  }
}

/** The same work, in a new worktree where somebody has removed the one that it had. */
const stillThere = Effect.fnUntraced(function* (work: Work) {
  return (yield* isFolder(work.checkout.top)) ? work : yield* openWork(work.store, work.workspaceSpec)
})

const watching = (
  watched: Watched,
  remembered: Remembered
): Pick<Workspace, "directory" | "fingerprint" | "changedSince"> => ({
  directory: watched.directory,
  fingerprint: refusing(fingerprintOf(watched, remembered)),
  changedSince: (fingerprint) => refusing(changedSince(watched, remembered, fingerprint))
})

const openShared = Effect.fnUntraced(function* (
  { keepsTrees = true, root, stateDir }: Options,
  { newest, places, remembered }: Memory & { readonly places: Map<string, Together> },
  run: RunId,
  task: TaskId
) {
  const directory = yield* attempt(`The project directory ${root} cannot be used`, () => realpath(root))
  const state = yield* Effect.promise(() => realpath(stateDir).catch(() => Path.resolve(stateDir)))
  const repository = yield* Effect.orElseSucceed(knowing(directory), () => null)
  const watched: Watched = { directory, checkout: repository, stateDir: state }
  const together = places.get(directory) ?? nobodyYet()
  places.set(directory, together)
  const store = repository === null ? null : yield* Effect.option(storeOf(repository, stateDir))
  const keeping =
    !keepsTrees || repository === null || store?._tag !== "Some"
      ? null
      : { keeper: treeKeeper(store.value, newest, run), checkout: repository, what: task }
  const place = { together, watched, remembered, keeping }
  return {
    ...watching(watched, remembered),
    keep: Effect.succeed([]),
    watched: (work, watching) => watchedIn(place, work, watching),
    beside: (work) => besideIn(place, work)
  } satisfies Workspace
})

/** The repository, unless it ignores the whole project and so knows nothing of it. */
const knowing = Effect.fnUntraced(function* (directory: string) {
  const repository = yield* locate(directory)
  return (yield* ignoresAll(repository)) ? null : repository
})

const aggregateIn = Effect.fnUntraced(function* (options: Options, memory: Memory, request: AggregationRequest) {
  const { parent_task_id, run_id } = request
  const store = yield* openWorktreeStore(options)
  yield* prepare(store, run_id)
  const outcome = yield* aggregate(store, request)
  if (outcome.outcome !== "merged" || options.keepsTrees === false) return outcome
  const { repository } = store
  const directory = Path.join(repository.top, repository.prefix)
  const watched = { directory, checkout: repository, stateDir: Path.dirname(store.worktrees) }
  const keeper = treeKeeper(store, memory.newest, run_id)
  const kept = yield* fingerprintOf(watched, memory.remembered).pipe(
    Effect.flatMap((seen) => keeper.keep(repository, seen, `${parent_task_id}: put together`)),
    Effect.option
  )
  return kept._tag === "Some" ? { ...outcome, tree: kept.value.tree } : outcome
})
