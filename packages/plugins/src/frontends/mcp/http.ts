import {
  type Cause,
  Clock,
  Effect,
  Fiber,
  Layer,
  Option,
  Queue,
  Result,
  Schedule,
  type Scope,
  Semaphore,
  Stream
} from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Headers, HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { asResponse, bearerOf, bodyTooLarge } from "../../http/guard.ts"
import { type Caller, type CallerOptions, makeCaller } from "../../operations/index.ts"
import { invalidParams, readMessage } from "./input.ts"
import { revisions } from "./protocols.ts"
import type { CallerOf } from "./tools.ts"

export interface Connections {
  /** Who asks in the request that is being handled. */
  readonly callerOf: CallerOf
  /** Says on the streams of those who subscribed to it that a resource has changed. */
  readonly tell: (uri: string) => Effect.Effect<void>
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
  /** Something was asked after it. */
  isUsed: boolean
  /** Where it hears of what it subscribed to; a later stream takes the place of an earlier one. */
  stream: News | null
  seen: number
}

/** Messages to a client, until no more come. */
type News = Queue.Queue<Uint8Array, Cause.Done>

/** What all connections of one endpoint share; it changes as they come and go. */
interface Shared {
  /** A connection of the operator is forgotten when nothing was heard of it for so long, ms. */
  readonly ttlMs: number
  readonly newCaller: (bearer: Pick<CallerOptions, "token" | "principal">) => Effect.Effect<Caller>
  /** One caller is made at a time. */
  readonly making: Semaphore.Semaphore
  /** Callers that go on from request to request, by session id or name of the client. */
  readonly own: Map<string, { readonly caller: Caller; seen: number }>
  /** By session id. Those that were heard of last come last. */
  readonly bound: Map<string, Bound>
  /** Requests that come from nobody but this bridge. */
  readonly ours: WeakSet<object>
  /** The routes of the server that the bridge stands before; null: not built yet. */
  beneath: Beneath | null
  /** null: not attached yet. */
  server: McpServer.McpServer["Service"] | null
}

interface Beneath {
  readonly app: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    unknown,
    Scope.Scope | HttpServerRequest.HttpServerRequest
  >
  readonly path: string
}

/**
 * So many handshakes of one token are remembered that were used, and as many that were not yet; of each, the one that was
 * silent longest goes first. So no number of handshakes takes the place of a client that is at work.
 */
const maxBound = 256

/** Characters of a handshake, which is kept as long as it is remembered. */
const maxHandshake = 64 * 1024

/** How often those that are silent for too long are looked for. */
const sweepEvery = "1 minute"

/**
 * What connections over HTTP have in common: a caller for each, kept as long as it is heard of; handshakes bound to the
 * token that made them; and what the server beneath does not do for revisions with sessions, a stream of news and
 * subscriptions to resources.
 */
export const makeConnections = Effect.fnUntraced(function* (options: Omit<CallerOptions, "token">) {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof makeCaller>>>()
  const shared: Shared = {
    ttlMs: options.ttlMs,
    newCaller: (bearer) => Effect.provide(makeCaller({ ...options, ...bearer }), services),
    making: yield* Semaphore.make(1),
    own: new Map(),
    bound: new Map(),
    ours: new WeakSet(),
    beneath: null,
    server: null
  }
  yield* Effect.forkScoped(Effect.repeat(sweep(shared), Schedule.spaced(sweepEvery)))
  return {
    callerOf: callerIn(shared),
    tell: (uri) => tell(shared, uri),
    bridge: (path) => bridge(shared, path),
    attach: attach(shared)
  } satisfies Connections
})

const callerIn = (shared: Shared): CallerOf =>
  Effect.gen(function* () {
    const { clientInfo } = yield* McpSchema.McpRequestContext
    const request = yield* Effect.map(Effect.serviceOption(HttpServerRequest.HttpServerRequest), Option.getOrThrow)
    const bearer = bearerOf(request)
    if (bearer.token !== null) return yield* shared.newCaller(bearer)
    // revisions without sessions tell clients apart by their names alone
    const id = request.headers["mcp-session-id"]
    return yield* ownCaller(shared, id ?? `client:${clientInfo?.name ?? ""}`)
  })

/** The caller that goes on under a name, with the session it has. */
const ownCaller = ({ making, newCaller, own }: Shared, key: string) =>
  making.withPermit(
    Effect.gen(function* () {
      const seen = yield* Clock.currentTimeMillis
      const known = own.get(key)
      if (known !== undefined) {
        known.seen = seen
        return known.caller
      }
      const caller = yield* newCaller({ token: null })
      own.set(key, { caller, seen })
      return caller
    })
  )

/** Forgets the caller and the handshake under a name; `reason` is recorded with the session that ends. */
const forget = (shared: Shared, key: string, reason: string) =>
  Effect.suspend(() => {
    const { bound, own } = shared
    const known = own.get(key)
    own.delete(key)
    const { stream = null } = bound.get(key) ?? {}
    return Effect.all(
      [
        bound.delete(key) ? endBeneath(shared, key) : Effect.void,
        stream === null ? Effect.void : Queue.end(stream),
        known === undefined ? Effect.void : known.caller.leave(reason)
      ],
      { discard: true }
    )
  })

