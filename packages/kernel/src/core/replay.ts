import { Result } from "effect"
import type { Recorded } from "../base/Recorded.ts"
import { canonicalJson } from "../log/codec.ts"
import { answered, argumentsOrNothing } from "./answers.ts"
import { type Entry, makeBatches } from "./batches.ts"
import type { Composition, Snapshot } from "./compose.ts"
import type { AnyCommand, AnyEvent, Batch, Start } from "./contract.ts"
import { attributed } from "./faults.ts"
import { UnknownEvent } from "./manifest.ts"
import { step } from "./step.ts"

/** The first place where today's rules and the log part. */
export interface Divergence {
  /** Version of the first event that differs, or of the batch that cannot be judged. */
  readonly version: number
  /** `different`: another event or content; `missing`: today one more; `surplus`: today one fewer; `refused`: today the command would be rejected; `unordered`: work that nothing had asked for; `unreadable`. */
  readonly reason: "different" | "missing" | "surplus" | "refused" | "unordered" | "unreadable"
  readonly message: string
  /** Type and content as recorded; null where the log has none. */
  readonly recorded: AnyEvent | null
  /** Type and content as decided today; null where today has none. */
  readonly expected: AnyEvent | null
}

export interface Replay {
  /** False: what comes after it need not be asked. */
  readonly add: (recorded: Recorded) => boolean
  /** Judges what is left and gives the result: the run as it is then, or after the event that was to be the last. */
  readonly end: () => { readonly events: number; readonly divergence: Divergence | null; readonly snapshot: Snapshot }
}

const batchOf = (events: ReadonlyArray<AnyEvent>): Batch => ({
  first: ({ name }) => events.find(({ type }) => type === name)?.content as never,
  all: ({ name }) => events.flatMap(({ content, type }) => (type === name ? [content as never] : [])),
  events
})

/** The command that wrote these events; undefined when nobody here knows how to read it back. */
export const recall = (
  composition: Composition,
  before: Snapshot,
  events: ReadonlyArray<AnyEvent>
): AnyCommand | undefined => {
  const batch = batchOf(events)
  for (const { options, owner, slot, tag } of events.flatMap(({ type }) => composition.recallers.get(type) ?? [])) {
    const way = options.recall
    if (way === "follows") continue
    const args = answered(owner, `recall of ${tag}`, argumentsOrNothing, composition.listed, () =>
      way.args(batch, composition.view(slot, before.slices))
    )
    if (args !== undefined) return { _tag: tag, ...args }
  }
  return undefined
}

/**
 * Decides a run again, from its events alone and without any effect. The events of one command are folded back into
 * the command, the command is decided by today's guards, rules and reactions on the state of then, and the outcome is
 * compared with what was recorded. Also every attempt must have been ordered by an earlier decision.
 * `uuid5` names work items as the engine does. Nothing behind the version `until` is judged; what its command wrote is
 * read to the end, for a command is decided as one.
 */
export const makeReplay = (
  composition: Composition,
  uuid5: (name: string) => string,
  until = Number.POSITIVE_INFINITY
): Replay => {
  const batches = makeBatches(composition)
  const ordered = new Map<string, Start>()
  /** The run behind the last command that is as it was. */
  let snapshot = batches.now()
  let events = 0
  let divergence: Divergence | null = null
  /** The run after the event that was to be the last. */
  let last: Snapshot | null = null

  const judge = (): void => {
    const written = divergence === null ? batches.take() : null
    if (written === null) return
    const found = judgeBatch(composition, written.before, written.entries, ordered, uuid5)
    if (found === null) snapshot = batches.now()
    else if (found.version <= until) divergence = found
  }

  const read = (recorded: Recorded): void => {
    try {
      batches.add(recorded)
      if (recorded.version === until) last = batches.now()
    } catch (error) {
      if (!(error instanceof UnknownEvent)) throw error
      const { message } = error
      divergence = { version: recorded.version, reason: "unreadable", message, recorded: null, expected: null }
    }
  }

  return {
    add: (recorded) => {
      const isNext = batches.isBegunBy(recorded)
      if (recorded.version > until && isNext) return false
      if (recorded.version <= until) events++
      if (divergence !== null) return true
      if (isNext) judge()
      if (divergence === null) read(recorded)
      return true
    },
    end: () => {
      judge()
      return { events, divergence, snapshot: divergence === null ? (last ?? snapshot) : snapshot }
    }
  }
}

