import { statSync } from "node:fs"
import { hostname } from "node:os"
import { type Command, Engine, EventLog, Runner, type State, Workplaces } from "@proofline/kernel"
import { Effect, Fiber, Stream } from "effect"
import { runData } from "../documents.ts"
import { commandFor, print, printDocument, say, wantsColor } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"
import { showProgress } from "../render/progress.ts"
import { makeRefusals } from "../render/refusals.ts"
import { runReport } from "../render/report.ts"
import { styleFor } from "../render/style.ts"
import { exitCodeOf } from "./shared.ts"

/**
 * Drives a run to its end in this process and reports. When it is interrupted, agents are ended first and the
 * cancellation is recorded, so that the run can be resumed.
 */
export const driveToEnd = Effect.fnUntraced(function* (
  run: string,
  command: Command,
  options: {
    readonly paths: ProjectPaths
    readonly workers: number
    readonly labels: ReadonlyArray<string>
    readonly json: boolean
  }
) {
  const runner = yield* Runner
  const engine = yield* Engine
  const progress = yield* Effect.forkChild(showProgress, { startImmediately: true })
  const logBefore = inodeOf(options.paths.database)
  const worker = { workerId: `${hostname()}:${process.pid}`, slots: options.workers, labels: options.labels }
  const state = yield* runner.drive(run, command, worker).pipe(
    Effect.onInterrupt(() => Effect.ignore(engine.execute(run, { _tag: "CancelRun", reason: "interrupted" }))),
    Effect.ensuring(Fiber.interrupt(progress)),
    // said last: the tree is redrawn once more when it ends
    Effect.onInterrupt(() =>
      Effect.gen(function* () {
        if (options.json) yield* printDocument("run", runData((yield* engine.load(run)).state))
        yield* say(`Interrupted. Go on with: ${commandFor(options.paths)(`resume ${run}`)}`)
      }).pipe(Effect.ignore)
    )
  )
  yield* closeWorktrees(state)
  if (inodeOf(options.paths.database) !== logBefore) return yield* logLost(options.paths.database)
  yield* report(state, options.paths, options.json)
  return exitCodeOf(state)
})

/** Removes the worktrees of a completed run, and names those that stay. */
export const closeWorktrees = Effect.fnUntraced(function* ({ config, run_id, status }: State) {
  if (status !== "completed" || config.chunking.workspace !== "worktree") return
  for (const left of yield* (yield* Workplaces).close(run_id)) yield* say(left)
})

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

/** Whoever works in the project may delete what is in it; a run whose log is gone has proven nothing. */
const logLost = (database: string) =>
  stop(exitCodes.integrity, {
    code: "log_lost",
    message: `The event log ${database} was removed or replaced while the run was writing it.`,
    hint: "Nothing that was reported can be proven. Keep the state outside the project with --state, and run again."
  })

/** The end of a run: a document for scripts, a report for people. */
export const report = Effect.fnUntraced(function* (state: State, paths: ProjectPaths, json: boolean) {
  if (json) return yield* printDocument("run", runData(state))
  const log = yield* EventLog
  const style = styleFor(wantsColor(process.stdout))
  const refusals = makeRefusals()
  yield* Stream.runForEach(log.read(state.run_id), (event) => Effect.sync(() => refusals.add(event)))
  yield* print(`\n${runReport(state, style, refusals.lines(style), commandFor(paths))}`)
})
