import { Digest, type LogUnavailable } from "@proofline/kernel"
import { Effect, Layer } from "effect"
import { asNamed, BlobMissing, BlobStore, isBlobName } from "../../port/index.ts"
import { addressOf, openDatabase } from "./database.ts"
import type { PostgresLogOptions } from "./layer.ts"
import { migrate } from "./migrations.ts"
import { called } from "./reasons.ts"

/** Bytes of a blob in one row. */
const partBytes = 4 * 1_024 * 1_024

/** Blobs in the schema of a log. What is read is hashed before it is handed on. */
export const layer = ({
  awayMs,
  url
}: Pick<PostgresLogOptions, "awayMs" | "url">): Layer.Layer<BlobStore, LogUnavailable, Digest> =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const { sha256 } = yield* Digest
      const database = yield* openDatabase(yield* addressOf(url), awayMs)
      yield* migrate(database)
      const { ask, names, place } = database
      const put = (name: string, part: number, parts: number, bytes: Uint8Array) =>
        ask(database.function("put_blob", [name, part, parts, Buffer.from(bytes)]))
      const get = Effect.fnUntraced(function* (name: string, part: number) {
        const [row] = yield* ask({
          name: "get_blob",
          text: `select of_parts, bytes from ${names.schema}.get_blob($1, $2)`,
          values: [name, part]
        })
        return row === undefined
          ? yield* new BlobMissing({ sha256: name })
          : { parts: Number(row[0]), bytes: row[1] as Uint8Array }
      })
      return {
        put: (data) =>
          Effect.gen(function* () {
            const bytes = typeof data === "string" ? Buffer.from(data) : data
            const ref = { sha256: sha256(bytes), bytes: bytes.byteLength }
            const parts = Math.max(1, Math.ceil(ref.bytes / partBytes))
            for (let part = 0; part < parts; part++) {
              yield* put(ref.sha256, part, parts, bytes.subarray(part * partBytes, (part + 1) * partBytes))
            }
            return ref
          }),
        get: (name) =>
          Effect.gen(function* () {
            if (!isBlobName(name)) return yield* new BlobMissing({ sha256: name })
            const first = yield* get(name, 0)
            const found = [first.bytes]
            for (let part = 1; part < first.parts; part++) found.push((yield* get(name, part)).bytes)
            return yield* asNamed(name, found.length === 1 ? first.bytes : Buffer.concat(found), sha256, called(place))
          })
      } satisfies BlobStore["Service"]
    })
  )