/** The server beneath forgets a handshake only when it is asked to over HTTP, and would keep it for good. */
const endBeneath = ({ beneath, ours }: Shared, id: string) => {
  if (beneath === null) return Effect.void
  const url = `http://127.0.0.1${beneath.path}`
  const request = HttpServerRequest.fromWeb(new Request(url, { method: "DELETE", headers: { "mcp-session-id": id } }))
  ours.add(request.source)
  return beneath.app.pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.scoped,
    Effect.exit,
    // the router changes the fiber it runs in
    Effect.forkChild,
    Effect.flatMap(Fiber.await)
  )
}

/** Forgets those that were silent for too long. */
const sweep = (shared: Shared) =>
  Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - shared.ttlMs
    const silent = [...shared.own, ...shared.bound].filter(([, { seen }]) => seen < before).map(([key]) => key)
    yield* Effect.forEach(new Set(silent), (key) => forget(shared, key, "expired"), { discard: true })
  })

const tell = ({ bound }: Shared, uri: string) =>
  Effect.forEach(
    [...bound.values()].filter(({ stream, subscriptions }) => stream !== null && subscriptions.has(uri)),
    ({ stream }) => (stream === null ? Effect.void : Queue.offer(stream, updated(uri))),
    { discard: true }
  )

const bind = Effect.fnUntraced(function* (shared: Shared, id: string, bearer: string | null) {
  const { bound } = shared
  const seen = yield* Clock.currentTimeMillis
  const one: Bound = { bearer, subscriptions: new Set(), isUsed: false, stream: null, seen }
  bound.set(id, one)
  yield* makeRoom(shared, one)
})

/** Nobody forgets what is another's for what they do themselves. */
const makeRoom = (shared: Shared, { bearer, isUsed }: Bound) => {
  const alike = [...shared.bound].filter(([, one]) => one.bearer === bearer && one.isUsed === isUsed)
  return Effect.forEach(alike.slice(0, -maxBound), ([key]) => forget(shared, key, "expired"), { discard: true })
}

const heardOf = Effect.fnUntraced(function* ({ bound }: Shared, id: string, known: Bound) {
  known.seen = yield* Clock.currentTimeMillis
  bound.delete(id)
  bound.set(id, known)
})

const used = (shared: Shared, known: Bound | undefined) => {
  if (known === undefined || known.isUsed) return Effect.void
  known.isUsed = true
  return makeRoom(shared, known)
}

/** What belongs to a handshake itself. */
const isOfHandshake = ({ method }: Message): boolean =>
  method === "initialize" || method === "notifications/initialized"

