import { HttpServerResponse } from "effect/http"

/** The kinds of refusals over HTTP (RFC 9457): what a client can tell apart by `type` and status. */
export const problemTypes = {
  malformed: {
    type: "urn:proofline:problem:malformed",
    status: 400,
    title: "The request is not as it has to be."
  },
  unauthorized: {
    type: "urn:proofline:problem:unauthorized",
    status: 401,
    title: "The request shows no token that is good here."
  },
  forbidden: { type: "urn:proofline:problem:forbidden", status: 403, title: "This may not be asked so." },
  unknown: { type: "urn:proofline:problem:unknown", status: 404, title: "There is no such thing." },
  wrongMethod: {
    type: "urn:proofline:problem:wrong-method",
    status: 405,
    title: "There is such a thing, and not for this method."
  },
  conflict: {
    type: "urn:proofline:problem:conflict",
    status: 409,
    title: "That does not go with how things are."
  },
  tooLarge: { type: "urn:proofline:problem:too-large", status: 413, title: "The request is too large." },
  unsupported: {
    type: "urn:proofline:problem:unsupported",
    status: 415,
    title: "The body is of a type that is not read here."
  },
  refused: { type: "urn:proofline:problem:refused", status: 422, title: "That was refused." },
  tooMany: { type: "urn:proofline:problem:too-many", status: 429, title: "Too much was asked at once." },
  internal: { type: "urn:proofline:problem:internal", status: 500, title: "The server made a mistake." },
  notImplemented: {
    type: "urn:proofline:problem:not-implemented",
    status: 501,
    title: "This server knows no such method."
  },
  unavailable: {
    type: "urn:proofline:problem:unavailable",
    status: 503,
    title: "The log cannot be used now."
  }
} as const

type ProblemType = (typeof problemTypes)[keyof typeof problemTypes]

/** What a single refusal says: a stable code, a sentence, and what to do next. */
interface Said {
  readonly code: string
  readonly detail: string
  readonly hint: string
}

/** A refusal as `application/problem+json`. */
export const problemResponse = (
  type: ProblemType,
  { code, detail, hint }: Said,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { ...type, detail, code, hint },
    { status: type.status, contentType: "application/problem+json", headers: { ...challenge(type), ...headers } }
  )

const challenge = ({ status }: ProblemType): Readonly<Record<string, string>> =>
  status === 401 ? { "www-authenticate": 'Bearer realm="proofline"' } : {}

/** The kind of a refusal by its status; a status that none has is taken for the most general one of its class. */
export const problemTypeOf = (status: number): ProblemType =>
  Object.values(problemTypes).find((type) => type.status === status) ??
  (status >= 500 ? problemTypes.internal : problemTypes.malformed)
