import { HashMap, identity, Result } from "effect"
import {
  aDecision,
  answered,
  changesMade,
  intents,
  isRejection,
  isStart,
  rejectionOrNull,
  told,
  wronglyAnswered
} from "./answers.ts"
import type { Composition, Decider, Fold, Snapshot } from "./compose.ts"
import {
  type AnyCommand,
  type AnyEvent,
  type Cancel,
  type Fact,
  type Hook,
  type Intent,
  type Made,
  PluginFault,
  type Start,
  type Told
} from "./contract.ts"
import { faultOf } from "./faults.ts"
import { frozen } from "./frozen.ts"
import { type Rejection, reject } from "./Rejection.ts"
import { oneLine } from "./words.ts"

/** Everything that follows from one command: to be appended as one. */
export interface Step {
  readonly events: ReadonlyArray<AnyEvent>
  readonly after: Snapshot
  readonly starts: ReadonlyArray<Start>
  readonly cancels: ReadonlyArray<Cancel["work"]>
  /** Who asks for work that no plugin lists: where work is done that is a mistake, and rules by themselves have no activities. */
  readonly unlisted: ReadonlyArray<PluginFault>
}

/** Commands that one command may lead to; a rule that dispatches in a circle is a mistake, not a run. */
const maxCommands = 100_000

export const emptySnapshot = ({ initial }: Composition): Snapshot => initial

const none: ReadonlyArray<Made<string>> = []

/** The changes that an event says it makes. */
const changesOf = (composition: Composition, { content, type }: AnyEvent): ReadonlyArray<Made<string>> => {
  const table = composition.events.get(type)
  if (table?.changes === undefined) return none
  const { changes, event } = table
  return answered(event.owner, `changes of ${type}`, changesMade, composition.listed, () =>
    changes(keeperOf(composition)(content))
  )
}

/** Changes `slices` by one event. Total for types nobody knows: they change nothing. */
const apply = (
  composition: Composition,
  slices: Array<unknown>,
  event: AnyEvent,
  changes: ReadonlyArray<Made<string>>
): void => {
  const table = composition.events.get(event.type)
  if (table === undefined) return
  const kept = keeperOf(composition)
  const content = kept(event.content)
  let by = table.event.owner
  try {
    for (const fold of table.folds) {
      by = fold.by
      slices[fold.slot] = kept(folded(fold, slices[fold.slot], content))
    }
    by = table.event.owner
    for (const made of changes) {
      const folds = composition.changes.get(made.change.name)
      if (folds === undefined) throw new Error(`Change ${made.change.name} is made, but no plugin lists it.`)
      for (const fold of folds) {
        by = fold.by
        slices[fold.slot] = kept(folded(fold, slices[fold.slot], kept(made.arg)))
      }
    }
  } catch (error) {
    throw faultOf(by, `evolve on ${event.type}`, error)
  }
}

/** What hooks are given again, as the composition has it. */
const keeperOf = ({ freezes }: Composition): (<A>(value: A) => A) => (freezes ? frozen : identity)

const folded = ({ run }: Fold, own: unknown, content: unknown): unknown => {
  const after = run(own, content)
  // of each event: nothing is called for what is right
  if (after !== undefined && !(after instanceof Promise)) return after
  throw new Error(`It answered ${told(after)}, no state of the plugin.`)
}

const snapshotOf = (composition: Composition, version: number, slices: ReadonlyArray<unknown>): Snapshot => ({
  version,
  slices,
  state: composition.whole(slices)
})

/** The run after one more event. */
export const foldEvent = (
  composition: Composition,
  before: Snapshot,
  event: AnyEvent,
  changes: ReadonlyArray<Made<string>> = changesOf(composition, event)
): Snapshot => {
  const slices = [...before.slices]
  apply(composition, slices, event, changes)
  return snapshotOf(composition, before.version + 1, slices)
}

/**
 * Folds many events at once: the hash maps that are fields of a slice are changed in place until `end`. `from` stays as
 * it is, and `evolve` is written as if nothing were. `now` is the run so far, to be looked at before the next event.
 */
export const makeFold = (composition: Composition, from: Snapshot) => {
  const kept = keeperOf(composition)
  const begun = (slice: unknown) => kept(mapFields(slice, HashMap.beginMutation))
  const ended = (slice: unknown) => kept(mapFields(slice, HashMap.endMutation))
  let slices = from.slices.map(begun)
  let { version } = from
  return {
    add: (event: AnyEvent): void => {
      apply(composition, slices, event, changesOf(composition, event))
      version++
    },
    now: (): Snapshot => {
      if (!composition.freezes) return snapshotOf(composition, version, slices)
      // what is in maps can be frozen only where they are not changed in place
      const now = slices.map(ended)
      slices = now.map(begun)
      return snapshotOf(composition, version, now)
    },
    end: (): Snapshot => snapshotOf(composition, version, slices.map(ended))
  }
}

