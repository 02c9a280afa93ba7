import type { Operation } from "@proofline/kernel"
import { SchemaAST } from "effect"
import { Tool } from "effect/ai"

const fieldsOf = ({ parameters }: Operation): ReadonlyArray<SchemaAST.PropertySignature> =>
  SchemaAST.isObjects(parameters.ast) ? parameters.ast.propertySignatures : []

/** JSON Schema of the arguments, with what is said about each of them. */
export const inputSchema = (operation: Operation) => {
  const schema = Tool.getJsonSchemaFromSchema(operation.parameters)
  const described = Object.entries(schema["properties"] ?? {}).map(([name, property]) => {
    // a field of any shape has no JSON Schema, and its description would be lost with it
    const type = fieldsOf(operation).find((field) => field.name === name)?.type
    const description = type === undefined ? undefined : SchemaAST.resolveDescription(type)
    return [name, description === undefined ? property : { description, ...property }]
  })
  return { ...schema, type: "object" as const, properties: Object.fromEntries(described) }
}
