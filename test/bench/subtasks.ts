import { join } from "node:path"
import {
  composePlugins,
  defaultChunkingConfig,
  defineAnalyzer,
  Engine,
  kernelStateOf,
  type PlannedSubtask,
  Runner,
  Worker
} from "@proofline/kernel"
import { aRun, aTask, scripted } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer } from "effect"

/** ms for one subtask of many that do nothing: all that the engine, the rules, the queue and the log add to the work. */
export interface SubtaskFigures {
  readonly bySlots: ReadonlyArray<{ readonly slots: number; readonly ms: number }>
}

export const subtasks = 1_000
const slots = [64, 1_000]

/** Rounds of all kinds in turn; the best of each. */
export const measureSubtasks = async (directory: string, rounds: number): Promise<SubtaskFigures> => {
  const best = slots.map(() => Infinity)
  for (let round = 0; round < rounds; round++) {
    for (const [i, n] of slots.entries()) {
      best[i] = Math.min(best[i] as number, await run(join(directory, `subtasks-${n}-${round}.sqlite`), n))
    }
  }
  return { bySlots: slots.map((n, i) => ({ slots: n, ms: best[i] as number })) }
}

const part = (number: number): PlannedSubtask => ({
  title: `part ${number}`,
  prompt: `Do part ${number}.`,
  dependencies: [],
  acceptance_criteria: ["It is done."],
  checklist: [],
  paths: [],
  changes_files: true
})

const plan = defineAnalyzer("bench", "1", () =>
  Effect.succeed({
    is_decomposable: true,
    decomposition_reason: "It has parts.",
    criteria: [],
    subtasks: Array.from({ length: subtasks }, (_, i) => part(i + 1))
  })
)

const agent = scripted(() => Effect.succeed({ outcome: "COMPLETE" }))

/** Each is begun, ended and judged by the criteria: an attempt and an activity, with what follows from them. */
const run = (file: string, workers: number): Promise<number> =>
  Effect.gen(function* () {
    const runner = yield* Runner
    const command = aRun([aTask("t", { checks: [], chunk: "asked" })], {
      workers,
      reviewer: "critic",
      reviewer_named: true,
      chunking: { ...defaultChunkingConfig, analyzer: "bench", max_subtasks: subtasks }
    })
    const startedAt = performance.now()
    const ended = yield* runner.drive("run_1", command, { workerId: "w", slots: workers, labels: [] })
    const { message, status } = kernelStateOf(ended).run
    if (status !== "completed") throw new Error(`The run ended as ${status}: ${message}`)
    return (performance.now() - startedAt) / subtasks
  }).pipe(
    Effect.provide(
      Runner.layer.pipe(
        Layer.provideMerge(Worker.layer),
        Layer.provideMerge(Engine.layer(composePlugins([agent, plan]))),
        Layer.provideMerge(nodeIds),
        Layer.provideMerge(sqliteLog({ file })),
        Layer.provideMerge(nodeDigest)
      )
    ),
    Effect.runPromise
  )