const mapFields = (
  slice: unknown,
  change: (map: HashMap.HashMap<unknown, unknown>) => HashMap.HashMap<unknown, unknown>
): unknown => {
  if (typeof slice !== "object" || slice === null) return slice
  if (HashMap.isHashMap(slice)) return change(slice)
  if (Object.getPrototypeOf(slice) !== Object.prototype) return slice
  return Object.fromEntries(
    Object.entries(slice).map(([key, value]) => [key, HashMap.isHashMap(value) ? change(value) : value])
  )
}

/**
 * The whole of the rules, pure: guards, the owner's decision, the fold, every reaction, and the commands the reactions
 * ask for, until nothing more follows. The engine appends the result; a replay compares it with the log.
 */
export const step = (
  composition: Composition,
  before: Snapshot,
  command: AnyCommand
): Result.Result<Step, Rejection> => {
  const queue: Array<Asked> = [{ command, by: null }]
  const events: Array<AnyEvent> = []
  const starts = new Map<string, Start>()
  const cancels: Array<Cancel["work"]> = []
  const unlisted: Array<PluginFault> = []
  // what follows from the state follows once, however many reactions ask for it before its turn comes
  const waiting = new Set<string>()
  let now = before
  for (let i = 0; i < queue.length; i++) {
    const { by, command: asked } = queue[i] as Asked
    if (i > maxCommands && by !== null) throw circle(by, asked)
    waiting.delete(consequenceOf(composition, asked) ?? "")
    const decided = decideOne(composition, now, asked)
    if (Result.isFailure(decided)) {
      // a command that a reaction asked for may have been overtaken by what was decided before it
      if (i === 0) return Result.fail(decided.failure)
      continue
    }
    now = decided.success.after
    for (const written of decided.success.written) {
      events.push(written.event)
      for (const { by, intent } of reactionsTo(composition, now, written, unlisted)) {
        if (isStart(intent)) starts.set(intent.key, intent)
        else if (isCancel(intent)) cancels.push(intent.work)
        else enqueue(composition, queue, waiting, { command: intent, by })
      }
    }
  }
  return Result.succeed({ events, after: now, starts: [...starts.values()], cancels, unlisted })
}

/** Commands decided one after the other, to be appended as one. Refused as a whole when one of them is. */
export const stepAll = (
  composition: Composition,
  before: Snapshot,
  commands: ReadonlyArray<AnyCommand>
): Result.Result<Step, Rejection> => {
  let all: Step = { events: [], after: before, starts: [], cancels: [], unlisted: [] }
  for (const command of commands) {
    const next = step(composition, all.after, command)
    if (Result.isFailure(next)) return next
    const { after, cancels, events, starts, unlisted } = next.success
    all = {
      events: [...all.events, ...events],
      after,
      starts: [...all.starts, ...starts],
      cancels: [...all.cancels, ...cancels],
      unlisted: [...all.unlisted, ...unlisted]
    }
  }
  return Result.succeed(all)
}

/** A command, and who asks for it beside whoever began; null: they. */
interface Asked {
  readonly command: AnyCommand
  readonly by: Hook | null
}

const circle = ({ plugin, where }: Hook, { _tag }: AnyCommand): PluginFault =>
  new PluginFault({
    plugin,
    where,
    problem: `It asked for ${_tag} after more than ${maxCommands} commands had followed from one: it goes round in a circle.`
  })

const isCancel = (intent: Intent<string>): intent is Cancel => intent._tag === "Cancel"

const enqueue = (composition: Composition, queue: Array<Asked>, waiting: Set<string>, asked: Asked): void => {
  const consequence = consequenceOf(composition, asked.command)
  if (consequence !== null && waiting.has(consequence)) return
  if (consequence !== null) waiting.add(consequence)
  queue.push(asked)
}

/** Names a command that merely follows from the state; null for any other. */
const consequenceOf = ({ commands }: Composition, command: AnyCommand): string | null =>
  commands.get(command._tag)?.options.recall === "follows" ? JSON.stringify(command) : null

interface Written {
  readonly event: AnyEvent
  readonly changes: ReadonlyArray<Made<string>>
}

interface Decided {
  readonly written: ReadonlyArray<Written>
  readonly after: Snapshot
}

const decideOne = (composition: Composition, now: Snapshot, asked: AnyCommand): Result.Result<Decided, Rejection> => {
  const decider = composition.commands.get(asked._tag)
  if (decider === undefined) {
    return Result.fail(reject("command_unowned", `No plugin decides ${asked._tag}.`, "Add the plugin that owns it."))
  }
  const fitting = argumentsOf(decider, asked)
  if (Result.isFailure(fitting)) return Result.fail(fitting.failure)
  const args = keeperOf(composition)(fitting.success)
  const refused = refusedByGuard(composition, now, decider, args)
  if (refused !== null) return Result.fail(refused)
  const { options, owner, slot, tag } = decider
  const decided = answered(owner, `decide of ${tag}`, aDecision, composition.listed, () =>
    options.decide(args, composition.view(slot, now.slices))
  )
  if (isRejection(decided)) return Result.fail(decided)
  return foldDecided(composition, now, writtenBy(composition, owner, tag, decided))
}

