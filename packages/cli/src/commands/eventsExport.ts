import { statSync } from "node:fs"
import * as Path from "node:path"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Clock, Effect, Stream } from "effect"
import { placeNamed, type Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { eventsExportDocument } from "../documents/log.ts"
import { type ArchivedRun, checkArchive, type Header, newFile, writeArchive } from "../moving/archiveFile.ts"
import { faulty, readRun } from "../moving/chain.ts"
import { redacting } from "../moving/redacting.ts"
import { redactionKey } from "../moving/redaction/key.ts"
import type { RedactedRun } from "../moving/redaction/redactRun.ts"
import { existing, openToRead, type Place, placeOf, type Side } from "../moving/side.ts"
import { unitsOf } from "../moving/units.ts"
import { print, printDocument } from "../process/output.ts"
import { runsThere } from "../reading/historyIds.ts"
import { noRun } from "../reading/oneRun.ts"
import { readRows } from "../reading/rows.ts"
import { count } from "../render/lines.ts"

export interface EventsExportOptions extends Where {
  /** All when there are none. */
  readonly runs: ReadonlyArray<string>
  readonly out: string
  /** Pseudonyms in the place of texts. */
  readonly redact: boolean
  /** The secret under which they are made. */
  readonly key?: string | undefined
  readonly json: boolean
}

type Data = typeof eventsExportDocument.data.Type

/** `proofline events export [run…] --out FILE`: runs with all that is needed to replay and verify them elsewhere. */
export const exportEvents = Effect.fnUntraced(function* (options: EventsExportOptions) {
  const place = yield* placeOf(undefined, options)
  yield* existing(place)
  const file = yield* newFile(Path.resolve(placeNamed(options.out, place.paths)), "--out")
  if (options.key !== undefined && !options.redact) return yield* keyUnused
  const data = yield* Effect.scoped(write(place, file, options))
  yield* options.json ? printDocument(eventsExportDocument, data) : print(textOf(data))
  return exitCodes.proven
})

const keyUnused = stop(exitCodes.usage, {
  code: "redaction_key_unused",
  message: "--key is the secret of pseudonyms, and nothing is redacted.",
  hint: "Add --redact, or leave --key out."
})

const keyInPlace = (file: string) =>
  stop(exitCodes.usage, {
    code: "out_exists",
    message: `${file} is to hold the events and the key.`,
    file,
    hint: "Name another file with --key."
  })

const write = Effect.fnUntraced(function* (
  place: Place,
  file: string,
  { key: keyFile, redact, runs }: EventsExportOptions
) {
  const rows = yield* readRows(place.paths)
  const named = yield* runsThere(runs, rows, place.paths)
  if (rows.length === 0) return yield* noRun(undefined, place.paths)
  const side = yield* openToRead(place)
  const taken = yield* withAllTheyRestOn(side, rows, named.length === 0 ? null : new Set(named))
  const made_at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const key = redact ? Path.resolve(keyFile === undefined ? `${file}.key` : placeNamed(keyFile, place.paths)) : null
  if (key === file) return yield* keyInPlace(file)
  const told =
    key === null
      ? {
          side,
          header: { proofline_archive: 1, made_at, log: side.name, runs: taken.map(({ run }) => run) } satisfies Header,
          blobs: new Set(taken.flatMap(({ blobs }) => [...blobs]))
        }
      : yield* redacted(place, side, taken, made_at, yield* redactionKey(key))
  const { header } = told
  yield* writeArchive(file, told.side, header, told.blobs)
  // what cannot be read back is no export
  const checked = yield* checkArchive(file, side.sha256)
  return {
    file,
    runs: header.runs.map(({ hash, run_id, status, version }) => ({ run_id, status, events: version, hash })),
    events: checked.events,
    blobs: checked.blobs,
    // what its texts were is not in a redacted one
    blobs_missing: redact ? [] : checked.missing,
    bytes: statSync(file).size,
    redacted: redact,
    ...(key === null ? {} : { key_file: key })
  } satisfies Data
})

/** The same runs told with pseudonyms: nothing of the blobs goes with them but the commitments. */
const redacted = Effect.fnUntraced(function* (
  place: Place,
  side: Side,
  taken: ReadonlyArray<Taken>,
  made_at: string,
  key: Uint8Array
) {
  const redactOne = yield* redacting(
    place,
    side,
    key,
    taken.map(({ run }) => run)
  )
  const told = new Map<string, RedactedRun>()
  const runs: Array<ArchivedRun> = []
  for (const { run } of taken) {
    const one = yield* redactOne(run)
    const last = one.events.at(-1)
    const { hash, version } = last ?? { hash: "", version: 0 }
    told.set(one.run_id, one)
    const { ended_at, kind, status } = run
    runs.push({ run_id: one.run_id, kind, status, ended_at, version, hash, head: null })
  }
  const commitments = new Map([...told.values()].map((one) => [side.sha256(one.commitments), one.commitments]))
  return {
    header: { proofline_archive: 1, made_at, log: "redacted", runs } satisfies Header,
    blobs: new Set(commitments.keys()),
    side: {
      log: { read: (run: string) => Stream.fromIterable(told.get(run)?.events ?? []) },
      blobs: {
        get: (name: string) => Effect.succeed(new TextEncoder().encode(commitments.get(name) ?? ""))
      }
    }
  }
})

interface Taken {
  readonly run: ArchivedRun
  readonly blobs: ReadonlySet<string>
}

/** The runs with their task runs, and those that they go on with: without them they could not be verified. */
const withAllTheyRestOn = Effect.fnUntraced(function* (
  side: Side,
  rows: ReadonlyArray<RunOverview>,
  named: ReadonlySet<string> | null
) {
  const found = new Map<string, Taken>()
  let units = unitsOf(rows, named)
  while (units.length > 0) {
    const rests = new Set<string>()
    for (const row of units.flat()) {
      const { blobs, endedAt, fault, head, kept, rests: on } = yield* readRun(side, row.run_id)
      if (fault !== null) return yield* faulty(row.run_id, side.name, fault)
      const { kind, run_id, status } = row
      const { hash, version } = head ?? { hash: "", version: 0 }
      // what happens from now on is in another export
      const ended_at = status === "running" ? "" : endedAt
      found.set(run_id, { run: { run_id, kind, status, ended_at, version, hash, head: kept }, blobs })
      for (const run of on) rests.add(run)
    }
    units = unitsOf(rows, rests).filter((unit) => unit.some(({ run_id }) => !found.has(run_id)))
  }
  return [...found.values()]
})

const textOf = ({ blobs, blobs_missing, bytes, events, file, key_file, runs }: Data): string =>
  [
    ...runs.map((run) => `  ${run.run_id}  ${run.status.padEnd(10)} ${count(run.events, "event")}, hash ${run.hash}`),
    ...(blobs_missing.length === 0 ? [] : [`  ${count(blobs_missing.length, "blob")} of them were gone before.`]),
    `${count(runs.length, "run")} with ${count(events, "event")} and ${count(blobs, "blob")} are in ${file} (${bytes} bytes), read back. Take them in with: proofline events import`,
    ...(key_file === undefined
      ? []
      : [
          `They are redacted: texts, names and paths are pseudonyms, and blobs were left out. The key is in ${key_file}: keep it, and keep it to yourself.`
        ]),
    ""
  ].join("\n")
