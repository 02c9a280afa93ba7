import type { JsonSchemaDocument } from "@proofline/kernel"
import { definitionsOf, descriptionOf, propertiesOf, requiredOf, resolved, typeText } from "./jsonTypes.ts"
import { code, type Page, page, prose, table } from "./markdown.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchemaDocument
}

interface Endpoint {
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema: JsonSchemaDocument }>> }
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
}

/** What is read of an OpenAPI document. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Endpoint>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchemaDocument>> }
}

const sectionOf = (
  method: string,
  path: string,
  endpoint: Endpoint,
  { components }: OpenApiDocument
): ReadonlyArray<string> => {
  const asked = endpoint.requestBody?.content?.["application/json"]?.schema
  const body = asked === undefined ? {} : resolved(asked, components.schemas)
  const definitions = { ...components.schemas, ...definitionsOf(body) }
  const required = requiredOf(body)
  const statuses = Object.keys(endpoint.responses)
  return [
    `## ${method.toUpperCase()} ${path}`,
    prose(
      [...new Set([endpoint.summary, endpoint.description])]
        .filter((text) => text !== undefined && text !== "")
        .join(" ")
    ),
    table(
      ["parameter", "in", "type", ""],
      (endpoint.parameters ?? []).map((one) => [
        code(one.name),
        one.in,
        code(typeText(one.schema, definitions, 2)),
        prose(one.description ?? descriptionOf(one.schema))
      ])
    ),
    table(
      ["key of the body", "type", ""],
      propertiesOf(body).map(([name, value]) => [
        `${code(name)}${required.includes(name) ? "" : " (optional)"}`,
        code(typeText(value, definitions, 2)),
        prose(descriptionOf(resolved(value, definitions)))
      ])
    ),
    `Answers with ${statuses.join(", ")}.`
  ]
}

/** Every address of the HTTP API, from the document that the server gives out. */
export const httpPage = (document: OpenApiDocument): Page => {
  const endpoints = Object.entries(document.paths)
    .filter(([path]) => !/\/operations\/[^{]/.test(path))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, endpoint]) => ({ path, method, endpoint })))
  return page("http", "HTTP addresses", [
    "From the OpenAPI document that `proofline serve` gives out at `/openapi.json`. Who may ask, pages, streams and refusals are told in [the HTTP API](../http.md); each [tool](tools.md) has an address below `/operations` too.",
    table(
      ["", "what it is"],
      endpoints.map(({ endpoint, method, path }) => [
        code(`${method.toUpperCase()} ${path}`),
        prose(endpoint.summary ?? endpoint.description ?? "")
      ])
    ),
    ...endpoints.flatMap(({ endpoint, method, path }) => sectionOf(method, path, endpoint, document))
  ])
}
