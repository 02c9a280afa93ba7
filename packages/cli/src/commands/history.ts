import { LogUnavailable, proofFields, RunHeads, rowProof, rowVerdict, shownRowStatus } from "@proofline/kernel"
import { runOverviews as overviewsIn, type Unusable } from "@proofline/plugins/adapters/postgres-log/overviews"
import { damagedHint, explain } from "@proofline/plugins/adapters/sqlite-log/explain"
import { drivenAsAWhole, remadeIn } from "@proofline/plugins/adapters/sqlite-log/remade"
import { type RunOverview, runOverviews, SummariesDamaged } from "@proofline/plugins/adapters/sqlite-log/summary"
import { runKinds } from "@proofline/plugins/options"
import { loopProgressOf } from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { headsOf, summarizers } from "../compose.ts"
import { present } from "../documents/Document.ts"
import { historyDocument, type Listed } from "../documents/runs.ts"
import { print, printDocument, sayProblems } from "../output.ts"
import { type ProjectPaths, pathsOf, type Where } from "../paths.ts"
import { asStop, exitCodes, type Problem, type Stop, stop } from "../problems.ts"
import { count } from "../render/lines.ts"
import { meantInstead } from "../selection.ts"
import { summaryLine } from "../summaryLine.ts"
import { runNamed } from "./historyIds.ts"
import { readable } from "./readable.ts"
import { report } from "./reportRun.ts"
import { childrenOf, requirementsRow } from "./requirementViews.ts"
import { loadRun, noRun, runsLost, withExistingStorage, withKernel } from "./shared.ts"

export interface HistoryOptions extends Where {
  /** Only runs of this kind. */
  readonly kind?: string | undefined
  /** Only the task runs of this requirements run. */
  readonly of?: string | undefined
  /** One run as it stands now; an older spelling. */
  readonly show?: string | undefined
  /** The kind `requirements`; the spelling of the requirements loop. */
  readonly loopb?: boolean | undefined
  /** `of` as the requirements loop spells it. */
  readonly loopbChildren?: string | undefined
  readonly json: boolean
}

/**
 * Id of the newest run that fits. A task run of a requirements run is a part of it: nobody means it who names none; nor one
 * that was archived, where there is any other.
 */
export const newest = (rows: ReadonlyArray<RunOverview>, fits: (row: RunOverview) => boolean = () => true) => {
  const fitting = rows.filter((row) => row.parent_run_id === null && fits(row))
  return (fitting.find(({ away }) => away?.kind !== "archived") ?? fitting[0])?.run_id
}

/** The same of a project. */
export const latestRun = (paths: ProjectPaths, fits?: (row: RunOverview) => boolean) =>
  Effect.map(readRows(paths), (rows) => newest(rows, fits))

export interface RunChoice extends Where {
  readonly run?: string | undefined
}

type WithRun<A, E, R> = (run: string, paths: ProjectPaths, none: ReturnType<typeof noRun>) => Effect.Effect<A, E, R>

/** Does something with one run of a project: the named one, or the newest. `none` is the refusal when it is not there. */
export const withRun = <A, E, R>(options: RunChoice, use: WithRun<A, E, R>) => withRunIn(pathsOf(options), options, use)

/** The same, of which nothing is written: it may be in a place that can only be read. */
export const withRunToRead = <A, E, R>(options: RunChoice, use: WithRun<A, E, R>) =>
  Effect.scoped(Effect.flatMap(readable(pathsOf(options)), (from) => withRunIn(from, options, use)))

const withRunIn = <A, E, R>(from: ProjectPaths, options: RunChoice, use: WithRun<A, E, R>) =>
  Effect.gen(function* () {
    const paths = pathsOf(options)
    const rows = yield* readRows(from)
    const run = options.run === undefined ? newest(rows) : yield* runNamed(options.run, rows, from)
    const none = noRun(run, paths)
    return run === undefined ? yield* none : yield* withExistingStorage(from, none, use(run, paths, none))
  })

/** The rows, or a clear refusal when the file is no log of ours. */
export const readRows = (paths: ProjectPaths): Effect.Effect<ReadonlyArray<RunOverview>, Stop> =>
  paths.databaseUrl === undefined
    ? Effect.catchIf(
        Effect.try({ try: () => runOverviews(paths.database), catch: (cause) => cause }),
        (cause) => cause instanceof SummariesDamaged,
        (damaged) => remadeRows(paths, damaged)
      ).pipe(Effect.mapError((cause) => asStop(new LogUnavailable(explain(paths.database, cause)))))
    : Effect.tryPromise({
        try: () => overviewsIn(paths.databaseUrl as string),
        catch: (cause) => {
          const { code, hint, message } = cause as Unusable
          return asStop(new LogUnavailable({ code, hint, message }))
        }
      })

