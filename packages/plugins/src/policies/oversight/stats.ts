import {
  Digest,
  Engine,
  EventLog,
  emptySnapshot,
  faultFinder,
  faultText,
  foldCounts,
  kernelStateOf,
  type LogUnavailable,
  makeFold,
  mayBeOfOneRun,
  noCounts,
  orLogNewer,
  type RunHead,
  RunHeads,
  type RunId,
  type Stats,
  type StatsCell,
  type StatsKey,
  statsBy,
  statsCellsOf
} from "@proofline/kernel"
import { Effect, Semaphore, Stream } from "effect"

/** What is counted. */
export interface StatsAsked {
  readonly by: ReadonlyArray<StatsKey>
  /** Only runs that began then or later, ISO 8601; null: all. */
  readonly since: string | null
  readonly runs: ReadonlyArray<{ readonly run_id: RunId; readonly started_at: string }>
}

type Counted = {
  readonly version: number
  /** Hash of the head that was kept of it outside of the log; null: none. */
  readonly head: string | null
} & ({ readonly cells: ReadonlyArray<StatsCell> } | { readonly leftOut: Stats["left_out"][number] })

/**
 * Counts runs of the log. What was counted is kept: asked again, only runs with new events are read. A run whose events are
 * not here, cannot be read here, are not as they were written, or not all of them, is named and not counted, as is a redacted
 * one: it shows nothing, and the run it was made of may be counted too.
 */
export const makeStats = Effect.gen(function* () {
  const log = yield* EventLog
  const engine = yield* Engine
  const digest = yield* Digest
  const heads = yield* RunHeads
  const kept = new Map<RunId, Counted>()
  const lock = Semaphore.makeUnsafe(1)
  let position = 0

  /** Forgets runs to which something came since they were counted. */
  const lookAgain = Effect.suspend(() =>
    kept.size === 0
      ? Effect.void
      : log.readAll(position + 1).pipe(
          Stream.runForEachArray((page) =>
            Effect.sync(() => {
              for (const event of page) {
                if (event.version > (kept.get(event.stream)?.version ?? 0)) kept.delete(event.stream)
                position = event.position
              }
            })
          ),
          // of what nobody can read it is not known what has changed
          Effect.catchIf(
            ({ code }) => code === "log_corrupt",
            () => Effect.sync(() => kept.clear())
          )
        )
  )

  const countedOf = (run_id: RunId, head: RunHead | null) =>
    Effect.suspend(() => {
      const known = kept.get(run_id)
      if (known !== undefined && known.head === (head?.hash ?? null)) return Effect.succeed(known)
      return countRun(engine, run_id, head).pipe(
        Effect.provideService(EventLog, log),
        Effect.provideService(Digest, digest),
        Effect.tap((found) => Effect.sync(() => kept.set(run_id, found)))
      )
    })

  return ({ by, runs, since }: StatsAsked) =>
    lock.withPermit(
      Effect.gen(function* () {
        yield* lookAgain
        const wanted = runs.filter(({ started_at }) => since === null || started_at >= since)
        const ends = new Map((yield* heads.all).map((head) => [head.run_id, head]))
        const found = yield* Effect.forEach(wanted, ({ run_id }) => countedOf(run_id, ends.get(run_id) ?? null))
        return statsBy(
          by,
          found.flatMap((one) => ("cells" in one ? one.cells : [])),
          { since, left_out: found.flatMap((one) => ("leftOut" in one ? [one.leftOut] : [])) }
        )
      })
    )
})

const countRun = (
  { composition, manifest }: Engine["Service"],
  run_id: RunId,
  head: RunHead | null
): Effect.Effect<Counted, LogUnavailable, EventLog | Digest> =>
  Effect.gen(function* () {
    const fold = makeFold(composition, emptySnapshot(composition))
    const state = () => kernelStateOf(fold.now())
    const left = ({ code, message }: { readonly code: string; readonly message: string }) => ({
      version,
      head: head?.hash ?? null,
      leftOut: { run_id, code, message }
    })
    const log = yield* EventLog
    const { add, end } = yield* faultFinder(run_id, head)
    let counts = noCounts
    let version = 0
    return yield* log.read(run_id).pipe(
      Stream.runForEachArray((page) =>
        Effect.sync(() => {
          for (const recorded of page) {
            if (!add(recorded)) return
            const event = manifest.types.has(recorded.event_type) ? manifest.decode(recorded, fold.now) : null
            if (event !== null) fold.add(event)
            counts = foldCounts(counts, event, state)
            version = recorded.version
          }
        })
      ),
      Effect.map((): Counted => {
        const fault = end()
        if (fault !== null) return left({ code: fault.code, message: faultText(run_id, fault) })
        const whole = kernelStateOf(fold.end())
        return whole.run.redacted === null
          ? { version, head: head?.hash ?? null, cells: statsCellsOf(whole, counts) }
          : left({ code: "run_redacted", message: `${run_id} is redacted, and shows nothing.` })
      }),
      orLogNewer,
      Effect.catchIf(mayBeOfOneRun, (error) => Effect.succeed(left(error)))
    )
  })
