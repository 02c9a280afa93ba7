import { Schema } from "effect"

/** A JSON Schema, 2020-12. */
export type JsonSchemaDocument = Readonly<Record<string, unknown>>

/** Of a schema, with the named ones it is made of in `$defs`. */
export const jsonSchemaOf = (of: Schema.Constraint): JsonSchemaDocument => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(of)
  const { [nameOf(schema)]: own, ...others } = definitions
  // a name of its own says nothing at the root, unless it is a part of itself
  const isPart = JSON.stringify(definitions).includes(JSON.stringify(schema["$ref"] ?? null))
  const [root, parts] = own === undefined || isPart ? [schema, definitions] : [own, others]
  return withoutNoise(Object.keys(parts).length === 0 ? root : { ...root, $defs: parts }) as JsonSchemaDocument
}

const nameOf = ({ $ref }: JsonSchemaDocument): string => {
  if (typeof $ref !== "string") return ""
  return decodeURIComponent($ref.slice($ref.lastIndexOf("/") + 1))
}

/** Without what holds for every value in JSON: bounds of safe integers, and that objects are open. */
export const withoutNoise = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNoise)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (isNoise(key, one)) return []
      return key === "allOf" && isRemark(one) ? Object.entries(one[0]) : [[key, withoutNoise(one)]]
    })
  )
}

/** What is said of a field stands beside its schema. */
const isRemark = (value: unknown): value is readonly [{ readonly description: string }] =>
  Array.isArray(value) && value.length === 1 && Object.keys(value[0]).join() === "description"

const isNoise = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (key === "additionalProperties" && value === true)