/** Null: they are decided today as they were. */
const judgeBatch = (
  composition: Composition,
  before: Snapshot,
  batch: ReadonlyArray<Entry>,
  ordered: Map<string, Start>,
  uuid5: (name: string) => string
): Divergence | null => {
  const version = batch[0]?.recorded.version ?? 0
  const events = batch.map((entry) => entry.event)
  const first = events[0] as AnyEvent
  const broken = (reason: Divergence["reason"], message: string): Divergence => ({
    version,
    reason,
    message,
    recorded: first,
    expected: null
  })
  const command = recall(composition, before, events)
  if (command === undefined) return broken("unreadable", `No command is known that begins with ${first.type}.`)
  const unordered = orderProblem(composition, command, ordered)
  if (unordered !== null) return broken("unordered", unordered)
  const decided = step(composition, before, command)
  if (Result.isFailure(decided)) {
    return broken("refused", `Today this would be refused: ${decided.failure.message}`)
  }
  const { after, events: expected, starts } = decided.success
  const rest = batch.slice(expected.length)
  const isBehind = expected.length > 0 && accompanies(composition, rest[0]?.event)
  const difference = firstDifference(version, isBehind ? events.slice(0, expected.length) : events, expected)
  if (difference !== null) return difference
  const run = batch[0]?.recorded.stream ?? ""
  for (const start of starts) ordered.set(uuid5(`${run}/${start.key}`), start)
  return isBehind ? judgeBatch(composition, after, rest, ordered, uuid5) : null
}

/** Whether the event is told by a command that may stand behind another one. */
export const accompanies = ({ recallers }: Composition, event: AnyEvent | undefined): boolean =>
  event !== undefined && (recallers.get(event.type) ?? []).some(({ options }) => options.accompanies === true)

/** Why the work that made a command was never asked for; null: it was, or the command needs no work. */
const orderProblem = (
  { commands }: Composition,
  { _tag, ...args }: AnyCommand,
  ordered: ReadonlyMap<string, Start>
): string | null => {
  const { options, owner = "" } = commands.get(_tag) ?? {}
  const order = options?.ordered
  return order === undefined
    ? null
    : attributed(owner, `ordered of ${_tag}`, () => order.problem(args, ordered.get(order.item(args))))
}

const firstDifference = (
  version: number,
  recorded: ReadonlyArray<AnyEvent>,
  expected: ReadonlyArray<AnyEvent>
): Divergence | null => {
  for (let i = 0; i < Math.max(recorded.length, expected.length); i++) {
    const mine = expected[i]
    const theirs = recorded[i]
    if (mine !== undefined && theirs !== undefined && same(mine, theirs)) continue
    const reason = theirs === undefined ? "missing" : mine === undefined ? "surplus" : "different"
    const message = differenceText(mine, theirs)
    return { version: version + i, reason, message, recorded: theirs ?? null, expected: mine ?? null }
  }
  return null
}

const differenceText = (mine: AnyEvent | undefined, theirs: AnyEvent | undefined): string => {
  if (theirs === undefined) return `Today a ${mine?.type} would follow here.`
  if (mine === undefined) return `Today no ${theirs.type} would be written here.`
  return mine.type === theirs.type
    ? `Today this ${mine.type} would say something else.`
    : `Today a ${mine.type} would be written here, not a ${theirs.type}.`
}

const same = (a: AnyEvent, b: AnyEvent): boolean =>
  a.type === b.type && canonicalJson(a.content) === canonicalJson(b.content)