/** By the command's schema, which leaves out what it does not name. */
const argumentsOf = ({ decode, tag }: Decider, { _tag, ...args }: AnyCommand): Result.Result<unknown, Rejection> => {
  const fitting = decode(args)
  return Result.isSuccess(fitting)
    ? Result.succeed(fitting.success)
    : Result.fail(
        reject("arguments_invalid", `${tag}: ${oneLine(fitting.failure.message)}`, "Send what its schema asks for.")
      )
}

const refusedByGuard = (
  composition: Composition,
  now: Snapshot,
  { guards, options, tag }: Decider,
  args: unknown
): Rejection | null => {
  // what merely follows from the state is no request: refusing it would leave the run without an end
  if (options.recall === "follows") return null
  for (const { guard, slot } of guards) {
    const by = composition.plugins[slot]?.name ?? ""
    const refused = answered(by, `guard of ${tag}`, rejectionOrNull, composition.listed, () =>
      guard(args, composition.view(slot, now.slices))
    )
    if (refused !== null) return refused
  }
  return null
}

/** The facts of a decision in order; whoever words some of them has to own them. */
const writtenBy = (
  composition: Composition,
  owner: string,
  tag: string,
  decided: ReadonlyArray<Fact<string> | Told<string>>
): ReadonlyArray<AnyEvent> =>
  decided.flatMap((one) => {
    if (isTold(one)) return writtenBy(composition, one.owner, tag, one.facts)
    const table = composition.events.get(one?.type)
    if (table?.event.owner === owner) return [one]
    if (typeof one?.type !== "string") {
      throw wronglyAnswered(owner, `decide of ${tag}`, `a list with ${told(one)}, which is no event`)
    }
    throw new PluginFault({
      plugin: owner,
      where: `decide of ${tag}`,
      problem:
        table === undefined
          ? `Event type ${one.type} is written, but no plugin lists it.`
          : `Events of type ${one.type} are written by ${table.event.owner}, not by ${owner}.`
    })
  })

const isTold = (one: Fact<string> | Told<string>): one is Told<string> =>
  typeof one === "object" && one !== null && "_tag" in one && one._tag === "Told"

const foldDecided = (
  composition: Composition,
  now: Snapshot,
  events: ReadonlyArray<AnyEvent>
): Result.Result<Decided, Rejection> => {
  const written: Array<Written> = []
  let after = now
  for (const event of events) {
    const changes = changesOf(composition, event)
    const refused = refusedByInvariant(composition, after, changes)
    if (refused !== null) return Result.fail(refused)
    after = foldEvent(composition, after, event, changes)
    written.push({ event, changes })
  }
  return Result.succeed({ written, after })
}

/** Every change that a fact makes has the leave of whose slice it is. */
const refusedByInvariant = (
  composition: Composition,
  now: Snapshot,
  changes: ReadonlyArray<Made<string>>
): Rejection | null => {
  for (const { arg, change } of changes) {
    const { name, owner, requires } = change
    if (requires === undefined) continue
    const slot = composition.slotOf.get(owner) ?? -1
    const refused = answered(owner, `requires of ${name}`, rejectionOrNull, composition.listed, () =>
      requires(arg, composition.view(slot, now.slices))
    )
    if (refused !== null) return refused
  }
  return null
}

const unlistedWork = (
  { listed, ordersAny }: Composition,
  intent: Intent<string>,
  { plugin, where }: Hook
): PluginFault | null => {
  if (!isStart(intent) || listed.hasActivity(intent.activity)) return null
  return ordersAny.has(plugin)
    ? null
    : wronglyAnswered(plugin, where, `work to start whose activity ${intent.activity} no plugin lists`)
}

const reactionsTo = (
  composition: Composition,
  now: Snapshot,
  { changes, event }: Written,
  unlisted: Array<PluginFault>
): ReadonlyArray<{ readonly intent: Intent<string>; readonly by: Hook }> => {
  const found: Array<{ readonly intent: Intent<string>; readonly by: Hook }> = []
  const ask = (source: string, content: unknown): void => {
    for (const { react, slot } of composition.reactions.get(source) ?? []) {
      const by = composition.plugins[slot]?.name ?? ""
      const where = `react on ${source}`
      const asked = answered(by, where, intents, composition.listed, () =>
        react(content, composition.view(slot, now.slices))
      )
      for (const intent of asked) {
        const asking = composition.listed.offered.get(intent) ?? { plugin: by, where }
        found.push({ intent, by: asking })
        const fault = unlistedWork(composition, intent, asking)
        if (fault !== null) unlisted.push(fault)
      }
    }
  }
  ask(event.type, event.content)
  for (const { arg, change } of changes) ask(change.name, arg)
  return found
}
