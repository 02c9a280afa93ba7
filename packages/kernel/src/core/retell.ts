import { Result } from "effect"
import type { Recorded } from "../base/Recorded.ts"
import { canonicalJson } from "../log/codec.ts"
import { makeBatches, type Written } from "./batches.ts"
import type { Composition, Snapshot } from "./compose.ts"
import { type AnyCommand, type AnyEvent, PluginFault, type Start } from "./contract.ts"
import { accompanies, recall } from "./replay.ts"
import { emptySnapshot, foldEvent, type Step, step } from "./step.ts"

/** How a run is told with other words. */
export interface Retelling {
  /** The command with other words; what is decided of it is told in the place of what was. */
  readonly command: (command: AnyCommand) => AnyCommand
  /** An event with other words, where no command tells it. */
  readonly event: (event: AnyEvent) => AnyEvent
  /** Whether these events say the same with other words as those of before. */
  readonly isSame: (before: ReadonlyArray<AnyEvent>, told: ReadonlyArray<AnyEvent>) => boolean
  /** Work that was ordered, and the work in its place, in the order in which both were. */
  readonly ordered: (before: ReadonlyArray<Start>, told: ReadonlyArray<Start>) => void
}

export interface Retold {
  /** One for each event that was told again. */
  readonly events: ReadonlyArray<AnyEvent>
  /** Versions of events to which today's rules do not come by the commands that tell them. */
  readonly departs: ReadonlyArray<number>
  /** The run as it is told. */
  readonly snapshot: Snapshot
}

/** The same of a batch. */
interface ToldBatch {
  readonly events: ReadonlyArray<AnyEvent>
  readonly isDecided: boolean
}

/**
 * Tells a run again with other words: each of its commands is worded otherwise and decided by today's rules, beside the one
 * that was recorded, so that what rules made of the words of before is made of the other words. Where that comes to
 * anything but the same, the events themselves are worded otherwise. Throws `UnknownEvent`.
 */
export const makeRetelling = (composition: Composition, { command, event, isSame, ordered }: Retelling) => {
  const batches = makeBatches(composition)
  let after = emptySnapshot(composition)
  const told: Array<AnyEvent> = []
  const departs: Array<number> = []

  const asTheyAre = (batch: ReadonlyArray<AnyEvent>): ToldBatch => {
    const told = batch.map(event)
    after = folded(composition, after, told)
    return { events: told, isDecided: false }
  }

  const tell = (before: Snapshot, batch: ReadonlyArray<AnyEvent>): ToldBatch => {
    const asked = recall(composition, before, batch)
    const decided = asked === undefined ? null : step(composition, before, asked)
    if (asked === undefined || decided === null || Result.isFailure(decided)) return asTheyAre(batch)
    const { events, starts } = decided.success
    const rest = batch.slice(events.length)
    const isBehind = events.length > 0 && accompanies(composition, rest[0])
    const own = isBehind ? batch.slice(0, events.length) : batch
    if (canonicalJson(own as never) !== canonicalJson(events as never)) {
      ordered(starts, [])
      return asTheyAre(batch)
    }
    const again = decidedAgain(composition, after, command(asked))
    const isDecided = again !== null && isSame(events, again.events)
    const told = isDecided ? again.events : own.map(event)
    ordered(starts, isDecided ? again.starts : [])
    after = isDecided ? again.after : folded(composition, after, told)
    if (!isBehind) return { events: told, isDecided }
    const others = tell(decided.success.after, rest)
    return { events: [...told, ...others.events], isDecided: isDecided && others.isDecided }
  }

  const tellWritten = (written: Written | null): void => {
    if (written === null) return
    const { before, entries } = written
    const { events, isDecided } = tell(
      before,
      entries.map(({ event }) => event)
    )
    told.push(...events)
    if (!isDecided) departs.push(...entries.map(({ recorded }) => recorded.version))
  }

  return {
    /** All events of the run, in order. */
    add: (recorded: Recorded): void => {
      if (batches.isBegunBy(recorded)) tellWritten(batches.take())
      batches.add(recorded)
    },
    end: (): Retold => {
      tellWritten(batches.take())
      return { events: told, departs, snapshot: after }
    }
  }
}

const folded = (composition: Composition, from: Snapshot, events: ReadonlyArray<AnyEvent>): Snapshot =>
  events.reduce((run, one) => foldEvent(composition, run, one), from)

/** What other words come to; null: nothing, or a rule that was not made for them breaks. */
const decidedAgain = (composition: Composition, now: Snapshot, command: AnyCommand): Step | null => {
  try {
    return Result.getOrNull(step(composition, now, command))
  } catch (error) {
    if (error instanceof PluginFault) return null
    throw error
  }
}
