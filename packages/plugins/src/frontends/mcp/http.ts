import { type Caller, type CallerOptions, makeCaller, Sessions } from "@proofline/kernel"
import { Clock, Effect, Layer, Option, Queue, Schedule, Semaphore, Stream } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Headers, HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { asResponse, bearerOf, bodyTooLarge } from "../../http/guard.ts"
import { faultOf } from "./input.ts"
import { updatedUris } from "./resources.ts"
import type { CallerOf } from "./tools.ts"

export interface Connections {
  /** Who asks in the request that is being handled. */
  readonly callerOf: CallerOf
  /** Stands before the endpoint at `path`. */
  readonly bridge: (path: string) => Layer.Layer<never, never, HttpRouter.HttpRouter>
  /** Tells the bridge of the server that it stands before. */
  readonly attach: Layer.Layer<never, never, McpServer.McpServer>
}

/** One handshake of a client that speaks a revision with sessions. */
interface Bound {
  /** It belongs to whoever made the handshake: the id alone opens nothing. */
  readonly bearer: string | null
  readonly subscriptions: Set<string>
  /** Where it hears of what it subscribed to; a later stream takes the place of an earlier one. */
  stream: Queue.Queue<Uint8Array> | null
  seen: number
}

/** So many handshakes are remembered; the one that was silent longest goes first. */
const maxBound = 1_000

/** How often those that are silent for too long are looked for. */
const sweepEvery = "1 minute"

/**
 * What connections over HTTP have in common: a caller for each, kept as long as it is heard of; handshakes bound to the
 * token that made them; and what the server beneath does not do for revisions with sessions, a stream of news and
 * subscriptions to resources.
 */
export const makeConnections = Effect.fnUntraced(function* (options: Omit<CallerOptions, "token">) {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof makeCaller>>>()
  const sessions = yield* Sessions
  const own = new Map<string, { readonly caller: Caller; seen: number }>()
  const bound = new Map<string, Bound>()
  const making = yield* Semaphore.make(1)
  let server: McpServer.McpServer["Service"] | null = null

  const make = (token: string | null) => Effect.provide(makeCaller({ ...options, token }), services)

  /** The caller that goes on under a name, with the session it has. */
  const ownCaller = (key: string) =>
    making.withPermit(
      Effect.gen(function* () {
        const seen = yield* Clock.currentTimeMillis
        const known = own.get(key)
        if (known !== undefined) {
          known.seen = seen
          return known.caller
        }
        const caller = yield* make(null)
        own.set(key, { caller, seen })
        return caller
      })
    )

  const callerOf: CallerOf = Effect.gen(function* () {
    const { clientInfo } = yield* McpSchema.McpRequestContext
    const request = yield* Effect.map(Effect.serviceOption(HttpServerRequest.HttpServerRequest), Option.getOrThrow)
    const bearer = bearerOf(request)
    if (bearer !== null) return yield* make(bearer)
    // revisions without sessions tell clients apart by their names alone
    const id = request.headers["mcp-session-id"]
    return yield* ownCaller(id ?? `client:${clientInfo?.name ?? ""}`)
  })

  const forget = (key: string, reason: string) =>
    Effect.suspend(() => {
      const known = own.get(key)
      own.delete(key)
      const { stream = null } = bound.get(key) ?? {}
      bound.delete(key)
      return Effect.andThen(
        stream === null ? Effect.void : Queue.shutdown(stream),
        known === undefined ? Effect.void : known.caller.leave(reason)
      )
    })

  const sweep = Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - options.ttlMs
    const silent = [...own, ...bound].filter(([, { seen }]) => seen < before).map(([key]) => key)
    yield* Effect.forEach(new Set(silent), (key) => forget(key, "expired"), { discard: true })
  })
  yield* Effect.forkScoped(Effect.repeat(sweep, Schedule.spaced(sweepEvery)))

  yield* updatedUris(sessions.changes).pipe(
    Stream.runForEach((uri) =>
      Effect.forEach(
        [...bound.values()].filter(({ stream, subscriptions }) => stream !== null && subscriptions.has(uri)),
        ({ stream }) => (stream === null ? Effect.void : Queue.offer(stream, updated(uri))),
        { discard: true }
      )
    ),
    Effect.tapCause((cause) => Effect.logError("News of resources ended", cause)),
    Effect.forkScoped
  )

  const bind = Effect.fnUntraced(function* (id: string, bearer: string | null) {
    bound.set(id, { bearer, subscriptions: new Set(), stream: null, seen: yield* Clock.currentTimeMillis })
    const oldest = bound.keys().next().value
    if (bound.size > maxBound && oldest !== undefined) yield* forget(oldest, "expired")
  })

  const news = Effect.fnUntraced(function* (
    { headers }: HttpServerRequest.HttpServerRequest,
    known: Bound | undefined
  ) {
    if (known === undefined) return HttpServerResponse.empty({ status: 405, headers: { allow: "POST, DELETE" } })
    if (!(headers["accept"] ?? "").includes("text/event-stream")) return HttpServerResponse.empty({ status: 406 })
    if (known.stream !== null) yield* Queue.shutdown(known.stream)
    const stream = yield* Queue.sliding<Uint8Array>(100)
    known.stream = stream
    return HttpServerResponse.stream(
      Stream.merge(Stream.fromQueue(stream), keepAlive, { haltStrategy: "left" }).pipe(
        Stream.prepend([encoder.encode(": listening\n\n")]),
        Stream.ensuring(
          Effect.sync(() => {
            if (known.stream === stream) known.stream = null
          })
        )
      ),
      { contentType: "text/event-stream", headers: { "cache-control": "no-store" } }
    )
  })

  const post = Effect.fnUntraced(function* <E, R>(
    request: HttpServerRequest.HttpServerRequest,
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    known: Bound | undefined
  ) {
    const text = yield* Effect.option(request.text)
    if (Option.isNone(text)) return asResponse(bodyTooLarge)
    const fault = faultOf(text.value)
    if (fault !== null && !fault.isParse) return HttpServerResponse.jsonUnsafe(fault.body, { status: 400 })
    const message = fault === null ? asMessage(JSON.parse(text.value)) : {}
    const response = yield* app
    // the id of the handshake is written into the answer on its way out
    if (message.method === "initialize") yield* HttpEffect.appendPreResponseHandler(greeted)
    if (known === undefined || message.method === undefined) return response
    return subscribed(message, known, isResource, response)
  })

  const isResource = (uri: string): boolean => server?.resources.some(({ resource }) => resource.uri === uri) === true

  /** The handshake went well: it is bound to its token, and is told what is offered here and not beneath. */
  const greeted = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    response: HttpServerResponse.HttpServerResponse
  ) {
    const id = response.headers["mcp-session-id"]
    if (id === undefined) return response
    yield* bind(id, bearerOf(request))
    const body = bodyOf(response)
    const result = body?.["result"] as { readonly capabilities?: { readonly resources?: object } } | undefined
    if (body === null || result?.capabilities?.resources === undefined) return response
    const resources = { ...result.capabilities.resources, subscribe: true }
    return withBody(response, { ...body, result: { ...result, capabilities: { ...result.capabilities, resources } } })
  })

  const bridge: Connections["bridge"] = (path) =>
    HttpRouter.middleware(
      (app) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          if (request.url.split("?")[0] !== path) return yield* app
          const id = request.headers["mcp-session-id"]
          const known = id === undefined ? undefined : bound.get(id)
          // one of somebody else is as unknown as one that never was
          if (id !== undefined && known?.bearer !== bearerOf(request)) return HttpServerResponse.empty({ status: 404 })
          if (known !== undefined) known.seen = yield* Clock.currentTimeMillis
          switch (request.method) {
            case "GET":
              return yield* news(request, known)
            case "POST":
              return yield* isJson(request) ? post(request, app, known) : app
            case "DELETE": {
              const response = yield* app
              if (id !== undefined && response.status === 204) yield* forget(id, "closed")
              return response
            }
            default:
              return yield* app
          }
        }),
      { global: true }
    )

  const attach = Layer.effectDiscard(
    Effect.map(McpServer.McpServer, (attached) => {
      server = attached
    })
  )

  return { callerOf, bridge, attach } satisfies Connections
})

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly uri?: unknown }
}

