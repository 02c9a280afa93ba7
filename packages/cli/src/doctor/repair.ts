import { existsSync } from "node:fs"
import * as Path from "node:path"
import type { Digest } from "@proofline/kernel"
import { abandonedParts, removePart, salvage, salvageInto } from "@proofline/plugins/adapters/sqlite-log/salvage"
import { driversIn } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Clock, Effect, Result } from "effect"
import { type ProjectPaths, placeNamed } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { abandonedArchives, archivesOf, newFile } from "../moving/archiveFile.ts"
import { quoted } from "../process/output.ts"
import { summarizers } from "../project/storage.ts"
import type { Finding } from "./Finding.ts"
import type { LogState } from "./log.ts"

/**
 * Writes what can be proven of a damaged log into a new file, reads that back, and says how it is put in the place of the
 * old one. The old one is not changed.
 */
export const repair = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  found: LogState,
  out: string | undefined,
  sha256: Digest["Service"]["sha256"]
) {
  const { database } = paths
  yield* unlessDriven(paths)
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const file = yield* newFile(
    Path.resolve(
      out === undefined
        ? `${database.replace(/\.db$/, "")}-${at.replaceAll(/[-:]|\.\d+/g, "")}.db`
        : placeNamed(out, paths)
    ),
    "--out"
  )
  const cut = new Set(found.runs.flatMap(({ run_id, state }) => (state === "cut" ? [run_id] : [])))
  yield* salvageInto(found.salvage, { from: database, to: file, at, sha256, summarizers, cut })
  const written = new Map((yield* salvage(file, sha256)).runs.map(({ head, run_id }) => [run_id, head]))
  const differing = found.salvage.runs.find(({ head, run_id }) => head?.hash !== written.get(run_id)?.hash)
  if (differing !== undefined) return yield* notAsRead(differing.run_id, file)
  return {
    file,
    runs: found.runs.map(({ events, known, run_id, state }) => ({
      run_id,
      kept: events,
      lost: Math.max(known - events, 0),
      state
    })),
    steps: [
      ...["", "-wal", "-shm"].flatMap((end) =>
        existsSync(`${database}${end}`)
          ? [`mv ${quoted(`${database}${end}`)} ${quoted(`${database}.damaged${end}`)}`]
          : []
      ),
      `mv ${quoted(file)} ${quoted(database)}`
    ]
  }
})

/** What repairs, and archives in their own directory, have left that were ended before they were done. */
export const lookAtUnfinished = (
  { database, ...paths }: ProjectPaths,
  out: string | undefined
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.sync(() => {
    const directories = new Set(
      [database, ...(out === undefined ? [] : [Path.resolve(placeNamed(out, paths))])].map(Path.dirname)
    )
    const removed = (place: string): Pick<Finding, "mend" | "place"> => ({
      place,
      mend: Effect.try({ try: () => removePart(place), catch: (cause) => (cause as Error).message })
    })
    return [
      ...[...directories].flatMap(abandonedParts).map(
        (place): Finding => ({
          code: "repair_unfinished",
          severity: "note",
          message: "A repair that was ended has left a part of its new log.",
          fix: "`proofline doctor --fix` removes it, as `--repair` does; nothing else is in it.",
          ...removed(place)
        })
      ),
      ...abandonedArchives(archivesOf(paths)).map(
        (place): Finding => ({
          code: "archive_unfinished",
          severity: "note",
          message: "A `log archive` that was ended has left a part of its file. Its runs are in the log still.",
          fix: "`proofline doctor --fix` removes it, as the next `log archive` does; nothing else is in it.",
          ...removed(place)
        })
      )
    ]
  })

/** What is appended meanwhile would be in the old file alone. */
const unlessDriven = ({ database }: ProjectPaths) =>
  Effect.suspend(() => {
    // of a file that SQLite cannot read nobody can tell
    const drivers = Result.getOrElse(
      Result.try(() => driversIn(database)),
      () => new Map<string, never>()
    )
    const [driven] = drivers
    if (driven === undefined) return Effect.void
    const [run, { host, pid }] = driven
    return stop(exitCodes.usage, {
      code: "run_is_driven",
      kind: "conflict",
      message: `Run ${run} is driven by process ${pid} on ${host}, which goes on writing to the log.`,
      hint: "Stop that process first."
    })
  })

const notAsRead = (run: string, file: string) =>
  stop(exitCodes.unmet, {
    code: "log_failed",
    message: `Run ${run} is not in ${file} as it was written there.`,
    hint: "The old log was left as it is. Look at the disk of the new one."
  })
