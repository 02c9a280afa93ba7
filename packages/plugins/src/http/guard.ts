import { createHash, timingSafeEqual } from "node:crypto"
import { type LogUnavailable, type Rejection, reject } from "@proofline/kernel"
import { ByteSize, Cause, Clock, Effect, type Layer, Logger } from "effect"
import {
  HttpEffect,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { type Principal, principalOf } from "../operations/index.ts"
import type { Attempts } from "../policies/attempts/contract.ts"
import type { Sessions } from "../policies/sessions/contract.ts"
import { type Bucket, type Rate, refilled, taken } from "./bucket.ts"
import { problemResponse, problemTypeOf } from "./problem.ts"

export interface GuardOptions {
  /** Exact `host:port` values a request may be meant for; everything else may be a rebound name of somebody's page. */
  readonly hosts: ReadonlyArray<string>
  /** Exact origins of pages that may ask, e.g. `http://127.0.0.1:4600`; programs send none. */
  readonly origins: ReadonlyArray<string>
  /** The token of whoever looks after the project. */
  readonly operatorToken: string
  /** Paths that hold no data and are read (GET, HEAD) without a token; left out: none. */
  readonly isOpen?: (path: string) => boolean
  /** Whether the log is there, for those who read JSON; left out: that is not asked here. */
  readonly check?: Effect.Effect<void, LogUnavailable>
  /** Left out: 200 requests a second with one token, 1,000 at once. */
  readonly rate?: Rate
}

/** Bytes of one request. */
const maxBody = 1024 * 1024

/** Requests of one token that may be under way at once; some clients keep one open all the time. */
const maxAtOnce = 256

const usualRate: Rate = { perSecond: 200, burst: 1_000 }

/** Tokens whose rate is remembered before those that are full again are forgotten. */
const maxBuckets = 1_000

/** What a request has shown. */
interface Bearer {
  /** Of a session or an attempt; null: the operator's. */
  readonly token: string | null
  readonly principal: Principal
}

/** Of each request that was let in. */
const bearers = new WeakMap<object, Bearer>()

/** What the current request has shown. */
export const bearerOf = (request: HttpServerRequest.HttpServerRequest): Bearer => {
  const bearer = bearers.get(request.source)
  // without the guard nobody may be taken for the operator
  if (bearer === undefined) throw new Error("This request was not let in by the guard.")
  return bearer
}

/**
 * Lets nothing in that is not meant for this server, does not come from a program or an own page, shows no good token
 * (unless what it reads is open), comes too often, or is too large. It must be provided to every layer that adds routes,
 * so that it stands before them.
 */
export const guard = (options: GuardOptions): Layer.Layer<never, never, HttpRouter.HttpRouter | Sessions | Attempts> =>
  HttpRouter.middleware(
    Effect.map(Effect.context<Sessions | Attempts>(), (services) => {
      const find = (token: string | null) => Effect.provide(principalOf(token), services)
      const watching = watchingWith(options, { isOperator: sameAs(options.operatorToken), find })
      return (app) => guarded(watching, app)
    }),
    { global: true }
  )

/** The same where no agent has anything to ask: nobody but the operator is let in. */
export const operatorGuard = (options: GuardOptions): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  const find = (token: string | null): Effect.Effect<Principal, Rejection> =>
    token === null ? Effect.succeed({ kind: "operator" }) : Effect.fail(ofNoAgent)
  const watching = watchingWith(options, { isOperator: sameAs(options.operatorToken), find })
  return HttpRouter.middleware((app) => guarded(watching, app), { global: true })
}

const ofNoAgent = reject(
  "token_unknown",
  "This is no token of this server.",
  "Send the token that `proofline serve` printed at its last start; that of a session is good at the address of its project alone."
)

/** The same of a server that has nothing but what is open to all, and so knows no token. */
export const openGuard = (
  options: Pick<GuardOptions, "hosts" | "origins" | "rate">
): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  const watching = watchingWith(options, null)
  return HttpRouter.middleware((app) => guarded(watching, app), { global: true })
}

const watchingWith = (options: Watching["options"], tokens: Watching["tokens"]): Watching => ({
  options,
  tokens,
  rate: options.rate ?? usualRate,
  underWay: new Map(),
  buckets: new Map()
})

/** What the guard knows of those who ask. */
interface Watching {
  readonly options: Omit<GuardOptions, "operatorToken">
  /** null: none is good for anything here. */
  readonly tokens: {
    readonly isOperator: (token: string) => boolean
    /** Whose a token is; null: the operator's. */
    readonly find: (token: string | null) => Effect.Effect<Principal, Rejection | LogUnavailable>
  } | null
  readonly rate: Rate
  /** Requests that are under way, by token. */
  readonly underWay: Map<string, number>
  readonly buckets: Map<string, Bucket>
}

