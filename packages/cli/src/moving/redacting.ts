import { Digest } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect, Stream } from "effect"
import { checkedComposition } from "../project/checkedPlugins.ts"
import { projectConfig } from "../project/files.ts"
import { shippedContracts } from "../project/phaseContract.ts"
import { tellingFaults } from "../project/withKernel.ts"
import { addNames, makeRedaction } from "./redaction/redactRun.ts"
import { textsIn } from "./redaction/wording.ts"
import type { Place, Side } from "./side.ts"

export interface RunUpTo {
  readonly run_id: string
  /** Of the last event. */
  readonly version: number
}

/** Redacts runs of a log under one key; one after the other is asked for. */
export const redacting = Effect.fnUntraced(function* (
  { paths }: Place,
  { log }: Pick<Side, "log">,
  key: Uint8Array,
  runs: ReadonlyArray<RunUpTo>
) {
  const composition = yield* checkedComposition(paths, yield* projectConfig(paths))
  const digest = yield* Effect.provide(Digest, nodeDigest)
  const eventsOf = ({ run_id, version }: RunUpTo) =>
    log.read(run_id).pipe(Stream.takeWhile((event) => event.version <= version))
  const named = new Set<string>()
  for (const run of runs) yield* Stream.runForEach(eventsOf(run), (event) => Effect.sync(() => addNames(named, event)))
  const redact = makeRedaction(composition, digest, key, {
    named,
    published: textsIn(shippedContracts()),
    runs: runs.map(({ run_id }) => run_id)
  })
  return (run: RunUpTo) => Stream.runCollect(eventsOf(run)).pipe(Effect.map(redact), tellingFaults)
})
