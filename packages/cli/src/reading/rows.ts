import { LogUnavailable } from "@proofline/kernel"
import type { Unusable } from "@proofline/plugins/adapters/postgres-log/overviews"
import { damagedHint, explain } from "@proofline/plugins/adapters/sqlite-log/explain"
import { type RunOverview, runOverviews, SummariesDamaged } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect } from "effect"
import { logName, type ProjectPaths } from "../base/paths.ts"
import { asStop, type Problem, type Stop } from "../base/problems.ts"
import { commandFor, sayProblems } from "../process/output.ts"
import { summarizers } from "../project/storage.ts"
import { isLeft } from "../quick/listing.ts"
import { count } from "../render/lines.ts"

/**
 * Id of the newest run that fits. A task run of a requirements run is a part of it: nobody means it who names none; nor one
 * that was archived, where there is any other.
 */
export const newest = (rows: ReadonlyArray<RunOverview>, fits: (row: RunOverview) => boolean = () => true) => {
  const fitting = rows.filter((row) => row.parent_run_id === null && fits(row))
  return (fitting.find(({ away }) => away?.kind !== "archived") ?? fitting[0])?.run_id
}

/** What is to be said of a run that nobody drives, or of the one that it is a part of; null: nothing. */
export const leftNote = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  const rows = yield* readRows(paths)
  const named = (id: string | null | undefined) => rows.find(({ run_id }) => run_id === id)
  const row = named(run)
  const whole = named(row?.parent_run_id) ?? row
  return whole !== undefined && isLeft(whole, paths.databaseUrl !== undefined)
    ? `No process drives ${whole === row ? "it" : whole.run_id}; go on with: ${commandFor(paths)(`resume ${whole.run_id}`)}`
    : null
})

/** The newest of a project. */
export const latestRun = (paths: ProjectPaths) => Effect.map(readRows(paths), (rows) => newest(rows))

/** The rows, or a clear refusal when the file is no log of ours. */
export const readRows = (paths: ProjectPaths) => Effect.map(readRowsOfAny(paths), ({ rows }) => rows)

/** The same, and what is to be said where a newer Proofline wrote them; null: none did. */
export const readRowsOfAny = Effect.fnUntraced(function* (paths: ProjectPaths) {
  let newer: LogUnavailable | null = null
  const told = (change: string) => {
    newer = newerLog(paths, change)
  }
  const rows = yield* Effect.mapError(rowsOf(paths, told), (stopped) => (newer === null ? stopped : asStop(newer)))
  return { rows, newer: newer as LogUnavailable | null }
})

const rowsOf = (
  paths: ProjectPaths,
  tellNewer: (change: string) => void
): Effect.Effect<ReadonlyArray<RunOverview>, Stop> =>
  paths.databaseUrl === undefined
    ? Effect.catchIf(
        Effect.try({ try: () => runOverviews(paths.database, tellNewer), catch: (cause) => cause }),
        (cause) => cause instanceof SummariesDamaged,
        (damaged) => remadeRows(paths, damaged)
      ).pipe(Effect.mapError((cause) => asStop(new LogUnavailable(explain(paths.database, cause)))))
    : Effect.tryPromise({
        try: () => rowsOfDatabase(paths.databaseUrl as string, tellNewer),
        catch: (cause) => {
          const { code, hint, message } = cause as Unusable
          return asStop(new LogUnavailable({ code, hint, message }))
        }
      })

const rowsOfDatabase = async (url: string, tellNewer: (change: string) => void) => {
  const { runOverviews } = await import("@proofline/plugins/adapters/postgres-log/overviews")
  return runOverviews(url, tellNewer)
}

/** Its runs are listed all the same, by what of their summaries is known here. */
const newerLog = (paths: ProjectPaths, change: string): LogUnavailable =>
  new LogUnavailable({
    code: "log_newer",
    message: `The log in ${logName(paths)} was written by a newer Proofline: its schema has "${change}". Of each run only what this version knows is shown; what the newer one adds is left out, and nothing else can be read of it here.`,
    hint: "Update Proofline, then run the command again."
  })

/** The rows with those that were damaged, made anew of what their events say. Nothing is written. */
const remadeRows = Effect.fnUntraced(function* ({ database }: ProjectPaths, { placed, rows, runs }: SummariesDamaged) {
  const { drivenAsAWhole, remadeIn } = yield* Effect.promise(
    () => import("@proofline/plugins/adapters/sqlite-log/remade")
  )
  const remade = yield* Effect.try({ try: () => remadeIn(database, runs, summarizers), catch: (cause) => cause })
  yield* sayProblems([summariesDamaged(database, runs)], "warning")
  const orderOf = ({ run_id, started_at }: RunOverview) => `${started_at} ${run_id}`
  return drivenAsAWhole([...rows, ...remade.map(placed)].toSorted((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1)))
})

/** What is to be said of summaries that are not as they were written. */
const summariesDamaged = (file: string, runs: ReadonlyArray<string>): Problem => ({
  code: "summary_damaged",
  message: `In ${file} the summary of ${runs.slice(0, 5).join(", ")}${runs.length > 5 ? ` and ${count(runs.length - 5, "other")}` : ""} is damaged: what is shown was made anew of the events.`,
  hint: damagedHint
})
