import * as Path from "node:path"
import { Digest } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect } from "effect"
import { fileNamed, type Where } from "../base/paths.ts"
import { exitCodes, problemText } from "../base/problems.ts"
import { logRestoreDocument } from "../documents/log.ts"
import { checkArchive } from "../moving/archiveFile.ts"
import { open, placeOf } from "../moving/side.ts"
import { takeIn } from "../moving/takeIn.ts"
import { print, printDocument } from "../process/output.ts"
import { count } from "../render/lines.ts"

export interface LogRestoreOptions extends Where {
  readonly file: string
  readonly json: boolean
}

type Restored = (typeof logRestoreDocument.data.Type)["runs"][number]

/** `proofline log restore FILE`: brings back the runs of an archive, after all of it was checked. */
export const logRestore = Effect.fnUntraced(function* (options: LogRestoreOptions) {
  const place = yield* placeOf(undefined, options)
  const file = Path.resolve(fileNamed(options.file, place.paths).file)
  const { sha256 } = yield* Effect.provide(Digest, nodeDigest)
  const checked = yield* checkArchive(file, sha256)
  const taken = yield* Effect.scoped(Effect.flatMap(open(place), (side) => takeIn(side, file, checked)))
  const runs = taken.map(
    ({ events, hash, outcome, problem, run_id }): Restored => ({
      run_id,
      outcome: outcome === "taken" ? "restored" : outcome,
      events,
      hash,
      problem
    })
  )
  yield* options.json ? printDocument(logRestoreDocument, { file, runs }) : print(textOf(file, runs))
  return runs.some(({ outcome }) => outcome === "refused") ? exitCodes.integrity : exitCodes.proven
})

const textOf = (file: string, runs: ReadonlyArray<Restored>): string =>
  [
    `From ${file}:`,
    ...runs.map(({ events, hash, outcome, problem, run_id }) =>
      problem === null
        ? `  ${run_id}  ${outcome === "there" ? "was there" : "restored"}: ${count(events, "event")}, hash ${hash}`
        : `  ${run_id}  refused: ${problemText(problem)}`
    ),
    ""
  ].join("\n")