const guarded = <E, R>(watching: Watching, app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    return yield* Effect.gen(function* () {
      const bearer = yield* admit(watching, request)
      // those who show none are counted together
      const done = yield* countIn(watching, bearer === null ? "open" : countedAs(bearer, request))
      if (bearer !== null) bearers.set(request.source, bearer)
      const response = yield* Effect.ensuring(app, done)
      // what stands below may take its answer back on its way out, and say nothing but a status
      yield* HttpEffect.appendPreResponseHandler((_, sent) => Effect.succeed(secured(request, sent)))
      return response
    }).pipe(
      Effect.catchIf(
        (error): error is TurnedAway => error instanceof TurnedAway,
        ({ reason }) => Effect.succeed(speaksProblems(request) ? asProblem(reason) : asResponse(reason))
      ),
      Effect.catchCause(answered),
      Effect.map((response) => secured(request, response))
    )
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(maxBody)))

/** Whose the request is; null: it reads what is open to all. */
const admit = Effect.fnUntraced(function* (
  { options, tokens }: Watching,
  request: HttpServerRequest.HttpServerRequest
) {
  const { headers, method } = request
  if (!options.hosts.includes(headers["host"] ?? "")) return yield* turnAway(hostForeign)
  if (!methodsKnown.has(method)) return yield* turnAway(methodUnknown(method))
  const origin = headers["origin"]
  if (origin !== undefined && !options.origins.includes(origin)) return yield* turnAway(originForeign)
  if (Number(headers["content-length"] ?? 0) > maxBody) return yield* turnAway(bodyTooLarge)
  if ((headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity")
    return yield* turnAway(bodyEncoded)
  // whoever looks for OAuth here has no token yet, and is to learn that there is none
  if (wellKnown.test(pathOf(request))) return yield* turnAway(nothingKnown)
  if (tokens === null) return null
  if ((method === "GET" || method === "HEAD") && options.isOpen?.(pathOf(request)) === true) return null
  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(headers["authorization"] ?? "")?.[1]
  if (token === undefined) return yield* turnAway(tokenMissing)
  const shown = tokens.isOperator(token) ? null : token
  const principal = yield* Effect.mapError(
    tokens.find(shown),
    (error) => new TurnedAway(error._tag === "Rejection" ? notGood(error) : unavailable(error))
  )
  if (options.isOpen?.(pathOf(request)) === true) return yield* turnAway(onlyRead(method))
  // what is answered from memory would speak of a log that is gone; agents are told by their tools
  if (options.check !== undefined && speaksProblems(request)) yield* Effect.catch(options.check, turnAwayIfLost)
  return { token: shown, principal }
})

const turnAwayIfLost = ({ code, hint, message }: LogUnavailable) =>
  code === "log_lost" ? turnAway({ status: 503, error: code, message, next_step: hint }) : Effect.void

/** Counts a request of a token, if there is room for it; the effect counts it out again. */
const countIn = Effect.fnUntraced(function* ({ buckets, rate, underWay }: Watching, key: string) {
  const now = yield* Clock.currentTimeMillis
  const { bucket, waitMs } = taken(rate, buckets.get(key), now)
  buckets.set(key, bucket)
  if (buckets.size > maxBuckets) {
    for (const [one, kept] of buckets) if (refilled(rate, kept, now).left >= rate.burst) buckets.delete(one)
  }
  if (waitMs > 0) return yield* turnAway(tooOften(rate, waitMs))
  if ((underWay.get(key) ?? 0) >= maxAtOnce) return yield* turnAway(tooMany)
  underWay.set(key, (underWay.get(key) ?? 0) + 1)
  return Effect.sync(() => {
    const left = (underWay.get(key) ?? 1) - 1
    if (left === 0) underWay.delete(key)
    else underWay.set(key, left)
  })
})

/** Those that go on after a handshake are counted apart: a flood of handshakes is in nobody's way who has made theirs. */
const countedAs = ({ token }: Bearer, { headers }: HttpServerRequest.HttpServerRequest): string =>
  `${headers["mcp-session-id"] === undefined ? "token" : "session"} ${token ?? ""}`

const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => url.split("?", 1)[0] ?? ""

/** Where clients look for what describes a server, below its root and below an endpoint. */
const wellKnown = /^\/+(?:[^?#]*\/)?\.well-known(?:\/|$)/i

/** Everything but the endpoint of agents, whose clients know another form. */
const speaksProblems = (request: HttpServerRequest.HttpServerRequest): boolean => !/^\/+mcp\b/i.test(request.url)

/** What went wrong below, as an answer; a mistake of ours is told to whoever looks after the server, not to who asked. */
const answered = <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse, E> =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.failCause(cause)
    : Effect.flatMap(HttpServerError.causeResponse(cause), ([response]) =>
        response.status < 500
          ? Effect.succeed(response)
          : Effect.as(
              Effect.provideService(Effect.logError("A request failed.", cause), Logger.LogToStderr, true),
              HttpServerResponse.empty({ status: 500 })
            )
      )

/** Nothing of an answer is kept or read elsewhere, and a page of ours runs and loads nothing that is not ours. */
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin"
}

const secured = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const isSilent = response.status >= 400 && !isJson(response)
  const said = !isSilent ? response : speaksProblems(request) ? withProblem(response) : withReason(response)
  return HttpServerResponse.setHeaders(said, {
    "cache-control": "no-store",
    ...(said.status === 429 || said.status === 503 ? { "retry-after": "1" } : {}),
    ...said.headers,
    ...securityHeaders
  })
}

const isJson = ({ body, headers }: HttpServerResponse.HttpServerResponse): boolean => {
  const type = headers["content-type"] ?? ("contentType" in body ? body.contentType : undefined) ?? ""
  return /\bjson\b|^text\/html\b/.test(type)
}

/** A refusal of whatever stands below us that says nothing but its status. */
const withProblem = ({ headers, status }: HttpServerResponse.HttpServerResponse) =>
  problemResponse(problemTypeOf(status), sayingOf(status), keptOf(headers))

/** The same in the form that clients of agents know. */
const withReason = ({ headers, status }: HttpServerResponse.HttpServerResponse) => {
  const { code, detail, hint } = sayingOf(status)
  const { allow } = headers
  const next_step = allow === undefined ? (hintsOfMcp[status] ?? hint) : `It takes ${allow}.`
  return HttpServerResponse.setHeaders(asResponse({ status, error: code, message: detail, next_step }), keptOf(headers))
}

const sayingOf = (status: number) => sayings[status] ?? sayings[status >= 500 ? 500 : 400] ?? notFound

const keptOf = ({ allow, connection }: HttpServerResponse.HttpServerResponse["headers"]) => ({
  ...(allow === undefined ? {} : { allow }),
  ...(connection === undefined ? {} : { connection })
})

interface Reason {
  readonly status: number
  readonly error: string
  readonly message: string
  readonly next_step: string
  /** After so many seconds it may be asked again. */
  readonly wait_s?: number
  /** The methods that the address takes, where that is what is wrong. */
  readonly allow?: string
}

class TurnedAway {
  readonly reason: Reason
  constructor(reason: Reason) {
    this.reason = reason
  }
}

const turnAway = (reason: Reason) => Effect.fail(new TurnedAway(reason))

/** A refusal before any operation is reached: JSON, without what the server knows. */
export const asResponse = ({ allow, status, wait_s = 1, ...body }: Reason): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { success: false, ...body },
    {
      status,
      headers: {
        "cache-control": "no-store",
        ...(status === 401 ? { "www-authenticate": 'Bearer realm="proofline"' } : {}),
        ...(status === 429 ? { "retry-after": String(wait_s) } : {}),
        ...(allow === undefined ? {} : { allow })
      }
    }
  )

const asProblem = ({
  allow,
  error,
  message,
  next_step,
  status,
  wait_s
}: Reason): HttpServerResponse.HttpServerResponse =>
  problemResponse(
    problemTypeOf(status),
    operatorsOnly[error]?.(message) ?? { code: error, detail: message, hint: next_step },
    { ...(wait_s === undefined ? {} : { "retry-after": String(wait_s) }), ...(allow === undefined ? {} : { allow }) }
  )

/** Who shows no token, or one that nobody knows, is told of the operator's; a session that is over is told so. */
const operatorsOnly: Readonly<Record<string, (message: string) => Parameters<typeof problemResponse>[1]>> = {
  token_missing: (detail) => ({ code: "token_missing", detail, hint: operatorsHint }),
  session_unknown: () => ({ code: "token_unknown", detail: "This is no token of this server.", hint: operatorsHint })
}

const operatorsHint =
  "Send `Authorization: Bearer TOKEN` with the token that `proofline serve` printed at its last start, or that PROOFLINE_TOKEN holds."

const hostForeign: Reason = {
  status: 403,
  error: "host_not_allowed",
  message: "This server does not answer under that Host.",
  next_step: "Use the address that `proofline serve` printed."
}

/** Those that any address is asked with; HTTP has a status of its own for the others, whatever the address. */
const methodsKnown: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"])

const methodUnknown = (method: string): Reason => ({
  status: 501,
  error: "method_not_implemented",
  message: `This server knows no ${method}.`,
  next_step: "Ask with GET, HEAD, POST or DELETE; /openapi.json says with which."
})

const onlyRead = (method: string): Reason => ({
  status: 405,
  error: "method_not_allowed",
  message: `This address does not take ${method}.`,
  next_step: "It takes GET, HEAD.",
  allow: "GET, HEAD"
})

const originForeign: Reason = {
  status: 403,
  error: "origin_not_allowed",
  message: "Pages of that Origin may not ask this server.",
  next_step: "Ask from a program, which sends no Origin."
}

export const bodyTooLarge: Reason = {
  status: 413,
  error: "body_too_large",
  message: `A request holds ${maxBody / 1024} KiB at most.`,
  next_step: "Send less; long texts belong into files."
}

const bodyEncoded: Reason = {
  status: 415,
  error: "content_encoding_unsupported",
  message: "A body is read as it is, and this one says that it is compressed.",
  next_step: "Send it without the header Content-Encoding, and not compressed."
}

const tokenMissing: Reason = {
  status: 401,
  error: "token_missing",
  message: "The request shows no token.",
  next_step:
    "Send `Authorization: Bearer TOKEN`, with the token that `proofline serve` or `proofline session open` printed."
}

const tooMany: Reason = {
  status: 429,
  error: "too_many_requests",
  message: `${maxAtOnce} requests with this token are under way.`,
  next_step: "Wait for answers before asking more."
}

const tooOften = ({ perSecond }: Rate, waitMs: number): Reason => ({
  status: 429,
  error: "rate_limited",
  message: `More than ${perSecond} requests a second came with this token.`,
  next_step: "Wait as long as Retry-After says; follow the event stream in the place of asking again and again.",
  wait_s: Math.ceil(waitMs / 1000)
})

const nothingKnown: Reason = {
  status: 404,
  error: "not_found",
  message: "There is nothing at this address: this server knows no OAuth, and describes itself nowhere else.",
  next_step: tokenMissing.next_step
}

const notFound = {
  code: "not_found",
  detail: "There is nothing at this address.",
  hint: "See /openapi.json for what there is."
}

const sayings: Readonly<Record<number, { readonly code: string; readonly detail: string; readonly hint: string }>> = {
  400: {
    code: "request_invalid",
    detail: "The request cannot be read.",
    hint: "See /openapi.json for what is asked for."
  },
  404: notFound,
  405: {
    code: "method_not_allowed",
    detail: "This address does not take that method.",
    hint: "The header Allow names those it takes."
  },
  406: {
    code: "not_acceptable",
    detail: "The request takes none of the types that are answered here.",
    hint: "Send `accept: application/json, text/event-stream`."
  },
  413: { code: bodyTooLarge.error, detail: bodyTooLarge.message, hint: bodyTooLarge.next_step },
  415: {
    code: "content_type_unsupported",
    detail: "The body is of a type that is not read here.",
    hint: "Send JSON, with `content-type: application/json`."
  },
  500: {
    code: "internal",
    detail: "The server failed at this request.",
    hint: "What happened stands in its log, on its standard error; please report it."
  }
}

/** Where an agent's client has another thing to do than whoever asks the API. */
const hintsOfMcp: Readonly<Record<number, string>> = {
  400: "Send one JSON-RPC message with POST; without the header Mcp-Session-Id, initialize comes first.",
  404: "Agents are answered at /mcp."
}

const notGood = ({ code, hint, message }: Rejection): Reason => ({
  status: 401,
  error: code,
  message,
  // what helps with an argument does not help with a header
  next_step: code === "session_unknown" ? tokenMissing.next_step : hint
})

/** Nothing of what the log says of itself: whoever asks has shown nothing yet. */
const unavailable = ({ code }: LogUnavailable): Reason => ({
  status: 503,
  error: code,
  message: "The log cannot be used now, so that nobody can tell whose the token is.",
  next_step: "Ask again later; whoever looks after the project sees with `proofline status` what is wrong."
})

/** Compares in a time that tells nothing of how much was right. */
const sameAs = (expected: string): ((given: string) => boolean) => {
  const hash = (text: string) => createHash("sha256").update(text).digest()
  const expectedHash = hash(expected)
  return (given) => timingSafeEqual(hash(given), expectedHash)
}
