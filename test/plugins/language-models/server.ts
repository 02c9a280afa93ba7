import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

export interface AskedOf {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  readonly body: any
}

export type Play = (response: ServerResponse, asked: AskedOf) => void

export interface ModelServer {
  /** Without a path. */
  readonly url: string
  readonly asked: ReadonlyArray<AskedOf>
  /** Resolves with the next request. */
  readonly next: () => Promise<AskedOf>
  /** Resolves when whoever has asked has gone before the answer was over. */
  readonly gone: Promise<void>
  readonly close: () => Promise<void>
}

/** A server on loopback that is asked like a provider, and follows a script. */
export const modelServer = async (play: Play): Promise<ModelServer> => {
  const asked: Array<AskedOf> = []
  const waiting: Array<(one: AskedOf) => void> = []
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    response.on("close", () => response.writableFinished || leave())
    const body = await text(request).catch(() => "")
    const one = { path: request.url ?? "", headers: request.headers, body: body === "" ? null : JSON.parse(body) }
    asked.push(one)
    waiting.shift()?.(one)
    play(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    gone,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Play =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

export const events = (...data: ReadonlyArray<unknown>): string =>
  data.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("")

/** An answer in the words of each of the two interfaces, as a stream. */
export const streams: Readonly<Record<"openai" | "anthropic", (said: string) => string>> = {
  openai: (said) =>
    events(
      ...[...said.matchAll(/[\s\S]{1,7}/g)].map(([content]) => ({ choices: [{ delta: { content } }] })),
      { choices: [{ delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 12, completion_tokens: 5 } },
      "[DONE]"
    ),
  anthropic: (said) =>
    events(
      { type: "message_start", message: { usage: { input_tokens: 10, cache_read_input_tokens: 2, output_tokens: 1 } } },
      { type: "ping" },
      ...[...said.matchAll(/[\s\S]{1,7}/g)].map(([text]) => ({
        type: "content_block_delta",
        delta: { type: "text_delta", text }
      })),
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
      { type: "message_stop" }
    )
}

/** The same as a whole. */
export const wholes: Readonly<Record<"openai" | "anthropic", (said: string) => object>> = {
  openai: (said) => ({
    choices: [{ message: { content: said }, finish_reason: "stop" }],
    usage: { prompt_tokens: 12, completion_tokens: 5 }
  }),
  anthropic: (said) => ({
    type: "message",
    content: [{ type: "text", text: said }],
    stop_reason: "end_turn",
    usage: { input_tokens: 12, output_tokens: 5 }
  })
}

export const stream =
  (body: string): Play =>
  (response) =>
    void response.writeHead(200, { "content-type": "text/event-stream" }).end(body)
