import { Schema } from "effect"

/** A JSON Schema, 2020-12. */
export type JsonSchemaDocument = Readonly<Record<string, unknown>>

/** Of a schema, with the named ones it is made of in `$defs`. `isClosed`: keys that it does not name are refused. */
export const jsonSchemaOf = (of: Schema.Constraint, { isClosed = false } = {}): JsonSchemaDocument => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(of, isClosed ? { onExcessProperty: "error" } : {})
  const { [nameOf(schema)]: own, ...others } = definitions
  // a name of its own says nothing at the root, unless it is a part of itself
  const isPart = JSON.stringify(definitions).includes(JSON.stringify(schema["$ref"] ?? null))
  const [root, parts] = own === undefined || isPart ? [schema, definitions] : [own, others]
  return tidied(Object.keys(parts).length === 0 ? root : { ...root, $defs: parts }) as JsonSchemaDocument
}

const nameOf = ({ $ref }: JsonSchemaDocument): string => {
  if (typeof $ref !== "string") return ""
  return decodeURIComponent($ref.slice($ref.lastIndexOf("/") + 1))
}

/**
 * What is said of a key stands beside what its value must be, not in an `allOf` of its own, where editors miss it; and
 * nothing is said that holds for every value in JSON: bounds of safe integers, and that objects are open.
 */
export const tidied = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(tidied)
  if (!isObject(part)) return part
  const { allOf, ...rest } = Object.fromEntries(
    Object.entries(part).flatMap(([key, value]) => (isNoise(key, value) ? [] : [[key, tidiedAt(key, value)]]))
  )
  if (!Array.isArray(allOf)) return rest
  const said = allOf.filter((inner) => Object.keys(inner).every((key) => words.has(key)))
  const asked = allOf.filter((inner) => !said.includes(inner))
  const [only] = asked
  const inline = asked.length === 1 && isObject(only) && Object.keys(only).every((key) => !(key in rest))
  return Object.assign(rest, inline ? only : asked.length > 0 ? { allOf: asked } : {}, ...said)
}

const tidiedAt = (key: string, value: unknown): unknown => {
  if (words.has(key)) return value
  if (!namesBelow.has(key) || !isObject(value)) return tidied(value)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, tidied(part)]))
}

const isObject = (value: unknown): value is JsonSchemaDocument =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What is said about a value and asks nothing of it. */
const words: ReadonlySet<string> = new Set(["title", "description", "examples", "default", "enum", "const"])

/** Keys below which every key is a name. */
const namesBelow: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "schemas"])

const isNoise = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (key === "additionalProperties" && value === true)
