import { HashMap, Result } from "effect"
import type { Command } from "../domain/Command.ts"
import { decide } from "../domain/decide.ts"
import type { KernelEvent, PluginEvent } from "../domain/Event.ts"
import { evolve } from "../domain/evolve.ts"
import type { Cancel, Intent, Start } from "../domain/Intent.ts"
import { type Rejection, reject } from "../domain/Rejection.ts"
import { react } from "../domain/react.ts"
import { initialState, type State } from "../domain/State.ts"
import type { Composition } from "../plugin/compose.ts"
import type { PluginCommand } from "../plugin/Plugin.ts"

export type AnyCommand = Command | PluginCommand
export type AnyEvent = KernelEvent | PluginEvent

/** A run folded up to `version`: the kernel's state and one slice per plugin, in plugin order. */
export interface Snapshot {
  readonly version: number
  readonly state: State
  readonly slices: ReadonlyArray<unknown>
}

/** Everything that follows from one command: to be appended as one. */
export interface Step {
  readonly events: ReadonlyArray<AnyEvent>
  readonly after: Snapshot
  readonly starts: ReadonlyArray<Start>
  readonly cancels: ReadonlyArray<Cancel["work"]>
}

/** Commands that one command may lead to; a rule that dispatches in a circle is a mistake, not a run. */
const maxCommands = 100_000

export const emptySnapshot = (plugins: Composition): Snapshot => ({
  version: 0,
  state: initialState,
  slices: plugins.plugins.map((plugin) => plugin.initial)
})

/** The run after one more event. */
export const foldEvent = (plugins: Composition, snapshot: Snapshot, event: AnyEvent): Snapshot => ({
  version: snapshot.version + 1,
  state: evolve(snapshot.state, event),
  slices: plugins.evolving
    ? plugins.plugins.map((plugin, i) =>
        plugin.evolve === undefined ? snapshot.slices[i] : plugin.evolve(snapshot.slices[i], event)
      )
    : snapshot.slices
})

/**
 * Folds many events at once, several times faster than one by one: the map of tasks is changed in place until `end`.
 * `from` stays as it is.
 */
export const makeFold = (plugins: Composition, from: Snapshot) => {
  const open = HashMap.beginMutation(from.state.tasks)
  let now: Snapshot = { ...from, state: { ...from.state, tasks: open } }
  return {
    add: (event: AnyEvent): void => {
      now = foldEvent(plugins, now, event)
    },
    end: (): Snapshot => ({ ...now, state: { ...now.state, tasks: HashMap.endMutation(now.state.tasks) } })
  }
}

/**
 * The whole of the rules, pure: guards, the owner's decision, the fold, every reaction, and the commands the
 * reactions dispatch, until nothing more follows. The engine appends the result; a replay compares it with the log.
 */
export const step = (plugins: Composition, before: Snapshot, command: AnyCommand): Result.Result<Step, Rejection> => {
  const queue: Array<AnyCommand> = [command]
  const events: Array<AnyEvent> = []
  const starts = new Map<string, Start>()
  const cancels: Array<Cancel["work"]> = []
  let now = before
  // what follows for a task follows once, however many reactions ask for it before its turn comes
  const waiting = new Set<string>()
  for (let i = 0; i < queue.length; i++) {
    waiting.delete(consequenceOf(queue[i] as AnyCommand) ?? "")
    if (i > maxCommands)
      throw new Error(`More than ${maxCommands} commands followed from one: a reaction goes round in a circle.`)
    const decided = decideOne(plugins, now, queue[i] as AnyCommand)
    if (Result.isFailure(decided)) {
      // a command that a reaction dispatched may have been overtaken by what was decided before it
      if (i === 0) return Result.fail(decided.failure)
      continue
    }
    for (const event of decided.success) now = foldEvent(plugins, now, event)
    for (const event of decided.success) {
      events.push(event)
      for (const intent of reactions(plugins, now, event)) {
        if (intent._tag === "Dispatch") {
          const consequence = consequenceOf(intent.command)
          if (consequence !== null && waiting.has(consequence)) continue
          if (consequence !== null) waiting.add(consequence)
          queue.push(intent.command)
        } else if (intent._tag === "Start") starts.set(intent.key, intent)
        else cancels.push(intent.work)
      }
    }
  }
  return Result.succeed({ events, after: now, starts: [...starts.values()], cancels })
}

/** Names a command of the kernel that is decided from the state alone; null for any other. */
const consequenceOf = (command: AnyCommand): string | null => {
  switch (command._tag) {
    case "SettleAttempt":
    case "SkipTask":
    case "StartChunking":
    case "SkipChunking":
    case "SettleChunks":
      return `${command._tag} ${(command as { readonly task_id: string }).task_id}`
    case "FinishRun":
    case "AdvancePhase":
      return command._tag
    default:
      return null
  }
}

const decideOne = (
  plugins: Composition,
  now: Snapshot,
  command: AnyCommand
): Result.Result<ReadonlyArray<AnyEvent>, Rejection> => {
  // what merely follows from the state is no request: refusing it would leave the run without an end
  const guards = consequenceOf(command) === null ? plugins.plugins : []
  for (const [i, plugin] of guards.entries()) {
    const allowed = plugin.guard?.(command, now.state, now.slices[i])
    if (allowed !== undefined && Result.isFailure(allowed)) return Result.fail(allowed.failure)
  }
  const owner = plugins.ownerOf.get(command._tag)
  const plugin = owner === undefined ? undefined : plugins.plugins[owner]
  const decided: Result.Result<ReadonlyArray<AnyEvent>, Rejection> = plugin?.decide !== undefined && owner !== undefined
    ? plugin.decide(command, now.state, now.slices[owner])
    : isPluginCommand(command)
      ? Result.fail(unowned(command))
      : decide(command, now.state, plugins.validators)
  if (Result.isSuccess(decided)) for (const event of decided.success) assertMayWrite(plugins, owner, event.type)
  return decided
}

const isPluginCommand = (command: AnyCommand): command is PluginCommand => command._tag.includes(".")

const unowned = (command: PluginCommand): Rejection =>
  reject("command_unowned", `No plugin decides ${command._tag}.`, "Add the plugin that owns it.")

const assertMayWrite = (plugins: Composition, writer: number | undefined, type: string): void => {
  const owner = plugins.writerOf.get(type)
  if (owner === writer) return
  const name = (index: number | undefined) =>
    index === undefined ? "the kernel" : `plugin ${plugins.plugins[index]?.name}`
  throw new Error(`Events of type ${type} are written by ${name(owner)}, not by ${name(writer)}.`)
}

const reactions = (plugins: Composition, now: Snapshot, event: AnyEvent): ReadonlyArray<Intent<AnyCommand>> => [
  ...react(event, now.state),
  ...plugins.plugins.flatMap((plugin, i) => plugin.react?.(event, now.state, now.slices[i]) ?? [])
]
