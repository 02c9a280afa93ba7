import { type Result, Schema } from "effect"
import {
  type ActivityImpl,
  type CommandImpl,
  type EventImpl,
  type Host,
  type Intent,
  impl,
  type Json,
  type JsonSchema,
  type Listed,
  type Made,
  type OperationImpl,
  type PartImpl,
  type Plugin,
  PluginFault,
  type PluginImpl
} from "./contract.ts"
import { frozen } from "./frozen.ts"
import { foundBy } from "./offer.ts"
import type { Rejection } from "./Rejection.ts"
import { hooksOf, type Offered, type State, viewsOf } from "./view.ts"
import { oneLine } from "./words.ts"

/** A run folded up to `version`: one slice per plugin, in plugin order, and all of them by name as `state`. */
export interface Snapshot {
  readonly version: number
  readonly slices: ReadonlyArray<unknown>
  readonly state: State
}

/** One step of a fold: whose slice, and what becomes of it. */
export interface Fold {
  readonly slot: number
  readonly by: string
  readonly run: (own: unknown, content: unknown) => unknown
}
export const strictly = { onExcessProperty: "error" } as const
/** Everything that one event type does to the run, found before anything runs. */
export interface EventTable {
  readonly event: EventImpl
  readonly slot: number
  readonly folds: ReadonlyArray<Fold>
  readonly changes: ((content: unknown) => ReadonlyArray<Made<string>>) | undefined
  /** `strictly`: it holds nothing that its schema does not name. */
  readonly decode: (content: unknown, how?: typeof strictly) => Json
}
export interface Decider extends CommandImpl {
  readonly slot: number
  readonly guards: ReadonlyArray<Guard>
  readonly decode: (args: unknown) => Result.Result<unknown, { readonly message: string }>
}
interface Reaction {
  readonly slot: number
  readonly react: (content: unknown, state: unknown) => ReadonlyArray<Intent<string>>
}
interface Guard {
  readonly slot: number
  readonly guard: (args: unknown, state: unknown) => Rejection | null
}
export type OwnedActivity = ActivityImpl & { readonly slot: number }
export type OwnedOperation = OperationImpl & { readonly slot: number }

/** The plugins of a run as one. */
export interface Composition {
  readonly plugins: ReadonlyArray<Plugin>
  /** Recorded in RUN_STARTED. */
  readonly versions: ReadonlyArray<{ readonly name: string; readonly version: string }>
  readonly slotOf: ReadonlyMap<string, number>
  readonly initial: Snapshot
  readonly events: ReadonlyMap<string, EventTable>
  /** By name: a plugin may hold another copy of what it changes. */
  readonly changes: ReadonlyMap<string, ReadonlyArray<Fold>>
  /** By event type or name of a change. */
  readonly reactions: ReadonlyMap<string, ReadonlyArray<Reaction>>
  readonly commands: ReadonlyMap<string, Decider>
  /** By event type: the commands that it may tell. */
  readonly recallers: ReadonlyMap<string, ReadonlyArray<CommandImpl & { readonly slot: number }>>
  readonly activities: ReadonlyMap<string, OwnedActivity>
  readonly operations: ReadonlyMap<string, OwnedOperation>
  /** The run as the plugin of a slot sees it. */
  readonly view: (slot: number, slices: ReadonlyArray<unknown>) => State
  /** The run as whoever stands outside sees it: every slice. */
  readonly whole: (slices: ReadonlyArray<unknown>) => State
  readonly listed: Listed
  /** Plugins that order activities which others have to bring. */
  readonly ordersAny: ReadonlySet<string>
  /** What hooks are given cannot be changed by them: of the run, of events and of arguments. */
  readonly freezes: boolean
  /** null: rules by themselves, without runs. */
  readonly host: ({ readonly slot: number } & Host) | null
}

export interface Composing {
  readonly freezes?: boolean
}

/**
 * The plugins of a run as one. Everything that can be wrong between plugins is found here; throws a `PluginFault`.
 * `freezes`: a hook that changes what it was given is found too, for about as much as copying what an event has changed.
 */
