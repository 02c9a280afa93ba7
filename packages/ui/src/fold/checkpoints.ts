import {
  type Composition,
  emptySnapshot,
  foldHistory,
  makeFold,
  type makeManifest,
  noHistory,
  type Recorded,
  type RunHistory,
  type Snapshot
} from "@proofline/kernel"
import { HashMap } from "effect"
import { makeCompact } from "./compact.ts"
import { composition, manifest } from "./compose.ts"
import type { RunLog } from "./log.ts"

/** The run as it was after an event: an immutable value. */
export interface Checkpoint {
  /** Version of the last event that is folded in; 0 before the first. */
  readonly version: number
  readonly snapshot: Snapshot
  readonly history: RunHistory
}

/** Why a log is not folded further, and from which version on. */
export interface Fault {
  readonly version: number
  readonly message: string
}

/** The plugins whose events are folded. */
export interface Rules {
  readonly composition: Composition
  readonly manifest: ReturnType<typeof makeManifest>
}

const own: Rules = { composition, manifest }

/** So many events at most are folded to get to any version. */
const every = 512

export interface Checkpoints {
  /** After the last event that could be folded. */
  readonly last: Checkpoint
  readonly fault: Fault | null
  /** Folds the events that the log has more than were folded, which are these; their contents become part of what is kept. */
  readonly add: (events: ReadonlyArray<Recorded>) => void
  /** After the event with this version, or the last before it that could be folded. */
  readonly at: (version: number) => Checkpoint
}

/**
 * Folds a log by the kernel's own rules as it grows, and keeps a checkpoint now and then: they share what did not change
 * between them, so that many of them cost little.
 */
export const makeCheckpoints = (log: Pick<RunLog, "event">, rules: Rules = own): Checkpoints => {
  const nothing: Checkpoint = { version: 0, snapshot: emptySnapshot(rules.composition), history: noHistory }
  const kept: Array<Checkpoint> = [nothing]
  const compact = makeCompact()
  let last = nothing
  let shown = nothing
  let fault: Fault | null = null

  const on = (from: Checkpoint, events: Iterable<Recorded>, isKept: boolean): Checkpoint => {
    let fold = open(rules, from, compact)
    for (const event of events) {
      const message = fold.add(event)
      if (message !== null) {
        fault ??= { version: event.version, message }
        break
      }
      if (isKept && event.version % every === 0) {
        const checkpoint = fold.end()
        kept.push(checkpoint)
        fold = open(rules, checkpoint, compact)
      }
    }
    return fold.end()
  }

  return {
    get last() {
      return last
    },
    get fault() {
      return fault
    },
    add: (events) => {
      if (fault === null && events.length > 0) last = on(last, events, true)
    },
    at: (version) => {
      const clampedVersion = Math.min(version, last.version)
      if (clampedVersion === last.version) return last
      const nearest = kept[Math.floor(clampedVersion / every)] as Checkpoint
      const from = shown.version <= clampedVersion && shown.version > nearest.version ? shown : nearest
      shown = from.version === clampedVersion ? from : on(from, between(log, from.version, clampedVersion), false)
      return shown
    }
  }
}

function* between(log: Pick<RunLog, "event">, after: number, to: number): Generator<Recorded> {
  for (let version = after + 1; version <= to; version++) yield log.event(version)
}

/** A checkpoint to which events are added: much faster than one by one. `from` stays as it is. */
const open = ({ composition, manifest }: Rules, from: Checkpoint, compact: ReturnType<typeof makeCompact>) => {
  const fold = makeFold(composition, from.snapshot)
  let { version } = from
  let history: RunHistory = { ...from.history, tasks: HashMap.beginMutation(from.history.tasks) }
  return {
    /** Null; why the event cannot be folded, else, and nothing is changed by it. */
    add: (recorded: Recorded): string | null => {
      const isKnown = manifest.types.has(recorded.event_type)
      try {
        const decoded = isKnown ? manifest.decode(recorded, fold.now) : null
        const event =
          decoded === null ? null : { ...decoded, content: compact.content(decoded.content, recorded.content) }
        if (event !== null) fold.add(event)
        history = foldHistory(history, { ...recorded, timestamp: compact.text(recorded.timestamp) }, event)
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
      version = recorded.version
      return null
    },
    end: (): Checkpoint => ({
      version,
      snapshot: { ...fold.end(), version },
      history: { ...history, tasks: HashMap.endMutation(history.tasks) }
    })
  }
}
