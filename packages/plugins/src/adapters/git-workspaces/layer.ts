import { realpath } from "node:fs/promises"
import * as Path from "node:path"
import { Effect, Layer, Semaphore } from "effect"
import { ignoresAll, locate } from "../../git/repository.ts"
import {
  type AggregationRequest,
  type Workspace,
  type WorkspaceRefused,
  type WorkspaceSpec,
  Workspaces
} from "../../port/index.ts"
import { aggregate } from "./aggregate.ts"
import { close } from "./close.ts"
import type { Remembered } from "./files.ts"
import { changedSince, fingerprintOf, type Watched } from "./fingerprint.ts"
import { keep, openWork, type Work } from "./keep.ts"
import { asRefusal, attempt, type Git, type Options, openWorktreeStore } from "./store.ts"
import { besideIn, nobodyYet, type Together, watchedIn } from "./together.ts"
import { prepare } from "./worktrees.ts"

export { makeRepository } from "../../git/repository.ts"
export { type Begun, mergedTree, type Work, workIn, writeFiles } from "./machines/checkout.ts"
export { makeRunCheckouts, type Opened, type RunCheckouts } from "./machines/pool.ts"
export { type Brought, bringHome, handOver, handOverAgain } from "./machines/project.ts"
export type { Sources } from "./machines/replica.ts"
export { headOfTrees, leftOutOf, type RecordedTree, type RunTrees } from "./machines/trees.ts"

export type GitWorkspacesOptions = Options

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
      const shared = openShared(options, remembered, places)
      return {
        open: (workspaceSpec) =>
          refusing(
            workspaceSpec.workspace === "shared"
              ? shared
              : inOrder.withPermit(openWorktree(options, remembered, workspaceSpec))
          ),
        aggregate: (request) => {
          const together = inOrder.withPermit(aggregateIn(options, request))
          // what it writes into the project is the work of none who works there
          return refusing(Effect.flatMap(shared, ({ beside }) => beside(together)))
        },
        close: (run, lost) => inOrder.withPermit(close(options, run, lost))
      }
    })
  )

/** No failure of git leaves as anything else than a refusal. */
const refusing = <A>(effect: Git<A>): Effect.Effect<A, WorkspaceRefused> =>
  Effect.mapError(effect, (failed) => (failed._tag === "GitFailed" ? asRefusal(failed) : failed))

const openWorktree = Effect.fnUntraced(function* (
  options: Options,
  remembered: Remembered,
  workspaceSpec: WorkspaceSpec
) {
  const store = yield* openWorktreeStore(options)
  yield* prepare(store, workspaceSpec.run_id)
  return worktreeOf(yield* openWork(store, workspaceSpec), remembered)
})

const worktreeOf = (work: Work, remembered: Remembered): Workspace => {
  const { checkout, store } = work
  const directory = Path.join(checkout.top, store.repository.prefix)
  const watched: Watched = { directory, checkout, stateDir: Path.join(directory, ".proofline/state") }
  const own = { ...watching(watched, remembered), keep: refusing(keep(work)) }
  return {
    ...own,
    watched: (working) =>
      Effect.gen(function* () {
        const before = yield* own.fingerprint
        const value = yield* working
        const changed = yield* own.changedSince(before)
        // also what an attempt left behind that a crash took
        const kept = yield* own.keep
        return [value, { modified: [...new Set([...changed, ...kept])].sort(), undecided: [] }] as const
      }),
    beside: (working) => working
  }
}

const watching = (
  watched: Watched,
  remembered: Remembered
): Pick<Workspace, "directory" | "fingerprint" | "changedSince"> => ({
  directory: watched.directory,
  fingerprint: refusing(fingerprintOf(watched, remembered)),
  changedSince: (fingerprint) => refusing(changedSince(watched, remembered, fingerprint))
})

const openShared = Effect.fnUntraced(function* (
  { root, stateDir }: Options,
  remembered: Remembered,
  places: Map<string, Together>
) {
  const directory = yield* attempt(`The project directory ${root} cannot be used`, () => realpath(root))
  const state = yield* Effect.promise(() => realpath(stateDir).catch(() => Path.resolve(stateDir)))
  const repository = yield* Effect.orElseSucceed(knowing(directory), () => null)
  const watched: Watched = { directory, checkout: repository, stateDir: state }
  const together = places.get(directory) ?? nobodyYet()
  places.set(directory, together)
  const place = { together, watched, remembered }
  return {
    ...watching(watched, remembered),
    keep: Effect.succeed([]),
    watched: (work) => watchedIn(place, work),
    beside: (work) => besideIn(place, work)
  } satisfies Workspace
})

/** The repository, unless it ignores the whole project and so knows nothing of it. */
const knowing = Effect.fnUntraced(function* (directory: string) {
  const repository = yield* locate(directory)
  return (yield* ignoresAll(repository)) ? null : repository
})

const aggregateIn = Effect.fnUntraced(function* (options: Options, request: AggregationRequest) {
  const store = yield* openWorktreeStore(options)
  yield* prepare(store, request.run_id)
  return yield* aggregate(store, request)
})
