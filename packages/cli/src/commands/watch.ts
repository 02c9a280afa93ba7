import {
  Engine,
  EventLog,
  foldProgress,
  noProgress,
  type ProgressFold,
  progressOf,
  type Recorded,
  type RunProgress
} from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { isLive, print, printDocument, wantsColor } from "../output.ts"
import { projectPaths } from "../paths.ts"
import { exitCodes } from "../problems.ts"
import { progressTree } from "../render/chunkTree.ts"
import { styleFor } from "../render/style.ts"
import { hasSubtasks, type StatusOptions, shownRuns, statusLine } from "../status.ts"
import { type RunChoice, readRows, withRun } from "./history.ts"
import { withExistingStorage, withKernel } from "./shared.ts"

export interface ProgressOptions extends RunChoice {
  readonly json: boolean
}

/** `proofline status RUN`: the tree of one run as it stands. */
export const runStatus = (options: ProgressOptions) =>
  withRun(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const fold = yield* folded(run)
        if (fold.state.status === "none") return yield* none
        yield* options.json ? printDocument("status", progressOf(fold)) : print(text(progressOf(fold)))
        return exitCodes.proven
      })
    )
  )

/** `proofline status` where tasks were split: the runs that are shown, each with its tree. */
export const statusWithTrees = Effect.fnUntraced(function* (options: StatusOptions) {
  const paths = projectPaths(options.cwd ?? ".", options.state)
  const rows = shownRuns(yield* readRows(paths), options.all)
  const runs = yield* withExistingStorage(
    paths,
    Effect.succeed([]),
    withKernel(
      paths,
      {},
      Effect.forEach(rows, (row) =>
        Effect.map(hasSubtasks(row) ? folded(row.run_id) : Effect.succeed(null), (fold) => ({ row, fold }))
      )
    )
  )
  if (options.json) {
    const data = runs.map(({ fold, row }) => (fold === null ? row : { ...row, ...progressOf(fold) }))
    yield* printDocument("status", { runs: data })
  } else if (runs.length === 0) yield* print("No run so far.\n")
  else {
    yield* print(
      runs.map(({ fold, row }) => `${statusLine(row)}\n${fold === null ? "" : text(progressOf(fold))}`).join("")
    )
  }
  return exitCodes.proven
})

/** `proofline watch [run]`: the tree, drawn again with every change until the run has ended. */
export const watch = (options: ProgressOptions) =>
  withRun(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const log = yield* EventLog
        const show = display(options.json)
        let fold = yield* folded(run)
        if (fold.state.status === "none") return yield* none
        yield* show(progressOf(fold))
        if (fold.state.status !== "running") return exitCodes.proven
        const next = yield* adder
        yield* log.follow(fold.position + 1).pipe(
          Stream.filter(({ stream }) => stream === run),
          Stream.takeUntil((event) => {
            fold = { ...next(fold, event), position: event.position }
            return fold.state.status !== "running"
          }),
          Stream.chunks,
          Stream.runForEach(() => show(progressOf(fold)))
        )
        return exitCodes.proven
      })
    )
  )

interface Placed extends ProgressFold {
  readonly position: number
}

const adder = Effect.map(
  Engine,
  ({ manifest }) =>
    (fold: ProgressFold, event: Recorded): ProgressFold =>
      foldProgress(fold, event, manifest.decode(event))
)

const folded = Effect.fnUntraced(function* (run: string) {
  const log = yield* EventLog
  const add = yield* adder
  const empty: Placed = { ...noProgress, position: 0 }
  return yield* Stream.runFold(
    log.read(run),
    () => empty,
    (fold, event): Placed => ({ ...add(fold, event), position: event.position })
  )
})

const text = (progress: RunProgress, height?: number): string =>
  `${progressTree(progress, styleFor(wantsColor(process.stdout)), process.stdout.columns || 100, height).join("\n")}\n`

/** Draws over what was drawn before where that can be done; elsewhere only what is new is printed. */
const display = (json: boolean): ((progress: RunProgress) => Effect.Effect<void>) => {
  let drawn = 0
  let last = ""
  const isRedrawn = !json && isLive(process.stdout)
  return (progress) => {
    // what has left the screen at the top could not be drawn over
    const height = isRedrawn ? Math.max(2, (process.stdout.rows || 24) - 1) : undefined
    const now = json
      ? `${JSON.stringify({ schemaVersion: 1, kind: "status", data: progress })}\n`
      : text(progress, height)
    if (now === last) return Effect.void
    last = now
    if (!isRedrawn) return print(now)
    const clear = drawn === 0 ? "" : `\u001b[${drawn}A\r\u001b[J`
    drawn = now.split("\n").length - 1
    return print(`${clear}${now}`)
  }
}
