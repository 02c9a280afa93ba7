import {
  type AnyCommand,
  chunkOf,
  Engine,
  EventLog,
  type LogUnavailable,
  type Snapshot,
  stoppedOf,
  tasksOf
} from "@proofline/kernel"
import { writtenOf } from "@proofline/plugins/adapters/git-workspaces"
import { loopOf, needsPerson } from "@proofline/plugins/policies/requirements"
import { Workspaces } from "@proofline/plugins/ports"
import { Effect } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { commandFor, say } from "../process/output.ts"
import { type State, stateOf } from "../project/state.ts"
import { exitCodeOf } from "../reading/oneRun.ts"
import { report } from "../reading/reportRun.ts"
import { count } from "../render/lines.ts"
import { lastStep } from "./budget.ts"
import { noteFile } from "./takeOver.ts"

/** Does what is to be done when a run has ended, and tells how. */
export const reportEnd = Effect.fnUntraced(function* (
  run: string,
  state: State,
  isStep: boolean,
  options: { readonly paths: ProjectPaths; readonly json: boolean }
) {
  const engine = yield* Engine
  yield* closeWorktrees(state, options.paths)
  // a run whose log is gone has proven nothing
  yield* (yield* EventLog).check
  if (state.run.kind === "requirements") yield* noteFile(run, loopOf(yield* engine.load(run)), options.paths)
  yield* report(state, options.paths, options.json)
  if (state.run.status !== "completed") yield* tellWritten(run, options.paths)
  if (isStep && stoppedOf(state.run) !== null) {
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

/**
 * Removes the worktrees of a completed run, and of the completed task runs of a requirements run. Names those that stay, with
 * what removes them later.
 */
export const closeWorktrees: (
  state: State,
  paths: ProjectPaths
) => Effect.Effect<void, LogUnavailable, Engine | Workspaces> = Effect.fnUntraced(function* (state, paths) {
  const { config, kind, run_id, status } = state.run
  if (kind === "requirements") {
    const engine = yield* Engine
    for (const { loop_c_history_id: id } of loopOf(yield* engine.load(run_id)).iterations) {
      if (id !== null) yield* closeWorktrees(stateOf(yield* engine.load(id)), paths)
    }
    return
  }
  const attempts = tasksOf(state).filter(({ alternative }) => alternative)
  if (status !== "completed" || (config.chunking.workspace === "shared" && attempts.length === 0)) return
  const lost = attempts.filter((one) => one.status !== "completed").map(({ spec }) => spec.id)
  const { removed, stays } = yield* (yield* Workspaces).close(run_id, lost)
  for (const one of [...removed, ...stays]) yield* say(one)
  if (stays.length > 0)
    yield* say(`When that is settled, remove the rest with: ${commandFor(paths)(`resume ${run_id}`)}`)
})

const levelsOf = Effect.fnUntraced(function* (run: string) {
  const engine = yield* Engine
  const child = childOf(yield* engine.load(run))
  return child === null ? [run] : [run, child]
})

/**
 * Of a run that has ended: says what its subtasks have changed in the project without an outcome that says so. Nobody could
 * tell it from what a person changes.
 */
export const tellWritten = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  // workers write into checkouts of their own
  if (paths.databaseUrl !== undefined) return
  const engine = yield* Engine
  for (const level of yield* levelsOf(run)) {
    const state = stateOf(yield* engine.load(level))
    // why one has failed says what it has written
    const open = tasksOf(state).filter((task) => {
      const chunk = chunkOf(state, task)
      return chunk?.stage === "executing" && chunk.workspace === "worktree" && task.status !== "failed"
    })
    const found = writtenOf(
      { root: paths.root, stateDir: paths.state },
      level,
      open.map(({ spec }) => spec.id)
    )
    // it is said beside why the run has ended: no failure of git hides that
    for (const { files, of, task } of yield* Effect.orElseSucceed(found, () => [])) {
      const share = files === of ? count(of, "changed file") : `${files} of ${count(of, "changed file")}`
      yield* say(
        `The project has been changed: the run ended while the subtasks of ${task} were put together, and ${share} ${files === 1 ? "is" : "are"} in it. What brings it to what was meant: ${commandFor(paths)(`resume ${run}`)}`
      )
    }
  }
})

/** Ends a run, and the run that it drives. */
export const endAll = Effect.fnUntraced(function* (run: string, command: AnyCommand) {
  const engine = yield* Engine
  yield* engine.execute(run, command)
  const child = childOf(yield* engine.load(run))
  if (child !== null) yield* Effect.ignore(engine.execute(child, command))
})

/** The task run that a requirements run has begun last; null: none. */
export const childOf = (snapshot: Snapshot): string | null =>
  stateOf(snapshot).run.kind === "requirements" ? (loopOf(snapshot).iterations.at(-1)?.loop_c_history_id ?? null) : null
