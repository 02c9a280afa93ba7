import { join } from "node:path"
import {
  composePlugins,
  Digest,
  Engine,
  EventLog,
  kernelStateOf,
  makeReplay,
  type Plugin,
  Runner,
  Worker
} from "@proofline/kernel"
import { aRun, aTask, scripted } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer, Stream } from "effect"
import { cpu, raw } from "./rows.ts"

/** A run that the engine drove to its end, decided again from its log; ms of CPU. */
export interface ReplayFigures {
  readonly tasks: number
  readonly events: number
  /** ms: its rows by the driver alone, in order, their content parsed by `JSON.parse`. */
  readonly parsedMs: number
  /** ms: read by the log, decided again, and compared. */
  readonly replayMs: number
}

const run = "run_1"
const workers = 64

/** Every tenth task is done at its second attempt. */
const agent = scripted((id, attempt) =>
  Effect.succeed({ outcome: attempt === 1 && id.endsWith("0") ? "ERROR" : "COMPLETE" })
)
const plugins: ReadonlyArray<Plugin> = [agent]

/** Rounds of both kinds in turn; the best of each. */
export const measureReplay = (directory: string, tasks: number, rounds: number): Promise<ReplayFigures> => {
  const file = join(directory, "replay.sqlite")
  return Effect.gen(function* () {
    const log = yield* EventLog
    yield* drive(tasks)
    const best = { events: 0, parsedMs: Infinity, replayMs: Infinity }
    for (let round = 0; round < rounds; round++) {
      const startedAt = cpu()
      best.events = yield* replay(log)
      best.replayMs = Math.min(best.replayMs, cpu() - startedAt)
      best.parsedMs = Math.min(best.parsedMs, raw(file, run, best.events, JSON.parse, cpu))
    }
    return { tasks, ...best }
  }).pipe(
    Effect.provide(
      Runner.layer.pipe(
        Layer.provideMerge(Worker.layer),
        Layer.provideMerge(Engine.layer(composePlugins(plugins))),
        Layer.provideMerge(nodeIds),
        Layer.provideMerge(sqliteLog({ file })),
        Layer.provideMerge(nodeDigest)
      )
    ),
    Effect.runPromise
  )
}

const drive = (tasks: number) =>
  Effect.gen(function* () {
    const runner = yield* Runner
    const all = Array.from({ length: tasks }, (_, i) => aTask(`task-${i}`, { validation: ["It is good."] }))
    const command = aRun(all, { workers, reviewer: "critic", retry_delay_ms: 0 })
    const ended = yield* runner.drive(run, command, { workerId: "w", slots: workers, labels: [] })
    const { message, status } = kernelStateOf(ended).run
    if (status !== "completed") throw new Error(`The run ended as ${status}: ${message}`)
  })

/** How many events were decided again. */
const replay = (log: EventLog["Service"]) =>
  Effect.gen(function* () {
    const { uuid5 } = yield* Digest
    const again = makeReplay(composePlugins(plugins), uuid5)
    yield* Stream.runForEachArray(log.read(run), (page) => Effect.sync(() => page.forEach(again.add)))
    const { divergence, events } = again.end()
    if (divergence !== null) throw new Error(`Version ${divergence.version}: ${divergence.message}`)
    return events
  })
