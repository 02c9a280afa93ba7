import {
  Engine,
  EventLog,
  emptySnapshot,
  foldHistory,
  type LogUnavailable,
  makeFold,
  noHistory,
  orLogNewer,
  type RunHistory,
  type Snapshot
} from "@proofline/kernel"
import { Effect, Semaphore, Stream } from "effect"
import { type AnyRun, runIn } from "../../policies/sessions/contract.ts"

/** A run folded as far as its log goes. */
export interface FoldedRun {
  readonly state: AnyRun
  readonly history: RunHistory
  /** When the phase that a session run is in began; null: in none. */
  readonly phase_at: string | null
}

interface Folded {
  readonly version: number
  readonly snapshot: Snapshot
  readonly history: RunHistory
  readonly phase_at: string | null
}

/** Runs that are kept folded: whoever looks at one asks for it again and again. */
const remembered = 8

/** Runs that were asked for of late, the last one last. */
type Kept = Map<string, { folded: Folded; readonly lock: Semaphore.Semaphore }>

/**
 * Folds runs with their history, and goes on where it was when it is asked for one again. Null: there is no such run.
 * Events that nobody here knows are passed over.
 */
export const makeDetails = Effect.gen(function* () {
  const log = yield* EventLog
  const engine = yield* Engine
  const kept: Kept = new Map()
  const nothing = (): Folded => ({
    version: 0,
    snapshot: emptySnapshot(engine.composition),
    history: noHistory,
    phase_at: null
  })
  return (run: string): Effect.Effect<FoldedRun | null, LogUnavailable> =>
    Effect.suspend(() => {
      const entry = entryOf(kept, run, nothing)
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
        ({ history, phase_at, snapshot, version }) =>
          version === 0 ? null : { state: runIn(snapshot), history, phase_at }
      )
    })
})

const entryOf = (kept: Kept, run: string, nothing: () => Folded) => {
  const entry = kept.get(run) ?? { folded: nothing(), lock: Semaphore.makeUnsafe(1) }
  kept.delete(run)
  kept.set(run, entry)
  const oldest = kept.size > remembered ? kept.keys().next().value : undefined
  if (oldest !== undefined) kept.delete(oldest)
  return entry
}

/** Folds what has come to a run since it was folded. */
const goOn = Effect.fnUntraced(function* (
  log: EventLog["Service"],
  { composition, manifest }: Engine["Service"],
  run: string,
  { history: before, phase_at: entered, snapshot, version: from }: Folded
) {
  const fold = makeFold(composition, snapshot)
  let version = from
  let history = before
  let phase_at = entered
  yield* log.read(run, from + 1).pipe(
    Stream.runForEachArray((page) =>
      Effect.sync(() => {
        for (const recorded of page) {
          const event = manifest.types.has(recorded.event_type) ? manifest.decode(recorded, fold.now) : null
          if (event !== null) fold.add(event)
          history = foldHistory(history, recorded, event)
          if (recorded.event_type === "PHASE_ENTERED") phase_at = recorded.timestamp
          version = recorded.version
        }
      })
    ),
    orLogNewer
  )
  return { version, snapshot: fold.end(), history, phase_at }
})
