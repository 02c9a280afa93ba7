import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { type Digest, type EventLog, layerMemory, type WorkQueue } from "@proofline/kernel"
import { eventLogContract } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer } from "effect"

const root = mkdtempSync(join(tmpdir(), "proofline-contract-"))
afterAll(() => rmSync(root, { recursive: true }))
let files = 0

/** Every log that exists. `fresh` makes one that is empty. */
const implementations: ReadonlyArray<{
  readonly name: string
  readonly fresh: () => Layer.Layer<EventLog | WorkQueue | Digest, unknown>
}> = [
  { name: "memory", fresh: () => Layer.fresh(layerMemory).pipe(Layer.provideMerge(nodeDigest)) },
  {
    name: "sqlite",
    fresh: () => sqliteLog({ file: join(root, `${++files}`, "log.sqlite") }).pipe(Layer.provideMerge(nodeDigest))
  }
]

it("runs every case over every implementation", () => {
  assert.isNotEmpty(implementations)
  assert.isAbove(eventLogContract.length, 30)
})

for (const { name, fresh } of implementations) {
  describe(name, () => {
    for (const { name, run } of eventLogContract) it.live(name, () => run.pipe(Effect.provide(fresh())))
  })
}
