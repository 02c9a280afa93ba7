import { statSync } from "node:fs"
import * as Path from "node:path"
import { ignoreAll } from "@proofline/plugins/adapters/run-heads"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { makeDirectoryNow } from "@proofline/plugins/log"
import { Clock, Effect } from "effect"
import { momentSaid } from "../base/moment.ts"
import { placeNamed, type Where } from "../base/paths.ts"
import { exitCodes, type Problem, problemIn, problemText, type Stop, stop } from "../base/problems.ts"
import { logArchiveDocument } from "../documents/log.ts"
import {
  type ArchivedRun,
  archiveName,
  archivesOf,
  checkArchive,
  freeName,
  type Header,
  newFile,
  writeArchive
} from "../moving/archiveFile.ts"
import { faultProblem, readRun } from "../moving/chain.ts"
import { open, openToRead, type Place, placeOf, type Side } from "../moving/side.ts"
import { holding, type Unit, unitsOf } from "../moving/units.ts"
import { print, printDocument } from "../process/output.ts"
import { readRows } from "../reading/rows.ts"
import { count } from "../render/lines.ts"

export interface LogArchiveOptions extends Where {
  readonly before: string
  readonly to?: string | undefined
  readonly yes: boolean
  readonly json: boolean
}

type Data = typeof logArchiveDocument.data.Type
type Left = Data["left"][number]

/** `proofline log archive --before DATE`: takes runs that ended before into a file, and out of the log with `--yes`. */
export const logArchive = Effect.fnUntraced(function* (options: LogArchiveOptions) {
  const before = yield* momentSaid("--before", options.before)
  const place = yield* placeOf(undefined, options)
  const chosen = yield* chosenFile(options, place)
  const stamp = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const own = Path.join(archivesOf(place.paths), archiveName(options.before.slice(0, 10), stamp))
  const data = yield* Effect.scoped(archiveOf(place, chosen ?? freeName(own), chosen !== null, before, options.yes))
  yield* options.json ? printDocument(logArchiveDocument, data) : print(textOf(data))
  return data.left.some(({ problem }) => problem.code.startsWith("log_")) ? exitCodes.integrity : exitCodes.proven
})

/** It has ended before, and is here. */
const isOver = ({ away, driver, ended_at, status }: RunOverview, before: string): boolean =>
  status !== "running" && ended_at !== null && ended_at < before && driver === null && away == null

const archiveOf = Effect.fnUntraced(function* (
  place: Place,
  meant: string,
  isChosen: boolean,
  before: string,
  yes: boolean
) {
  const nothing: Data = {
    file: meant,
    action: "planned",
    runs: [],
    events: 0,
    blobs: 0,
    blobs_missing: [],
    bytes: 0,
    left: []
  }
  const unitsIn = (rows: ReadonlyArray<RunOverview>) =>
    unitsOf(rows).filter((unit) => unit.every((row) => isOver(row, before)))
  if (unitsIn(yield* readRows(place.paths)).length === 0) return nothing
  const side = yield* yes ? open(place) : openToRead(place)
  if (yes) yield* alone(side)
  // whoever archived before this one has taken some out
  const rows = yield* readRows(place.paths)
  const units = unitsIn(rows)
  if (units.length === 0) return nothing
  const needed = yield* neededByOthers(side, rows, units)
  const left: Array<Left> = []
  const blobs = new Set<string>()
  const runs: Array<ArchivedRun> = []
  const chosen: Array<Unit> = []
  for (const unit of units) {
    const found = yield* Effect.forEach(unit, (row) => Effect.map(readRun(side, row.run_id), (read) => ({ read, row })))
    const by = unit.flatMap(({ run_id }) => needed.get(run_id) ?? [])[0]
    const problem =
      by === undefined
        ? (found.flatMap(({ read, row }) =>
            read.fault === null ? [] : faultProblem(row.run_id, side.name, read.fault)
          )[0] ?? null)
        : neededProblem(by)
    if (problem !== null) {
      left.push(...unit.map(({ run_id }) => ({ run_id, problem })))
      continue
    }
    chosen.push(unit)
    for (const { read, row } of found) {
      for (const name of read.blobs) blobs.add(name)
      const { kind, run_id, status } = row
      const { hash, version } = read.head ?? { hash: "", version: 0 }
      runs.push({ run_id, kind, status, ended_at: row.ended_at ?? "", version, hash, head: read.kept })
    }
  }
  const events = runs.reduce((sum, { version }) => sum + version, 0)
  if (!yes || runs.length === 0) return { ...nothing, runs: runs.map(shown), events, blobs: blobs.size, left }
  const made_at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const header: Header = { proofline_archive: 1, made_at, log: side.name, runs }
  prepare(meant, place)
  const { file } = yield* writeArchive(meant, side, header, blobs, isChosen)
  // only what was read back is taken out
  const checked = yield* checkArchive(file, side.sha256)
  const gone = new Set<string>()
  for (const unit of chosen) {
    const taken = yield* takeOut(side, unit, runs, file, made_at)
    if (Array.isArray(taken)) for (const run of taken) gone.add(run)
    else left.push(...unit.map(({ run_id }) => ({ run_id, problem: taken as Problem })))
  }
  return {
    file,
    action: "archived",
    runs: runs.filter(({ run_id }) => gone.has(run_id)).map(shown),
    events: checked.events,
    blobs: checked.blobs,
    blobs_missing: checked.missing,
    bytes: statSync(file).size,
    left
  } satisfies Data
})

