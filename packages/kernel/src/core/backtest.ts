import { Result } from "effect"
import type { Recorded } from "../base/Recorded.ts"
import type { Composition, Snapshot } from "./compose.ts"
import type { AnyCommand, AnyEvent } from "./contract.ts"
import { makeManifest } from "./manifest.ts"
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
  const manifest = makeManifest(ours)
  let now = { ours: emptySnapshot(ours), theirs: emptySnapshot(theirs) }
  let folding = now.ours
  let batch: Array<AnyEvent> = []
  let head: Recorded | null = null

  const after = (before: typeof now, events: Decided): typeof now =>
    events.reduce(
      (run, event) => ({
        ours: foldEvent(ours, run.ours, event),
        theirs: foldEvent(theirs, run.theirs, told(event))
      }),
      before
    )

  const turnsOf = (version: number, events: ReadonlyArray<AnyEvent>): ReadonlyArray<Turn> => {
    const before = now
    const command = recall(ours, before.ours, events)
    if (command === undefined) {
      now = after(before, events)
      return []
    }
    const decidedBy = (composition: Composition, run: Snapshot, asked: AnyCommand): Decided =>
      Result.match(step(composition, run, asked), { onFailure: () => [], onSuccess: (decided) => decided.events })
    const today = once(() => decidedBy(ours, before.ours, command))
    // another command may stand behind it; where today's rules part from the log nobody can tell where it begins
    const count = events.length > 1 && events.some((event) => accompanies(ours, event)) ? today().length : events.length
    const isBehind = count > 0 && count < events.length && accompanies(ours, events[count])
    const recorded = isBehind ? events.slice(0, count) : events
    now = after(before, recorded)
    const turn: Turn = {
      version,
      command,
      recorded,
      today,
      theirs: (asked = command) => decidedBy(theirs, before.theirs, asked),
      before: before.theirs
    }
    return isBehind ? [turn, ...turnsOf(version + count, events.slice(count))] : [turn]
  }

  const flush = (): ReadonlyArray<Turn> => {
    const events = batch
    batch = []
    return head === null || events.length === 0 ? [] : turnsOf(head.version, events)
  }

  return {
    /** The commands that are complete with this event: those before it. */
    add: (recorded: Recorded): ReadonlyArray<Turn> => {
      const isNext = head !== null && batch.length > 0 && head.command_id !== recorded.command_id
      const turns = isNext ? flush() : []
      if (batch.length === 0) {
        head = recorded
        folding = now.ours
      }
      const event = manifest.decode(recorded, () => folding)
      folding = foldEvent(ours, folding, event)
      batch.push(event)
      return turns
    },
    /** The last one, and the run as it is. */
    end: (): { readonly turns: ReadonlyArray<Turn>; readonly snapshot: Snapshot } => ({
      turns: flush(),
      snapshot: now.ours
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
