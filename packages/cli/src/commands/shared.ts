import {
  driveRun,
  Engine,
  EventLog,
  faultText,
  isProven,
  type LockHeld,
  Locks,
  type LogFault,
  type LogUnavailable,
  pluginMissing as lacksPlugin,
  logFault,
  missingPlugins,
  orLogNewer,
  orPluginMissing,
  PluginFault,
  proofOf,
  type RunHead,
  rootsOf,
  stoppedOf
} from "@proofline/kernel"
import { Effect } from "effect"
import type { CommandSettings } from "../compose.ts"
import { logName, type ProjectPaths } from "../paths.ts"
import { asStop, exitCodes, type Problem, type Stop, stop } from "../problems.ts"
import { count } from "../render/lines.ts"
import type { Agents } from "../settings.ts"
import { type State, stateOf } from "../state.ts"
import { headsIn } from "../storage.ts"
import { projectConfig } from "./files.ts"

/** Runs with the kernel and every plugin, those of the project included. A log can be read without any agent. */
export const withKernel = <A, E, R>(
  paths: ProjectPaths,
  agents: Agents,
  use: Effect.Effect<A, E, R>,
  commands: CommandSettings = {}
) =>
  Effect.gen(function* () {
    const { plugins } = yield* projectConfig(paths)
    const { kernel } = yield* Effect.promise(() => import("../compose.ts"))
    const told = Effect.gen(function* () {
      return yield* orPluginMissing(use, yield* EventLog, (yield* Engine).composition)
    })
    return yield* Effect.provide(told, kernel(paths, agents, plugins, commands))
  }).pipe(tellingFaults)

/** Where a plugin breaks, that is said, with its name; and so is an event that nobody here can read. */
export const tellingFaults = <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E | Stop | LogUnavailable, R> =>
  Effect.catchDefect(orLogNewer(use), (defect) =>
    defect instanceof PluginFault ? Effect.fail(broken(defect)) : Effect.die(defect)
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
    kind: "unknown",
    message: `There is no run ${run === "" ? '""' : run} in ${placeOf(paths)}.`,
    hint: "See `proofline history`, or name another state directory with --state."
  })

/** Where runs are, and each of them is done with. */
export const noneToResume = (paths: ProjectPaths): Stop =>
  stop(exitCodes.usage, {
    code: "run_unknown",
    kind: "unknown",
    message: `There is no run to resume in ${placeOf(paths)}: none is open.`,
    hint: "See `proofline history`; a new one begins with `proofline run tasks.yaml`."
  })

const noRunAtAll = (paths: ProjectPaths): Stop =>
  stop(exitCodes.usage, {
    code: "run_unknown",
    kind: "unknown",
    message: `There is no run at all in ${placeOf(paths)}.`,
    hint: "Begin one with `proofline run tasks.yaml`, or name another state directory with --state."
  })

const placeOf = (paths: ProjectPaths): string => (paths.databaseUrl === undefined ? paths.state : logName(paths))

/**
 * Stops for a run that is not there, or for want of any. One that has left its head is no unknown run: its log is gone,
 * with all that it proved.
 */
export const noRun = Effect.fnUntraced(function* (named: string | undefined, paths: ProjectPaths) {
  yield* checkLost(paths, named)
  return yield* named === undefined ? noRunAtAll(paths) : unknownRun(named, paths)
})

/** Of a log that holds nothing, or not the named run: stops when a head that was kept outside of it says what is gone. */
export const checkLost = Effect.fnUntraced(function* (paths: ProjectPaths, named?: string) {
  const heads = yield* headsIn(paths)
  const left = named === undefined ? heads : heads.filter(({ run_id }) => run_id === named)
  if (left.length > 0) return yield* stop(exitCodes.integrity, runsLost(left))
})

/** Runs that are named at most. */
const namedMax = 5

/** What is to be said of runs that have left their heads, and nothing else. */
export const runsLost = (lost: ReadonlyArray<RunHead>): Problem => {
  const names = lost.slice(0, namedMax).map(({ run_id, version }) => `${run_id} (${count(version, "event")})`)
  const others = lost.length > namedMax ? ` and ${count(lost.length - namedMax, "other")}` : ""
  return {
    code: "log_cut",
    kind: "conflict",
    message: `The log holds nothing any more of ${names.join(", ")}${others}: a head that was kept outside of it says what was there.`,
    hint: "Restore the log from a backup; what it has lost shows nothing. `proofline docs events` says where heads are kept."
  }
}

/** The run folded from the log; stops when there is none. */
export const loadRun = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  const engine = yield* Engine
  const state = stateOf(yield* engine.load(run))
  return state.run.status === "none" ? yield* noRun(run, paths) : state
})

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
    kind: "conflict",
    message: `${input} is being run already, by process ${holder.pid} on ${holder.host} since ${holder.since}.`,
    hint: "Wait until it has ended, or stop that process first; `proofline status` shows how far it is."
  })

/** Stops unless the log of the run is as it was written: going on from one that was changed would prove nothing. */
export const checkLog = Effect.fnUntraced(function* (run: string) {
  const fault = yield* logFault(run)
  if (fault !== null) return yield* logChanged(run, fault)
})

/** Stops unless every plugin the run was made with is here: without a guard that was there nothing is the same. */
export const checkPlugins = Effect.fnUntraced(function* (run: string) {
  const missing = yield* missingPlugins(run)
  if (missing.length > 0) return yield* pluginMissing(run, missing)
})

/** A run whose log is not as it was written. */
export const logChanged = (run: string, fault: LogFault): Stop =>
  stop(exitCodes.integrity, {
    code: fault.code,
    kind: "conflict",
    message: faultText(run, fault),
    hint: "Restore it from a backup; a run is not continued from a log that was changed. `proofline doctor` says what of it can be saved."
  })

export const pluginMissing = (run: string, names: ReadonlyArray<string>): Stop => asStop(lacksPlugin(run, names))

/** 0 when everything that is required counts as done, else why not. */
export const exitCodeOf = (state: State): number => {
  if (isProven(proofOf(state))) return exitCodes.proven
  if (isBreaker(state) || stoppedOf(state.run) !== null) return exitCodes.breaker
  return state.tasks.asking_count > 0 ||
    rootsOf(state).some(({ reason, status }) => status === "failed" && reason === "needs_person")
    ? exitCodes.needsPerson
    : exitCodes.unmet
}

const isBreaker = (state: State): boolean =>
  state.run.failed_by === "breaker" || (state.run.status === "failed" && [...state.run.breakers].length > 0)
