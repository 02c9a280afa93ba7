import { type LogUnavailable, type RunId, Workers } from "@proofline/kernel"
import { Clock, Effect, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { commandFor } from "../process/output.ts"
import type { State } from "../project/state.ts"

/** So often it is looked who takes work. */
const lookEvery = "5 seconds"

/** How often it is said again that nobody does, ms. */
const remindEveryMs = 60_000

/** One that gave no sign for so long has not only waited for the database, ms; one that has left is not listed any more. */
const silentMaxMs = 10_000

/** Says it whenever there is nobody who could take work for which these are to be offered. */
export const missingWorkers = (
  labels: ReadonlyArray<string>,
  paths: ProjectPaths,
  isWanted: Effect.Effect<boolean, LogUnavailable> = Effect.succeed(true)
): Stream.Stream<string> =>
  Stream.suspend(() => {
    let hadSome = false
    let saidAt: number | null = null
    let looks = 0
    const offering = labels.length === 0 ? "" : ` --labels ${labels.join(",")}`
    const look = Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const workers = yield* Effect.flatMap(Workers, ({ list }) => list)
      const now = yield* Clock.currentTimeMillis
      const isFit = workers.some(
        (worker) => worker.silent_ms < silentMaxMs && labels.every((label) => worker.labels.includes(label))
      )
      if (isFit) {
        hadSome = true
        saidAt = null
        return null
      }
      // of a database that was away until just now nobody has been heard yet
      if (now - began > silentMaxMs / 2) return null
      if (saidAt !== null && now - saidAt < remindEveryMs) return null
      if (!(yield* isWanted)) return null
      saidAt = now
      return `No worker takes the work of this run ${hadSome ? "any more" : "so far"}. Start one with: ${commandFor(paths)(`worker${offering}`)}`
    }).pipe(
      // it is looked again
      Effect.catch(() => Effect.succeed(null))
    )
    return Stream.fromEffectRepeat(
      Effect.suspend(() => (looks++ === 0 ? look : Effect.andThen(Effect.sleep(lookEvery), look)))
    ).pipe(Stream.filter((text) => text !== null))
  })

/** The same of a run that somebody else has begun; nothing where its work is not for workers, or there is none. */
export const missingWorkersOf = (run: RunId, state: State, paths: ProjectPaths): Stream.Stream<string> =>
  paths.databaseUrl === undefined || state.sessions.phases !== null
    ? Stream.empty
    : missingWorkers(
        state.run.config.labels,
        paths,
        Effect.flatMap(Workers, ({ haveWorkOf }) => haveWorkOf(run))
      )