/** The stream on which one handshake hears of what it subscribed to. */
const news = Effect.fnUntraced(function* ({ headers }: HttpServerRequest.HttpServerRequest, known: Bound | undefined) {
  if (known === undefined) return HttpServerResponse.empty({ status: 405, headers: { allow: "POST, DELETE" } })
  if (!(headers["accept"] ?? "").includes("text/event-stream")) return HttpServerResponse.empty({ status: 406 })
  if (known.stream !== null) yield* Queue.end(known.stream)
  const stream: News = yield* Queue.sliding<Uint8Array, Cause.Done>(100)
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

/** A message to the server beneath, mended where a client is wrong in a way that is known. */
const post = Effect.fnUntraced(function* <E, R>(
  shared: Shared,
  request: HttpServerRequest.HttpServerRequest,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  known: Bound | undefined
) {
  const text = yield* Effect.option(request.text)
  if (Option.isNone(text)) return asResponse(bodyTooLarge)
  const read = readMessage(text.value)
  if (Result.isFailure(read)) {
    const status = read.failure.error.code === invalidParams ? 200 : 400
    return HttpServerResponse.jsonUnsafe(read.failure, { status })
  }
  const message = asMessage(read.success.value)
  if (message.method === "initialize" && text.value.length > maxHandshake) return asResponse(handshakeTooLarge)
  if (!isOfHandshake(message)) yield* used(shared, known)
  const response = withoutTag(
    yield* Effect.provideService(
      app,
      HttpServerRequest.HttpServerRequest,
      withChanged(isOfItself(message) ? request : inRevisionOf(known, request), {
        text: Effect.succeed(read.success.text)
      })
    )
  )
  // the id of the handshake is written into the answer on its way out
  if (message.method === "initialize") {
    yield* HttpEffect.appendPreResponseHandler((asked, answer) => greeted(shared, asked, answer))
  }
  if (known === undefined) return response
  // it may have been ended while it was asked, and of that the server beneath says nothing but the status
  yield* HttpEffect.appendPreResponseHandler((_, answer) =>
    Effect.succeed(answer.status === 404 && bodyOf(answer) === null ? asResponse(connectionUnknown) : answer)
  )
  if (message.method === undefined) return response
  return subscribed(message, known, (uri) => isResource(shared, uri), response)
})

const isResource = ({ server }: Shared, uri: string): boolean =>
  server?.resources.some(({ resource }) => resource.uri === uri) === true

/** The handshake went well: it is bound to its token, and is told what is offered here and not beneath. */
const greeted = Effect.fnUntraced(function* (
  shared: Shared,
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) {
  const id = response.headers["mcp-session-id"]
  if (id === undefined) return response
  yield* bind(shared, id, bearerOf(request).token)
  const body = bodyOf(response)
  const result = body?.["result"] as { readonly capabilities?: { readonly resources?: object } } | undefined
  if (body === null || result?.capabilities?.resources === undefined) return response
  const resources = { ...result.capabilities.resources, subscribe: true }
  return withBody(response, { ...body, result: { ...result, capabilities: { ...result.capabilities, resources } } })
})

/** One request: refused here, answered here, or handed on to `app`. */
const handled = Effect.fnUntraced(function* <E, R>(
  shared: Shared,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (shared.ours.has(request.source)) return yield* app
  const id = request.headers["mcp-session-id"]
  const known = id === undefined ? undefined : shared.bound.get(id)
  // one of somebody else is as unknown as one that never was
  if (id !== undefined && known?.bearer !== bearerOf(request).token) return asResponse(connectionUnknown)
  if (id !== undefined && known !== undefined) yield* heardOf(shared, id, known)
  switch (request.method) {
    case "GET":
      yield* used(shared, known)
      return yield* news(request, known)
    case "POST":
      return yield* isJson(request) ? post(shared, request, app, known) : app
    case "DELETE": {
      if (id === undefined) return asResponse(connectionMissing)
      const response = yield* Effect.provideService(
        app,
        HttpServerRequest.HttpServerRequest,
        inRevisionOf(known, request)
      )
      if (response.status === 204) yield* forget(shared, id, "closed")
      return response
    }
    default:
      return yield* app
  }
})

const bridge = (shared: Shared, path: string): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  Layer.merge(
    // it stands before the routes themselves: what else a router takes for the same address comes by here too
    HttpRouter.middleware((app) => handled(shared, app)).layer,
    HttpRouter.middleware(
      (app) => {
        shared.beneath = { app, path }
        return app
      },
      { global: true }
    )
  )

const attach = (shared: Shared): Layer.Layer<never, never, McpServer.McpServer> =>
  Layer.effectDiscard(
    Effect.map(McpServer.McpServer, (attached) => {
      shared.server = attached
    })
  )

const connectionUnknown = {
  status: 404,
  error: "connection_unknown",
  message: "No handshake is known under this Mcp-Session-Id: it has ended, was silent for too long, or is another's.",
  next_step: "Send initialize again, without the header Mcp-Session-Id."
}

const connectionMissing = {
  status: 400,
  error: "connection_missing",
  message: "The request does not say which handshake is to be ended.",
  next_step: "Name it in the header Mcp-Session-Id."
}

const handshakeTooLarge = {
  status: 413,
  error: "handshake_too_large",
  message: `A handshake holds ${maxHandshake / 1024} KiB at most.`,
  next_step: "Say less of the client; what it works on belongs into calls."
}

/** The same request where it names another revision than was agreed upon in its handshake: that one holds. */
const inRevisionOf = (known: Bound | undefined, request: HttpServerRequest.HttpServerRequest) => {
  const named = request.headers[versionHeader]
  return known === undefined || named === undefined || !revisions.includes(named)
    ? request
    : withChanged(request, { headers: Headers.remove(request.headers, versionHeader) })
}

const versionHeader = "mcp-protocol-version"

const withChanged = (
  request: HttpServerRequest.HttpServerRequest,
  changed: Partial<Pick<HttpServerRequest.HttpServerRequest, "headers" | "text">>
): HttpServerRequest.HttpServerRequest =>
  Object.create(
    request,
    Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, { value, enumerable: true }]))
  )

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly uri?: unknown; readonly _meta?: Readonly<Record<string, unknown>> | null } | null
}

/** It says its revision itself, and needs no handshake. */
const isOfItself = ({ params }: Message): boolean =>
  params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined

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
    const said = uri.slice(0, 200)
    const error = { code: -32002, message: `Resource '${said}' not found`, data: { uri: said } }
    return withBody(response, { jsonrpc: "2.0", id, error })
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

/** Whether the server beneath may take it for JSON; it reads more than one type, and what is none it refuses itself. */
const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["content-type"] ?? "").toLowerCase().includes("application/json")

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

/** The server beneath tells its own name of an error beside what the protocol has for it. */
const withoutTag = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const body = response.status < 400 ? null : bodyOf(response)
  const error = body?.["error"]
  if (typeof error !== "object" || error === null || !("_tag" in error)) return response
  const { _tag, ...said } = error
  return withBody(response, { ...body, error: said })
}

const withBody = (response: HttpServerResponse.HttpServerResponse, body: unknown) =>
  HttpServerResponse.jsonUnsafe(body, {
    status: response.status,
    headers: Headers.remove(Headers.remove(response.headers, "content-type"), "content-length")
  })
