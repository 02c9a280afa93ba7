import { Effect, Layer, SchemaIssue } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { bearerOf } from "../../http/guard.ts"
import { closest, plainlyExpected } from "../../options/index.ts"
import { AnyBearer, Bearer, Validation } from "./api.ts"
import { Forbidden, Malformed } from "./problems.ts"

/** The guard has looked at the token; here it is asked whose it is. */
export const bearer = Layer.succeed(Bearer, {
  bearer: (handler) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (bearerOf(request).principal.kind !== "operator") return yield* Effect.fail(operatorOnly)
      return yield* handler
    })
})

/** The guard lets nobody in whose token is not good; what it is good for is said by each operation. */
export const anyBearer = Layer.succeed(AnyBearer, { bearer: (handler) => handler })

const operatorOnly = new Forbidden({
  code: "operator_only",
  detail: "The token of a session or an attempt does not open this.",
  hint: "Use the token that `proofline serve` printed; agents ask over /mcp."
})

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "UnexpectedKey" ? noSuchKey : SchemaIssue.defaultLeafHook(issue))
})

const noSuchKey = "There is no such key here."

/** Keys that are not known, by their place, each with those that are. */
const unknownKeys = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<readonly [place: string, known: ReadonlyArray<string>]> => {
  if (issue._tag === "UnexpectedKey") {
    const known = issue.ast._tag === "Objects" ? issue.ast.propertySignatures.map(({ name }) => String(name)) : []
    return [[path.map(String).join("."), known]]
  }
  const below = issue._tag === "Pointer" ? [...path, ...issue.path] : path
  if ("issue" in issue) return unknownKeys(issue.issue, below)
  return "issues" in issue ? issue.issues.flatMap((one) => unknownKeys(one, below)) : []
}

/** What its parts are called in a request. */
const slots: Readonly<Record<string, string>> = {
  Params: "path",
  Query: "query",
  Headers: "header",
  Payload: "body"
}

/** Faults named in one answer. */
const maxNamed = 20

/** Names every parameter and field that does not fit. */
export const validation = Layer.succeed(Validation, (answer, { endpoint }) =>
  Effect.catch(
    // where an address declares no parameters, nobody else looks at them
    endpoint.query === undefined ? Effect.andThen(withoutParameters, answer) : answer,
    (error) => (HttpApiError.HttpApiSchemaError.is(error) ? malformed(error) : Effect.fail(error))
  )
)

const withoutParameters = Effect.flatMap(HttpServerRequest.ParsedSearchParams, (given) => {
  const unknown = Object.keys(given)
  return unknown.length === 0
    ? Effect.void
    : Effect.fail(invalid(unknown.map((name) => `query.${name}: There is no such parameter here.`)))
})

const malformed = (error: HttpApiError.HttpApiSchemaError) => {
  const slot = slots[error.kind]
  // an answer of ours that does not fit is our mistake
  if (slot === undefined) return Effect.die(error)
  const { issue } = error.cause
  const known = new Map(unknownKeys(issue))
  const messages = issuesOf(issue).issues.map(({ message, path = [] }) => {
    const keys = path.map(keyOf)
    const near = closest(keys.at(-1) ?? "", known.get(keys.join(".")) ?? [])
    const meant = near === undefined ? "" : ` Did you mean ${near}?`
    return `${[slot, ...keys].join(".")}: ${expectedText(message).slice(0, 500)}${meant}`
  })
  return Effect.fail(invalid(messages))
}

/** A name of a schema says something where it can be looked up. */
const expectedText = (message: string): string =>
  plainlyExpected(message).replace(/^Expected (?=[A-Z]\w*$)/, "Expected what /openapi.json calls ")

const invalid = (messages: ReadonlyArray<string>): Malformed => {
  const hint = "See /openapi.json for what is asked for."
  const problems = messages.slice(0, maxNamed).map((message) => ({ code: "request_invalid", message, hint }))
  return new Malformed({
    code: "request_invalid",
    detail: problems[0]?.message ?? "The request is not as it has to be.",
    hint,
    problems
  })
}

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof segment === "object" ? segment.key : segment)
