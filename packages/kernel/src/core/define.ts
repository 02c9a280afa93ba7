import { told } from "./answers.ts"
import {
  type ActivityImpl,
  type Asked,
  type Change,
  type ChangeImpl,
  type Command,
  type CommandImpl,
  type Event,
  type EventImpl,
  type Header,
  impl,
  type Key,
  type Names,
  type Part,
  type PartImpl,
  type Plugin,
  type PluginParts,
  type PointImpl,
  type Slices
} from "./contract.ts"
import { strict, wrong } from "./strict.ts"

/** The name, the slice and the reach of a plugin. Throws a `PluginFault` for what cannot be one. */
export const plugin = <const Name extends string, State, Entries extends ReadonlyArray<unknown> = readonly []>(
  name: Name,
  options: { readonly state: State; readonly after?: readonly [...{ readonly [I in keyof Entries]: Key<Entries[I]> }] }
): Header<Name, State, Slices<Entries[number] | { readonly [K in Name]: State }>, Name | Names<Entries[number]>> => {
  if (typeof name !== "string" || !/^[a-z][a-z0-9-]*$/.test(name)) {
    throw wrong(String(name), "name", `"${name}" is none: lower-case letters, digits and hyphens, a letter first`)
  }
  strict(name, "plugin()", options, { state: "any", after: "array?" })
  const after = (options.after ?? []).map((one) => {
    if (one?.[impl] === undefined) throw wrong(name, "plugin() after", "holds something that plugin() has not made")
    return one.name
  })
  const header = {
    name,
    [impl]: { name, initial: options.state, after },
    ...declarations(name),
    ...parts(name)
  }
  return header as never
}

/** A function that makes values, with its name and what the core keeps of it. */
const named = <F extends object>(make: F, owner: string, of: string, inside: unknown) => {
  Object.defineProperty(make, "name", { value: of })
  return Object.assign(make, { owner, [impl]: inside })
}

const declarations = (owner: string) => ({
  event: (type: string, given: EventImpl["options"]) => {
    strict(owner, `event ${type}`, given, {
      schema: "schema",
      visibility: "string",
      upcasters: "array?",
      evolve: "function?",
      changes: "function?",
      sentence: "function"
    })
    if (!/^[A-Z][A-Z0-9_]*$/.test(type)) throw wrong(owner, `event ${type}`, "needs a name like TASK_COMPLETED")
    if (!["summary", "full"].includes(given.visibility)) {
      throw wrong(owner, `event ${type}`, "needs `visibility` to be summary or full")
    }
    for (const one of given.upcasters ?? []) {
      if (typeof one !== "function")
        throw wrong(owner, `event ${type}`, `needs each of \`upcasters\` to be a function, not ${told(one)}`)
    }
    const inside: EventImpl = { kind: "event", owner, type, options: given }
    return named((content: unknown) => ({ type, content }), owner, type, inside) as unknown as Event<
      string,
      string,
      unknown
    >
  },
  change: (of: string, given: Pick<ChangeImpl, "apply"> & Partial<ChangeImpl>) => {
    strict(owner, `change ${of}`, given, { apply: "function", requires: "function?" })
    const inside: ChangeImpl = {
      kind: "change",
      owner,
      name: `${owner}.${of}`,
      apply: given.apply,
      requires: given.requires
    }
    return named((arg: unknown) => ({ owner, change: inside, arg }), owner, inside.name, inside) as unknown as Change<
      string,
      unknown
    >
  },
  command: (tag: string, given: CommandImpl["options"]) => {
    strict(owner, `command ${tag}`, given, {
      schema: "schema",
      decide: "function",
      recall: "any",
      accompanies: "boolean?",
      ordered: "object?"
    })
    const [, prefix] = /^(?:([a-z][a-z0-9-]*)\.)?[A-Z][A-Za-z0-9]*$/.exec(tag) ?? ["", null]
    if (prefix === null || (prefix !== undefined && prefix !== owner) || tag === "Start" || tag === "Cancel") {
      throw wrong(owner, `command ${tag}`, `needs a name like RecordAnswer or ${owner}.RecordAnswer`)
    }
    const inside: CommandImpl = { kind: "command", owner, tag, options: given }
    return named((args: object) => ({ _tag: tag, ...args }), owner, tag, inside) as unknown as Command<
      string,
      string,
      unknown
    >
  },
  point: () => (of: string, given: Pick<PointImpl, "fields" | "key" | "places"> & Partial<PointImpl>) => {
    strict(owner, `point ${of}`, given, { places: "array", fields: "object", key: "string?", answers: "object?" })
    const { answers = {}, fields, key, places } = given
    const name = `${owner}.${of}`
    const inside: PointImpl = { name, places, fields, key, answers }
    return Object.assign(
      named((state: Asked) => state[impl].offers(name), owner, name, inside),
      { places }
    )
  },
  tell: (facts: ReadonlyArray<unknown>) => ({ _tag: "Told", owner, facts })
})

