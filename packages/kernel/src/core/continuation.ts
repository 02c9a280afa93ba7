import { Effect, Stream } from "effect"
import type { RunId } from "../base/Ids.ts"
import { EventLog } from "../log/EventLog.ts"
import { faultText, makeFaultFinder } from "../log/faults.ts"
import { Digest } from "../port/Digest.ts"
import { type RunHead, RunHeads } from "../port/RunHeads.ts"
import { Engine } from "./Engine.ts"
import { pluginMissing, pluginsMissingIn } from "./logNewer.ts"
import { rejectConflict } from "./Rejection.ts"

/** Finds where the hash chain of a run breaks, or that it ends before the head that was kept of it; that is looked up unless it is given. */
export const faultFinder = Effect.fnUntraced(function* (run: RunId, head?: RunHead | null) {
  const { sha256 } = yield* Digest
  const kept = head === undefined ? yield* (yield* RunHeads).of(run) : head
  return makeFaultFinder(sha256, kept, yield* (yield* EventLog).away(run))
})

/** Why the log of a run is not as it was written; null: it is. */
export const logFault = Effect.fnUntraced(function* (run: RunId) {
  const log = yield* EventLog
  const { add, end } = yield* faultFinder(run)
  yield* log.read(run).pipe(Stream.takeWhile(add), Stream.runDrain)
  return end()
})

/** Names of plugins the run was made with, or has gone on with, that are not here: without a guard that was there nothing is the same. */
export const missingPlugins = Effect.fnUntraced(function* (run: RunId) {
  const log = yield* EventLog
  const { composition } = yield* Engine
  return yield* pluginsMissingIn(log.read(run), composition)
})

/** Both, by going through the log once; where it was changed nothing is said of plugins behind that. */
export const continuationOf = Effect.fnUntraced(function* (run: RunId) {
  const log = yield* EventLog
  const { composition } = yield* Engine
  const { add, end } = yield* faultFinder(run)
  const missing = yield* pluginsMissingIn(log.read(run).pipe(Stream.takeWhile(add)), composition)
  return { fault: end(), missing }
})

/** Refuses to go on with a run whose log was changed, or without a plugin it was made with. */
export const checkContinuation = Effect.fnUntraced(function* (run: RunId) {
  const { fault, missing } = yield* continuationOf(run)
  if (fault !== null) {
    return yield* Effect.fail(
      rejectConflict(
        fault.code,
        faultText(run, fault),
        "Tell a person to restore it from a backup; a run is not continued from a log that was changed."
      )
    )
  }
  if (missing.length > 0) {
    return yield* Effect.fail(
      rejectConflict(
        "plugin_missing",
        pluginMissing(run, missing).message,
        "Tell a person to name them under `plugins:` in proofline.yaml again, and to start the server again."
      )
    )
  }
})
