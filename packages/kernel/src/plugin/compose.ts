import { Result, Schema } from "effect"
import { contents } from "../domain/Event.ts"
import type { EventDefinition } from "../domain/EventDefinition.ts"
import { emptyPhase, Phase } from "../domain/PhaseContract.ts"
import type { PhaseValidator, PhaseValidators, PluginPhase } from "../domain/phase.ts"
import type { Activity, Plugin } from "./Plugin.ts"

/** The plugins of a run as one. */
export interface Composition {
  readonly plugins: ReadonlyArray<Plugin>
  /** Recorded in RUN_STARTED. */
  readonly versions: ReadonlyArray<{ readonly name: string; readonly version: string }>
  /** Index of the plugin that decides a command; absent: the kernel does. */
  readonly ownerOf: ReadonlyMap<string, number>
  /** Index of the plugin that alone may write a kernel event type. */
  readonly writerOf: ReadonlyMap<string, number>
  /** Whether any plugin folds events at all. */
  readonly evolving: boolean
  readonly events: ReadonlyArray<EventDefinition>
  readonly activities: ReadonlyMap<string, Activity>
  /** Phases that plugins add to every contract, in plugin order. */
  readonly phases: ReadonlyArray<PluginPhase>
  /** What they ask of a payload, by phase. */
  readonly validators: PhaseValidators
}

/** A mistake of whoever puts plugins together, found before anything runs. */
export class CompositionError extends Error {
  override readonly name = "CompositionError"
}

/** A phase with what its plugin left out; what cannot be one is named. Its validator fails closed. */
const wholePhase = (plugin: string, added: PluginPhase): PluginPhase => {
  const { enters = [], name, phase, validate } = (added ?? {}) as Partial<PluginPhase>
  const decoded = Schema.decodeUnknownResult(Phase)({ ...emptyPhase, instruction: undefined, ...phase })
  const fault =
    typeof name !== "string" || name === ""
      ? "it has no name"
      : !Array.isArray(enters)
        ? "`enters` is no list"
        : Result.isFailure(decoded)
          ? decoded.failure.message.split("\n").join(" ")
          : null
  if (fault !== null || name === undefined || Result.isFailure(decoded)) {
    throw new CompositionError(
      `A phase of plugin ${plugin}${name === undefined ? "" : ` (${name})`} cannot be used: ${fault}.`
    )
  }
  return {
    ...added,
    name,
    enters,
    phase: decoded.success,
    ...(validate === undefined ? {} : { validate: failingClosed(plugin, name, validate) })
  }
}

/** A validator that breaks has not found the payload in order. */
const failingClosed =
  (plugin: string, name: string, validate: PhaseValidator): PhaseValidator =>
  (payload, state) => {
    try {
      return validate(payload, state)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return [
        {
          key: "validator_broken",
          message: `Plugin ${plugin} could not judge the payload of ${name}: ${why}. Ask the user to mend the plugin.`
        }
      ]
    }
  }

/** Checks that names are unique and that every command, event type and activity has one owner. Throws otherwise. */
export const composePlugins = (plugins: ReadonlyArray<Plugin>): Composition => {
  const names = new Map<string, string>()
  const claim = <V>(map: Map<string, V>, what: string, key: string, by: string, value: V): void => {
    if (map.has(key))
      throw new CompositionError(`${what} ${key} is claimed by two plugins: ${names.get(`${what} ${key}`)} and ${by}.`)
    names.set(`${what} ${key}`, by)
    map.set(key, value)
  }
  const ownerOf = new Map<string, number>()
  const writerOf = new Map<string, number>()
  const activities = new Map<string, Activity>()
  const events = new Map<string, EventDefinition>()
  const phases = new Map<string, PluginPhase>()
  const seen = new Map<string, number>()
  plugins.forEach((plugin, index) => {
    if (!/^[a-z][a-z0-9-]*$/.test(plugin.name)) {
      throw new CompositionError(
        `"${plugin.name}" is not a plugin name: lower-case letters, digits and hyphens, a letter first.`
      )
    }
    claim(seen, "Name", plugin.name, plugin.name, index)
    for (const tag of plugin.commands ?? []) claim(ownerOf, "Command", tag, plugin.name, index)
    for (const type of plugin.writes ?? []) claim(writerOf, "Event type", type, plugin.name, index)
    for (const definition of plugin.events ?? []) {
      if (definition.type in contents) {
        throw new CompositionError(`Plugin ${plugin.name} defines ${definition.type}, which is the kernel's.`)
      }
      claim(events, "Event type", definition.type, plugin.name, definition)
      writerOf.set(definition.type, index)
    }
    for (const [name, activity] of Object.entries(plugin.activities ?? {}))
      claim(activities, "Activity", name, plugin.name, activity)
    for (const phase of plugin.phases ?? []) {
      const whole = wholePhase(plugin.name, phase)
      claim(phases, "Phase", whole.name, plugin.name, whole)
    }
    if (plugin.commands !== undefined && plugin.commands.length > 0 && plugin.decide === undefined) {
      throw new CompositionError(`Plugin ${plugin.name} owns commands but decides none.`)
    }
  })
  return {
    plugins,
    versions: plugins.map(({ name, version }) => ({ name, version })),
    ownerOf,
    writerOf,
    evolving: plugins.some((plugin) => plugin.evolve !== undefined),
    events: [...events.values()],
    activities,
    phases: [...phases.values()],
    validators: new Map(
      [...phases.values()].flatMap(({ name, validate }) => (validate === undefined ? [] : [[name, validate]]))
    )
  }
}
