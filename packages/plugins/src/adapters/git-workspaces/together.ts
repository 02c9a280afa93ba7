import type { RunId } from "@proofline/kernel"
import { Effect, Semaphore } from "effect"
import type { Checkout } from "../../git/run.ts"
import type { Fingerprint, Watching, WorkspaceChanges, WorkspaceRefused } from "../../port/index.ts"
import type { Remembered } from "./files.ts"
import { changedSince, changesUntilNow, fingerprintOf, isSame, type Watched } from "./fingerprint.ts"
import { type AttemptLooks, lookAtSteps, looking, noLooks, type TreeKeeper, treesOf } from "./keptTrees.ts"
import { asRefusal, type Failing } from "./store.ts"

/** Somebody who works in a directory, and what has changed there meanwhile. */
interface AtWork {
  /** The files when the work began; null: nobody asks. */
  readonly from: Fingerprint | null
  /** Changed while nobody else was at work. */
  readonly alone: Set<string>
  /** Changed while others were at work too. */
  readonly amongOthers: Set<string>
  readonly looks: AttemptLooks
}

/** Who works in a directory that several share, in this process. */
export interface Together {
  readonly atWork: Set<AtWork>
  /** The files when the last one came or went. */
  last: Fingerprint | null
  /** Somebody has gone since, of whom nobody knows what he left. */
  isBlurred: boolean
  /** What the newest tree of a run holds; null: nobody knows of any. */
  kept: { readonly run: RunId; readonly files: Fingerprint } | null
  readonly inOrder: Semaphore.Semaphore
}

export const nobodyYet = (): Together => ({
  atWork: new Set(),
  last: null,
  isBlurred: false,
  kept: null,
  inOrder: Semaphore.makeUnsafe(1)
})

interface Place {
  readonly together: Together
  readonly watched: Watched
  readonly remembered: Remembered
  /** Null: git keeps nothing of the directory. */
  readonly keeping: Keeping | null
}

/** Who keeps the trees of a directory, and which work asks for it. */
interface Keeping {
  readonly keeper: TreeKeeper
  readonly checkout: Checkout
  /** For people. */
  readonly what: string
}

/** What has changed since the last one came or went is of the one that was at work alone. */
const look = Effect.fnUntraced(function* ({ remembered, together, watched }: Place) {
  const { last } = together
  if (last === null) return []
  const { changed, now } = yield* changesUntilNow(watched, remembered, last)
  const isAlone = together.atWork.size === 1 && !together.isBlurred
  for (const { alone, amongOthers } of together.atWork)
    for (const path of changed) (isAlone ? alone : amongOthers).add(path)
  together.last = now
  together.isBlurred = false
  return changed
})

const come = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<AtWork, Failing> {
  const { remembered, together, watched } = place
  if (together.atWork.size === 0 || together.last === null) {
    together.last = yield* fingerprintOf(watched, remembered)
    together.isBlurred = false
  } else yield* look(place)
  const one: AtWork = { from: together.last, alone: new Set(), amongOthers: new Set(), looks: noLooks() }
  together.atWork.add(one)
  return one
})

const settle = Effect.fnUntraced(function* (place: Place, one: AtWork): Effect.fn.Return<WorkspaceChanges, Failing> {
  const { remembered, together, watched } = place
  const wasAlone = one.from === together.last
  const seen = yield* look(place)
  const changed = wasAlone || one.from === null ? seen : yield* changedSince(watched, remembered, one.from)
  together.atWork.delete(one)
  return {
    modified: changed.filter((path) => one.alone.has(path)),
    undecided: changed.filter((path) => one.amongOthers.has(path) || !one.alone.has(path))
  }
})

const blur = (together: Together): Effect.Effect<void> =>
  Effect.sync(() => {
    together.isBlurred = true
  })

/** Goes without a look; what changes until the next look is nobody's alone. */
const go = ({ together }: Place, one: AtWork): Effect.Effect<void> =>
  Effect.sync(() => {
    if (together.atWork.delete(one)) together.isBlurred = true
  })

const asRefused = (failed: Failing): WorkspaceRefused => (failed._tag === "GitFailed" ? asRefusal(failed) : failed)

