import {
  type AnyCommand,
  type AnyEvent,
  type Composition,
  criteriaReviewer,
  impl,
  type Json,
  jsonSchemaOf
} from "@proofline/kernel"
import { Schema } from "effect"
import type { Pseudonyms } from "./pseudonyms.ts"

type Node = Readonly<Record<string, unknown>>

/** A schema that a value may stand under, with the names in it. */
interface Place {
  readonly node: Node
  readonly defs: Readonly<Record<string, Node>>
}

/** Fields in which people and agents say what they want: nothing of them stays, whatever it is. */
const free: ReadonlySet<string> = new Set([
  ...["title", "name", "instruction", "validation", "checks", "check", "command", "commands", "item", "items"],
  ...["evidence", "summary", "message", "messages", "detail", "details", "text", "comment", "goal", "prompt"],
  ...[
    "description",
    "criterion",
    "output",
    "output_tail",
    "failed_tests",
    "feedback",
    "guidance",
    "intent",
    "note",
    "answer",
    "path",
    "root"
  ]
])

/** Stands for the field in which the arguments of a command are. */
const ofCommand = "$command"

/** A published text of so many characters is nobody's own. */
const publishedMin = 20

/** Every text and every key of a value. */
export const textsIn = (value: unknown, into: Set<string> = new Set()): Set<string> => {
  if (typeof value === "string") into.add(value)
  else if (Array.isArray(value)) for (const one of value) textsIn(one, into)
  else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      into.add(key)
      textsIn(one, into)
    }
  }
  return into
}

/**
 * Words a run otherwise: numbers, truth values, timestamps and what its schemas name word by word stay, as do names that plugins
 * declare (kinds, activities, codes) where no person or agent writes, and what is `published` with Proofline; every other text
 * becomes a pseudonym.
 */
export const makeWording = (
  composition: Composition,
  pseudonyms: Pseudonyms,
  named: ReadonlySet<string>,
  published: ReadonlySet<string>
) => {
  const { declared, fields, schemaOf } = declaredBy(composition)
  const text = (value: string, field: string, parent: string): string => {
    // no person and no agent can have this name
    if (value === criteriaReviewer) return value
    if (field === "version" && /^\d+\.\d+\.\d+$/.test(value)) return value
    if (published.has(value) && (!free.has(field) || value.length >= publishedMin)) return value
    const isNamed = field === "name" && (parent === "plugins" || composition.activities.has(value))
    if ((!free.has(field) || isNamed) && declared.has(value) && !named.has(value)) return value
    const trimmed = value.trim()
    // a reason that is too short for a rule stays too short
    if (field === "reason" && trimmed.length < 10 && trimmed !== "") return pseudonyms.of(value).slice(-trimmed.length)
    return pseudonyms.of(value)
  }
  const worded = (value: Json, places: ReadonlyArray<Place>, field: string, parent: string): Json => {
    if (typeof value === "string") return places.some((at) => isLiteral(at, value)) ? value : text(value, field, parent)
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) {
      return value.map((one, i) =>
        worded(
          one,
          places.flatMap((at) => itemsOf(at, i)),
          field,
          parent
        )
      )
    }
    const others = places.flatMap(othersOf)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => {
        const said = places.flatMap((at) => propertyOf(at, key))
        // where any JSON may stand, a field is what it is elsewhere
        const own = said.length > 0 || others.length > 0 ? said : (fields.get(key) ?? [])
        const inside = own.length > 0 ? own : others
        // what a command takes has its names from the plugin that owns it
        const isKept =
          field === ofCommand || own.length > 0 || published.has(key) || (declared.has(key) && !named.has(key))
        return [isKept ? key : pseudonyms.of(key), worded(one as Json, inside, key, field)]
      })
    )
  }
  const under = (name: string, value: unknown, field: string) => worded(value as Json, schemaOf(name), field, "")
  return {
    declared,
    command: ({ _tag, ...args }: AnyCommand): AnyCommand => ({
      _tag,
      ...(under(`command ${_tag}`, args, ofCommand) as object)
    }),
    event: ({ content, type }: AnyEvent): AnyEvent => ({ type, content: under(`event ${type}`, content, "") })
  }
}

