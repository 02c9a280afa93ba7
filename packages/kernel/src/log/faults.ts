import { Result } from "effect"
import type { Recorded } from "../base/Recorded.ts"
import type { Digest } from "../port/Digest.ts"
import type { RunHead } from "../port/RunHeads.ts"
import { type Away, elsewhere } from "./away.ts"
import { type ChainBroken, type ChainHead, verifyNext } from "./codec.ts"

/** Why the log of a run is not as it was written. */
export interface LogFault {
  /**
   * `log_changed`: its hash chain breaks; `log_cut`: the head that was kept of the run lies beyond its end, or it comes from a damaged log and
   * its end is lost;
   * `log_rewritten`: where that head was stands another event.
   */
  readonly code: "log_changed" | "log_cut" | "log_rewritten"
  /** The first version that is not as it was. */
  readonly version: number
  /** A sentence or more. */
  readonly message: string
}

export const chainFaultOf = ({ message, version }: ChainBroken): LogFault => ({ code: "log_changed", version, message })

/**
 * What this log must have of a run. What was kept of its end may tell of what it did in the log that it was moved to, for both may
 * be of one project: then it is where it left. Of one that is only arriving nothing is known so far.
 */
const headHere = (kept: RunHead | null, away: Away | null): RunHead | null => {
  if (kept === null || away?.kind === "arriving") return null
  const { hash, version } = away ?? kept
  return away?.kind === "moved" && kept.version > version ? { run_id: kept.run_id, version, hash } : kept
}

/**
 * A chain that is whole may still be too short. `end` is where the run ends in the log, null when there is nothing of
 * it; `hashAt` is of the event at the version of the head that it must have.
 */
const headFaultOf = (
  kept: RunHead | null,
  end: ChainHead | null,
  hashAt: string | null,
  when: string
): LogFault | null => {
  if (kept === null) return null
  const { run_id: run, version } = kept
  const ended = `When ${run} ${when}, its last event was version ${version}`
  if (end === null) {
    return { code: "log_cut", version: 1, message: `${ended}, and now the log holds nothing of it.` }
  }
  if (end.version < version) {
    return {
      code: "log_cut",
      version: end.version + 1,
      message: `${ended}, and now its log ends at version ${end.version}.`
    }
  }
  return hashAt === kept.hash
    ? null
    : {
        code: "log_rewritten",
        version,
        message: `${ended} with the hash ${kept.hash}, and now version ${version} of ${end.version} has the hash ${hashAt}.`
      }
}

/** Follows the events of a run one by one. */
export interface FaultFinder {
  /** False: what comes after it need not be asked. */
  readonly add: (event: Recorded) => boolean
  /** The first fault; null when the log is whole. */
  readonly end: () => LogFault | null
  /** Where the chain holds up to; null: nothing of it. */
  readonly head: () => ChainHead | null
  /** What this log must have of it; null: nothing says so. */
  readonly known: RunHead | null
}

/**
 * Finds where a hash chain breaks, or that it ends before the head that was kept of it. `away`: where the run is when it is not
 * in this log; of one that was taken out of a damaged log the end is lost.
 */
export const makeFaultFinder = (
  sha256: Digest["Service"]["sha256"],
  kept: RunHead | null,
  away: Away | null
): FaultFinder => {
  const known = headHere(kept, away)
  let head: ChainHead | null = null
  let fault: LogFault | null = null
  let hashAt: string | null = null
  return {
    add: (event) => {
      // a stream comes in pieces: what follows the first fault in its piece is not asked
      if (fault !== null) return false
      const next = verifyNext(head, event, sha256)
      if (Result.isSuccess(next)) {
        head = next.success
        if (event.version === known?.version) hashAt = event.hash
      } else fault = chainFaultOf(next.failure)
      return fault === null
    },
    end: () =>
      fault ??
      cutFaultOf(head, away) ??
      headFaultOf(known, head, hashAt, known === kept ? "ended" : `was moved to ${away?.place}`),
    head: () => head,
    known
  }
}

/** What is known of the end of a run that was taken out of a damaged log. */
const cutFaultOf = (end: ChainHead | null, away: Away | null): LogFault | null =>
  end !== null && away?.kind === "cut"
    ? { code: "log_cut", version: away.version + 1, message: elsewhere(end.stream, away).message }
    : null

/** What is wrong with the log of a run, in whole sentences. */
export const faultText = (run: string, { code, message, version }: LogFault): string =>
  code === "log_changed" ? `The log of ${run} was changed at version ${version}: ${message}` : message
