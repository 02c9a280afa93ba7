import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { runKinds } from "@proofline/plugins/options"
import { loopProgressOf } from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { type ProjectPaths, pathsOf, type Where } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { meantInstead } from "../base/selection.ts"
import { historyDocument } from "../documents/runs.ts"
import { print, printDocument, sayProblems } from "../process/output.ts"
import { headsIn } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { listedRun, listText } from "../quick/listing.ts"
import { runNamed } from "../reading/historyIds.ts"
import { tellNotHome } from "../reading/notHome.ts"
import { loadRun, noRun, runsLost } from "../reading/oneRun.ts"
import { withStorageToRead } from "../reading/readable.ts"
import { report } from "../reading/reportRun.ts"
import { childrenOf, requirementsRow } from "../reading/requirementViews.ts"
import { readRowsOfAny } from "../reading/rows.ts"

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

/** `proofline history`: all runs, newest first, or those of a kind, or the task runs of one. */
export const history = Effect.fnUntraced(function* (options: HistoryOptions) {
  const { json, loopb = false } = options
  const paths = pathsOf(options)
  const isShared = paths.databaseUrl !== undefined
  if (
    options.loopbChildren !== undefined &&
    ((loopb && options.kind !== "requirements") || options.show !== undefined)
  ) {
    return yield* stop(exitCodes.usage, {
      code: "history_choice",
      message:
        "--of (--loopb-children) lists the task runs of one requirements run and goes with neither --loopb nor --show.",
      hint: `Leave the others out, or see the run with its task runs: proofline show ${options.loopbChildren}`
    })
  }
  if (
    options.kind !== undefined &&
    (loopb || options.show !== undefined || (options.of ?? options.loopbChildren) !== undefined)
  ) {
    return yield* stop(exitCodes.usage, {
      code: "history_choice",
      message: "--kind lists all runs of one kind and goes with none of --of (--loopb-children), --loopb and --show.",
      hint: `Leave --kind out, or the other${loopb ? ": --loopb is short for --kind requirements" : ""}.`
    })
  }
  const { newer, rows } = yield* readRowsOfAny(paths)
  if (newer !== null) yield* sayProblems([newer], "warning")
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
    return yield* list(childrenOf(rows, run_id).toReversed(), json, isShared, `${run_id} has no task runs.`)
  }
  yield* warnOfLost(rows, paths)
  yield* tellNotHome(rows, paths)
  const kind = loopb ? "requirements" : options.kind
  if (kind !== undefined) yield* kindThatIs(kind, rows)
  return yield* list(kind === undefined ? rows : rows.filter((row) => row.kind === kind), json, isShared)
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
const warnOfLost = Effect.fnUntraced(function* (rows: ReadonlyArray<RunOverview>, paths: ProjectPaths) {
  const known = new Set(rows.map(({ run_id }) => run_id))
  const lost = (yield* headsIn(paths)).filter(({ run_id }) => !known.has(run_id))
  if (lost.length === 0) return
  yield* sayProblems([runsLost(lost)], "warning")
})

const list = Effect.fnUntraced(function* (
  rows: ReadonlyArray<RunOverview>,
  json: boolean,
  isShared: boolean,
  none?: string
) {
  if (json) yield* printDocument(historyDocument, { runs: rows.map((row) => listedRun(row, loopProgressOf(row))) })
  else yield* print(listText(rows, isShared, none))
  return exitCodes.proven
})

const showRun = (paths: ProjectPaths, run: string, json: boolean) =>
  withStorageToRead(
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
