/** The parts of an OpenAPI 3.1 document that are shown. Everything in it is text of the server, and may be missing. */
export interface OpenApi {
  readonly info?: { readonly title?: string; readonly version?: string; readonly description?: string }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
  readonly tags?: ReadonlyArray<{ readonly name: string; readonly description?: string }>
}

interface Content {
  readonly [mediaType: string]: { readonly schema?: JsonSchema }
}

interface Operation {
  readonly tags?: ReadonlyArray<string>
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content }
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: JsonSchema
}

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly title?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema | false
  readonly prefixItems?: ReadonlyArray<JsonSchema>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly format?: string
}

/** An answer or a body in one of its media types. */
export interface Payload {
  readonly mediaType: string
  readonly schema: JsonSchema | null
}

export interface Endpoint {
  readonly id: string
  readonly group: string
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: Payload | null
  /** By status, those below 400. */
  readonly answers: ReadonlyArray<Answer>
  readonly problems: ReadonlyArray<Answer>
}

export interface Answer {
  readonly status: string
  readonly description: string
  readonly payload: Payload | null
}

const methods = ["get", "post", "put", "patch", "delete"]

const payloadOf = (content: Content | undefined): Payload | null => {
  const [first] = Object.entries(content ?? {})
  return first === undefined ? null : { mediaType: first[0], schema: first[1].schema ?? null }
}

/** Every endpoint in the order of the document. */
export const endpointsOf = ({ paths = {} }: OpenApi): ReadonlyArray<Endpoint> =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]): Endpoint => {
        const answers = Object.entries(operation.responses ?? {}).map(
          ([status, { content, description = "" }]): Answer => ({ status, description, payload: payloadOf(content) })
        )
        return {
          id: operation.operationId ?? `${method} ${path}`,
          group: operation.tags?.[0] ?? "",
          method: method.toUpperCase(),
          path,
          summary: operation.summary ?? "",
          description: operation.description ?? "",
          parameters: operation.parameters ?? [],
          body: payloadOf(operation.requestBody?.content),
          answers: answers.filter(({ status }) => Number(status) < 400),
          problems: answers.filter(({ status }) => Number(status) >= 400)
        }
      })
  )

/** Whether every word of `text` is in its method, path, words or parameters, whatever the case. */
export const fits = ({ description, method, parameters, path, summary }: Endpoint, text: string): boolean => {
  const whole = [method, path, summary, description, ...parameters.map(({ name }) => name)].join(" ").toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word))
}

export type Schemas = Readonly<Record<string, JsonSchema>>

/** A schema as it is drawn: its name, its type in words, its fields, and the forms it may have. */
export interface Shape {
  /** Of the component it is; null: it has none. */
  readonly name: string | null
  readonly type: string
  readonly description: string
  readonly fields: ReadonlyArray<{ readonly name: string; readonly isRequired: boolean; readonly schema: JsonSchema }>
  /** Where it is one of several objects. */
  readonly forms: ReadonlyArray<JsonSchema>
}

const nameOf = (ref: string): string => decodeURIComponent(ref.slice(ref.lastIndexOf("/") + 1).replaceAll("~1", "/"))

/** References and single `allOf` are followed; one that leads to itself, or nowhere, is a schema of anything. */
const resolved = (
  schema: JsonSchema,
  schemas: Schemas
): { readonly name: string | null; readonly schema: JsonSchema } => {
  let at = schema
  let name: string | null = null
  const seen = new Set<string>()
  while (at.$ref !== undefined) {
    const next = nameOf(at.$ref)
    if (seen.has(next)) return { name: next, schema: {} }
    seen.add(next)
    name = next
    at = schemas[next] ?? {}
  }
  const { allOf, ...rest } = at
  return {
    name,
    schema: allOf === undefined ? at : Object.assign({}, rest, ...allOf)
  }
}

const formsOf = ({ anyOf, oneOf }: JsonSchema): ReadonlyArray<JsonSchema> => anyOf ?? oneOf ?? []

