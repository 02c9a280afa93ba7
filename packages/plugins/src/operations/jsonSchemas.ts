import { type JsonSchemaDocument, jsonSchemaOf } from "@proofline/kernel"
import { Schema } from "effect"
import type { Declaration } from "./Operation.ts"

/** Of the arguments of an operation. */
export const argumentsSchema = ({ args }: Declaration): JsonSchemaDocument & { readonly type: "object" } => ({
  ...jsonSchemaOf(args),
  type: "object"
})

/** Of what an operation answers when it was carried out. */
export const answerSchema = ({ answer }: Declaration): JsonSchemaDocument => ({
  ...jsonSchemaOf(answer),
  type: "object"
})

/**
 * Of whatever an operation answers. A refusal is one of its cases: many clients hold every answer against this schema,
 * also one that says that it is an error, and would give their model an error of the protocol in the place of the refusal.
 */
export const outputSchema = (operation: Declaration): JsonSchemaDocument => {
  const { $defs, type, ...carriedOut } = inFewWords(answerSchema(operation))
  return { type, anyOf: [carriedOut, refusalSchema], ...($defs === undefined ? {} : { $defs }) }
}

/** The same schema with a value that is alone as a constant: every agent reads it with the list of tools. */
const inFewWords = (schema: JsonSchemaDocument): JsonSchemaDocument => {
  const { enum: values, type: _, ...others } = schema
  if (Array.isArray(values) && values.length === 1) return { const: values[0], ...others }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, isSchema(value) ? inFewWords(value) : value])
  )
}

const isSchema = (value: unknown): value is JsonSchemaDocument =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** In as few words as can be: every tool in a list has it. */
const refusalSchema: JsonSchemaDocument = {
  properties: { success: { const: false } },
  required: ["success", "error", "message", "next_step"]
}

/** Whether everything that fits the schema is an object, as an answer is. */
export const isOfObjects = (schema: Schema.Constraint): boolean => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
  const isObject = (shape: JsonSchemaDocument, seen: ReadonlySet<unknown>): boolean => {
    const { $ref, anyOf, type } = shape
    if (typeof $ref === "string") {
      const named = definitions[decodeURIComponent($ref.slice($ref.lastIndexOf("/") + 1))]
      return named !== undefined && !seen.has($ref) && isObject(named, new Set([...seen, $ref]))
    }
    if (Array.isArray(anyOf)) return anyOf.every((one) => isObject(one, seen))
    return type === "object"
  }
  return isObject(root, new Set())
}
