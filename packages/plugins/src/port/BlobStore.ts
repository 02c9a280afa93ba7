import { type BlobRef, type Digest, LogUnavailable } from "@proofline/kernel"
import { Context, Effect, Schema } from "effect"

export class BlobMissing extends Schema.TaggedError<BlobMissing>()("BlobMissing", { sha256: Schema.String }) {
  override get message() {
    return `Blob ${this.sha256} is not in the store.`
  }
}

/**
 * Large texts (prompts, outputs) by the SHA-256 of their bytes. `put` answers once the bytes are durable; `get` never gives
 * bytes that are not those of the name.
 */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    readonly put: (data: string | Uint8Array) => Effect.Effect<BlobRef, LogUnavailable>
    readonly get: (sha256: string) => Effect.Effect<Uint8Array, BlobMissing | LogUnavailable>
  }
>()("@proofline/plugins/port/BlobStore") {}

/** What is no name of a blob must become neither a path nor an address. */
export const isBlobName = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

/** The bytes where they are those of the name; `store` says for people where they come from. */
export const asNamed = (
  name: string,
  bytes: Uint8Array,
  sha256: Digest["Service"]["sha256"],
  store: string
): Effect.Effect<Uint8Array, LogUnavailable> =>
  sha256(bytes) === name
    ? Effect.succeed(bytes)
    : Effect.fail(
        new LogUnavailable({
          code: "log_corrupt",
          message: `The blob ${name} in ${store} has other bytes than its name says: it was changed or damaged.`,
          hint: "Put it back from a copy, or remove it: then it counts as missing."
        })
      )
