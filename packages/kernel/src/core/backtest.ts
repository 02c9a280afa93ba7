import { Result } from "effect"
import type { Recorded } from "../base/Recorded.ts"
import { makeBatches, type Written } from "./batches.ts"
import type { Composition, Snapshot } from "./compose.ts"
import type { AnyCommand, AnyEvent } from "./contract.ts"
import { accompanies, recall } from "./replay.ts"
import { emptySnapshot, foldEvent, step } from "./step.ts"

/** What a command led to. A command that would be refused leads to nothing. */
export type Decided = ReadonlyArray<AnyEvent>

/** One command of a run, as the log has it, and how other rules would decide it on the run as it was then. */
export interface Turn {
  /** Version of its first event. */
  readonly version: number
  readonly command: AnyCommand
  readonly recorded: Decided
  /** As the rules of today decide it. */
  readonly today: () => Decided
  /** As the other rules do; of another command where one is given. */
  readonly theirs: (command?: AnyCommand) => Decided
  /** The run before it, as the other rules see it. */
  readonly before: Snapshot
}

/** How other rules see a run. */
export interface OtherRules {
  readonly composition: Composition
  /** What they are told in the place of an event, such as other settings of the run. */
  readonly told: (event: AnyEvent) => AnyEvent
}

/**
 * Goes through the events of a run command by command, so that each can be decided by other rules. The run goes on as it was
 * recorded: what would have come of another decision is in no log. Throws `UnknownEvent` for what cannot be read.
 */
export const makeBacktest = (ours: Composition, { composition: theirs, told }: OtherRules) => {
  const batches = makeBatches(ours)
  /** The run as the other rules see it. */
  let seen = emptySnapshot(theirs)

  const see = (events: Decided): void => {
    seen = events.reduce((run, event) => foldEvent(theirs, run, told(event)), seen)
  }

  const turnsOf = (version: number, run: Snapshot, events: ReadonlyArray<AnyEvent>): ReadonlyArray<Turn> => {
    const before = seen
    const command = recall(ours, run, events)
    if (command === undefined) {
      see(events)
      return []
    }
    const decidedBy = (composition: Composition, run: Snapshot, asked: AnyCommand): Decided =>
      Result.match(step(composition, run, asked), { onFailure: () => [], onSuccess: (decided) => decided.events })
    const today = once(() => decidedBy(ours, run, command))
    // another command may stand behind it; where today's rules part from the log nobody can tell where it begins
    const count = events.length > 1 && events.some((event) => accompanies(ours, event)) ? today().length : events.length
    const isBehind = count > 0 && count < events.length && accompanies(ours, events[count])
    const recorded = isBehind ? events.slice(0, count) : events
    see(recorded)
    const turn: Turn = {
      version,
      command,
      recorded,
      today,
      theirs: (asked = command) => decidedBy(theirs, before, asked),
      before
    }
    if (!isBehind) return [turn]
    const after = recorded.reduce((one, event) => foldEvent(ours, one, event), run)
    return [turn, ...turnsOf(version + count, after, events.slice(count))]
  }

  const turnsIn = (written: Written | null): ReadonlyArray<Turn> =>
    written === null
      ? []
      : turnsOf(
          written.entries[0]?.recorded.version ?? 0,
          written.before,
          written.entries.map(({ event }) => event)
        )

  return {
    /** The commands that are complete with this event: those before it. */
    add: (recorded: Recorded): ReadonlyArray<Turn> => {
      const turns = batches.isBegunBy(recorded) ? turnsIn(batches.take()) : []
      batches.add(recorded)
      return turns
    },
    /** The last one, and the run as it is. */
    end: (): { readonly turns: ReadonlyArray<Turn>; readonly snapshot: Snapshot } => ({
      turns: turnsIn(batches.take()),
      snapshot: batches.now()
    })
  }
}

const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
