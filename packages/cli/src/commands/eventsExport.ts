import { statSync } from "node:fs"
import * as Path from "node:path"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Clock, Effect } from "effect"
import { eventsExportDocument } from "../documents/log.ts"
import { type ArchivedRun, checkArchive, type Header, newFile, writeArchive } from "../moving/archiveFile.ts"
import { faulty, readRun } from "../moving/chain.ts"
import { existing, open, type Place, placeOf, type Side } from "../moving/side.ts"
import { unitsOf } from "../moving/units.ts"
import { print, printDocument } from "../output.ts"
import { placeNamed, type Where } from "../paths.ts"
import { exitCodes } from "../problems.ts"
import { count } from "../render/lines.ts"
import { readRows } from "./history.ts"
import { runMeant } from "./historyIds.ts"
import { noRun } from "./shared.ts"

export interface EventsExportOptions extends Where {
  /** All when there are none. */
  readonly runs: ReadonlyArray<string>
  readonly out: string
  readonly json: boolean
}

type Data = typeof eventsExportDocument.data.Type

/** `proofline events export [run…] --out FILE`: runs with all that is needed to replay and verify them elsewhere. */
export const exportEvents = Effect.fnUntraced(function* (options: EventsExportOptions) {
  const place = yield* placeOf(undefined, options)
  yield* existing(place)
  const file = yield* newFile(Path.resolve(placeNamed(options.out, place.paths)), "--out")
  const data = yield* Effect.scoped(write(place, file, options))
  yield* options.json ? printDocument(eventsExportDocument, data) : print(textOf(data))
  return exitCodes.proven
})

const write = Effect.fnUntraced(function* (place: Place, file: string, { runs }: EventsExportOptions) {
  const rows = yield* readRows(place.paths)
  const named = yield* Effect.forEach(runs, (run) => runMeant(run, rows))
  const unknown = named.find((run) => rows.every(({ run_id }) => run_id !== run))
  if (unknown !== undefined || rows.length === 0) return yield* noRun(unknown, place.paths)
  const side = yield* open(place)
  const taken = yield* withAllTheyRestOn(side, rows, named.length === 0 ? null : new Set(named))
  const header: Header = {
    proofline_archive: 1,
    made_at: new Date(yield* Clock.currentTimeMillis).toISOString(),
    log: side.name,
    runs: taken.map(({ run }) => run)
  }
  yield* writeArchive(file, side, header, new Set(taken.flatMap(({ blobs }) => [...blobs])))
  // what cannot be read back is no export
  const checked = yield* checkArchive(file, side.sha256)
  return {
    file,
    runs: header.runs.map(({ hash, run_id, status, version }) => ({ run_id, status, events: version, hash })),
    events: checked.events,
    blobs: checked.blobs,
    blobs_missing: checked.missing,
    bytes: statSync(file).size
  } satisfies Data
})

/** The runs with their task runs, and those that they go on with: without them they could not be verified. */
const withAllTheyRestOn = Effect.fnUntraced(function* (
  side: Side,
  rows: ReadonlyArray<RunOverview>,
  named: ReadonlySet<string> | null
) {
  const found = new Map<string, { readonly run: ArchivedRun; readonly blobs: ReadonlySet<string> }>()
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

const textOf = ({ blobs, blobs_missing, bytes, events, file, runs }: Data): string =>
  [
    ...runs.map((run) => `  ${run.run_id}  ${run.status.padEnd(10)} ${count(run.events, "event")}, hash ${run.hash}`),
    ...(blobs_missing.length === 0 ? [] : [`  ${count(blobs_missing.length, "blob")} of them were gone before.`]),
    `${count(runs.length, "run")} with ${count(events, "event")} and ${count(blobs, "blob")} are in ${file} (${bytes} bytes), read back. Take them in with: proofline events import`,
    ""
  ].join("\n")
