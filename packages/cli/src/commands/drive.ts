import { hostname } from "node:os"
import { type AnyCommand, CancelRun, Engine, EventLog, Runner, type Snapshot, stoppedOf } from "@proofline/kernel"
import { loopOf, needsPerson } from "@proofline/plugins/policies/requirements"
import { Workspaces } from "@proofline/plugins/ports"
import { Effect, Fiber } from "effect"
import { commandFor, say } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes } from "../problems.ts"
import { showProgress } from "../render/progress.ts"
import { type State, stateOf } from "../state.ts"
import { budgetOf, lastStep, within } from "./budget.ts"
import { report } from "./reportRun.ts"
import { exitCodeOf } from "./shared.ts"
import { noteFile } from "./takeOver.ts"
import { tellWhenBegun } from "./ui.ts"

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
  }
) {
  const runner = yield* Runner
  const engine = yield* Engine
  const progress = yield* Effect.forkChild(showProgress, { startImmediately: true })
  const telling = yield* Effect.forkChild(tellWhenBegun(run), { startImmediately: true })
  const worker = { workerId: `${hostname()}:${process.pid}`, slots: options.workers, labels: options.labels }
  const budget = yield* budgetOf(run, command)
  const ended = yield* within(budget.max_duration_ms, runner.drive(run, command, worker), (exhausted) =>
    // it may have ended in the last moment
    Effect.andThen(
      Effect.catchTag(endAll(run, exhausted), "Rejection", () => Effect.void),
      engine.load(run)
    )
  ).pipe(
    Effect.onInterrupt(() => Effect.ignore(endAll(run, CancelRun({ reason: "interrupted" })))),
    Effect.ensuring(Fiber.interruptAll([progress, telling])),
    // said last: the tree is redrawn once more when it ends
    Effect.onInterrupt(() =>
      Effect.gen(function* () {
        if (options.json) yield* report(stateOf(yield* engine.load(run)), options.paths, true)
        yield* say(`Interrupted. Go on with: ${commandFor(options.paths)(`resume ${run}`)}`)
      }).pipe(Effect.ignore)
    )
  )
  const state = stateOf(ended)
  yield* closeWorktrees(state)
  // a run whose log is gone has proven nothing
  yield* (yield* EventLog).check
  if (state.run.kind === "requirements") yield* noteFile(run, loopOf(yield* engine.load(run)), options.paths)
  yield* report(state, options.paths, options.json)
  if (budget.max_calls !== null && stoppedOf(state.run) !== null) {
    yield* say(
      `${yield* lastStep(yield* levelsOf(run))} Make the next step with: ${commandFor(options.paths)(`resume ${run} --step`)}`
    )
  }
  return (yield* waitsForPerson(state)) ? exitCodes.needsPerson : exitCodeOf(state)
})

/** Somebody has to decide something in the task run of a requirements run. */
const waitsForPerson = Effect.fnUntraced(function* ({ run: { kind, run_id, status } }: State) {
  if (kind !== "requirements" || status !== "incomplete") return false
  const engine = yield* Engine
  const child = childOf(yield* engine.load(run_id))
  return child !== null && needsPerson(stateOf(yield* engine.load(child)))
})

/** Removes the worktrees of a completed run, and names those that stay. */
export const closeWorktrees = Effect.fnUntraced(function* ({ run: { config, run_id, status } }: State) {
  if (status !== "completed" || config.chunking.workspace === "shared") return
  for (const left of yield* (yield* Workspaces).close(run_id)) yield* say(left)
})

const levelsOf = Effect.fnUntraced(function* (run: string) {
  const engine = yield* Engine
  const child = childOf(yield* engine.load(run))
  return child === null ? [run] : [run, child]
})

/** Ends a run, and the run that it drives. */
const endAll = Effect.fnUntraced(function* (run: string, command: AnyCommand) {
  const engine = yield* Engine
  yield* engine.execute(run, command)
  const child = childOf(yield* engine.load(run))
  if (child !== null) yield* Effect.ignore(engine.execute(child, command))
})

/** The task run that a requirements run has begun last; null: none. */
const childOf = (snapshot: Snapshot): string | null =>
  stateOf(snapshot).run.kind === "requirements" ? (loopOf(snapshot).iterations.at(-1)?.loop_c_history_id ?? null) : null