const asMessage = (value: unknown): Message =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}

/** The server beneath knows no subscriptions over HTTP; where it says so, everything else about the request was right. */
const subscribed = (
  { id, method, params }: Message,
  { subscriptions }: Bound,
  isResource: (uri: string) => boolean,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  if (method !== "resources/subscribe" && method !== "resources/unsubscribe") return response
  const error = bodyOf(response)?.["error"] as { readonly code?: unknown } | undefined
  if (error?.code !== McpSchema.METHOD_NOT_FOUND_ERROR_CODE) return response
  const uri = String(params?.uri)
  if (!isResource(uri)) {
    const message = `Resource '${uri.slice(0, 200)}' not found`
    return withBody(response, { jsonrpc: "2.0", id, error: { code: -32002, message, data: { uri } } })
  }
  if (method === "resources/subscribe") subscriptions.add(uri)
  else subscriptions.delete(uri)
  return withBody(response, { jsonrpc: "2.0", id, result: {} })
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const updated = (uri: string): Uint8Array =>
  encoder.encode(
    `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } })}\n\n`
  )

/** Proxies and clients close what is silent for long. */
const keepAlive = Stream.tick("15 seconds").pipe(
  Stream.drop(1),
  Stream.map(() => encoder.encode(": keepalive\n\n"))
)

const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() === "application/json"

/** The one message of an answer that is complete; null: it is none, or a stream. */
const bodyOf = ({ body }: HttpServerResponse.HttpServerResponse): Readonly<Record<string, unknown>> | null => {
  if (body._tag !== "Uint8Array") return null
  try {
    const text = decoder.decode(body.body)
    const value: unknown = JSON.parse(text.startsWith("data: ") ? text.slice(6) : text)
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : null
  } catch {
    return null
  }
}

const withBody = (response: HttpServerResponse.HttpServerResponse, body: unknown) =>
  HttpServerResponse.jsonUnsafe(body, {
    status: response.status,
    headers: Headers.remove(Headers.remove(response.headers, "content-type"), "content-length")
  })
