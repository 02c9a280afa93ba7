import type { BlobRef, LogUnavailable } from "@proofline/kernel"
import { Context, type Effect, Schema } from "effect"

export class BlobMissing extends Schema.TaggedError<BlobMissing>()("BlobMissing", { sha256: Schema.String }) {
  override get message() {
    return `Blob ${this.sha256} is not in the store.`
  }
}

/** Large texts (prompts, outputs) by the SHA-256 of their bytes. `put` answers once the bytes are durable. */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    readonly put: (data: string | Uint8Array) => Effect.Effect<BlobRef, LogUnavailable>
    readonly get: (sha256: string) => Effect.Effect<Uint8Array, BlobMissing | LogUnavailable>
  }
>()("@proofline/plugins/port/BlobStore") {}
