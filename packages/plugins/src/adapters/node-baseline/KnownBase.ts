import type { Effect } from "effect"
import type { Entry } from "../../git/tree.ts"
import type { Since } from "./brought.ts"
import type { Snapshot } from "./snapshot.ts"

/** A base as it is kept in memory. */
export interface KnownBase {
  readonly snapshot: Snapshot
  /** Null: the commit cannot be read. */
  readonly tree: ReadonlyMap<string, Entry> | null
  /** What git knew of other work when the run began; null: that was not kept. */
  readonly since: Since | null
  /** Bytes of the files that no commit holds; null: they are gone, or were never kept. */
  readonly contents: Effect.Effect<Uint8Array | null>
  /** An object of the repository; null: it is not there. */
  readonly readBlob: (id: string) => Effect.Effect<Uint8Array | null>
}