const shown = ({ ended_at, hash, run_id, status, version }: ArchivedRun) => ({
  run_id,
  status,
  ended_at,
  events: version,
  hash
})

/** The whole first, so that it never stands without its parts. */
const takeOut = (side: Side, unit: Unit, runs: ReadonlyArray<ArchivedRun>, place: string, at: string) =>
  Effect.forEach(unit.toReversed(), ({ run_id }) => {
    const version = runs.find((run) => run.run_id === run_id)?.version ?? 0
    return Effect.as(side.log.leave(run_id, version, { kind: "archived", place, at }), run_id)
  }).pipe(
    holding(side, unit),
    Effect.catchTag("RunIsDriven", (driven) => Effect.succeed(problemIn(driven))),
    Effect.catchTag("Conflict", ({ stream }) => Effect.succeed(changedProblem(stream)))
  )

/** Runs of these units that others, which stay, cannot be verified without; each with one of those. */
const neededByOthers = Effect.fnUntraced(function* (
  side: Side,
  rows: ReadonlyArray<RunOverview>,
  units: ReadonlyArray<Unit>
) {
  const going = new Set(units.flat().map(({ run_id }) => run_id))
  const needed = new Map<string, string>()
  const staying = rows.filter(
    ({ away, kind, run_id }) => kind === "requirements" && !going.has(run_id) && away?.kind !== "archived"
  )
  for (const { run_id } of staying) {
    const { rests } = yield* readRun(side, run_id)
    for (const run of rests) needed.set(run, run_id)
  }
  return needed
})

const neededProblem = (by: string): Problem => ({
  code: "run_needed",
  kind: "conflict",
  message: `Run ${by}, which stays, rests on what it has shown.`,
  hint: "It goes into an archive together with that one."
})

const changedProblem = (run: string): Problem => ({
  code: "run_contended",
  kind: "conflict",
  message: `Run ${run} was changed meanwhile: it stays in the log.`,
  hint: "Nothing is lost; archive again later."
})

/** How long one waits for another that archives runs of the same log. */
const waitMs = 600_000

/** Two at a time would put the same runs into two files. */
const alone = ({ locks, name }: Side) =>
  locks.acquire("archive", waitMs).pipe(
    Effect.catchTag("LockHeld", ({ holder }) =>
      stop(exitCodes.usage, {
        code: "archive_is_made",
        kind: "conflict",
        message: `Process ${holder.pid} on ${holder.host} archives runs of ${name} since ${holder.since}.`,
        hint: "Wait until it has ended, then call this again."
      })
    )
  )

/** Null: nobody chose one. */
const chosenFile = ({ to }: LogArchiveOptions, { paths }: Place): Effect.Effect<string | null, Stop> =>
  to === undefined ? Effect.succeed(null) : newFile(Path.resolve(placeNamed(to, paths)), "--to")

/** As the state directory, that of archives is no part of the project. */
const prepare = (file: string, place: Place): void => {
  const directory = archivesOf(place.paths)
  if (Path.dirname(file) !== directory) return
  try {
    makeDirectoryNow(directory)
    ignoreAll(directory)
  } catch {
    // writing the archive says why
  }
}

const textOf = ({ action, blobs, blobs_missing, bytes, events, file, left, runs }: Data): string =>
  [
    ...runs.map(
      (run) =>
        `  ${run.run_id}  ${run.status.padEnd(10)} ${run.ended_at.slice(0, 10)}  ${count(run.events, "event")}, hash ${run.hash}`
    ),
    ...left.map(({ problem, run_id }) => `  ${run_id}  stays: ${problemText(problem)}`),
    ...(blobs_missing.length === 0 ? [] : [`  ${count(blobs_missing.length, "blob")} of them were gone before.`]),
    action === "archived"
      ? `${count(runs.length, "run")} archived in ${file} (${count(events, "event")}, ${count(blobs, "blob")}, ${bytes} bytes), read back, and taken out of the log.`
      : runs.length === 0
        ? "There is no run to archive."
        : `${count(runs.length, "run")} with ${count(events, "event")} and ${count(blobs, "blob")} would go to ${file}. Nothing was done: add --yes.`,
    ""
  ].join("\n")