/** Keeps a tree unless the newest one of the run holds the same. `files`: what is there, as it was seen last. */
const keep = (
  { keeping, together }: Place,
  { looks }: AtWork,
  files: Fingerprint | null,
  when: "before" | "after"
): Effect.Effect<void> => {
  if (keeping === null || files === null) return Effect.void
  const { checkout, keeper, what } = keeping
  const { run } = keeper
  if (together.kept?.run === run && isSame(together.kept.files, files)) return Effect.void
  return looking(looks, keeper.keep(checkout, files, `${what}: ${when}`), (tree) => {
    looks[when] = tree
    together.kept = { run, files }
    if (together.atWork.size > (when === "before" ? 1 : 0)) looks.amongOthers = true
  })
}

/** What is there when the work begins, where somebody else has changed it since the last tree. */
const keepBefore = (place: Place, one: AtWork, { isFirst }: Watching): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { keeping, together } = place
    const run = keeping?.keeper.run
    if (run === undefined || one.from === null) return Effect.void
    const isBegun = together.kept?.run === run
    if (isFirst && !isBegun) {
      // the run began with it
      together.kept = { run, files: one.from }
      return Effect.void
    }
    // of what others are doing just now there will be a tree when they have done it
    return together.atWork.size > 1 ? Effect.void : keep(place, one, one.from, "before")
  })

/** Work in a shared directory, and what it changed there. */
export const watchedIn = <A, E, R>(place: Place, work: Effect.Effect<A, E, R>, watching: Watching | undefined) => {
  const { withPermit } = place.together.inOrder
  return Effect.acquireUseRelease(
    withPermit(Effect.mapError(come(place), asRefused)),
    (one) =>
      Effect.gen(function* () {
        if (watching !== undefined) yield* withPermit(keepBefore(place, one, watching))
        const value = yield* watching === undefined ? work : lookingMeanwhile(place, one, work, watching)
        const changes = yield* withPermit(
          Effect.gen(function* () {
            const changed = yield* Effect.mapError(settle(place, one), asRefused)
            if (watching !== undefined) yield* keep(place, one, place.together.last, "after")
            const trees = treesOf(one.looks, false)
            return trees === undefined ? changed : { ...changed, trees }
          })
        )
        return [value, changes] as const
      }),
    (one) => go(place, one)
  )
}

const lookingMeanwhile = <A, E, R>(
  place: Place,
  { looks }: AtWork,
  work: Effect.Effect<A, E, R>,
  watching: Watching
): Effect.Effect<A, E, R> => {
  const { keeping, remembered, together, watched } = place
  if (keeping === null) return work
  const { checkout, keeper, what } = keeping
  const { run } = keeper
  const look = Effect.gen(function* () {
    const files = yield* fingerprintOf(watched, remembered)
    if (together.kept?.run === run && isSame(together.kept.files, files)) return null
    const kept = yield* keeper.keep(checkout, files, `${what}: while it worked`)
    together.kept = { run, files }
    if (together.atWork.size > 1) looks.amongOthers = true
    return kept
  })
  return Effect.raceFirst(
    work,
    Effect.andThen(lookAtSteps(looks, watching, together.inOrder.withPermit(look)), Effect.never)
  )
}

/** Work in a shared directory whose changes count for nobody; looked for only where others ask for theirs. */
export const besideIn = <A, E, R>(place: Place, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const { together } = place
  const lookAgain = Effect.suspend(() => (together.atWork.size > 1 ? Effect.ignore(look(place)) : Effect.void))
  const arrive = Effect.gen(function* () {
    if (together.atWork.size === 0) together.last = null
    else yield* Effect.catch(look(place), () => blur(together))
    const one: AtWork = { from: null, alone: new Set(), amongOthers: new Set(), looks: noLooks() }
    together.atWork.add(one)
    return one
  })
  const leave = (one: AtWork) =>
    Effect.andThen(
      lookAgain,
      Effect.sync(() => together.atWork.delete(one))
    )
  const { withPermit } = together.inOrder
  return Effect.acquireUseRelease(
    withPermit(arrive),
    () => work,
    (one) => withPermit(leave(one))
  )
}
