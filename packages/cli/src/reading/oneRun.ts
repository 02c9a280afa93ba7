import {
  continuationOf,
  Engine,
  faultText,
  isProven,
  type LogFault,
  pluginMissing as lacksPlugin,
  logFault,
  proofOf,
  type RunHead,
  rootsOf,
  stoppedOf
} from "@proofline/kernel"
import { Effect } from "effect"
import { logName, type ProjectPaths } from "../base/paths.ts"
import { asStop, exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { commandFor } from "../process/output.ts"
import { type State, stateOf } from "../project/state.ts"
import { headsIn } from "../project/storage.ts"
import { count } from "../render/lines.ts"

export const unknownRun = (run: string, paths: ProjectPaths): Stop =>
  stop(exitCodes.usage, {
    code: "run_unknown",
    kind: "unknown",
    message: `There is no run ${run === "" ? '""' : run} in ${placeOf(paths)}.`,
    hint: "See `proofline history`, or name another state directory with --state."
  })

/** A run that is not completed, and another one of the same file that was completed after it. */
export interface Overtaken {
  readonly run: string
  readonly by: string
  readonly path: string
}

/** Where runs are, and each of them is done with. */
export const noneToResume = (paths: ProjectPaths, overtaken: Overtaken | null): Stop =>
  stop(exitCodes.usage, {
    code: "run_unknown",
    kind: "unknown",
    message: `There is no run to resume in ${placeOf(paths)}: ${overtaken === null ? "none is open" : `${overtaken.run} is not completed, but ${overtaken.by} of ${overtaken.path} was completed after it`}.`,
    hint:
      overtaken === null
        ? "See `proofline history`; a new one begins with `proofline run tasks.yaml`."
        : `To go on with it all the same: ${commandFor(paths)(`resume ${overtaken.run}`)}`
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

/** Stops unless the log of the run is as it was written: going on from one that was changed would prove nothing. */
export const checkLog = Effect.fnUntraced(function* (run: string) {
  const fault = yield* logFault(run)
  if (fault !== null) return yield* logChanged(run, fault)
})

/** The same, and unless every plugin the run was made with is here: without a guard that was there nothing is the same. */
export const checkContinued = Effect.fnUntraced(function* (run: string) {
  const { fault, missing } = yield* continuationOf(run)
  if (fault !== null) return yield* logChanged(run, fault)
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
