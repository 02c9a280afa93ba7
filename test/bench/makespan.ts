import { mkdirSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { Workers } from "@proofline/kernel"
import { present, start } from "@proofline/plugins/adapters/private-postgres"
import { Effect, Fiber, Schedule } from "effect"
import { named, spawnWorker, startRuns, whenEnded } from "../faults/cluster.ts"
import { clusterProcess, sleeping } from "../faults/engine.ts"

export const parts = 400
export const partMs = 1_000
export const slots = 20
export const runs = 20

export interface Makespan {
  readonly workers: number
  readonly ms: number
  /** How much of the time the processors of the machine were at work, by whoever. */
  readonly busy: number
}

export interface MakespanFigures {
  /** The same run with nothing to wait for, by one worker: what the engine, the log and the queue take for it. */
  readonly emptyMs: number
  readonly byWorkers: ReadonlyArray<Makespan>
  /** The same parts, as many runs of fewer: nobody waits for the turn of another in the same run. */
  readonly byWorkersInRuns: ReadonlyArray<Makespan>
}

/** Null: there is no Postgres on this machine. */
export const measureMakespan = (directory: string): Promise<MakespanFigures | null> =>
  Effect.gen(function* () {
    const at = join(directory, "makespan")
    mkdirSync(at, { mode: 0o711 })
    const { url } = yield* start({ directory: at })
    const byWorkers = yield* Effect.forEach([1, 2, 4], (workers) =>
      cluster(`${url}?schema=of_${workers}`, workers, partMs, 1)
    )
    const byWorkersInRuns = yield* Effect.forEach([1, 2, 4], (workers) =>
      cluster(`${url}?schema=in_runs_${workers}`, workers, partMs, runs)
    )
    const { ms: emptyMs } = yield* cluster(`${url}?schema=empty`, 1, 0, 1)
    return { emptyMs, byWorkers, byWorkersInRuns }
  }).pipe(
    Effect.scoped,
    (measure) => Effect.matchEffect(present, { onFailure: () => Effect.succeed(null), onSuccess: () => measure }),
    Effect.runPromise
  )

/** The parts in so many runs, after a small run at which each worker has warmed up. */
const cluster = (url: string, workers: number, ms: number, runs: number) =>
  Effect.gen(function* () {
    yield* Effect.forEach(Array.from({ length: workers }), () => spawnWorker(url, slots, ms), { concurrency: workers })
    const { list } = yield* Workers
    yield* Effect.repeat(list, {
      until: (present) => present.length === workers,
      schedule: Schedule.spaced("50 millis")
    })
    yield* startRuns(["run_warm"], workers * slots)
    yield* whenEnded(1)
    const ending = yield* Effect.forkChild(whenEnded(1 + runs), { startImmediately: true })
    const before = processorTimes()
    const startedAt = performance.now()
    yield* startRuns(named(runs), parts / runs)
    const log = yield* Fiber.join(ending)
    const took = performance.now() - startedAt
    const after = processorTimes()
    if (log.at(-1)?.event_type !== "RUN_COMPLETED") throw new Error("The run was not completed.")
    return { workers, ms: took, busy: (after.busy - before.busy) / (after.all - before.all) }
  }).pipe(Effect.scoped, Effect.provide(clusterProcess(url, sleeping(0))))

const processorTimes = () => {
  const times = cpus().map(({ times }) => times)
  const all = times.reduce((sum, { idle, irq, nice, sys, user }) => sum + idle + irq + nice + sys + user, 0)
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) }
}
