import { Context, Effect, Schema } from "effect"
import type { RunId } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"

/** Where the stream of a run ended when the run did. */
export const RunHead = Schema.Struct({
  run_id: Schema.String,
  /** Of its last event. */
  version: Schema.Int,
  hash: Schema.String
})
export type RunHead = typeof RunHead.Type

/**
 * Keeps the heads of ended runs where the log is not: whoever loses the log, or takes the end of a run out of it, leaves
 * them as they are. Without an adapter nothing is kept.
 */
export const RunHeads = Context.Reference<{
  /** Keeps it, unless a later one is kept already. That it cannot be kept is said in the process's own log. */
  readonly keep: (head: RunHead) => Effect.Effect<void>
  /** The last one that was kept of a run; null: none. */
  readonly of: (run: RunId) => Effect.Effect<RunHead | null, LogUnavailable>
  /** Those of all runs of this log, in no order. */
  readonly all: Effect.Effect<ReadonlyArray<RunHead>, LogUnavailable>
}>("@proofline/kernel/port/RunHeads", {
  defaultValue: () => ({
    keep: () => Effect.void,
    of: () => Effect.succeed(null),
    all: Effect.succeed([])
  })
})
