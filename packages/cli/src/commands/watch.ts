import { Engine, heldIn, mayBeHeld, progressOf, rowProof } from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { given } from "@proofline/plugins/options"
import { Effect } from "effect"
import { pathsOf } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { statusDocument } from "../documents/runs.ts"
import { commandFor, print, printDocument, sayProblems } from "../process/output.ts"
import { stateOf } from "../project/state.ts"
import { withKernel } from "../project/withKernel.ts"
import {
  endedLast,
  hasSubtasks,
  type Proven,
  type StatusOptions,
  shownRuns,
  statusCode,
  statusData,
  statusLine,
  statusText
} from "../quick/status.ts"
import { tellNotHome } from "../reading/notHome.ts"
import { checkLost, exitCodeOf } from "../reading/oneRun.ts"
import { withStorageToRead } from "../reading/readable.ts"
import { leftNote, readRowsOfAny } from "../reading/rows.ts"
import { undecidedIn, undecidedOf } from "../reading/undecided.ts"
import {
  folded,
  foldedWhole,
  follow,
  noChildren,
  type Placed,
  proofLine,
  text,
  watchedOf
} from "../reading/wholeRun.ts"
import { type RunChoice, withRunToRead } from "../reading/withRun.ts"
import { heldText, waitingLines } from "../render/asked.ts"
import { styleFor, wantsColor } from "../render/style.ts"

export interface ProgressOptions extends RunChoice {
  readonly json: boolean
}

/** `proofline status RUN`: the tree of one run as it stands. */
export const runStatus = (options: ProgressOptions) =>
  withRunToRead(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const whole = yield* foldedWhole(run, paths)
        if (stateOf(whole.fold.snapshot).run.status === "none") return yield* none
        const watched = watchedOf(whole)
        const runs = [watched, ...(watched.task_runs ?? [])]
        const waiting = {
          asked: runs.flatMap(({ asked = [] }) => asked),
          permissions: runs.flatMap(({ permissions = [] }) => permissions),
          undecided: [whole.fold, ...whole.children.values()].flatMap(({ snapshot }) => undecidedIn(stateOf(snapshot)))
        }
        const style = styleFor(wantsColor(process.stdout))
        const head = waitingLines(waiting, style, commandFor(paths), watched.status === "running")
        const left = options.json || watched.status !== "running" ? null : yield* leftNote(run, paths)
        yield* options.json
          ? printDocument(statusDocument, {
              ...watched,
              ...(waiting.undecided.length === 0 ? {} : { undecided: waiting.undecided })
            })
          : print(
              `${head.map((line) => `${line}\n`).join("")}${text(whole)}${left === null ? "" : `${left}\n`}${proofLine(watched)}`
            )
        return exitCodeOf(stateOf(whole.fold.snapshot))
      })
    )
  )

/** `proofline status` where tasks were split: the runs that are shown, each with its tree. */
export const statusWithTrees = Effect.fnUntraced(function* (options: StatusOptions) {
  const paths = pathsOf(options)
  const { newer, rows: all } = yield* readRowsOfAny(paths)
  if (newer !== null) yield* sayProblems([newer], "warning")
  if (all.length === 0) yield* checkLost(paths)
  const rows = shownRuns(all, options.all)
  yield* tellNotHome(rows, paths)
  const read = Effect.gen(function* () {
    const isHeld = mayBeHeld(stateOf((yield* Engine).composition.initial))
    const isNeeded = (row: RunOverview) =>
      hasSubtasks(row) || rowProof(row) === null || (isHeld && row.status === "running")
    return {
      runs: yield* Effect.forEach(rows, (row) =>
        Effect.map(isNeeded(row) ? folded(row.run_id) : Effect.succeed(null), (fold) => ({
          row,
          fold,
          progress: fold === null ? null : progressOf(fold)
        }))
      ),
      undecided: options.all ? [] : yield* undecidedOf(endedLast(all))
    }
  })
  const nothing = Effect.succeed({ runs: [], undecided: [] })
  const listed = Effect.succeed({ runs: rows.map((row) => ({ row, fold: null, progress: null })), undecided: [] })
  const { runs, undecided } =
    newer === null ? yield* withStorageToRead(paths, nothing, withKernel(paths, {}, read)) : yield* listed
  const proven = runs.flatMap(({ progress, row }): Proven | [] => {
    const proof = progress ?? rowProof(row)
    return proof === null ? [] : { run: row, proof }
  })
  if (options.json) {
    const heldOf = new Map(runs.map(({ progress, row }) => [row.run_id, given({ held: progress?.held })]))
    const trees = new Map(runs.map(({ progress, row }) => [row.run_id, hasSubtasks(row) ? progress : null]))
    yield* printDocument(
      statusDocument,
      statusData(proven, ({ run_id }) => trees.get(run_id) ?? heldOf.get(run_id) ?? {}, undecided)
    )
  } else {
    const shown = runs.map(
      ({ fold, row }) =>
        `${statusLine(row, rows, paths.databaseUrl !== undefined)}\n${fold === null ? "" : below(row, fold, isBelow(row, rows))}`
    )
    yield* print(statusText(all, shown, options.all, undecided))
  }
  return statusCode(proven)
})

/** Below the line of a run: its tree where tasks were split, else for what its tasks wait. */
const below = (row: RunOverview, fold: Placed, isPart: boolean): string =>
  hasSubtasks(row)
    ? text({ fold, children: noChildren }, isPart)
    : heldIn(stateOf(fold.snapshot))
        .map((one) => `${isPart ? "      " : ""}    ${one.task_id} ${heldText(one)}\n`)
        .join("")

const isBelow = (row: RunOverview, rows: ReadonlyArray<RunOverview>): boolean =>
  rows.some(({ run_id }) => run_id === row.parent_run_id)

/** `proofline watch [run]`: the tree, drawn again with every change until the run has ended. */
export const watch = (options: ProgressOptions) =>
  withRunToRead(options, (run, paths, none) =>
    withKernel(paths, {}, Effect.as(follow(run, paths, none, options.json), exitCodes.proven))
  )
