import { join } from "node:path"
import {
  composePlugins,
  EventLog,
  emptySnapshot,
  type KernelState,
  kernelStateOf,
  makeFold,
  makeManifest,
  type Recorded
} from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, HashMap, Layer, Stream } from "effect"
import { facts } from "./history.ts"
import { contentBytes, fill, raw } from "./rows.ts"

export interface ReadFigures {
  readonly events: number
  readonly bytes: number
  /**
   * ms: the rows by the driver alone; their content parsed by `JSON.parse` too; handed over as events; decoded by their
   * schemas too; and folded too.
   */
  readonly rawMs: number
  readonly parsedMs: number
  readonly readMs: number
  readonly decodedMs: number
  readonly foldedMs: number
  /** What the fold is left with. */
  readonly tasks: number
  /** Bytes in use above the start, after collections: at most while folding, and at its end. */
  readonly heapPeak: number
  readonly heapKept: number
}

const stream = "run_01890a5d-ac96-774b-bcce-000000000000"
const tasks = 1_000
const composition = composePlugins([])
const manifest = makeManifest(composition)

export const measureReading = async (directory: string, events: number, rounds: number): Promise<ReadFigures> => {
  const file = join(directory, `read-${events}.sqlite`)
  return Effect.gen(function* () {
    const log = yield* EventLog
    yield* fill(log, stream, facts(tasks), events)
    const best = { rawMs: Infinity, parsedMs: Infinity, readMs: Infinity, decodedMs: Infinity, foldedMs: Infinity }
    const keep = (name: keyof typeof best, ms: number) => {
      best[name] = Math.min(best[name], ms)
    }
    for (let round = 0; round < rounds; round++) {
      keep(
        "rawMs",
        raw(file, stream, events, () => {})
      )
      keep("parsedMs", raw(file, stream, events, JSON.parse))
      keep("readMs", yield* timed(read(log, () => {})))
      keep("decodedMs", yield* timed(read(log, (event) => manifest.decode(event))))
      keep("foldedMs", yield* timed(fold(log, () => {})))
    }
    return { events, bytes: contentBytes(file), ...best, ...(yield* heap(log)) }
  }).pipe(Effect.provide(sqliteLog({ file }).pipe(Layer.provide(nodeDigest))), Effect.runPromise)
}

type Log = EventLog["Service"]
type Visit = (event: Recorded) => void

const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return Effect.map(effect, () => performance.now() - startedAt)
  })

const read = (log: Log, visit: Visit) =>
  Stream.runForEachArray(log.read(stream), (page) => Effect.sync(() => page.forEach(visit)))

const fold = (log: Log, eachPage: () => void): Effect.Effect<KernelState, unknown> =>
  Effect.suspend(() => {
    const folding = makeFold(composition, emptySnapshot(composition))
    const page = (events: ReadonlyArray<Recorded>) =>
      Effect.sync(() => {
        for (const event of events) folding.add(manifest.decode(event))
        eachPage()
      })
    return Effect.map(Stream.runForEachArray(log.read(stream), page), () => kernelStateOf(folding.end()))
  })

/** Pages between two looks at the heap. */
const lookEvery = 50

const heap = (log: Log) =>
  Effect.gen(function* () {
    const before = inUse()
    let peak = 0
    let pages = 0
    const state = yield* fold(log, () => {
      if (pages++ % lookEvery === 0) peak = Math.max(peak, inUse() - before)
    })
    return { tasks: HashMap.size(state.tasks.byId), heapPeak: peak, heapKept: inUse() - before }
  })

const inUse = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
