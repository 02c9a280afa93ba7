import { Effect, Semaphore } from "effect"
import type { Fingerprint, WorkspaceChanges, WorkspaceRefused } from "../../port/index.ts"
import type { Remembered } from "./files.ts"
import { changedSince, changesUntilNow, fingerprintOf, type Watched } from "./fingerprint.ts"
import { asRefusal, type Failing } from "./store.ts"

/** Somebody who works in a directory, and what has changed there meanwhile. */
interface AtWork {
  /** The files when the work began; null: nobody asks. */
  readonly from: Fingerprint | null
  /** Changed while nobody else was at work. */
  readonly alone: Set<string>
  /** Changed while others were at work too. */
  readonly amongOthers: Set<string>
}

/** Who works in a directory that several share, in this process. */
export interface Together {
  readonly atWork: Set<AtWork>
  /** The files when the last one came or went. */
  last: Fingerprint | null
  /** Somebody has gone since, of whom nobody knows what he left. */
  isBlurred: boolean
  readonly inOrder: Semaphore.Semaphore
}

export const nobodyYet = (): Together => ({
  atWork: new Set(),
  last: null,
  isBlurred: false,
  inOrder: Semaphore.makeUnsafe(1)
})

interface Place {
  readonly together: Together
  readonly watched: Watched
  readonly remembered: Remembered
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
  const one: AtWork = { from: together.last, alone: new Set(), amongOthers: new Set() }
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

/** Work in a shared directory, and what it changed there. */
export const watchedIn = <A, E, R>(place: Place, work: Effect.Effect<A, E, R>) => {
  const { withPermit } = place.together.inOrder
  return Effect.acquireUseRelease(
    withPermit(Effect.mapError(come(place), asRefused)),
    (one) =>
      Effect.flatMap(work, (value) =>
        Effect.map(
          withPermit(Effect.mapError(settle(place, one), asRefused)),
          (changes): readonly [A, WorkspaceChanges] => [value, changes]
        )
      ),
    (one) => go(place, one)
  )
}

/** Work in a shared directory whose changes count for nobody; looked for only where others ask for theirs. */
export const besideIn = <A, E, R>(place: Place, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const { together } = place
  const lookAgain = Effect.suspend(() => (together.atWork.size > 1 ? Effect.ignore(look(place)) : Effect.void))
  const arrive = Effect.gen(function* () {
    if (together.atWork.size === 0) together.last = null
    else yield* Effect.catch(look(place), () => blur(together))
    const one: AtWork = { from: null, alone: new Set(), amongOthers: new Set() }
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
