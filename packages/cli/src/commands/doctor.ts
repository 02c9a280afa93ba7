import { Digest } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import type { Finding } from "../doctor/Finding.ts"
import { blobsIn, lookAtBlobs, lookAtLog } from "../doctor/log.ts"
import { lookAtUnfinished, repair } from "../doctor/repair.ts"
import { lookAtState } from "../doctor/state.ts"
import { doctorDocument } from "../documents/doctor.ts"
import { print, printDocument } from "../output.ts"
import { logName, pathsOf, type Where } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"
import { doctorText } from "../render/doctor.ts"
import { styleFor, wantsColor } from "../render/style.ts"
import { blobsOf } from "../storage.ts"

export interface DoctorOptions extends Where {
  readonly repair: boolean
  readonly out?: string | undefined
  readonly json: boolean
}

/** `proofline doctor`: what is damaged, and what can still be read. Changes nothing; `--repair` writes a new log. */
export const doctor = Effect.fnUntraced(
  function* (options: DoctorOptions) {
    const paths = pathsOf(options)
    if (paths.databaseUrl !== undefined) return yield* notHere
    if (options.out !== undefined && !options.repair) return yield* outAlone
    const { sha256 } = yield* Digest
    const ofState = yield* lookAtState(paths)
    const unfinished = yield* lookAtUnfinished(paths, options.out, options.repair)
    const log = yield* lookAtLog(paths, sha256)
    const place = paths.blobStore ?? paths.blobs
    const stored = place.includes("://") ? [] : blobsIn(place)
    const blobs = new Map<string, string | null>([
      ...stored.map((name) => [name, null] as const),
      ...(log?.blobs ?? [])
    ])
    const store = Layer.provide(blobsOf(paths), nodeDigest)
    const ofBlobs = yield* Effect.provide(
      Effect.flatMap(BlobStore, (one) => lookAtBlobs(one, blobs, place)),
      store
    )
    const ofLog = log?.findings ?? []
    const findings: ReadonlyArray<Finding> = [...ofState, ...unfinished, ...ofLog, ...ofBlobs]
    const isBroken = ofLog.some(({ severity }) => severity === "error")
    const data: typeof doctorDocument.data.Type = {
      log: logName(paths),
      healthy: findings.every(({ severity }) => severity !== "error"),
      checks: ["state", "log", "blobs"],
      findings,
      runs: log?.runs ?? [],
      blobs: blobs.size,
      repair: options.repair && isBroken && log !== null ? yield* repair(paths, log, options.out, sha256) : null
    }
    yield* options.json
      ? printDocument(doctorDocument, data)
      : print(doctorText(data, options.repair, styleFor(wantsColor(process.stdout))))
    return data.healthy ? exitCodes.proven : exitCodes.integrity
  },
  (effect) => Effect.provide(Effect.scoped(effect), nodeDigest)
)

const notHere = stop(exitCodes.usage, {
  code: "log_not_a_file",
  message: "`doctor` looks at the file of a log, and this log is in a database.",
  hint: "`proofline verify RUN` checks a run of it. The server looks after its pages: restore it from a backup."
})

const outAlone = stop(exitCodes.usage, {
  code: "out_without_repair",
  message: "--out names the file that --repair writes.",
  hint: "Add --repair, or leave --out out."
})
