import type { Recorded } from "../base/Recorded.ts"
import type { Composition, Snapshot } from "./compose.ts"
import type { AnyEvent } from "./contract.ts"
import { makeManifest } from "./manifest.ts"
import { emptySnapshot, foldEvent } from "./step.ts"

/** An event as it stands in the log, and as today's version has it. */
export interface Entry {
  readonly recorded: Recorded
  readonly event: AnyEvent
}

/** What one command wrote. */
export interface Written {
  /** The run before it. */
  readonly before: Snapshot
  /** At least one. */
  readonly entries: ReadonlyArray<Entry>
}

/** Puts the events of a run together that one command wrote, and folds each of them once. */
export const makeBatches = (composition: Composition) => {
  const manifest = makeManifest(composition)
  let now = emptySnapshot(composition)
  let before = now
  let entries: Array<Entry> = []
  return {
    /** Whether the event is the first of its command: what is there is complete then. */
    isBegunBy: ({ command_id }: Recorded): boolean => entries[0]?.recorded.command_id !== command_id,
    /** Gives what is there, and begins anew; null: nothing is. */
    take: (): Written | null => {
      if (entries.length === 0) return null
      const written = { before, entries }
      before = now
      entries = []
      return written
    },
    /** Events in order. Throws `UnknownEvent`; then the event is not among them. */
    add: (recorded: Recorded): void => {
      // an old event is lifted by what was true before it
      const event = manifest.decode(recorded, () => now)
      now = foldEvent(composition, now, event)
      entries.push({ recorded, event })
    },
    /** The run with all that was added. */
    now: (): Snapshot => now
  }
}
