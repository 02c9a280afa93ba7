import { statSync } from "node:fs"
import { Digest } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect } from "effect"
import { fileNamed, pathsOf, type Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { logArchiveDocument } from "../documents/log.ts"
import { print, printDocument } from "../process/output.ts"
import { readRows } from "../reading/rows.ts"
import { count } from "../render/lines.ts"
import { type Checked, checkArchive, type Header } from "./archiveFile.ts"
import { type RunUpTo, redacting } from "./redacting.ts"
import { compareRedacted } from "./redaction/compare.ts"
import { readRedactionKey } from "./redaction/key.ts"
import { redactedId } from "./redaction/redactRun.ts"
import { existing, open, placeOf } from "./side.ts"

export interface VerifyArchiveOptions extends Where {
  /** The secret under which a redacted run was made. */
  readonly redactionKey?: string | undefined
  readonly json: boolean
}

type Run = (typeof logArchiveDocument.data.Type)["runs"][number]
type Compared = NonNullable<Run["redacted"]>

/** `proofline verify FILE` of an archive, an export or a redacted one. */
export const verifyArchive = Effect.fnUntraced(function* (file: string, options: VerifyArchiveOptions) {
  const { sha256 } = yield* Effect.provide(Digest, nodeDigest)
  const checked = yield* checkArchive(file, sha256)
  const { blobs, events, header, missing } = checked
  const isRedacted = new Set(checked.runs.flatMap(({ redacted, run_id }) => (redacted ? run_id : [])))
  const compared =
    options.redactionKey === undefined
      ? new Map<string, Compared>()
      : yield* Effect.scoped(withOriginals(file, checked, options, options.redactionKey))
  const runs = header.runs.map(
    ({ ended_at, hash, run_id, status, version }): Run => ({
      run_id,
      status,
      ended_at,
      events: version,
      hash,
      ...(isRedacted.has(run_id) ? { redacted: compared.get(run_id) ?? notCompared } : {})
    })
  )
  yield* options.json
    ? printDocument(logArchiveDocument, {
        file,
        action: "verified",
        runs,
        events,
        blobs,
        blobs_missing: missing,
        bytes: statSync(file).size,
        left: []
      })
    : print(
        [
          ...runs.flatMap((run) => [
            `  ${run.run_id}  ${count(run.events, "event")}, hash ${run.hash}`,
            ...(run.redacted === undefined ? [] : [`    ${redactedText(run.redacted)}`])
          ]),
          `${count(runs.length, "run")} with ${count(events, "event")} and ${count(blobs, "blob")}: every hash was computed again, and all is as it was.${missing.length === 0 ? "" : ` ${count(missing.length, "blob")} were gone when it was made.`}`,
          ""
        ].join("\n")
      )
  return [...compared.values()].some((one) => one.commitments_differ_at !== null || one.events_differ_at !== null)
    ? exitCodes.integrity
    : exitCodes.proven
})

const notCompared: Compared = { original: null, commitments_differ_at: null, events_differ_at: null }

const redactedText = ({ commitments_differ_at, events_differ_at, original }: Compared): string => {
  if (original === null)
    return "Redacted: its texts are pseudonyms. It is whole and in order, and proves nothing of any files; with --redaction-key it is compared with its original."
  if (commitments_differ_at !== null)
    return `Redacted, and not of ${original} as this log has it: its commitment ${commitments_differ_at} is to another event.`
  return events_differ_at !== null
    ? `Redacted, of ${original}, and changed since, or made by another version of Proofline: event ${events_differ_at} is not what comes of it with this key.`
    : `Redacted, of ${original}: every event of it is committed to, and is what comes of it with this key.`
}

/** Each redacted run of the file beside the run of the log that it was made of. */
const withOriginals = Effect.fnUntraced(function* (
  file: string,
  { runs }: Checked<Header>,
  options: VerifyArchiveOptions,
  keyFile: string
) {
  const key = yield* readRedactionKey(fileNamed(keyFile, pathsOf(options)).file)
  const place = yield* placeOf(undefined, options)
  yield* existing(place)
  const side = yield* open(place)
  const ids = (yield* readRows(place.paths)).map(({ run_id }) => run_id)
  const originals = new Map<string, RunUpTo>()
  for (const { redacted, run_id: made, version } of runs) {
    const original = ids.find((id) => redactedId(key, id) === made)
    if (redacted && original === undefined) return yield* originalUnknown(file, place.name, made)
    if (redacted && original !== undefined) originals.set(made, { run_id: original, version })
  }
  const redactOne = yield* redacting(place, side, key, [...originals.values()])
  const found = yield* compareRedacted(file, (made) => {
    const original = originals.get(made)
    return original === undefined ? null : redactOne(original)
  })
  return new Map(
    [...found].map(([made, differences]): readonly [string, Compared] => [
      made,
      { original: originals.get(made)?.run_id ?? null, ...differences }
    ])
  )
})

const originalUnknown = (file: string, log: string, run: string) =>
  stop(exitCodes.unmet, {
    code: "original_unknown",
    message: `No run of ${log} becomes ${run} with this key.`,
    file,
    hint: "Name the log that has the original with --state or --database-url, and the key that was made with the export."
  })
