import { type RunOverview, runOverviews } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect } from "effect"
import { print, printDocument } from "../output.ts"
import { type ProjectPaths, projectPaths } from "../paths.ts"
import { exitCodes, type Stop, stop } from "../problems.ts"
import { summaryLine } from "../summaryLine.ts"
import { report } from "./drive.ts"
import { loadRun, unknownRun, withExistingStorage, withKernel } from "./shared.ts"

export interface HistoryOptions {
  readonly cwd?: string | undefined
  readonly state?: string | undefined
  readonly show?: string | undefined
  readonly json: boolean
}

/** Id of the newest run that fits. */
export const latestRun = (paths: ProjectPaths, fits: (row: RunOverview) => boolean = () => true) =>
  Effect.map(readRows(paths), (rows) => rows.find(fits)?.run_id)

export interface RunChoice {
  readonly run?: string | undefined
  readonly cwd?: string | undefined
  readonly state?: string | undefined
}

/** Does something with one run of a project: the named one, or the newest. `none` is the refusal when it is not there. */
export const withRun = <A, E, R>(
  options: RunChoice,
  use: (run: string, paths: ProjectPaths, none: Effect.Effect<never, Stop>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const paths = projectPaths(options.cwd ?? ".", options.state)
    const run = options.run ?? (yield* latestRun(paths))
    const none = Effect.fail(unknownRun(run ?? "at all", paths))
    return run === undefined ? yield* none : yield* withExistingStorage(paths, none, use(run, paths, none))
  })

/** The rows, or a clear refusal when the file is no log of ours. */
export const readRows = (paths: ProjectPaths) =>
  Effect.try({
    try: () => runOverviews(paths.database),
    catch: (cause) =>
      stop(exitCodes.integrity, {
        code: "log_corrupt",
        message: `The event log ${paths.database} cannot be read: ${(cause as Error).message}.`,
        hint: "Restore it from a backup, or move it away to begin a new one."
      })
  })

/** `proofline history`: all runs, newest first; `--show` one of them as it stands now. */
export const history = Effect.fnUntraced(function* (options: HistoryOptions) {
  const paths = projectPaths(options.cwd ?? ".", options.state)
  if (options.show !== undefined) return yield* show(paths, options.show, options.json)
  const rows = yield* readRows(paths)
  if (options.json) {
    yield* printDocument("history", {
      runs: rows.map(({ ended_at, kind, name, parent_run_id, run_id, started_at, status }) => ({
        run_id,
        kind,
        name,
        status,
        started_at,
        ...(ended_at === null ? {} : { ended_at }),
        ...(parent_run_id === null ? {} : { parent_run_id })
      }))
    })
  } else {
    yield* print(rows.length === 0 ? "No run so far.\n" : `${rows.map(summaryLine).join("\n")}\n`)
  }
  return exitCodes.proven
})

const show = (paths: ProjectPaths, run: string, json: boolean) =>
  withExistingStorage(
    paths,
    Effect.fail(unknownRun(run, paths)),
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const state = yield* loadRun(run, paths)
        yield* report(state, paths, json)
        return exitCodes.proven
      })
    )
  )
