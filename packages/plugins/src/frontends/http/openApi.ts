import { type Composition, eventSchemaOf, type JsonSchemaDocument, jsonSchemaOf, tidied } from "@proofline/kernel"
import { Schema } from "effect"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { answerSchema, argumentsSchema, type Declaration } from "../../operations/index.ts"
import { Api } from "./api.ts"

/** Where any operation is asked for, as the document writes it. */
const anyOperation = "/api/v1/operations/{name}"

type Document = OpenApi.OpenAPISpec
type Operation = NonNullable<Document["paths"][string]["post"]>

/**
 * The document of the API. Every operation stands in it with the schemas of its own arguments and answer, and every event
 * with its content.
 */
export const openApiOf = (operations: ReadonlyArray<Declaration>, composition: Pick<Composition, "events">): object => {
  const { components, paths, ...document } = OpenApi.fromApi(Api)
  const { [anyOperation]: general, ...others } = paths
  const asked = general?.post
  if (asked === undefined) throw new Error(`The document has no ${anyOperation}.`)
  const written = operations.map((operation) => endpointOf(operation, asked))
  const { events } = composition
  const event = inDocument(eventSchemaOf(composition), (name) => (events.has(name) ? `Event.${name}` : name))
  return tidied({
    ...document,
    paths: {
      ...withTypedParameters(others, [...events.keys()]),
      [anyOperation]: general,
      ...Object.fromEntries(written.map(({ endpoint, path }) => [path, { post: endpoint }]))
    },
    components: {
      ...components,
      schemas: Object.assign({}, ...written.map(({ schemas }) => schemas), event.schemas, components.schemas, {
        Event: event.schema
      })
    }
  }) as object
}

/** Numbers in addresses are text to who reads them; to who asks they are numbers. So are events of a stream more than text. */
const withTypedParameters = (paths: Document["paths"], types: ReadonlyArray<string>): Document["paths"] => {
  const typed = { ...paths }
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      const method = endpoint.method.toLowerCase() as "get" | "post"
      const operation = typed[path]?.[method]
      if (operation === undefined) return
      typed[path] = { ...typed[path], [method]: streamTyped(parametersTyped(operation, endpoint), types) }
    }
  })
  return typed
}

const parametersTyped = (operation: Operation, { params, query }: HttpApiEndpoint.Top): Operation => {
  const known = { ...propertiesOf(params), ...propertiesOf(query) }
  return {
    ...operation,
    parameters: operation.parameters.map((parameter) => ({
      ...parameter,
      schema: known[parameter.name] ?? parameter.schema
    }))
  }
}

const propertiesOf = (schema: Schema.Constraint | undefined): Readonly<Record<string, object>> =>
  schema === undefined ? {} : ((jsonSchemaOf(Schema.toType(schema))["properties"] ?? {}) as Record<string, object>)

const streamTyped = (operation: Operation, types: ReadonlyArray<string>): Operation => {
  const ok = operation.responses[200]
  if (ok?.content?.["text/event-stream"] === undefined) return operation
  const schema = {
    type: "object",
    description: "One server-sent event.",
    properties: {
      id: { type: "string", description: "Place of the event in the whole log.", pattern: "^[0-9]+$" },
      event: { type: "string", description: "Its `event_type`, of a plugin another.", examples: types },
      data: {
        type: "string",
        contentMediaType: "application/json",
        contentSchema: { $ref: "#/components/schemas/Event" }
      }
    },
    required: ["id", "event", "data"]
  }
  return {
    ...operation,
    responses: { ...operation.responses, 200: { ...ok, content: { "text/event-stream": { schema } } } }
  }
}

const endpointOf = (operation: Declaration, asked: Operation) => {
  const { description, name, title } = operation
  const args = inDocument(argumentsSchema(operation), (part) => `${name}.arguments.${part}`)
  const answer = inDocument(answerSchema(operation), (part) => `${name}.answer.${part}`)
  const endpoint = {
    ...asked,
    operationId: `${asked.operationId}.${name}`,
    summary: title,
    description,
    parameters: [],
    requestBody: { required: true, content: { "application/json": { schema: args.schema } } },
    responses: {
      ...asked.responses,
      200: { ...asked.responses[200], content: { "application/json": { schema: answer.schema } } }
    }
  }
  return { path: anyOperation.replace("{name}", name), endpoint, schemas: { ...args.schemas, ...answer.schemas } }
}

/** A schema with its definitions where the document has them, under names of its own. */
const inDocument = ({ $defs = {}, ...schema }: JsonSchemaDocument, named: (part: string) => string) => {
  const moved = renamed((ref) =>
    ref.startsWith(inSchema) ? `${inComponents}${named(ref.slice(inSchema.length))}` : ref
  )
  return {
    schema: moved(schema),
    schemas: Object.fromEntries(
      Object.entries($defs as JsonSchemaDocument).map(([part, one]) => [named(part), moved(one)])
    )
  }
}

const inSchema = "#/$defs/"
const inComponents = "#/components/schemas/"

/** A document in which every reference leads elsewhere. */
const renamed = (to: (ref: string) => string) => {
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        key === "$ref" && typeof one === "string" ? to(one) : rename(one)
      ])
    )
  }
  return rename
}
