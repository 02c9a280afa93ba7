/** One log for several engines of this process. */
import { EventLog } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { blobsOf, logOf, type StorageParts } from "./storage.ts"

/** A log that tells each engine of this process what the others append. */
export const sharedByEngines = Effect.fnUntraced(function* (log: EventLog["Service"]) {
  const appended = yield* PubSub.sliding<void>(1)
  return EventLog.of({
    ...log,
    append: (...args) => Effect.tap(log.append(...args), () => PubSub.publish(appended, undefined)),
    othersAppended: Stream.merge(log.othersAppended, Stream.fromPubSub(appended))
  })
})

/**
 * The parts of their storages that projects of one server have in common: a log in a database, and its blobs. Each would
 * take connections of its own. Opened with the first of them and closed with the last; undefined: they have none.
 */
export const sharedParts = (paths: ProjectPaths): StorageParts | undefined => {
  if (paths.databaseUrl === undefined) return undefined
  const opened = Layer.makeMemoMapUnsafe()
  const once = <A, E>(layer: Layer.Layer<A, E>): Layer.Layer<A, E> =>
    Layer.effectContext(
      Effect.flatMap(Effect.scope, (scope) =>
        Effect.map(
          Layer.buildWithMemoMap(layer, opened, scope),
          // what a project builds beside it is its own
          (context) => Context.omit(Layer.CurrentMemoMap)(context) as typeof context
        )
      )
    )
  const log = Layer.provide(logOf(paths), nodeDigest)
  const shared = Layer.effect(EventLog, Effect.flatMap(EventLog, sharedByEngines)).pipe(Layer.provideMerge(log))
  return { log: once(shared), blobs: once(Layer.provide(blobsOf(paths), nodeDigest)) }
}
