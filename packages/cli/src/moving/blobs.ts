import type { LogUnavailable, Recorded } from "@proofline/kernel"
import { blobIn } from "@proofline/plugins/adapters/node-baseline"
import { isBlobName } from "@proofline/plugins/ports"
import { Effect } from "effect"
import type { Side } from "./side.ts"

/** Adds the names of the blobs that an event names: wherever `{sha256, bytes}` stands in it. */
export const addBlobs = (names: Set<string>, { content }: Pick<Recorded, "content">): void => {
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    if (isRef(value)) names.add(value.sha256)
    for (const one of Object.values(value)) look(one)
  }
  look(content)
}

const isRef = (value: object): value is { readonly sha256: string } => {
  const { bytes, sha256, ...rest } = value as Readonly<Record<string, unknown>>
  return Number.isInteger(bytes) && typeof sha256 === "string" && isBlobName(sha256) && Object.keys(rest).length === 0
}

export interface TakenBlobs {
  readonly taken: number
  /** Names of those that are not there any more. */
  readonly missing: ReadonlyArray<string>
}

/** Hands on each of the blobs that are there, and those that they name. */
export const takeBlobs = Effect.fnUntraced(function* <E, R>(
  { blobs }: { readonly blobs: Pick<Side["blobs"], "get"> },
  names: Iterable<string>,
  take: (name: string, bytes: Uint8Array) => Effect.Effect<void, E, R>
): Effect.fn.Return<TakenBlobs, E | LogUnavailable, R> {
  const seen = new Set(names)
  const missing: Array<string> = []
  // a set that grows while it is gone through
  for (const name of seen) {
    const bytes = yield* Effect.catchTag(blobs.get(name), "BlobMissing", () => Effect.succeed(null))
    if (bytes === null) {
      missing.push(name)
      continue
    }
    yield* take(name, bytes)
    const within = blobIn(bytes)
    if (within !== null) seen.add(within)
  }
  return { taken: seen.size - missing.length, missing }
})
