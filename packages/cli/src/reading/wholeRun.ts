import {
  Engine,
  EventLog,
  foldProgress,
  makeSummaries,
  noProgress,
  type ProgressFold,
  progressOf,
  type Recorded,
  type RunProgress,
  type RunSummary,
  standingText
} from "@proofline/kernel"
import { loopProgressOf } from "@proofline/plugins/policies/requirements"
import { Effect, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import type { Watched } from "../documents/runs.ts"
import { isLive, print, say } from "../process/output.ts"
import { type State, stateOf } from "../project/state.ts"
import { summarizers } from "../project/storage.ts"
import { allNotes, retriesOf } from "../render/chunkTree.ts"
import { loopLine } from "../render/requirements.ts"
import { isSessionProgress, sessionTree } from "../render/sessionTree.ts"
import { plain, type Style, styleFor, wantsColor } from "../render/style.ts"
import { runTree } from "../render/tree.ts"
import { liveSteps, lookEvery, type StepNotes } from "./liveSteps.ts"
import { missingWorkersOf } from "./missingWorkers.ts"
import type { noRun } from "./oneRun.ts"
import { childrenOf } from "./requirementViews.ts"
import { readRows } from "./rows.ts"

/** What it has shown, once it has ended. */
export const proofLine = (progress: RunProgress): string =>
  progress.status === "running" ? "" : `${plain(standingText(progress.status, progress))}\n`

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
  const missing = Stream.mapEffect(missingWorkersOf(run, stateOf(whole.fold.snapshot), paths), screen.tell)
  const beside = Stream.merge(looks, missing)
  yield* Stream.merge(news, beside, { haltStrategy: "left" }).pipe(Stream.runForEach(() => screen.show(whole)))
})

const statesOf = ({ children, fold }: Whole): ReadonlyArray<State> =>
  [fold, ...children.values()].map(({ snapshot }) => stateOf(snapshot)).filter(({ run }) => run.status === "running")

export interface Placed extends ProgressFold {
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

export const folded = Effect.fnUntraced(function* (run: string) {
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
export const foldedWhole = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
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

export const noChildren: Whole["children"] = new Map()

export const text = (whole: Whole, isPart = false, height?: number, steps?: StepNotes): string => {
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
  const cleared = (): string => (drawn === 0 ? "" : `\u001b[${drawn}A\r\u001b[J`)
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
    const clear = cleared()
    drawn = now.split("\n").length - 1
    return print(`${clear}${now}`)
  }
  return {
    isRedrawn,
    show,
    /** Says something that stays, above what is drawn next. */
    tell: (line: string): Effect.Effect<void> => {
      if (!isRedrawn) return say(line)
      const clear = cleared()
      drawn = 0
      last = ""
      return Effect.andThen(print(clear), say(line))
    },
    /** What agents do now, for whatever is shown from now on. */
    note: (now: StepNotes): void => {
      steps = now
    }
  }
}
