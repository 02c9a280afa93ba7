import { existsSync } from "node:fs"
import {
  chainFault,
  driveRun,
  Engine,
  type LeaseLost,
  type LockHeld,
  Locks,
  type LogUnavailable,
  missingPlugins,
  PluginFault,
  type Rejection,
  type RunIsDriven,
  rootsOf
} from "@proofline/kernel"
import { Effect } from "effect"
import { kernel, prepareState, storage } from "../compose.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, type Problem, type Stop, stop } from "../problems.ts"
import type { Agents } from "../settings.ts"
import { type State, stateOf } from "../state.ts"
import { projectConfig } from "./files.ts"

/** Runs with the project's storage, which is made when it does not exist. */
export const withStorage = <A, E, R>(paths: ProjectPaths, use: Effect.Effect<A, E, R>) =>
  Effect.andThen(prepareState(paths), Effect.provide(use, storage(paths)))

/** Like `withStorage`, but a project in which nothing ever ran stays untouched and gives `otherwise`. */
export const withExistingStorage = <A, E, R, B, E2>(
  paths: ProjectPaths,
  otherwise: Effect.Effect<B, E2>,
  use: Effect.Effect<A, E, R>
) => (existsSync(paths.database) ? Effect.provide(use, storage(paths)) : otherwise)

/** Runs with the kernel and every plugin, those of the project included. A log can be read without any agent. */
export const withKernel = <A, E, R>(paths: ProjectPaths, agents: Agents, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { plugins } = yield* projectConfig(paths)
    return yield* Effect.provide(use, kernel(paths, agents, plugins))
  }).pipe(
    Effect.catchDefect((defect) => (defect instanceof PluginFault ? Effect.fail(broken(defect)) : Effect.die(defect)))
  )

/** A plugin that broke while it was asked something, or has a phase that cannot be one. */
const broken = (fault: PluginFault): Stop =>
  fault.where === "phase"
    ? stop(exitCodes.usage, { ...brokenPhase(fault), file: "proofline.yaml" })
    : stop(exitCodes.unmet, {
        code: "plugin_broken",
        message: fault.message,
        hint: "Mend the plugin; what was recorded before stands, and `proofline resume` goes on."
      })

/** A phase that cannot be one. */
export const brokenPhase = ({ message }: PluginFault): Problem => ({
  code: "offer_invalid",
  message,
  hint: "Mend the phase, or remove its plugin under `plugins:`."
})

export const unknownRun = (run: string, paths: ProjectPaths): Stop =>
  stop(exitCodes.usage, {
    code: "run_unknown",
    message: `There is no run ${run} in ${paths.state}.`,
    hint: "See `proofline history`, or name another state directory with --state."
  })

/** The run folded from the log; stops when there is none. */
export const loadRun = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  const engine = yield* Engine
  const state = stateOf(yield* engine.load(run))
  return state.run.status === "none" ? yield* unknownRun(run, paths) : state
})

/** Failures of the kernel as problems with an exit code. */
export const asStop = (error: Rejection | LogUnavailable | RunIsDriven | LeaseLost): Stop => {
  switch (error._tag) {
    case "Rejection":
      return stop(exitCodes.usage, { code: error.code, message: error.message, hint: error.hint })
    case "RunIsDriven":
      return stop(exitCodes.usage, {
        code: "run_is_driven",
        message: error.message,
        hint: "Wait until it has ended, or stop that process first; then resume."
      })
    case "LeaseLost":
      return stop(exitCodes.unmet, {
        code: "lease_lost",
        message: error.message,
        hint: "Somebody else took over; see `proofline status`."
      })
    case "LogUnavailable":
      return stop(error.code === "log_corrupt" ? exitCodes.integrity : exitCodes.unmet, logProblem(error))
  }
}

const logProblem = ({ code, hint, message }: LogUnavailable): Problem => ({ code, message, hint })

/**
 * Holds a run for this process, and the file it came from, or says who has it: two drivers of one file would work on
 * the same project at the same time.
 */
export const holdRun = Effect.fnUntraced(function* (run: string, input: string | null) {
  const driver = yield* driveRun(run)
  if (input !== null) {
    const locks = yield* Locks
    yield* locks
      .acquire(`input:${input}`, 0)
      .pipe(Effect.catchTag("LockHeld", (error) => Effect.fail(inputIsDriven(input, error))))
  }
  return driver
})

const inputIsDriven = (input: string, { holder }: LockHeld): Stop =>
  stop(exitCodes.usage, {
    code: "run_is_driven",
    message: `${input} is being run already, by process ${holder.pid} on ${holder.host} since ${holder.since}.`,
    hint: "Wait until it has ended, or stop that process first; `proofline status` shows how far it is."
  })

/** Stops unless the log of the run is as it was written: going on from one that was changed would prove nothing. */
export const checkChain = Effect.fnUntraced(function* (run: string) {
  const fault = yield* chainFault(run)
  if (fault !== null) return yield* logChanged(run, fault.version, fault.message)
})

/** Stops unless every plugin the run was made with is here: without a guard that was there nothing is the same. */
export const checkPlugins = Effect.fnUntraced(function* (run: string) {
  const missing = yield* missingPlugins(run)
  if (missing.length > 0) return yield* pluginsMissing(run, missing)
})

const logChanged = (run: string, version: number, message: string): Stop =>
  stop(exitCodes.integrity, {
    code: "log_changed",
    message: `The log of ${run} was changed at version ${version}: ${message}`,
    hint: "Restore it from a backup; a run is not continued from a log that was changed."
  })

const pluginsMissing = (run: string, names: ReadonlyArray<string>): Stop =>
  stop(exitCodes.usage, {
    code: "plugin_missing",
    message: `Run ${run} was made with plugins that are not here: ${names.join(", ")}.`,
    hint: "Name them under `plugins:` in proofline.yaml again."
  })

/** 0 when everything is proven, else why not. */
export const exitCodeOf = (state: State): number => {
  if (state.run.status === "completed") return exitCodes.proven
  if (isBreaker(state) || state.run.failed_by === "budget") return exitCodes.breaker
  return rootsOf(state).some(({ reason, status }) => status === "failed" && reason === "needs_person")
    ? exitCodes.needsPerson
    : exitCodes.unmet
}

const isBreaker = (state: State): boolean =>
  state.run.failed_by === "breaker" || (state.run.status === "failed" && [...state.run.breakers].length > 0)
