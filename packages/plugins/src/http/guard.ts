import { createHash, timingSafeEqual } from "node:crypto"
import {
  type Attempts,
  type LogUnavailable,
  type Principal,
  principalOf,
  type Rejection,
  type Sessions
} from "@proofline/kernel"
import { ByteSize, Effect, type Layer } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

export interface GuardOptions {
  /** Exact `host:port` values a request may be meant for; everything else may be a rebound name of somebody's page. */
  readonly hosts: ReadonlyArray<string>
  /** Exact origins of pages that may ask, e.g. `http://127.0.0.1:4600`; programs send none. */
  readonly origins: ReadonlyArray<string>
  /** The token of whoever looks after the project. */
  readonly operatorToken: string
}

/** Bytes of one request. */
export const maxBody = 1024 * 1024

/** Requests of one token that may be under way at once; some clients keep one open all the time. */
const maxAtOnce = 256

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
 * Lets nothing in that is not meant for this server, does not come from a program or an own page, shows no good token, or
 * is too large. It must be provided to every layer that adds routes, so that it stands before them.
 */
export const guard = (options: GuardOptions): Layer.Layer<never, never, HttpRouter.HttpRouter | Sessions | Attempts> =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const services = yield* Effect.context<Sessions | Attempts>()
      const isOperator = sameAs(options.operatorToken)
      const underWay = new Map<string, number>()

      const admit = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const { headers } = request
        if (!options.hosts.includes(headers["host"] ?? "")) return yield* turnAway(hostForeign)
        const origin = headers["origin"]
        if (origin !== undefined && !options.origins.includes(origin)) return yield* turnAway(originForeign)
        if (Number(headers["content-length"] ?? 0) > maxBody) return yield* turnAway(bodyTooLarge)
        const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(headers["authorization"] ?? "")?.[1]
        if (token === undefined) return yield* turnAway(tokenMissing)
        const shown = isOperator(token) ? null : token
        const principal = yield* Effect.mapError(
          Effect.provide(principalOf(shown), services),
          (error) => new TurnedAway(error._tag === "Rejection" ? notGood(error) : unavailable(error))
        )
        return { token: shown, principal }
      })

      return (app) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const bearer = yield* admit(request)
          const key = bearer.token ?? ""
          if ((underWay.get(key) ?? 0) >= maxAtOnce) return yield* turnAway(tooMany)
          bearers.set(request.source, bearer)
          underWay.set(key, (underWay.get(key) ?? 0) + 1)
          const done = Effect.sync(() => {
            const left = (underWay.get(key) ?? 1) - 1
            if (left === 0) underWay.delete(key)
            else underWay.set(key, left)
          })
          return yield* Effect.ensuring(app, done)
        }).pipe(
          Effect.catchIf(
            (error): error is TurnedAway => error instanceof TurnedAway,
            ({ reason }) => Effect.succeed(asResponse(reason))
          ),
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(maxBody))
        )
    }),
    { global: true }
  )

interface Reason {
  readonly status: number
  readonly error: string
  readonly message: string
  readonly next_step: string
}

class TurnedAway {
  readonly reason: Reason
  constructor(reason: Reason) {
    this.reason = reason
  }
}

const turnAway = (reason: Reason) => Effect.fail(new TurnedAway(reason))

/** A refusal before any operation is reached: JSON, without what the server knows. */
export const asResponse = ({ status, ...body }: Reason): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { success: false, ...body },
    {
      status,
      headers: {
        "cache-control": "no-store",
        ...(status === 401 ? { "www-authenticate": 'Bearer realm="proofline"' } : {}),
        ...(status === 429 ? { "retry-after": "1" } : {})
      }
    }
  )

const hostForeign: Reason = {
  status: 403,
  error: "host_not_allowed",
  message: "This server does not answer under that Host.",
  next_step: "Use the address that `proofline serve` printed."
}

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

const notGood = ({ code, hint, message }: Rejection): Reason => ({
  status: 401,
  error: code,
  message,
  // what helps with an argument does not help with a header
  next_step: code === "session_unknown" ? tokenMissing.next_step : hint
})

const unavailable = ({ code, hint, message }: LogUnavailable): Reason => ({
  status: 503,
  error: code,
  message,
  next_step: hint
})

/** Compares in a time that tells nothing of how much was right. */
const sameAs = (expected: string): ((given: string) => boolean) => {
  const hash = (text: string) => createHash("sha256").update(text).digest()
  const wanted = hash(expected)
  return (given) => timingSafeEqual(hash(given), wanted)
}
