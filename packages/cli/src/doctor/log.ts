import { basename } from "node:path"
import { type Away, type Digest, elsewhere, endsRun, LogUnavailable, type RunHead } from "@proofline/kernel"
import { blobIn } from "@proofline/plugins/adapters/node-baseline"
import { explain } from "@proofline/plugins/adapters/sqlite-log/explain"
import { isLogThere } from "@proofline/plugins/adapters/sqlite-log/inPlace"
import {
  checkWal,
  databaseFaults,
  type Salvage,
  type SalvagedRun,
  salvage
} from "@proofline/plugins/adapters/sqlite-log/salvage"
import { runOverviews, SummariesDamaged } from "@proofline/plugins/adapters/sqlite-log/summary"
import { BlobMissing, type BlobStore, isBlobName } from "@proofline/plugins/ports"
import { Effect, Result, type Scope } from "effect"
import { answersWithinMs } from "../base/answersWithin.ts"
import { namesIn, type ProjectPaths } from "../base/paths.ts"
import { addBlobs } from "../moving/blobs.ts"
import { headsIn } from "../project/storage.ts"
import { runsLost } from "../reading/oneRun.ts"
import { count } from "../render/lines.ts"
import type { Finding } from "./Finding.ts"

/** What is left of one run. */
export interface RunState {
  readonly run_id: string
  /** Its events from the first on of which every hash is right. */
  readonly events: number
  /** So many it had at least. */
  readonly known: number
  /** `cut`: its end is damaged or gone; `lost`: so is its first event, and with it all of it. */
  readonly state: "whole" | "cut" | "lost"
}

/** What was found in the log file of a project. */
export interface LogState {
  readonly salvage: Salvage
  readonly runs: ReadonlyArray<RunState>
  readonly findings: ReadonlyArray<Finding>
  /** Names of the blobs that the events name which can be read, with a run that names them. */
  readonly blobs: ReadonlyMap<string, string>
}

/**
 * Looks at the file of a log: at its write-ahead log, its pages and indexes as SQLite sees them, and by itself at every
 * event in it, whose hash is computed again. Null: there is none.
 */
export const lookAtLog = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  sha256: Digest["Service"]["sha256"]
): Effect.fn.Return<LogState | null, LogUnavailable, Scope.Scope> {
  const { database } = paths
  if (!isLogThere(database)) return null
  const ofFile = faultsOfFile(database)
  let found = yield* salvage(database, sha256)
  // somebody may write to it at this moment: what is not so the second time was on its way
  if (ofFile.length === 0 && found.runs.some(isCut(found))) found = yield* salvage(database, sha256)
  const heads = new Map((yield* knownHeads(paths)).map((head) => [head.run_id, head]))
  const blobs = new Map<string, string>()
  const findings = [...ofFile]
  const runs: Array<RunState> = []
  for (const run of found.runs) {
    const [state, fault] = stateOf(run, found, heads.get(run.run_id), database)
    runs.push(state)
    if (fault !== null) findings.push(fault)
    const names = new Set<string>()
    for (const event of run.events()) addBlobs(names, event)
    for (const name of names) blobs.set(name, run.run_id)
  }
  for (const { run_id, version } of heads.values()) {
    if (found.away.has(run_id) || runs.some((run) => run.run_id === run_id)) continue
    const state: RunState = { run_id, events: 0, known: version, state: "lost" }
    runs.push(state)
    findings.push(damaged(state, database, "a head that was kept outside of the log says that it was there"))
  }
  const unnamed = found.lost - runs.reduce((sum, { events, known }) => sum + known - events, 0)
  if (unnamed > 0) {
    findings.push({
      code: "events_lost",
      severity: "error",
      message: `${count(unnamed, "more event")} ${unnamed === 1 ? "is" : "are"} gone, and nothing says of which run.`,
      place: database,
      fix: "Restore the log from a backup, or go on with what is left."
    })
  }
  return { salvage: found, runs, findings, blobs }
})

/** Git keeps them. That it does not answer is told of the repository. */
const knownHeads = (paths: ProjectPaths) =>
  Effect.timeoutOrElse(headsIn(paths), { duration: answersWithinMs, orElse: () => Effect.succeed([]) })

/** What the heads outside of a log say of it that is not there any more; null: there was none. */
export const lookAtGone = Effect.fnUntraced(function* (paths: ProjectPaths) {
  const heads = yield* knownHeads(paths)
  if (heads.length === 0) return null
  const { code, hint, message } = runsLost(heads)
  const finding: Finding = { code, severity: "error", message, place: paths.database, fix: hint }
  const runs = heads.map(({ run_id, version }): RunState => ({ run_id, events: 0, known: version, state: "lost" }))
  return { findings: [finding], runs }
})

/** Of a file that is too short nobody can tell where a run ended that has not ended in what is left. */
const isCut =
  ({ missingPages }: Salvage) =>
  ({ head, known, lastType }: SalvagedRun): boolean =>
    head === null || known > head.version || (missingPages > 0 && !(lastType !== null && endsRun(lastType)))

