import { join } from "node:path"
import {
  type AnyEvent,
  composePlugins,
  Engine,
  EventLog,
  emptySnapshot,
  kernelStateOf,
  makeFold,
  makeManifest
} from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, HashMap, Layer, Stream } from "effect"
import { makeFoldByHand } from "./byHand.ts"
import { contentBytes, cpu, fill, raw } from "./rows.ts"
import { partsEach, wideRun } from "./wide.ts"

/** A long log of a run with many tasks: what its fold costs over reading the same rows, in ms of CPU. */
export interface FoldFigures {
  readonly events: number
  /** Tasks and subtasks that the fold is left with. */
  readonly tasks: number
  /** Of the content of all events. */
  readonly bytes: number
  /** ms: all rows by the driver alone, in order, their content parsed by `JSON.parse`. */
  readonly parsedMs: number
  /** ms: the fold alone, of events that were read and decoded before. */
  readonly foldMs: number
  /** ms: the same events folded by one switch over one state, written by hand. */
  readonly byHandMs: number
  /** ms: read by the log, decoded by their schemas, and folded. */
  readonly wholeMs: number
  /** ms: the same by the engine, which checks the hash chain, as each process does that works on a run. */
  readonly loadMs: number
}

const stream = "run_01890a5d-ac96-774b-bcce-000000000000"
const composition = composePlugins([])
const manifest = makeManifest(composition)

/** Rounds of both kinds in turn; the best of each. */
export const measureFold = (directory: string, events: number, rounds: number): Promise<FoldFigures> => {
  const file = join(directory, `fold-${events}.sqlite`)
  return Effect.gen(function* () {
    const log = yield* EventLog
    // 50 facts a task
    yield* fill(log, stream, wideRun(Math.ceil(events / 50)), events)
    const best = { parsedMs: Infinity, foldMs: Infinity, byHandMs: Infinity, wholeMs: Infinity, loadMs: Infinity }
    const expected = Math.ceil(events / 50) * (1 + partsEach)
    for (let round = 0; round < rounds; round++) {
      best.parsedMs = Math.min(best.parsedMs, raw(file, stream, events, JSON.parse, cpu))
      const composed = yield* fold(log, composedFold())
      const byHand = yield* fold(log, makeFoldByHand())
      best.foldMs = Math.min(best.foldMs, composed.foldMs)
      best.byHandMs = Math.min(best.byHandMs, byHand.foldMs)
      best.wholeMs = Math.min(best.wholeMs, composed.wholeMs)
      best.loadMs = Math.min(best.loadMs, yield* load)
      for (const { tasks } of [composed, byHand]) {
        if (tasks !== expected) throw new Error(`The fold is left with ${tasks} tasks, not ${expected}.`)
      }
    }
    return { events, tasks: expected, bytes: contentBytes(file), ...best }
  }).pipe(
    Effect.provide(Layer.mergeAll(sqliteLog({ file }), nodeIds).pipe(Layer.provideMerge(nodeDigest))),
    Effect.runPromise
  )
}

/** By an engine that knows nothing of the run so far. */
const load = Effect.gen(function* () {
  const { load: loaded } = yield* Engine
  globalThis.gc?.()
  const startedAt = cpu()
  yield* loaded(stream)
  return cpu() - startedAt
}).pipe(Effect.provide(Layer.fresh(Engine.layer(composition))))

interface Folding {
  readonly add: (event: AnyEvent) => void
  /** The tasks that it is left with. */
  readonly end: () => { readonly tasks: HashMap.HashMap<string, unknown> }
}

const composedFold = (): Folding => {
  const folding = makeFold(composition, emptySnapshot(composition))
  const tasks = () => kernelStateOf(folding.end()).tasks.byId
  return { add: folding.add, end: () => ({ tasks: tasks() }) }
}

/** Page after page: all events of a page are decoded, then the clock of the fold runs while they are folded. */
const fold = (log: EventLog["Service"], { add, end }: Folding) =>
  Effect.gen(function* () {
    globalThis.gc?.()
    let foldMs = 0
    const timed = <A>(work: () => A): A => {
      const from = cpu()
      const done = work()
      foldMs += cpu() - from
      return done
    }
    const startedAt = cpu()
    yield* Stream.runForEachArray(log.read(stream), (page) =>
      Effect.sync(() => {
        const decoded = page.map((event) => manifest.decode(event))
        timed(() => {
          for (const event of decoded) add(event)
        })
      })
    )
    const { tasks } = timed(end)
    return { foldMs, wholeMs: cpu() - startedAt, tasks: HashMap.size(tasks) }
  })
