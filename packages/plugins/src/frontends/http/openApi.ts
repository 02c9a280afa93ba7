import { OpenApi } from "effect/http-api"
import { answerSchema, argumentsSchema, type Declaration, type JsonSchema } from "../../operations/index.ts"
import { Api } from "./api.ts"

/** Where any operation is asked for, as the document writes it. */
const anyOperation = "/api/v1/operations/{name}"

/** The document of the API, in which every operation stands with the schemas of its own arguments and answer. */
export const openApiOf = (operations: ReadonlyArray<Declaration>): object => {
  const document = OpenApi.fromApi(Api)
  const { [anyOperation]: general, ...paths } = document.paths
  const asked = general?.post
  if (asked === undefined) throw new Error(`The document has no ${anyOperation}.`)
  const written = operations.map((operation) => endpointOf(operation, asked))
  return {
    ...document,
    paths: {
      ...paths,
      [anyOperation]: general,
      ...Object.fromEntries(written.map(({ endpoint, path }) => [path, { post: endpoint }]))
    },
    components: {
      ...document.components,
      schemas: Object.assign({}, document.components.schemas, ...written.map(({ schemas }) => schemas))
    }
  }
}

type Asked = NonNullable<OpenApi.OpenAPISpec["paths"][string]["post"]>

const endpointOf = (operation: Declaration, asked: Asked) => {
  const { description, name, title } = operation
  const args = inDocument(argumentsSchema(operation), `${name}.arguments`)
  const answer = inDocument(answerSchema(operation), `${name}.answer`)
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

/** A schema with its definitions where the document has them, under names that no other schema has. */
const inDocument = ({ $defs = {}, ...schema }: JsonSchema, prefix: string) => {
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) =>
        key === "$ref" && typeof one === "string"
          ? [key, one.replace(/^#\/\$defs\//, `#/components/schemas/${prefix}.`)]
          : [key, moved(one)]
      )
    )
  }
  return {
    schema: moved(schema),
    schemas: Object.fromEntries(
      Object.entries($defs as JsonSchema).map(([name, one]) => [`${prefix}.${name}`, moved(one)])
    )
  }
}
