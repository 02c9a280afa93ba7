import { realpath } from "node:fs/promises"
import * as Path from "node:path"
import { Effect, Layer, Semaphore } from "effect"
import { git, locate } from "../../git/git.ts"
import {
  type AggregationRequest,
  type Place,
  type Workplace,
  type WorkplaceRefused,
  Workplaces
} from "../../port/index.ts"
import { aggregate } from "./aggregate.ts"
import { close } from "./close.ts"
import type { Remembered } from "./files.ts"
import { keep, openWork, type Work } from "./keep.ts"
import { changedSince, markOf, type Watched } from "./marks.ts"
import { asRefusal, attempt, type Git, type Options, openRoom } from "./room.ts"
import { prepare } from "./worktrees.ts"

export type GitWorkplacesOptions = Options

/**
 * Where subtasks work: in the project itself, or each in a worktree of its repository below the state directory. What
 * they come to is kept by refs below `refs/proofline/`, until the run is closed.
 */
export const layer = (options: GitWorkplacesOptions): Layer.Layer<Workplaces> =>
  Layer.effect(
    Workplaces,
    Effect.map(Semaphore.make(1), (inOrder) => {
      const remembered: Remembered = new Map()
      return {
        open: (place) =>
          refusing(
            place.workspace === "shared"
              ? openShared(options, remembered)
              : inOrder.withPermit(openWorktree(options, remembered, place))
          ),
        aggregate: (request) => refusing(inOrder.withPermit(aggregateIn(options, request))),
        close: (run) => inOrder.withPermit(close(options, run))
      }
    })
  )

/** No failure of git leaves as anything else than a refusal. */
const refusing = <A>(effect: Git<A>): Effect.Effect<A, WorkplaceRefused> =>
  Effect.mapError(effect, (failed) => (failed._tag === "GitFailed" ? asRefusal(failed) : failed))

const openWorktree = Effect.fnUntraced(function* (options: Options, remembered: Remembered, place: Place) {
  const room = yield* openRoom(options)
  yield* prepare(room, place.run_id)
  return worktreeOf(yield* openWork(room, place), remembered)
})

const worktreeOf = (work: Work, remembered: Remembered): Workplace => {
  const { checkout, room } = work
  const directory = Path.join(checkout.top, room.repository.prefix)
  const watched: Watched = { directory, checkout, stateDir: Path.join(directory, ".proofline/state") }
  return { ...watching(watched, remembered), keep: refusing(keep(work)) }
}

const watching = (watched: Watched, remembered: Remembered): Omit<Workplace, "keep"> => ({
  directory: watched.directory,
  mark: refusing(markOf(watched, remembered)),
  changedSince: (mark) => refusing(changedSince(watched, remembered, mark))
})

const openShared = Effect.fnUntraced(function* ({ root, stateDir }: Options, remembered: Remembered) {
  const directory = yield* attempt(`The project directory ${root} cannot be used`, () => realpath(root))
  const state = yield* Effect.promise(() => realpath(stateDir).catch(() => Path.resolve(stateDir)))
  const repository = yield* Effect.orElseSucceed(knowing(directory), () => null)
  const watched: Watched = { directory, checkout: repository, stateDir: state }
  return { ...watching(watched, remembered), keep: Effect.succeed([]) } satisfies Workplace
})

/** The repository, unless it ignores the whole project and so knows nothing of it. */
const knowing = Effect.fnUntraced(function* (directory: string) {
  const repository = yield* locate(directory)
  if (repository.prefix === "") return repository
  const isIgnored = yield* Effect.match(git(directory, ["check-ignore", "--quiet", "."]), {
    onFailure: () => false,
    onSuccess: () => true
  })
  return isIgnored ? null : repository
})

const aggregateIn = Effect.fnUntraced(function* (options: Options, request: AggregationRequest) {
  const room = yield* openRoom(options)
  yield* prepare(room, request.run_id)
  return yield* aggregate(room, request)
})
