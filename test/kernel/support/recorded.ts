import {
  type AnyEvent,
  type Composition,
  Digest,
  genesisHash,
  makeManifest,
  makeReplay,
  type Recorded,
  type Replay,
  seal
} from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Context, Effect, Layer } from "effect"

/** The hash functions of the platform, outside of any effect. */
export const digest: Digest["Service"] = Effect.runSync(
  Effect.scoped(Effect.map(Layer.build(nodeDigest), (context) => Context.get(context, Digest)))
)

/** Batches of events as a log would hold them: one command id a batch, sealed into one chain. */
export const recordedOf = (
  composition: Composition,
  batches: ReadonlyArray<ReadonlyArray<AnyEvent>>
): ReadonlyArray<Recorded> => {
  const manifest = makeManifest(composition)
  const log: Array<Recorded> = []
  batches.forEach((batch, i) => {
    for (const { content, type } of batch) {
      const place = {
        position: log.length + 1,
        stream: "run_1",
        version: log.length + 1,
        prev_hash: log.at(-1)?.hash ?? genesisHash
      }
      const candidate = {
        event_type: type,
        schema_version: manifest.schemaVersionOf(type),
        timestamp: "2026-01-02T03:04:05.678Z",
        visibility: manifest.visibilityOf(type),
        content: content as Recorded["content"],
        command_id: `cmd_${i + 1}`,
        causation_id: null,
        correlation_id: "run_1"
      }
      log.push(seal(candidate, place, digest.sha256))
    }
  })
  return log
}

/** What a replay of these events comes to. */
export const replayOf = (composition: Composition, events: Iterable<Recorded>): ReturnType<Replay["end"]> => {
  const replay = makeReplay(composition, digest.uuid5)
  for (const event of events) replay.add(event)
  return replay.end()
}
