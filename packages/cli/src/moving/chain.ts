import {
  type Away,
  type ChainHead,
  faultText,
  type LogFault,
  type LogUnavailable,
  makeFaultFinder,
  type Recorded,
  type RunHead
} from "@proofline/kernel"
import { Effect, Stream } from "effect"
import { exitCodes, type Problem, type Stop, stop } from "../base/problems.ts"
import { addBlobs } from "./blobs.ts"
import type { Side } from "./side.ts"

/** What the events of a run are, read once from the first to the last with every hash computed again. */
export interface Read {
  /** Where it ends; null: there is nothing of it. */
  readonly head: ChainHead | null
  /** Of the event with the version that was asked for; null: there is none. */
  readonly hashAt: string | null
  /** What was kept of its end outside of the log, or of a run that was moved where it left; null: nothing. */
  readonly kept: RunHead | null
  readonly fault: LogFault | null
  /** Of its last event; empty: there is none. */
  readonly endedAt: string
  /** Names of the blobs that it names. */
  readonly blobs: ReadonlySet<string>
  /** Runs without which it cannot be verified. */
  readonly rests: ReadonlySet<string>
}

export const readRun = Effect.fnUntraced(function* (
  { heads, log, sha256 }: Pick<Side, "heads" | "log" | "sha256">,
  run: string,
  version = 0
): Effect.fn.Return<Read, LogUnavailable> {
  const reader = makeReader(sha256, yield* heads.of(run), version, yield* log.away(run))
  yield* log.read(run).pipe(Stream.takeWhile(reader.add), Stream.runDrain)
  return reader.end()
})

/** The same of events that come from anywhere; false: what comes after a break need not be asked. */
export const makeReader = (sha256: Side["sha256"], kept: RunHead | null, version = 0, away: Away | null = null) => {
  const blobs = new Set<string>()
  const rests = new Set<string>()
  const found = makeFaultFinder(sha256, kept, away)
  let hashAt: string | null = null
  let endedAt = ""
  return {
    add: (event: Recorded): boolean => {
      if (!found.add(event)) return false
      endedAt = event.timestamp
      if (event.version === version) hashAt = event.hash
      addBlobs(blobs, event)
      for (const run of restsOn(event)) rests.add(run)
      return true
    },
    end: (): Read => ({
      head: found.head(),
      hashAt,
      kept: found.known,
      fault: found.end(),
      endedAt,
      blobs,
      rests
    })
  }
}

/** Task runs of a requirements run, and those of the run before it that it goes on with. */
export const restsOn = ({ content, event_type }: Recorded): ReadonlyArray<string> => {
  const { carried, run_id } = content as {
    readonly run_id?: string
    readonly carried?: { readonly completed?: ReadonlyArray<{ readonly run_id: string }> } | null
  }
  if (event_type === "TASK_RUN_LINKED") return run_id === undefined ? [] : [run_id]
  return event_type === "REQUIREMENTS_LOADED" ? (carried?.completed ?? []).map((one) => one.run_id) : []
}

/** Of a log that is not as it was written. */
export const faultProblem = (run: string, where: string, fault: LogFault): Problem => ({
  code: fault.code,
  kind: "conflict",
  message: `In ${where}: ${faultText(run, fault)}`,
  hint: "Nothing of this run was written. Restore it from a backup."
})

export const faulty = (run: string, where: string, fault: LogFault): Stop =>
  stop(exitCodes.integrity, faultProblem(run, where, fault))