/** What the plugins of a composition declare, and the schemas they give. */
const declaredBy = (composition: Composition) => {
  const declared = new Set<string>()
  const schemas = new Map<string, ReadonlyArray<Place>>()
  const fields = new Map<string, Array<Place>>()
  const add = (name: string, schema: Parameters<typeof jsonSchemaOf>[0]) => {
    const { $defs = {}, ...node } = jsonSchemaOf(schema)
    collect({ node, $defs }, declared)
    collectFields({ node, defs: $defs as Place["defs"] }, fields)
    schemas.set(name, expanded({ node, defs: $defs as Place["defs"] }))
  }
  for (const [type, table] of composition.events) {
    declared.add(type)
    add(`event ${type}`, table.event.options.schema)
  }
  for (const [tag, { options }] of composition.commands) add(`command ${tag}`, options.schema)
  for (const { name } of composition.plugins) declared.add(name)
  for (const name of [...composition.activities.keys(), ...composition.operations.keys()]) {
    declared.add(name)
    // strategies are activities: `analyzer-<name>`
    declared.add(name.slice(name.indexOf("-") + 1))
  }
  for (const plugin of composition.plugins) {
    for (const one of plugin[impl].parts) {
      if (one.kind !== "offer") continue
      for (const value of Object.values(one.offered)) {
        if (typeof value === "string") declared.add(value)
        else if (Schema.isSchema(value)) add(`offer ${plugin.name} ${schemas.size}`, value as never)
      }
    }
  }
  return { declared, fields, schemaOf: (name: string) => schemas.get(name) ?? [] }
}

/** Words that a schema names, be it as values or as keys. */
const collect = (part: unknown, into: Set<string>): void => {
  if (Array.isArray(part)) for (const one of part) collect(one, into)
  if (typeof part !== "object" || part === null || Array.isArray(part)) return
  for (const [key, value] of Object.entries(part)) {
    if (key === "examples" || key === "description" || key === "title" || key === "default") continue
    if (key === "const" && typeof value === "string") into.add(value)
    else if (key === "enum" && Array.isArray(value)) {
      for (const one of value) if (typeof one === "string") into.add(one)
    } else collect(value, into)
  }
}

/** What fields may hold, by their names. */
const collectFields = ({ defs, node }: Place, into: Map<string, Array<Place>>): void => {
  const look = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) look(one)
    if (!isNode(part)) return
    for (const [key, value] of Object.entries(part)) {
      if (key === "properties" && isNode(value)) {
        for (const [name, schema] of Object.entries(value)) {
          if (isNode(schema)) into.set(name, [...(into.get(name) ?? []), ...expanded({ node: schema, defs })])
        }
      }
      look(value)
    }
  }
  look(node)
  look(defs)
}

/** The schemas behind references and alternatives. */
const expanded = ({ defs, node }: Place, depth = 0): ReadonlyArray<Place> => {
  if (depth > 30) return []
  const { $ref } = node
  const target = typeof $ref === "string" ? defs[decodeURIComponent($ref.slice($ref.lastIndexOf("/") + 1))] : undefined
  const inner = ["anyOf", "oneOf", "allOf"].flatMap((key) =>
    Array.isArray(node[key]) ? (node[key] as Array<Node>) : []
  )
  return [
    { node, defs },
    ...[...(target === undefined ? [] : [target]), ...inner].flatMap((one) => expanded({ node: one, defs }, depth + 1))
  ]
}

const isLiteral = ({ node }: Place, value: string): boolean =>
  node["const"] === value || (Array.isArray(node["enum"]) && node["enum"].includes(value))

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const itemsOf = ({ defs, node }: Place, index: number): ReadonlyArray<Place> => {
  const prefix = Array.isArray(node["prefixItems"]) ? (node["prefixItems"] as Array<unknown>)[index] : undefined
  const item = prefix ?? node["items"]
  return isNode(item) ? expanded({ node: item, defs }) : []
}

const propertyOf = ({ defs, node }: Place, key: string): ReadonlyArray<Place> => {
  const properties = node["properties"]
  const one = isNode(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  return isNode(one) ? expanded({ node: one, defs }) : []
}

const othersOf = ({ defs, node }: Place): ReadonlyArray<Place> =>
  [
    ...(isNode(node["patternProperties"]) ? Object.values(node["patternProperties"]) : []),
    node["additionalProperties"]
  ].flatMap((one) => (isNode(one) ? expanded({ node: one, defs }) : []))