/** The type in words. Components are named and not entered, so that this ends; so are objects deep inside others. */
export const typeOf = (schema: JsonSchema, schemas: Schemas, depth = 0): string => {
  const { name, schema: own } = resolved(schema, schemas)
  if (own.const !== undefined) return JSON.stringify(own.const)
  if (own.enum !== undefined) return own.enum.map((value) => JSON.stringify(value)).join(" | ")
  const forms = formsOf(own)
  if (forms.length > 0 && depth < 4) {
    return [...new Set(forms.map((form) => typeOf(form, schemas, depth + 1)))].join(" | ")
  }
  if (own.type === "array") {
    if (own.prefixItems !== undefined) {
      return `[${own.prefixItems.map((item) => (depth < 4 ? typeOf(item, schemas, depth + 1) : "…")).join(", ")}]`
    }
    const items =
      own.items === undefined || own.items === false || depth >= 4 ? "anything" : typeOf(own.items, schemas, depth + 1)
    return `list of ${items}`
  }
  if (name !== null && own.properties !== undefined) return name
  const type = Array.isArray(own.type) ? own.type.join(" | ") : (own.type as string | undefined)
  return type ?? (own.properties === undefined ? "anything" : "object")
}

/** What stands inside: of a list its items, of a choice with null the other. */
const inside = (schema: JsonSchema, schemas: Schemas, depth = 0): JsonSchema => {
  const { schema: own } = resolved(schema, schemas)
  if (depth > 8) return schema
  if (own.type === "array" && own.items !== undefined && own.items !== false)
    return inside(own.items, schemas, depth + 1)
  const others = formsOf(own).filter((form) => resolved(form, schemas).schema.type !== "null")
  const [only] = others
  return others.length === 1 && only !== undefined ? inside(only, schemas, depth + 1) : schema
}

/** How a schema is drawn, one level of it. */
export const shapeOf = (schema: JsonSchema, schemas: Schemas): Shape => {
  const { name, schema: own } = resolved(inside(schema, schemas), schemas)
  const required = new Set(own.required)
  return {
    name,
    type: typeOf(schema, schemas),
    description: schema.description ?? resolved(schema, schemas).schema.description ?? "",
    fields: [
      ...Object.entries(own.properties ?? {}).map(([field, of]) => ({
        name: field,
        isRequired: required.has(field),
        schema: of
      })),
      ...(typeof own.additionalProperties === "object"
        ? [{ name: "(any name)", isRequired: false, schema: own.additionalProperties }]
        : [])
    ],
    forms: formsOf(own).filter((form) => {
      const { schema: of } = resolved(inside(form, schemas), schemas)
      return of.properties !== undefined || formsOf(of).length > 0
    })
  }
}

/** The least that fits: required fields with a value each. */
const exampleOf = (schema: JsonSchema, schemas: Schemas, depth = 0): unknown => {
  const { schema: own } = resolved(schema, schemas)
  if (own.const !== undefined) return own.const
  if (own.enum !== undefined) return own.enum[0]
  const [form] = formsOf(own)
  if (form !== undefined && depth < 4) return exampleOf(form, schemas, depth + 1)
  if (own.properties !== undefined && depth < 4) {
    return Object.fromEntries(
      (own.required ?? []).map((field) => [field, exampleOf(own.properties?.[field] ?? {}, schemas, depth + 1)])
    )
  }
  switch (own.type) {
    case "array":
      return []
    case "number":
    case "integer":
      return 1
    case "boolean":
      return true
    default:
      return "…"
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A line for a shell. The token is no part of it: it is taken from the environment. */
export const curlOf = ({ answers, body, method, path }: Endpoint, origin: string, schemas: Schemas): string =>
  [
    "curl",
    ...(answers.some(({ payload }) => payload?.mediaType === "text/event-stream") ? ["-N"] : []),
    ...(method === "GET" ? [] : ["-X", method]),
    `-H "Authorization: Bearer $PROOFLINE_TOKEN"`,
    ...(body === null
      ? []
      : [`-H 'Content-Type: ${body.mediaType}'`, "-d", quoted(JSON.stringify(exampleOf(body.schema ?? {}, schemas)))]),
    quoted(`${origin}${path}`)
  ].join(" ")
