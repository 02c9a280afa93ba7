import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

const schema = (name: string) =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../packages/cli/schema/${name}.schema.json`, import.meta.url)), "utf8")
  )

/** Keys that a schema does not speak of are allowed to those who read documents, not to those who write them. */
const closed = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== "object" || part === null) return part
  const inside = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]))
  return typeof inside["properties"] === "object" && inside["type"] === "object"
    ? { additionalProperties: false, ...inside }
    : inside
}

const compiled = new Map<string, ValidateFunction>()

/** What a document has against its published schema, keys that nobody has published included. */
export const valid = (name: string, document: unknown): ReadonlyArray<unknown> => {
  const check = compiled.get(name) ?? compile(name)
  return check(document) ? [] : (check.errors ?? [])
}

const compile = (name: string): ValidateFunction => {
  const check = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(
    closed(schema(name)) as object
  )
  compiled.set(name, check)
  return check
}

/** The examples that a published schema gives. */
export const examplesOf = (name: string): ReadonlyArray<unknown> => schema(name).examples
