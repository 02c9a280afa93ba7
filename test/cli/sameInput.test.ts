import { assert, describe, it } from "@effect/vitest"
import { composePlugins, EventLog, layerMemory, makeSummaries, type Recorded } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect, Layer } from "effect"
import { beginningOf, hasBeginning } from "../../packages/cli/src/reading/sameInput.ts"
import { recordedOf } from "../kernel/support/recorded.ts"

const commit = "c".repeat(40)
const [started] = recordedOf(composePlugins([]), [
  given().when({
    ...aRun([aTask("a")]),
    input: { path: "tasks.yaml", sha256: "0".repeat(64) },
    base: { commit, snapshot: { sha256: "0".repeat(64), bytes: 0 } }
  }).events
]) as readonly [Recorded]
const summary = makeSummaries([]).summarize(null, started)
if (summary === null) throw new Error("There is no run.")
const row = { ...summary, driver: null }

describe("what a run began with", () => {
  const memory = Effect.provide(Layer.provide(layerMemory, nodeDigest))

  it.effect("given its summary says it, is known without one event of it", () =>
    Effect.gen(function* () {
      assert.isTrue(hasBeginning(row))
      assert.deepStrictEqual(yield* beginningOf(row), { path: "tasks.yaml", commit })
      assert.deepStrictEqual(yield* beginningOf({ ...row, input: null }), { path: null, commit })
    }).pipe(memory)
  )

  it.effect("given its summary was written before that was kept, is what its first event says", () =>
    Effect.gen(function* () {
      const { base_commit: _, input: __, ...old } = row
      assert.isFalse(hasBeginning(old))
      assert.deepStrictEqual(yield* beginningOf(old), { path: null, commit: null })
      yield* (yield* EventLog).append(row.run_id, 0, [started])
      assert.deepStrictEqual(yield* beginningOf(old), { path: "tasks.yaml", commit })
    }).pipe(memory)
  )
})