const parts = (owner: string) => {
  const part = (of: PartImpl): Part<string> => ({ owner, [impl]: of })
  return {
    follow: (source: { readonly name: string }, fold: never) => part({ kind: "follow", of: source.name, fold }),
    react: (sources: ReadonlyArray<{ readonly name: string }>, react: never) =>
      part({ kind: "react", of: sources.map((one) => one.name), react }),
    guard: (command: { readonly name: string }, guard: never) => part({ kind: "guard", of: command.name, guard }),
    offer: (
      point: { readonly name: string; readonly places: ReadonlyArray<string> },
      place: string,
      offered: never
    ) => {
      if (!point.places.includes(place)) {
        const known = point.places.join(", ")
        throw wrong(owner, `offer to ${point.name}`, `names the place \`${place}\`; there are ${known}`)
      }
      return part({ kind: "offer", to: point.name, place, offered })
    },
    activity: (of: string, given: Pick<ActivityImpl, "input" | "run">) => {
      strict(owner, `activity ${of}`, given, { input: "schema", run: "function" })
      return part({ kind: "activity", owner, name: of, input: given.input, run: given.run })
    },
    operation: (of: string, given: never) => {
      strict(owner, `operation ${of}`, given, {
        title: "string",
        description: "string",
        args: "schema",
        answer: "schema",
        readOnly: "boolean",
        run: "function"
      })
      if (!/^[a-z][a-z0-9_]*$/.test(of)) throw wrong(owner, `operation ${of}`, "needs a name like get_my_task")
      return part({ kind: "operation", owner, name: of, options: given })
    }
  }
}

/** A plugin, checked as far as it can be alone. Throws a `PluginFault`. */
export const definePlugin = <Name extends string, State, Reads, Known extends string>(
  header: Header<Name, State, Reads, Known>,
  given: PluginParts<NoInfer<Name>>
): Plugin => {
  if (header?.[impl] === undefined) {
    throw wrong("unknown", "definePlugin()", "begins with the header that plugin() makes")
  }
  strict(header.name, "definePlugin()", given, {
    version: "string",
    events: "array?",
    changes: "array?",
    commands: "array?",
    points: "array?",
    parts: "array?",
    host: "object?",
    languages: "array?",
    ordersAny: "boolean?"
  })
  const inside = <T>(
    list: ReadonlyArray<{ readonly [impl]: T; readonly owner: string }> | undefined,
    what: string
  ): ReadonlyArray<T> =>
    (list ?? []).map((one) => {
      if (one?.[impl] === undefined) {
        throw wrong(header.name, `definePlugin() ${what}`, "holds something that no header made")
      }
      if (one.owner !== header.name) {
        throw wrong(header.name, `definePlugin() ${what}`, `holds something of ${one.owner}`)
      }
      return one[impl]
    })
  return {
    name: header.name,
    version: given.version,
    languages: given.languages ?? [],
    [impl]: {
      header: header[impl],
      events: inside(given.events, "events"),
      changes: inside(given.changes, "changes"),
      commands: inside(given.commands, "commands"),
      points: inside(given.points, "points"),
      parts: inside(given.parts, "parts"),
      host: given.host,
      ordersAny: given.ordersAny === true
    }
  }
}

/** Whether a value is a plugin of this copy of the kernel. */
export const isPlugin = (value: unknown): value is Plugin =>
  typeof value === "object" && value !== null && Object.hasOwn(value, impl)
