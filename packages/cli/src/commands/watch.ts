import {
  Engine,
  EventLog,
  foldProgress,
  heldIn,
  makeSummaries,
  mayBeHeld,
  noProgress,
  type ProgressFold,
  progressOf,
  type Recorded,
  type RunProgress,
  type RunSummary,
  rowProof,
  standingText
} from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { given } from "@proofline/plugins/options"
import { loopProgressOf } from "@proofline/plugins/policies/requirements"
import { Effect, Stream } from "effect"
import { type ProjectPaths, pathsOf } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { statusDocument, type Watched } from "../documents/runs.ts"
import { commandFor, isLive, print, printDocument } from "../process/output.ts"
import { type State, stateOf } from "../project/state.ts"
import { summarizers } from "../project/storage.ts"
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
import { liveSteps, lookEvery, type StepNotes } from "../reading/liveSteps.ts"
import { tellNotHome } from "../reading/notHome.ts"
import { checkLost, exitCodeOf, type noRun, withKernel } from "../reading/oneRun.ts"
import { withStorageToRead } from "../reading/readable.ts"
import { childrenOf } from "../reading/requirementViews.ts"
import { readRows } from "../reading/rows.ts"
import { undecidedIn, undecidedOf } from "../reading/undecided.ts"
import { heldText, waitingLines } from "../render/asked.ts"
import { allNotes, retriesOf } from "../render/chunkTree.ts"
import { loopLine } from "../render/requirements.ts"
import { isSessionProgress, sessionTree } from "../render/sessionTree.ts"
import { plain, type Style, styleFor, wantsColor } from "../render/style.ts"
import { runTree } from "../render/tree.ts"
import { type RunChoice, withRunToRead } from "./history.ts"

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
        yield* options.json
          ? printDocument(statusDocument, {
              ...watched,
              ...(waiting.undecided.length === 0 ? {} : { undecided: waiting.undecided })
            })
          : print(`${head.map((line) => `${line}\n`).join("")}${text(whole)}${proofLine(watched)}`)
        return exitCodeOf(stateOf(whole.fold.snapshot))
      })
    )
  )

/** `proofline status` where tasks were split: the runs that are shown, each with its tree. */
export const statusWithTrees = Effect.fnUntraced(function* (options: StatusOptions) {
  const paths = pathsOf(options)
  const all = yield* readRows(paths)
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
  const { runs, undecided } = yield* withStorageToRead(paths, nothing, withKernel(paths, {}, read))
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

/** What it has shown, once it has ended. */
const proofLine = (progress: RunProgress): string =>
  progress.status === "running" ? "" : `${plain(standingText(progress.status, progress))}\n`

const isBelow = (row: RunOverview, rows: ReadonlyArray<RunOverview>): boolean =>
  rows.some(({ run_id }) => run_id === row.parent_run_id)

/** `proofline watch [run]`: the tree, drawn again with every change until the run has ended. */
export const watch = (options: ProgressOptions) =>
  withRunToRead(options, (run, paths, none) =>
    withKernel(paths, {}, Effect.as(follow(run, paths, none, options.json), exitCodes.proven))
  )

/** Draws the tree of a run with every change until it has ended. */
export const follow = Effect.fnUntraced(function* (
  run: string,
  paths: ProjectPaths,
  none: ReturnType<typeof noRun>,
  json: boolean
) {
  const log = yield* EventLog
  const screen = display(json)
  const next = yield* adder
  let whole = yield* foldedWhole(run, paths)
  if (stateOf(whole.fold.snapshot).run.status === "none") return yield* none
  yield* screen.show(whole)
  if (stateOf(whole.fold.snapshot).run.status !== "running") return
  const news = log.follow(whole.fold.position + 1).pipe(
    Stream.filter((event) => isOf(whole, event)),
    Stream.takeUntil((event) => {
      whole = extended(whole, event, next)
      return stateOf(whole.fold.snapshot).run.status !== "running"
    }),
    Stream.chunks
  )
  const looks = screen.isRedrawn
    ? Stream.mapEffect(Stream.tick(lookEvery), () =>
        Effect.map(liveSteps(paths.state, statesOf(whole)), (steps) => screen.note(steps))
      )
    : Stream.empty
  yield* Stream.merge(news, looks, { haltStrategy: "left" }).pipe(Stream.runForEach(() => screen.show(whole)))
})

const statesOf = ({ children, fold }: Whole): ReadonlyArray<State> =>
  [fold, ...children.values()].map(({ snapshot }) => stateOf(snapshot)).filter(({ run }) => run.status === "running")

interface Placed extends ProgressFold {
  readonly summary: RunSummary | null
  readonly position: number
}

/** A run and the runs that belong to it, by id in the order of their beginning. */
export interface Whole {
  readonly fold: Placed
  readonly children: ReadonlyMap<string, Placed>
}

interface Adder {
  readonly nothing: Placed
  readonly add: (fold: Placed, event: Recorded) => Placed
}

const adder = Effect.map(Engine, ({ composition, manifest }): Adder => {
  const { summarize } = makeSummaries(summarizers)
  return {
    nothing: { ...noProgress(composition), summary: null, position: 0 },
    add: (fold, event) => ({
      ...foldProgress(
        composition,
        fold,
        event,
        manifest.decode(event, () => fold.snapshot)
      ),
      summary: summarize(fold.summary, event),
      position: event.position
    })
  }
})

const folded = Effect.fnUntraced(function* (run: string) {
  const log = yield* EventLog
  const { add, nothing } = yield* adder
  return yield* Stream.runFold(log.read(run), () => nothing, add)
})

/** Folds runs as it is told their events; gives one of them with those that belong to it. */
export const folding = Effect.map(adder, ({ add, nothing }) => {
  const folds = new Map<string, Placed>()
  return {
    add: (event: Recorded): void => {
      folds.set(event.stream, add(folds.get(event.stream) ?? nothing, event))
    },
    wholeOf: (run: string): Whole => ({
      fold: folds.get(run) ?? nothing,
      children: new Map([...folds].filter(([, { snapshot }]) => stateOf(snapshot).run.parent_run_id === run))
    })
  }
})

/** A run as it stands, with the runs that belong to it. */
const foldedWhole = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  const fold = yield* folded(run)
  const rows = stateOf(fold.snapshot).run.kind === "requirements" ? childrenOf(yield* readRows(paths), run) : []
  const children = yield* Effect.forEach(rows, ({ run_id }) =>
    Effect.map(folded(run_id), (child) => [run_id, child] as const)
  )
  const whole: Whole = { fold, children: new Map(children) }
  return whole
})

