import { createServer, type IncomingMessage, request as nodeRequest } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { guard, layerHttp } from "@proofline/plugins/frontends/mcp"
import { operationsAt } from "@proofline/plugins/operations"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { Scripted } from "./scriptedSessions.ts"

export const operatorToken = "operator-operator-operator-operator"

/** What a server said to one request. */
export interface Response {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees is looked into
  readonly json: any
}

export interface Wanted {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string
}

/** The front-end on a real port, with sessions the test answers for. */
export const served = Effect.fnUntraced(function* (
  sessions: Scripted,
  ttlMs = 60_000,
  more: Partial<Parameters<typeof guard>[0]> = {}
) {
  const context = yield* Layer.build(
    NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: "100 millis" })
  )
  const { address } = Context.get(context, HttpServer.HttpServer)
  const port = "port" in address ? address.port : 0
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  const origins = hosts.map((host) => `http://${host}`)
  yield* Layer.build(
    HttpRouter.serve(
      layerHttp({
        name: "proofline",
        version: "1.2.3",
        agent: null,
        ttlMs,
        isPerson: false,
        shown: operationsAt("all"),
        path: "/mcp",
        origins
      }).pipe(Layer.provide(guard({ hosts, origins, operatorToken, ...more })), Layer.provide(sessions.layer)),
      { disableLogger: true, disableListenLog: true }
    )
  ).pipe(Effect.provide(context))

  const send = ({ body, headers = {}, method = "POST", path = "/mcp" }: Wanted) =>
    Effect.callback<Response>((resume) => {
      const given = Object.entries({ ...usual, ...headers }).filter((entry): entry is [string, string] => !!entry[1])
      const request = nodeRequest({ host: "127.0.0.1", port, path, method, headers: Object.fromEntries(given) })
      request.on("error", (error) => resume(Effect.die(error)))
      request.on("response", (response) => {
        let text = ""
        response.on("data", (chunk) => (text += chunk))
        response.on("end", () => resume(Effect.succeed(responseOf(response, text))))
      })
      request.end(body)
    })
  return { port, send }
})

const usual = {
  authorization: `Bearer ${operatorToken}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream"
}

const responseOf = (response: IncomingMessage, text: string): Response => {
  const data = text.startsWith("data: ") ? text.split("\n\n")[0]?.slice(6) : text
  let json: unknown
  try {
    json = JSON.parse(data ?? "")
  } catch {
    json = null
  }
  return { status: response.statusCode ?? 0, headers: response.headers, text, json }
}

export const rpc = (method: string, params: object = {}, id: number | null = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === null ? {} : { id }), method, params })

export const hello = (protocolVersion = "2025-11-25"): string =>
  rpc("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "By Hand", version: "0" } })

/** What a client of the newest revision sends beside a request that has no session. */
export const modern = (method: string, name?: string) => ({
  headers: {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name })
  },
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "New One", version: "0" }
  }
})