export const compose = (given: ReadonlyArray<Plugin>, { freezes = false }: Composing = {}): Composition => {
  const plugins = inOrder(given)
  const inside = plugins.map((one) => one[impl])
  const owners = ownersOf(inside)
  const parts = partsOf(inside, owners)
  const { commands, recallers } = commandsOf(inside, parts.guards, owners)
  const listed: Listed = {
    hasCommand: (tag) => commands.has(tag),
    hasActivity: (name) => parts.activities.has(name),
    misfitOf: ({ _tag, ...args }) => {
      const fitting = commands.get(_tag)?.decode(args)
      return fitting?._tag === "Failure" ? oneLine(fitting.failure.message) : null
    },
    offered: new WeakMap()
  }
  const views = viewsOf(inside, parts.offers, listed)
  const initial = inside.map(({ header }) => (freezes ? frozen(header.initial) : header.initial))
  return {
    plugins,
    versions: plugins.map(({ name, version }) => ({ name, version })),
    slotOf: new Map(plugins.map(({ name }, slot) => [name, slot])),
    initial: { version: 0, slices: initial, state: views.whole(initial) },
    events: eventsOf(inside, parts.follows),
    changes: changesOf(inside, parts.follows),
    reactions: parts.reactions,
    commands,
    recallers,
    activities: parts.activities,
    operations: parts.operations,
    ...views,
    listed,
    freezes,
    ordersAny: new Set(inside.flatMap(({ header, ordersAny }) => (ordersAny ? header.name : []))),
    host: hostOf(inside)
  }
}

/** Who owns what, by kind and name; `need` is asked before anything is used. */
interface Owners {
  readonly need: (by: string, what: string, key: string) => void
}

const fault = (plugin: string, problem: string): PluginFault =>
  new PluginFault({ plugin, where: "composition", problem })

const ownersOf = (inside: ReadonlyArray<PluginImpl>): Owners => {
  const owned = new Map<string, string>()
  const known = new Map(inside.flatMap(({ points }) => points.map((point) => [point.name, point])))
  const claim = (what: string, key: string, by: string): void => {
    const other = owned.get(`${what} ${key}`)
    if (other === by) throw fault(by, `${what} ${key} is declared twice.`)
    if (other !== undefined) throw fault(by, `${what} ${key} is claimed by two plugins: ${other} and ${by}.`)
    owned.set(`${what} ${key}`, by)
  }
  for (const { changes, commands, events, header, parts, points } of inside) {
    for (const { type } of events) claim("Event type", type, header.name)
    for (const { name } of changes) claim("Change", name, header.name)
    for (const { tag } of commands) claim("Command", tag, header.name)
    for (const { name } of points) claim("Point", name, header.name)
    for (const part of parts) {
      if (part.kind === "offer") {
        const point = known.get(part.to)
        const found = point === undefined ? null : foundBy(point, part.offered, header.name)
        if (found !== null) claim(...found, header.name)
      }
      if (part.kind === "activity") claim("Activity", part.name, header.name)
      if (part.kind === "operation") claim("Operation", part.name, header.name)
    }
  }
  return {
    need: (by, what, key) => {
      if (!owned.has(`${what} ${key}`)) throw fault(by, `${what} ${key} is used, but no plugin lists it.`)
    }
  }
}

const partsOf = (inside: ReadonlyArray<PluginImpl>, { need }: Owners) => {
  const follows = new Map<string, Array<Fold>>()
  const reactions = new Map<string, Array<Reaction>>()
  const guards = new Map<string, Array<Guard>>()
  const places = new Map<string, Map<string, Array<Offered>>>()
  const known = new Map(inside.flatMap(({ points }) => points.map((point) => [point.name, point])))
  const activities = new Map<string, OwnedActivity>()
  const operations = new Map<string, OwnedOperation>()
  for (const { points } of inside) {
    for (const point of points) places.set(point.name, new Map(point.places.map((place) => [place, []])))
  }
  const source = (by: string, of: string) => need(by, of.includes(".") ? "Change" : "Event type", of)
  const add = (part: PartImpl, by: string, slot: number): void => {
    switch (part.kind) {
      case "follow":
        source(by, part.of)
        push(follows, part.of, { slot, by, run: part.fold })
        break
      case "react":
        for (const of of part.of) {
          source(by, of)
          push(reactions, of, { slot, react: part.react })
        }
        break
      case "guard":
        need(by, "Command", part.of)
        push(guards, part.of, { slot, guard: part.guard })
        break
      case "offer":
        need(by, "Point", part.to)
        places
          .get(part.to)
          ?.get(part.place)
          ?.push({
            slot,
            by,
            place: part.place,
            offered: part.offered,
            answers: known.get(part.to)?.answers ?? {},
            hooks: hooksOf(by, part.offered)
          })
        break
      case "activity":
        activities.set(part.name, { ...part, slot })
        break
      case "operation":
        operations.set(part.name, { ...part, slot })
    }
  }
  inside.forEach(({ header, parts }, slot) => {
    for (const part of parts) add(part, header.name, slot)
  })
  const offers = new Map([...places].map(([point, byPlace]) => [point, [...byPlace.values()].flat()]))
  return { follows, reactions, guards, offers, activities, operations }
}

