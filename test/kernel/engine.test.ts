import { assert, describe, it } from "@effect/vitest"
import {
  composePlugins,
  Digest,
  Engine,
  EventLog,

  layerMemory,
  makeReplay,
  type Plugin,
  Runner,
  Worker
} from "@proofline/kernel"
import { aRun, aTask, scripted } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { Effect, Layer, Stream } from "effect"

const kernel = (plugins: ReadonlyArray<Plugin>) =>
  Runner.layer.pipe(
    Layer.provideMerge(Worker.layer),
    Layer.provideMerge(Engine.layer(composePlugins(plugins))),
    Layer.provideMerge(layerMemory),
    Layer.provideMerge(Layer.mergeAll(nodeDigest, nodeIds))
  )

const options = { workerId: "w", slots: 3, labels: [] }

describe("a run", () => {
  it.live("ends as completed when every task's checks pass", () =>
    Effect.gen(function* () {
      const runner = yield* Runner
      const state = yield* runner.drive(
        "run_1",
        aRun([aTask("a"), aTask("b", { depends_on: ["a"] })], { retry_delay_ms: 0 }),
        options
      )
      assert.strictEqual(state.status, "completed")
      const log = yield* EventLog
      const events = yield* Stream.runCollect(log.read("run_1"))
      console.log(events.map((e) => e.event_type).join(" "))
      const digest = yield* Digest
      const { composition } = yield* Engine
      const replay = makeReplay(composition, digest.uuid5)
      events.forEach(replay.add)
      assert.isNull(replay.end().divergence)
    }).pipe(Effect.provide(kernel([scripted(() => Effect.succeed({ outcome: "COMPLETE" }))])))
  )
})