/** News of the run, or of one that belongs to it. */
const isOf = ({ children, fold }: Whole, event: Recorded): boolean =>
  event.stream === stateOf(fold.snapshot).run.run_id ||
  (children.get(event.stream)?.position ?? event.position) < event.position ||
  (event.event_type === "RUN_STARTED" &&
    (event.content as { readonly parent_run_id?: unknown }).parent_run_id === stateOf(fold.snapshot).run.run_id &&
    !children.has(event.stream))

const extended = ({ children, fold }: Whole, event: Recorded, { add, nothing }: Adder): Whole =>
  event.stream === stateOf(fold.snapshot).run.run_id
    ? { children, fold: add(fold, event) }
    : { fold, children: new Map([...children, [event.stream, add(children.get(event.stream) ?? nothing, event)]]) }

export const watchedOf = ({ children, fold }: Whole): Watched => {
  const progress = progressOf(fold)
  const loop = fold.summary === null ? null : loopProgressOf(fold.summary)
  return loop === null ? progress : { ...progress, loop, task_runs: [...children.values()].map(progressOf) }
}

const noChildren: Whole["children"] = new Map()

const text = (whole: Whole, isPart = false, height?: number, steps?: StepNotes): string => {
  const width = (process.stdout.columns || 100) - (isPart ? 6 : 0)
  const lines = wholeTree(whole, styleFor(wantsColor(process.stdout)), width, height, steps)
  return lines.map((line) => `${isPart ? "      " : ""}${line}\n`).join("")
}

/** The tree of a run of any kind; of a requirements run where its loop stands, and the newest of its task runs. */
export const wholeTree = (
  whole: Whole,
  style: Style,
  width: number,
  height = Number.POSITIVE_INFINITY,
  steps: StepNotes = new Map()
): ReadonlyArray<string> => {
  const { loop, ...progress } = watchedOf(whole)
  if (loop === undefined) return treeOf(whole.fold, style, width, height, steps)
  const current = [...whole.children.values()].at(-1)
  const below = current === undefined ? [] : treeOf(current, style, width - 2, Math.max(1, height - 1), steps)
  return [loopLine(progress, loop, style, width), ...below.map((line) => `  ${line}`)]
}

const treeOf = (
  fold: ProgressFold,
  style: Style,
  width: number,
  height: number,
  steps: StepNotes
): ReadonlyArray<string> => {
  const progress = progressOf(fold)
  return isSessionProgress(progress)
    ? sessionTree(progress, style, width, height)
    : runTree(stateOf(fold.snapshot), style, width, height, allNotes(retriesOf(progress), steps))
}

/** Draws over what was drawn before where that can be done; elsewhere only what is new is printed. */
const display = (json: boolean) => {
  let drawn = 0
  let last = ""
  let steps: StepNotes = new Map()
  const isRedrawn = !json && isLive(process.stdout)
  const show = (whole: Whole): Effect.Effect<void> => {
    const progress = watchedOf(whole)
    // what has left the screen at the top could not be drawn over
    const height = isRedrawn ? Math.max(2, (process.stdout.rows || 24) - 1) : undefined
    const now = json
      ? `${JSON.stringify({ schemaVersion: 1, kind: "status", data: progress })}\n`
      : `${text(whole, false, height, steps)}${proofLine(progress)}`
    if (now === last) return Effect.void
    last = now
    if (!isRedrawn) return print(now)
    const clear = drawn === 0 ? "" : `\u001b[${drawn}A\r\u001b[J`
    drawn = now.split("\n").length - 1
    return print(`${clear}${now}`)
  }
  return {
    isRedrawn,
    show,
    /** What agents do now, for whatever is shown from now on. */
    note: (now: StepNotes): void => {
      steps = now
    }
  }
}