const eventsOf = (
  inside: ReadonlyArray<PluginImpl>,
  follows: ReadonlyMap<string, ReadonlyArray<Fold>>
): ReadonlyMap<string, EventTable> => {
  const events = new Map<string, EventTable>()
  inside.forEach((one, slot) => {
    const by = one.header.name
    for (const event of one.events) {
      const { changes, evolve, schema } = event.options
      events.set(event.type, {
        event,
        slot,
        folds: [...(evolve === undefined ? [] : [{ slot, by, run: evolve }]), ...(follows.get(event.type) ?? [])],
        changes,
        decode: Schema.decodeUnknownSync(schema)
      })
    }
  })
  return events
}

const changesOf = (
  inside: ReadonlyArray<PluginImpl>,
  follows: ReadonlyMap<string, ReadonlyArray<Fold>>
): ReadonlyMap<string, ReadonlyArray<Fold>> =>
  new Map(
    inside.flatMap(({ changes, header }, slot) =>
      changes.map((change): [string, ReadonlyArray<Fold>] => [
        change.name,
        [{ slot, by: header.name, run: change.apply }, ...(follows.get(change.name) ?? [])]
      ])
    )
  )

const commandsOf = (
  inside: ReadonlyArray<PluginImpl>,
  guards: ReadonlyMap<string, ReadonlyArray<Guard>>,
  { need }: Owners
): Pick<Composition, "commands" | "recallers"> => {
  const commands = new Map<string, Decider>()
  const recallers = new Map<string, Array<CommandImpl & { slot: number }>>()
  inside.forEach((one, slot) => {
    for (const command of one.commands) {
      const { recall, schema } = command.options
      const decode = Schema.decodeUnknownResult<JsonSchema>(schema, { errors: "all" })
      commands.set(command.tag, { ...command, slot, guards: guards.get(command.tag) ?? [], decode })
      if (recall === "follows") continue
      for (const { name } of recall.from) {
        need(one.header.name, "Event type", name)
        push(recallers, name, { ...command, slot })
      }
    }
  })
  return { commands, recallers }
}

const hostOf = (inside: ReadonlyArray<PluginImpl>): Composition["host"] => {
  const hosts = inside.flatMap(({ header, host }, slot) =>
    host === undefined ? [] : [{ slot, by: header.name, host }]
  )
  const [only, other] = hosts
  if (other !== undefined) throw fault(other.by, `Only one plugin owns runs; ${only?.by} does already.`)
  return only === undefined ? null : { slot: only.slot, ...only.host }
}

const push = <K, V>(map: Map<K, Array<V>>, key: K, value: V): void => {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** As given, but every plugin behind those it lists in `after`. */
const inOrder = (given: ReadonlyArray<Plugin>): ReadonlyArray<Plugin> => {
  const byName = new Map<string, Plugin>()
  for (const one of given) {
    if (byName.has(one.name)) throw fault(one.name, `Two plugins have the name ${one.name}.`)
    byName.set(one.name, one)
  }
  const ordered = new Set<Plugin>()
  const open = new Set<string>()
  const visit = (one: Plugin): void => {
    if (ordered.has(one)) return
    if (open.has(one.name)) throw fault(one.name, `Plugins list each other in \`after\`: ${[...open].join(", ")}.`)
    open.add(one.name)
    for (const name of one[impl].header.after) {
      const other = byName.get(name)
      if (other === undefined) throw fault(one.name, `It comes after ${name}, which is not there.`)
      visit(other)
    }
    open.delete(one.name)
    ordered.add(one)
  }
  for (const one of given) visit(one)
  return [...ordered]
}
