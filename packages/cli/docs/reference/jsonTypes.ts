/** What a JSON Schema asks for, in few words. */
import type { JsonSchemaDocument } from "@proofline/kernel"

/** By their names. */
type Definitions = Readonly<Record<string, JsonSchemaDocument>>

const isSchema = (value: unknown): value is JsonSchemaDocument =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemas = (value: unknown): ReadonlyArray<JsonSchemaDocument> =>
  Array.isArray(value) ? value.filter(isSchema) : []

export const propertiesOf = ({
  properties
}: JsonSchemaDocument): ReadonlyArray<readonly [string, JsonSchemaDocument]> =>
  isSchema(properties)
    ? Object.entries(properties).flatMap(([key, value]) => (isSchema(value) ? [[key, value]] : []))
    : []

export const requiredOf = ({ required }: JsonSchemaDocument): ReadonlyArray<string> =>
  Array.isArray(required) ? required.map(String) : []

export const definitionsOf = ({ $defs }: JsonSchemaDocument): Definitions =>
  isSchema($defs) ? ($defs as Definitions) : {}

/** Follows references, one after the other. */
export const resolved = (schema: JsonSchemaDocument, definitions: Definitions): JsonSchemaDocument => {
  const { $ref, ...beside } = schema
  if (typeof $ref !== "string") return schema
  const target = definitions[decodeURIComponent($ref.slice($ref.lastIndexOf("/") + 1))]
  return target === undefined ? schema : resolved({ ...target, ...beside }, definitions)
}

/** How deep the fields of an object are named. */
const deepest = 3

/** Such as `{ path: string, line?: int }[] | null`. */
export const typeText = (schema: JsonSchemaDocument, definitions: Definitions, depth = 0): string => {
  const { anyOf, const: constant, enum: values, oneOf, type, ...rest } = resolved(schema, definitions)
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ")
  const cases = [...schemas(anyOf), ...schemas(oneOf)]
  if (cases.length > 0) return [...new Set(cases.map((one) => typeText(one, definitions, depth)))].join(" | ")
  if (Array.isArray(type)) return type.join(" | ")
  if (type === "array") return arrayText(rest, definitions, depth)
  if (type === "object") return objectText(rest, definitions, depth)
  if (type === "integer") return "int"
  return typeof type === "string" ? type : "any"
}

const arrayText = (schema: JsonSchemaDocument, definitions: Definitions, depth: number): string => {
  const { items, prefixItems } = schema
  if (Array.isArray(prefixItems))
    return `[${schemas(prefixItems)
      .map((one) => typeText(one, definitions, depth))
      .join(", ")}]`
  if (!isSchema(items)) return "any[]"
  const inner = typeText(items, definitions, depth)
  return inner.includes(" | ") ? `(${inner})[]` : `${inner}[]`
}

const objectText = (schema: JsonSchemaDocument, definitions: Definitions, depth: number): string => {
  const { additionalProperties } = schema
  const fields = propertiesOf(schema)
  if (fields.length === 0) {
    return isSchema(additionalProperties)
      ? `{ [name]: ${typeText(additionalProperties, definitions, depth)} }`
      : "object"
  }
  if (depth >= deepest) return "object"
  const required = requiredOf(schema)
  const named = fields.map(
    ([key, value]) => `${key}${required.includes(key) ? "" : "?"}: ${typeText(value, definitions, depth + 1)}`
  )
  return `{ ${named.join(", ")} }`
}

/** The value that holds when nothing is said, where the schema names one. */
export const defaultText = (schema: JsonSchemaDocument): string => {
  const { default: value } = schema
  return value === undefined || value === null ? "" : JSON.stringify(value)
}

export const descriptionOf = ({ description }: JsonSchemaDocument): string =>
  typeof description === "string" ? description : ""