/** The rows with those that were damaged, made anew of what their events say. Nothing is written. */
const remadeRows = Effect.fnUntraced(function* ({ database }: ProjectPaths, { placed, rows, runs }: SummariesDamaged) {
  const remade = yield* Effect.try({ try: () => remadeIn(database, runs, summarizers), catch: (cause) => cause })
  yield* sayProblems([summariesDamaged(database, runs)], "warning")
  const orderOf = ({ run_id, started_at }: RunOverview) => `${started_at} ${run_id}`
  return drivenAsAWhole([...rows, ...remade.map(placed)].toSorted((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1)))
})

/** What is to be said of summaries that are not as they were written. */
export const summariesDamaged = (file: string, runs: ReadonlyArray<string>): Problem => ({
  code: "summary_damaged",
  message: `In ${file} the summary of ${runs.slice(0, 5).join(", ")}${runs.length > 5 ? ` and ${count(runs.length - 5, "other")}` : ""} is damaged: what is shown was made anew of the events.`,
  hint: damagedHint
})

/** `proofline history`: all runs, newest first, or those of a kind, or the task runs of one. */
export const history = Effect.fnUntraced(function* (options: HistoryOptions) {
  const { json, loopb = false } = options
  const paths = pathsOf(options)
  if (options.loopbChildren !== undefined && (loopb || options.show !== undefined)) {
    return yield* stop(exitCodes.usage, {
      code: "history_choice",
      message:
        "--of (--loopb-children) lists the task runs of one requirements run and goes with neither --loopb nor --show.",
      hint: `Leave the others out, or see the run with its task runs: proofline show ${options.loopbChildren}`
    })
  }
  const rows = yield* readRows(paths)
  const idOf = (named: string | undefined) =>
    named === undefined ? Effect.succeed(undefined) : runNamed(named, rows, paths)
  const show = yield* idOf(options.show)
  const of = yield* idOf(options.of ?? options.loopbChildren)
  if (show !== undefined) {
    if (loopb) yield* requirementsRow(rows, show, paths)
    return yield* showRun(paths, show, json)
  }
  if (of !== undefined) {
    const { run_id } = yield* requirementsRow(rows, of, paths)
    return yield* list(childrenOf(rows, run_id).toReversed(), json, `${run_id} has no task runs.`)
  }
  yield* warnOfLost(rows, paths)
  const kind = loopb ? "requirements" : options.kind
  if (kind !== undefined) yield* kindThatIs(kind, rows)
  return yield* list(kind === undefined ? rows : rows.filter((row) => row.kind === kind), json)
})

/** No kind of run is silently taken for one that has no runs so far. */
const kindThatIs = (kind: string, rows: ReadonlyArray<RunOverview>): Effect.Effect<void, Stop> => {
  const kinds = runKinds(rows)
  return kinds.includes(kind)
    ? Effect.void
    : stop(exitCodes.usage, {
        code: "kind_unknown",
        message: `There is no kind of run ${JSON.stringify(kind.slice(0, 100))}.`,
        hint: `${meantInstead(kind, kinds)}There are ${kinds.join(", ")}.`
      })
}

/** Runs that have left their head, and of which the log holds nothing any more. */
const warnOfLost = Effect.fnUntraced(
  function* (rows: ReadonlyArray<RunOverview>, _paths: ProjectPaths) {
    const known = new Set(rows.map(({ run_id }) => run_id))
    const lost = (yield* (yield* RunHeads).all).filter(({ run_id }) => !known.has(run_id))
    if (lost.length === 0) return
    yield* sayProblems([runsLost(lost)], "warning")
  },
  (effect, _, paths) => Effect.provide(effect, headsOf(paths))
)

const list = Effect.fnUntraced(function* (rows: ReadonlyArray<RunOverview>, json: boolean, none = "No run so far.") {
  if (json) yield* printDocument(historyDocument, { runs: rows.map(runRow) })
  else yield* print(rows.length === 0 ? `${none}\n` : `${rows.map(summaryLine).join("\n")}\n`)
  return exitCodes.proven
})

const runRow = (row: RunOverview): Listed => ({
  run_id: row.run_id,
  kind: row.kind,
  name: row.name,
  ...standingOfRow(row),
  started_at: row.started_at,
  ...present({ ended_at: row.ended_at, parent_run_id: row.parent_run_id }),
  ...loopProgressOf(row),
  ...(row.away == null ? {} : { away: { kind: row.away.kind, place: row.away.place, at: row.away.at } })
})

/** As far as it is known without the events of the run. */
const standingOfRow = (row: RunOverview) => {
  const proof = rowProof(row)
  const { asked, redacted, stopped } = row
  return {
    status: shownRowStatus(row),
    ...present({ asked, redacted, stopped }),
    ...(proof === null ? present({ verdict: rowVerdict(row) }) : proofFields(proof))
  }
}

const showRun = (paths: ProjectPaths, run: string, json: boolean) =>
  withExistingStorage(
    paths,
    noRun(run, paths),
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
