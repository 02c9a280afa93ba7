import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { type Moment, processesSince, readProc, readStat } from "../../processes/proc.ts"

/** How often the process table is read: a process may start another while we look. */
const MAX_PASSES = 20
const BETWEEN_PASSES_MS = 5
/** No chain of parents is longer; keeps a torn reading of the table from looping. */
const MAX_ANCESTORS = 1_000

/** For whom a process works. What is left out is not compared: with `run_id` alone it is every process of the run. */
export interface Marker {
  readonly run_id: string
  readonly task_id?: string
  /** From 1. */
  readonly attempt?: number
  readonly role?: string
}

/** The variables by which a process and all that it starts are known. */
export const markerEnvironment = (marker: Marker): Readonly<Record<string, string>> => ({
  PROOFLINE_RUN_ID: marker.run_id,
  ...(marker.task_id === undefined ? {} : { PROOFLINE_TASK_ID: marker.task_id }),
  ...(marker.attempt === undefined ? {} : { PROOFLINE_ATTEMPT: String(marker.attempt) }),
  ...(marker.role === undefined ? {} : { PROOFLINE_ROLE: marker.role })
})

/** Whether the variables are in an environment as `/proc` gives it: `NAME=value`, each ended by a zero byte. */
export const holds = (environ: string, variables: Readonly<Record<string, string>>): boolean => {
  const entries = new Set(environ.split("\0"))
  return Object.entries(variables).every(([name, value]) => entries.has(`${name}=${value}`))
}

/** This process and those above it. */
const ancestry = (): ReadonlySet<number> => {
  const found = new Set<number>()
  let pid = process.pid
  while (pid > 0 && found.size < MAX_ANCESTORS && !found.has(pid)) {
    found.add(pid)
    pid = readStat(pid)?.parent ?? 0
  }
  return found
}

const kill = (pid: number): boolean => {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    return false
  }
}

/** Kills whoever has these variables at this moment. Between the look and the signal there is nothing but the test. */
const killPass = (
  variables: Readonly<Record<string, string>>,
  spared: () => ReadonlySet<number>,
  since: Moment | null
): ReadonlyArray<number> =>
  processesSince(since).filter((pid) => {
    const environ = readProc(pid, "environ")
    return environ !== null && holds(environ, variables) && !spared().has(pid) && kill(pid)
  })

/**
 * Kills the processes that carry the marker in their environment, wherever they went: a new session or group takes
 * them out of reach of the attempt that started them, not out of this. Resolves with their number when none is left.
 * Linux only; elsewhere it does nothing. Never touches this process or one above it. A process that was started with
 * an emptied environment is not found.
 *
 * Nobody may be at work under the marker any more: a whole run only before anything of it is started again. `since`: a
 * moment before which nobody can have had the marker.
 */
export const killLeftovers = (marker: Marker, since: Moment | null = null): Effect.Effect<number> =>
  marker.run_id === "" ? Effect.succeed(0) : killThoseWith(markerEnvironment(marker), since)

/** The same of those that have these variables, one of which must be nobody else's. */
export const killThoseWith = (
  variables: Readonly<Record<string, string>>,
  since: Moment | null = null
): Effect.Effect<number> =>
  Effect.promise(async () => {
    if (process.platform !== "linux") return 0
    let above: ReadonlySet<number> | undefined
    const spared = () => (above ??= ancestry())
    const killed = new Set<number>()
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const found = killPass(variables, spared, since)
      if (found.length === 0) break
      for (const pid of found) killed.add(pid)
      await pause(BETWEEN_PASSES_MS)
    }
    return killed.size
  })