const stateOf = (
  run: SalvagedRun,
  found: Salvage,
  kept: RunHead | undefined,
  place: string
): readonly [RunState, Finding | null] => {
  const { run_id } = run
  const events = run.head?.version ?? 0
  const known = Math.max(run.known, kept?.version ?? 0)
  const away = found.away.get(run_id)
  if (away?.kind === "cut" && away.version === events) {
    return [{ run_id, events, known, state: "cut" }, knownAsCut(run_id, away, place)]
  }
  if (isCut(found)(run) || known > events) {
    const state: RunState = { run_id, events, known, state: events === 0 ? "lost" : "cut" }
    return [state, damaged(state, place, null)]
  }
  const whole: RunState = { run_id, events, known, state: "whole" }
  return [whole, kept === undefined || hashAt(run, kept.version) === kept.hash ? null : rewritten(run_id, kept, place)]
}

const hashAt = ({ events, head }: SalvagedRun, version: number): string | null => {
  if (head?.version === version) return head.hash
  for (const event of events()) if (event.version === version) return event.hash
  return null
}

const damaged = ({ events, known, run_id, state }: RunState, place: string, why: string | null): Finding => ({
  code: "run_damaged",
  severity: "error",
  message:
    state === "lost"
      ? `Nothing of ${run_id} can be proven any more: its first event is damaged or gone${why === null ? "" : `; ${why}`}. It had ${known > 1 ? `at least ${count(known, "event")}` : "events"}.`
      : `Of ${run_id} the first ${count(events, "event")} ${events === 1 ? "is" : "are"} as written; what came behind is damaged or gone${known > events ? `, and there were ${known} at least` : ""}.`,
  place: `${place}, ${run_id}`,
  fix:
    state === "lost"
      ? "Bring it back from a backup with `proofline log copy`."
      : "`proofline doctor --repair` keeps these events in a new file; `proofline log copy` brings the rest from a backup."
})

/** That was said when the log was repaired, and is no damage of this file. */
const knownAsCut = (run_id: string, away: Away, place: string): Finding => {
  const { hint, message } = elsewhere(run_id, away)
  return { code: "run_cut", severity: "warning", message, place: `${place}, ${run_id}`, fix: hint }
}

const rewritten = (run_id: string, { version }: RunHead, place: string): Finding => ({
  code: "log_rewritten",
  severity: "error",
  message: `Event ${version} of ${run_id} is another one than that with which it ended, which was kept outside of the log.`,
  place: `${place}, ${run_id}`,
  fix: "Somebody has written the log again. Restore it from a backup."
})

/** What is wrong with the file itself. */
const faultsOfFile = (file: string): ReadonlyArray<Finding> => {
  const wal = Result.try(() => checkWal(file))
  if (Result.isFailure(wal)) return [ofFile(file, wal.failure)]
  const pages = Result.try(() => databaseFaults(file))
  if (Result.isFailure(pages)) return [ofFile(file, pages.failure)]
  if (pages.success.length > 0) {
    const shown = pages.success.slice(0, 3).join("; ")
    return [
      {
        code: "pages_damaged",
        severity: "error",
        message: `The structure of the database is damaged in ${count(pages.success.length, "place")}: ${shown}.`,
        place: file,
        fix: repairs
      }
    ]
  }
  const summaries = Result.try(() => runOverviews(file))
  if (Result.isSuccess(summaries)) return []
  return [
    summaries.failure instanceof SummariesDamaged
      ? {
          code: "summary_damaged",
          severity: "error",
          message: `The summary of ${summaries.failure.runs.join(", ")} is not as it was written. It is made anew of the events wherever it is shown.`,
          place: file,
          fix: repairs
        }
      : ofFile(file, summaries.failure)
  ]
}

const repairs = "`proofline doctor --repair` writes a new file with all that can be proven."

const ofFile = (file: string, cause: unknown): Finding => {
  if (cause instanceof LogUnavailable) {
    const { code, hint, message } = cause
    return { code, severity: "error", message, place: file, fix: hint }
  }
  const { code, message } = explain(file, cause)
  return { code, severity: "error", message, place: file, fix: repairs }
}

/** Blobs that are read at the same time. */
const together = 8

/** Names of all blobs in a directory of them. */
export const blobsIn = (directory: string): ReadonlyArray<string> =>
  namesIn(directory, true)
    .map((path) => basename(path))
    .filter(isBlobName)

/** Which of these blobs are not there, or not as their names say; `within`: those that they name in turn. */
export const lookAtBlobs = Effect.fnUntraced(function* (
  { get }: BlobStore["Service"],
  blobs: ReadonlyMap<string, string | null>,
  place: string
) {
  const within = new Map<string, string | null>()
  const found = yield* Effect.forEach(
    blobs,
    ([name, run]) =>
      get(name).pipe(
        Effect.map((bytes) => {
          const named = blobIn(bytes)
          if (named !== null) within.set(named, run)
          return null
        }),
        Effect.catch((failure) =>
          failure instanceof LogUnavailable && failure.code === "log_unwritable"
            ? Effect.fail(failure)
            : Effect.succeed(blobFault(name, run, place, failure))
        )
      ),
    { concurrency: together }
  )
  return { findings: found.filter((one) => one !== null), within }
})

const blobFault = (name: string, run: string | null, place: string, failure: BlobMissing | LogUnavailable): Finding =>
  failure instanceof BlobMissing
    ? {
        code: "blob_missing",
        severity: "error",
        message: `The blob ${name}, which ${run ?? "nothing that can be read"} names, is not there.`,
        place,
        fix: "Bring it back from a backup of the directory. What a run has proven holds without it; its text cannot be shown, and where it says what the project was when a run began, nothing more can be proven in that run."
      }
    : { code: "blob_damaged", severity: "error", message: failure.message, place, fix: failure.hint }
