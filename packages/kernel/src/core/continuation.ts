import { Effect, Result, Stream } from "effect"
import type { RunId } from "../base/Ids.ts"
import { type ChainBroken, type ChainHead, verifyNext } from "../log/codec.ts"
import { EventLog } from "../log/EventLog.ts"
import { Digest } from "../port/Digest.ts"
import { Engine } from "./Engine.ts"
import { reject } from "./Rejection.ts"

/** First break of a run's hash chain; null when the chain is intact. */
export const chainFault = Effect.fnUntraced(function* (run: RunId) {
  const log = yield* EventLog
  const { sha256 } = yield* Digest
  let head: ChainHead | null = null
  let fault: ChainBroken | null = null
  yield* log.read(run).pipe(
    Stream.takeWhile(() => fault === null),
    Stream.runForEach((event) =>
      Effect.sync(() => {
        // a stream comes in pieces: what follows the first fault in its piece is not asked
        if (fault !== null) return
        const next = verifyNext(head, event, sha256)
        if (Result.isFailure(next)) fault = next.failure
        else head = next.success
      })
    )
  )
  return fault as ChainBroken | null
})

/** Names of plugins the run was made with that are not here: without a guard that was there nothing is the same. */
export const missingPlugins = Effect.fnUntraced(function* (run: RunId) {
  const log = yield* EventLog
  const { composition } = yield* Engine
  const here = new Set(composition.versions.map(({ name }) => name))
  const first = yield* Stream.runHead(log.read(run))
  if (first._tag === "None") return []
  const { plugins = [] } = first.value.content as { readonly plugins?: ReadonlyArray<{ readonly name: string }> }
  return plugins.map(({ name }) => name).filter((name) => !here.has(name))
})

/** Refuses to go on with a run whose log was changed, or without a plugin it was made with. */
export const checkContinuation = Effect.fnUntraced(function* (run: RunId) {
  const fault = yield* chainFault(run)
  if (fault !== null) {
    return yield* Effect.fail(
      reject(
        "log_changed",
        `The log of ${run} was changed at version ${fault.version}: ${fault.message}`,
        "Tell a person to restore it from a backup; a run is not continued from a log that was changed."
      )
    )
  }
  const missing = yield* missingPlugins(run)
  if (missing.length > 0) {
    return yield* Effect.fail(
      reject(
        "plugin_missing",
        `Run ${run} was made with plugins that are not here: ${missing.join(", ")}.`,
        "Tell a person to name them under `plugins:` in proofline.yaml again, and to start the server again."
      )
    )
  }
})
