import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import {
  type Asked,
  anthropic,
  type Dialect,
  gemini,
  type McpUse,
  type Move,
  openaiChat,
  openaiResponses,
  type Refusal,
  type Use
} from "./dialects.ts"

/** One answer of the model: a move, a refusal, or `never` (the request stays open). */
export type Reply = Move | { readonly refuse: Refusal } | "never"

/** What the model does when it is asked; decided from the request alone, for a client may ask again or at once. */
export type Play = (asked: Asked) => Reply

export interface ScriptedModel {
  /** Where it listens, without a path. */
  readonly url: string
  /** What it was asked with tools at hand, in order. */
  readonly asked: ReadonlyArray<Asked>
  /** Requests that it does not know. */
  readonly strange: ReadonlyArray<string>
}

/** One move after the other, the last one for ever. */
export const inOrder =
  (...replies: ReadonlyArray<Reply | ((asked: Asked) => Reply)>): Play =>
  (asked) => {
    const reply = replies[Math.min(asked.uses, replies.length - 1)] ?? "never"
    return typeof reply === "function" ? reply(asked) : reply
  }

const dialects: ReadonlyArray<readonly [path: RegExp, dialect: Dialect]> = [
  [/\/messages$/, anthropic],
  [/\/responses$/, openaiResponses],
  [/\/chat\/completions$/, openaiChat],
  [/\/models\/[^/]+:(?:stream)?[gG]enerateContent$/, gemini]
]

/** A tool under the name that the client gives it; a word where the client offers none. */
const offered = ({ tools }: Asked, { input, tool }: McpUse): string | Use => {
  const name = tools.find((one) => one.endsWith(tool))
  return name === undefined ? `There is no tool ${tool} among ${tools.join(", ")}.` : { name, input }
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString("utf8")
  return text === "" ? {} : JSON.parse(text)
}

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  // Whoever tries again need not wait long for it.
  response.writeHead(status, { "content-type": "application/json", "retry-after-ms": "10" })
  response.end(JSON.stringify(body))
}

const sendStream = (response: ServerResponse, events: ReturnType<Dialect["stream"]>): void => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  for (const [name, data] of events) {
    const text = typeof data === "string" ? data : JSON.stringify(data)
    response.write(`${name === "" ? "" : `event: ${name}\n`}data: ${text}\n\n`)
  }
  response.end()
}

const wantsStream = (path: string, body: unknown): boolean =>
  path.includes(":stream") || (body as { readonly stream?: boolean }).stream === true

const modelOf = (path: string, body: unknown): string =>
  /\/models\/([^/:]+)/.exec(path)?.[1] ?? (body as { readonly model?: string }).model ?? ""

/**
 * A test fixture: a model interface on loopback whose model follows a script. It keeps no conversation of its own.
 * What a client asks on the side, without tools (a title, a guess who speaks next), gets a word.
 */
export const scriptedModel = (play: Play): Effect.Effect<ScriptedModel, never, Scope.Scope> => {
  const asked: Array<Asked> = []
  const strange: Array<string> = []
  let answers = 0

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname
    const body = await bodyOf(request)
    const dialect = dialects.find(([pattern]) => pattern.test(path))?.[1]
    if (request.method !== "POST" || dialect === undefined) {
      strange.push(`${request.method} ${path}`)
      return sendJson(response, 404, { error: { message: "There is nothing here." } })
    }
    const question = dialect.read(body)
    if (question.tools.length > 0) asked.push(question)
    const reply = play(question)
    if (reply === "never") return
    if ("refuse" in reply) {
      const { status, body } = dialect.refusal(reply.refuse)
      return sendJson(response, status, body)
    }
    const move =
      question.tools.length === 0
        ? "ok"
        : "say" in reply
          ? reply.say
          : "tool" in reply
            ? offered(question, reply)
            : dialect.use(reply)
    const [model, id] = [modelOf(path, body), String(++answers)]
    if (wantsStream(path, body)) sendStream(response, dialect.stream(model, id, move))
    else sendJson(response, 200, dialect.whole(model, id, move))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((cause) => sendJson(response, 500, { error: { message: String(cause) } }))
  })
  return Effect.acquireRelease(
    Effect.callback<ScriptedModel>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, asked, strange }))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
}
