import {
  Engine,
  EventLog,
  emptySnapshot,
  foldHistory,
  type LogUnavailable,
  makeFold,
  makeRecent,
  noHistory,
  orLogNewer,
  type RunHistory,
  type Snapshot
} from "@proofline/kernel"
import { Effect, HashMap, Semaphore, Stream } from "effect"
import { type AskedAt, foldAskedAt } from "../../policies/oversight/contract.ts"
import { type AnyRun, runIn } from "../../policies/sessions/contract.ts"

/** A run folded as far as its log goes. */
export interface FoldedRun {
  readonly state: AnyRun
  readonly history: RunHistory
  readonly asked_at: AskedAt
}

interface Folded extends FoldedRun {
  readonly version: number
  readonly snapshot: Snapshot
}

/** A run that was asked for of late. */
interface Kept {
  folded: Folded
  readonly lock: Semaphore.Semaphore
}

/**
 * Folds runs with their history, and goes on where it was when it is asked for one again: whoever looks at a run asks for it
 * again and again. So many are kept folded, those that were asked for last. The same value as long as
 * nothing has come. Null: there is no such run. Events that nobody here knows are passed over.
 */
export const makeDetails = Effect.fnUntraced(function* (remembered: number) {
  const log = yield* EventLog
  const engine = yield* Engine
  const kept = makeRecent<string, Kept>(remembered)
  const snapshot = emptySnapshot(engine.composition)
  const nothing: Folded = {
    version: 0,
    snapshot,
    state: runIn(snapshot),
    history: noHistory,
    asked_at: HashMap.empty()
  }
  const entryOf = (run: string): Kept => {
    const known = kept.get(run)
    if (known !== undefined) return known
    const entry = { folded: nothing, lock: Semaphore.makeUnsafe(1) }
    kept.set(run, entry)
    return entry
  }
  return (run: string): Effect.Effect<FoldedRun | null, LogUnavailable> =>
    Effect.suspend(() => {
      const entry = entryOf(run)
      return Effect.map(
        entry.lock.withPermit(
          Effect.suspend(() => goOn(log, engine, run, entry.folded)).pipe(
            Effect.tap((folded) =>
              Effect.sync(() => {
                entry.folded = folded
                // names of runs that are not there take no place
                if (folded.version === 0) kept.delete(run)
              })
            )
          )
        ),
        (folded) => (folded.version === 0 ? null : folded)
      )
    })
})

/** Folds what has come to a run since it was folded; the same value where nothing has. */
const goOn = Effect.fnUntraced(function* (
  log: EventLog["Service"],
  { composition, manifest }: Engine["Service"],
  run: string,
  before: Folded
): Effect.fn.Return<Folded, LogUnavailable> {
  const fold = makeFold(composition, before.snapshot)
  let { asked_at, history, version } = before
  yield* log.read(run, version + 1).pipe(
    Stream.runForEachArray((page) =>
      Effect.sync(() => {
        for (const recorded of page) {
          const event = manifest.types.has(recorded.event_type) ? manifest.decode(recorded, fold.now) : null
          if (event !== null) {
            fold.add(event)
            asked_at = foldAskedAt(asked_at, recorded, event)
          }
          history = foldHistory(history, recorded, event)
          version = recorded.version
        }
      })
    ),
    orLogNewer
  )
  if (version === before.version) return before
  const snapshot = fold.end()
  return { version, snapshot, state: runIn(snapshot), history, asked_at }
})
