import { hostname } from "node:os"
import { type AnyCommand, CancelRun, Engine, Runner } from "@proofline/kernel"
import { Effect, Fiber } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { leaving } from "../process/ending.ts"
import { commandFor, say } from "../process/output.ts"
import { pluginSentence } from "../project/pluginSentence.ts"
import { noteProject } from "../project/recentProjects.ts"
import { stateOf } from "../project/state.ts"
import { report } from "../reading/reportRun.ts"
import { showProgress } from "../render/progress.ts"
import { tellWhenBegun } from "./begun.ts"
import { budgetOf, within } from "./budget.ts"
import { removeFilesLeft } from "./filesLeft.ts"
import { endAll, reportEnd, tellWritten } from "./runEnd.ts"
import { terminal } from "./terminal.ts"
import { watchToEnd } from "./watchRun.ts"

/**
 * Drives a run to its end in this process and reports. When it is interrupted, or its time is over, agents are ended
 * first and that it ended is recorded, so that the run can be resumed.
 */
export const driveToEnd = Effect.fnUntraced(function* (
  run: string,
  command: AnyCommand,
  options: {
    readonly paths: ProjectPaths
    readonly workers: number
    readonly labels: ReadonlyArray<string>
    readonly json: boolean
    /** How workers get the project; only with a database. */
    readonly handOver?: AnyCommand | undefined
  }
) {
  if (options.paths.databaseUrl !== undefined) return yield* watchToEnd(run, command, options)
  noteProject(options.paths)
  yield* removeFilesLeft(options.paths)
  const runner = yield* Runner
  const engine = yield* Engine
  const showing = Effect.flatMap(terminal(options.paths), (here) =>
    showProgress(engine.changes, here, pluginSentence(engine))
  )
  const progress = yield* Effect.forkChild(Effect.scoped(showing), { startImmediately: true })
  const telling = yield* Effect.forkChild(tellWhenBegun(run), { startImmediately: true })
  const worker = {
    workerId: `${hostname()}:${process.pid}`,
    host: hostname(),
    slots: options.workers,
    labels: options.labels
  }
  const budget = yield* budgetOf(run, command)
  const goOn = commandFor(options.paths)(`resume ${run}`)
  const ended = yield* within(budget.max_duration_ms, runner.drive(run, command, worker), (exhausted) =>
    // it may have ended in the last moment
    Effect.andThen(
      Effect.catchTag(endAll(run, exhausted), "Rejection", () => Effect.void),
      engine.load(run)
    )
  ).pipe(
    Effect.onInterrupt(() => Effect.ignore(endAll(run, CancelRun({ reason: "interrupted" })))),
    Effect.ensuring(Fiber.interruptAll([progress, telling])),
    leaving({
      code: "run_left_open",
      message: `${run} was left at once: it stands in the log as running, and what its agents did last is not recorded.`,
      hint: `Go on with: ${goOn}`
    }),
    // said last: the tree is redrawn once more when it ends
    Effect.onInterrupt(() =>
      Effect.gen(function* () {
        yield* tellWritten(run, options.paths)
        yield* say(`Interrupted. Go on with: ${goOn}`)
        if (options.json) yield* report(stateOf(yield* engine.load(run)), options.paths, true)
      }).pipe(Effect.ignore)
    )
  )
  return yield* reportEnd(run, stateOf(ended), budget.max_calls !== null, options)
})
