import { randomUUID } from "node:crypto"
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Piped } from "../cli/mcpPipe.ts"
import { afterwards } from "../cli/proofline.ts"
import type { Revision, Served } from "./suite.ts"

// biome-ignore lint/suspicious/noExplicitAny: messages of every kind go through
type Message = any

type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Listens at a free port until the test has ended; comes back with its address. */
const listening = async (handle: Handle): Promise<string> => {
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => handle(request, response, body))
  })
  afterwards(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const parsed = (body: string): Message => {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** The newest that is begun with a handshake: in it the suites shake hands, whichever they are to try. */
const newest = "2025-11-25"

const inRevision = (message: Message, revision: Revision): Message =>
  message?.method === "initialize" && revision < newest
    ? { ...message, params: { ...message.params, protocolVersion: revision } }
    : message

/** A server over HTTP with whom hands are shaken in this revision; everything else goes through as it is. */
export const speaking = async (served: Served, revision: Revision): Promise<Served> => {
  if (revision >= newest) return served
  const target = new URL(served.url)
  const here = await listening(({ headers, method, url: path }, response, body) => {
    const sent = parsed(body)?.method === "initialize" ? JSON.stringify(inRevision(parsed(body), revision)) : body
    const { "content-length": _, ...rest } = headers
    const meant = (text: string | undefined) => text?.replace(here, target.host)
    const passed = Object.fromEntries(
      Object.entries({ ...rest, host: meant(headers.host), origin: meant(headers.origin) }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined
      )
    )
    const asked = ask({ host: target.hostname, port: target.port, path, method, headers: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    asked.on("error", () => response.destroy())
    response.on("close", () => asked.destroy())
    asked.end(sent)
  })
  return { ...served, url: `http://${here}` }
}

/** A request of the suite that the server has not answered yet. */
interface Waiting {
  /** As the suite has called it; the server sees another, for several clients of the suite share its pipes. */
  readonly id: string | number
  readonly progressToken: unknown
  readonly response: ServerResponse
}

const asEvent = (message: Message): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`

/** Comes back once the server has shaken hands. */
const greeted = async (server: Piped): Promise<void> => {
  const params = { protocolVersion: newest, capabilities: {}, clientInfo: { name: "bridge", version: "1.0.0" } }
  await server.write(`${JSON.stringify({ jsonrpc: "2.0", id: "greeting", method: "initialize", params })}\n`)
  while ((await server.next()).id !== "greeting");
}

/**
 * A server on standard input and output, for a suite that knows HTTP alone: each handshake is passed on to the one process,
 * and what it says meanwhile goes to the request it is about, else to the newest, else to those who listen.
 */
export const overStdio = async (server: Piped, revision: Revision): Promise<Served> => {
  const sessions = new Set<string>()
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<ServerResponse>()
  let count = 0

  const tell = (response: ServerResponse, message: Message): void => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(asEvent(message))
  }

  const answer = (response: ServerResponse, message: Message): void => {
    if (response.headersSent) return void response.end(asEvent(message))
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message))
  }

  /** What the server says by itself, or asks. */
  const pass = (message: Message): void => {
    const { progressToken, _meta } = message.params ?? {}
    const about = waiting.get(_meta?.["io.modelcontextprotocol/subscriptionId"])
    if (about !== undefined) {
      const named = { ..._meta, "io.modelcontextprotocol/subscriptionId": about.id }
      tell(about.response, { ...message, params: { ...message.params, _meta: named } })
      return
    }
    const open = [...waiting.values()]
    const heard = open.find((one) => progressToken !== undefined && one.progressToken === progressToken) ?? open.at(-1)
    if (heard !== undefined && !message.method.startsWith("notifications/resources")) tell(heard.response, message)
    else for (const listener of listeners) tell(listener, message)
  }

  const pump = async (): Promise<void> => {
    for (;;) {
      const message = await server.next()
      const asked = message.method === undefined ? waiting.get(message.id) : undefined
      if (message.method !== undefined) pass(message)
      if (asked === undefined) continue
      waiting.delete(message.id)
      answer(asked.response, { ...message, id: asked.id })
    }
  }
  // the suites wait half a minute for an answer, which a slow machine may take to start a server
  if (revision <= newest) await greeted(server)
  void pump()

  const post = (message: Message, response: ServerResponse): void => {
    if (message.method === undefined || message.id === undefined) {
      const requestId = message.params?.requestId
      const [named] = [...waiting].find(([, { id }]) => id === requestId) ?? []
      const sent =
        message.method === "notifications/cancelled"
          ? { ...message, params: { ...message.params, requestId: named ?? requestId } }
          : message
      void server.write(`${JSON.stringify(sent)}\n`)
      return void response.writeHead(202).end()
    }
    const id = ++count
    waiting.set(id, { id: message.id, progressToken: message.params?._meta?.progressToken, response })
    response.on("close", () => {
      if (!waiting.delete(id)) return
      const params = { requestId: id, reason: "The client has gone." }
      void server.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params })}\n`)
    })
    if (message.method === "initialize") {
      const session = randomUUID()
      sessions.add(session)
      response.setHeader("mcp-session-id", session)
    }
    void server.write(`${JSON.stringify({ ...inRevision(message, revision), id })}\n`)
  }

  const here = await listening(({ headers, method }, response, body) => {
    const session = headers["mcp-session-id"]
    if (session !== undefined && !sessions.has(String(session))) return void response.writeHead(404).end()
    const message = parsed(body)
    if (method === "POST" && message !== null) return post(message, response)
    if (method === "DELETE" && sessions.delete(String(session))) return void response.writeHead(204).end()
    if (method !== "GET" || session === undefined) return void response.writeHead(method === "POST" ? 400 : 405).end()
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
    listeners.add(response)
    response.on("close", () => listeners.delete(response))
  })
  return { url: `http://${here}`, token: "not asked for" }
}
