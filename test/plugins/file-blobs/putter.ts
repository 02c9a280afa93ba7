/** Puts large blobs until it is killed: `putter.ts DIRECTORY`. Says the hash of each that was acknowledged. */
import { writeSync } from "node:fs"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"

const [directory = ""] = process.argv.slice(2)

const putForever = (from: number) =>
  Effect.gen(function* () {
    const blobs = yield* BlobStore
    for (let n = from; ; n += 4) {
      const { sha256 } = yield* blobs.put(`${n}`.repeat(200_000))
      yield* Effect.sync(() => writeSync(1, `${sha256}\n`))
    }
  })

await Effect.runPromise(
  Effect.all([0, 1, 2, 3].map(putForever), { concurrency: "unbounded" }).pipe(
    Effect.provide(fileBlobs({ directory }).pipe(Layer.provide(nodeDigest)))
  )
)
