import * as Path from "node:path"
import { Digest } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect } from "effect"
import { fileNamed, type Where } from "../base/paths.ts"
import { exitCodes, problemText } from "../base/problems.ts"
import { eventsImportDocument } from "../documents/log.ts"
import { checkEvents } from "../moving/archiveFile.ts"
import { open, placeOf } from "../moving/side.ts"
import { stdinFile } from "../moving/stdinFile.ts"
import { takeIn } from "../moving/takeIn.ts"
import { print, printDocument } from "../process/output.ts"
import { count } from "../render/lines.ts"

export interface EventsImportOptions extends Where {
  readonly file: string
  readonly json: boolean
}

type Imported = (typeof eventsImportDocument.data.Type)["runs"][number]

/** `proofline events import FILE`: takes runs that were exported, archived or printed into the log of the project. */
export const importEvents = (options: EventsImportOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const place = yield* placeOf(undefined, options)
      const isPiped = options.file === "-"
      const file = isPiped ? yield* stdinFile : Path.resolve(fileNamed(options.file, place.paths).file)
      const shown = isPiped ? "stdin" : file
      const { sha256 } = yield* Effect.provide(Digest, nodeDigest)
      const checked = yield* checkEvents(file, sha256, shown)
      const taken = yield* takeIn(yield* open(place), file, checked, shown)
      const runs = taken.map(
        ({ outcome, ...run }): Imported => ({ ...run, outcome: outcome === "taken" ? "imported" : outcome })
      )
      const data = { file: shown, log: place.name, runs, blobs: checked.blobs, blobs_missing: checked.missing }
      yield* options.json ? printDocument(eventsImportDocument, data) : print(textOf(data))
      return runs.some(({ outcome }) => outcome === "refused") ? exitCodes.integrity : exitCodes.proven
    })
  )

const textOf = ({ blobs_missing, file, log, runs }: typeof eventsImportDocument.data.Type): string =>
  [
    `From ${file} to ${log}:`,
    ...runs.map((run) => `  ${lineOf(run)}`),
    ...(blobs_missing.length === 0
      ? []
      : [`${count(blobs_missing.length, "blob")} that they name are not in the file.`]),
    ""
  ].join("\n")

const lineOf = ({ added, events, hash, outcome, problem, redacted, run_id }: Imported): string => {
  if (problem !== null) return `${run_id}  refused: ${problemText(problem)}`
  const said = redacted ? "; redacted, so it shows nothing" : ""
  return outcome === "there"
    ? `${run_id}  was there: ${count(events, "event")}, hash ${hash}${said}`
    : `${run_id}  ${count(added, "event")} of ${events} imported, hash ${hash}${said}`
}
