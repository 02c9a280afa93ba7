import { Effect, Redacted, Stream } from "effect"
import { AiError, LanguageModel, type Prompt, type Response } from "effect/ai"
import { anthropic } from "./anthropic.ts"
import { eventData, isEvents } from "./events.ts"
import { openai } from "./openai.ts"
import { cutOff, noText, reasonOfAnswer, reasonOfFailure, reasonOfTold, unreadable } from "./reasons.ts"
import { makeRedact } from "./redact.ts"
import { type Answered, post } from "./request.ts"
import { baseUrlOf, type ModelSpec } from "./spec.ts"
import { type Asked, type Piece, silent, type Wire } from "./wire.ts"

const wires: Readonly<Record<ModelSpec["api"], Wire>> = { openai, anthropic }

export interface ModelOptions {
  readonly spec: ModelSpec
  readonly key: Redacted.Redacted | null
  /** Is told of every piece of an answer that comes. */
  readonly heard?: () => void
}

/**
 * A model behind one of the two interfaces that nearly all providers and local servers have. It is asked for text alone.
 * What it answers, and what its errors say, has the key no more. The answer is streamed by the provider, so that silence
 * can be told from thinking, and handed on as a whole: a key could stand across two pieces.
 */
export const makeModel = (options: ModelOptions): ReturnType<typeof LanguageModel.make> => {
  const ask = ({ prompt, responseFormat, tools }: LanguageModel.ProviderOptions, method: string) =>
    (tools.length > 0 || responseFormat.type !== "text"
      ? Effect.fail(reasonOfTold("It is asked for text alone, without tools or schemas."))
      : answerOf(options, messagesOf(prompt))
    ).pipe(Effect.mapError((reason) => AiError.make({ module: "LanguageModels", method, reason })))
  return LanguageModel.make({
    generateText: (asked) =>
      Effect.map(ask(asked, "generateText"), (piece) => [{ type: "text", text: piece.text }, finishOf(piece)]),
    streamText: (asked) =>
      Stream.unwrap(
        Effect.map(ask(asked, "streamText"), (piece) =>
          Stream.make<Array<Response.StreamPartEncoded>>(
            { type: "text-start", id: "0" },
            { type: "text-delta", id: "0", delta: piece.text },
            { type: "text-end", id: "0" },
            finishOf(piece)
          )
        )
      )
  })
}

const messagesOf = ({ content }: Prompt.Prompt): Asked["messages"] =>
  content.flatMap((message) => {
    if (message.role === "tool") return []
    const parts = typeof message.content === "string" ? [message.content] : message.content.map(textOf)
    return [{ role: message.role, text: parts.join("") }]
  })

const textOf = (part: { readonly type: string; readonly text?: unknown }): string =>
  part.type === "text" && typeof part.text === "string" ? part.text : ""

const finishOf = ({ ended, input_tokens, output_tokens }: Piece) => ({
  type: "finish" as const,
  reason: ended ?? ("unknown" as const),
  usage: {
    inputTokens: { uncached: undefined, total: whole(input_tokens), cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: whole(output_tokens), text: undefined, reasoning: undefined }
  },
  response: undefined
})

const whole = (tokens: number | null): number | undefined => (tokens === null ? undefined : Math.round(tokens))

const answerOf = Effect.fnUntraced(function* (
  { heard, key, spec }: ModelOptions,
  messages: Asked["messages"]
): Effect.fn.Return<Piece, AiError.AiErrorReason> {
  const wire = wires[spec.api]
  const url = `${baseUrlOf(spec)}${wire.path}`
  const redact = makeRedact(key)
  const send = (body: Readonly<Record<string, unknown>>) =>
    post({
      url,
      headers: wire.headers(key === null ? null : Redacted.value(key)),
      body: JSON.stringify(body),
      heard: heard ?? (() => undefined),
      isOver: (end) => wire.over.test(end)
    }).pipe(Effect.mapError((failed) => reasonOfFailure(url, failed)))
  let body = wire.body({ model: spec.model, messages, max_tokens: spec.max_tokens })
  let answered = yield* send(body)
  for (let next = amendedBy(wire, body, answered); next !== null; next = amendedBy(wire, body, answered)) {
    body = next
    answered = yield* send(body)
  }
  const piece = yield* readAnswer(wire, url, answered, redact)
  return { ...piece, text: redact(piece.text) }
})

/** Servers differ in the parameters that they know; what one says that it does not know is not sent to it again. */
const amendedBy = (wire: Wire, body: Readonly<Record<string, unknown>>, { status, text }: Answered) =>
  status === 400 || status === 422 ? wire.amended(body, text) : null

const readAnswer = (
  wire: Wire,
  url: string,
  answered: Answered,
  redact: (text: string) => string
): Effect.Effect<Piece, AiError.AiErrorReason> => {
  const { headers, status, text } = answered
  const refused = (error: unknown) => Effect.fail(reasonOfAnswer({ ...answered, error, wire, redact }))
  if (status < 200 || status > 299) return refused(jsonOf(text) ?? text)
  const isStream = isEvents(String(headers["content-type"] ?? ""), text)
  const all = isStream ? eventData(text).filter((data) => data !== "[DONE]") : [text]
  const pieces = all.map((data) => {
    const json = jsonOf(data)
    return json === undefined ? null : wire.read(json)
  })
  const known = pieces.filter((piece) => piece !== null)
  const broken = known.find(({ error }) => error !== null)
  if (broken !== undefined) return refused(broken.error)
  const said = known.reduce(joined, silent)
  // the last event of a stream that breaks off is not whole
  if (isStream && said.ended === null && !wire.over.test(text)) return Effect.fail(cutOff(url))
  if (known.length < pieces.length) return Effect.fail(unreadable)
  return said.text.trim() === "" && said.ended !== "length" && said.ended !== "content-filter"
    ? Effect.fail(noText)
    : Effect.succeed(said)
}

const joined = (before: Piece, next: Piece): Piece => ({
  text: before.text + next.text,
  ended: next.ended ?? before.ended,
  input_tokens: next.input_tokens ?? before.input_tokens,
  output_tokens: next.output_tokens ?? before.output_tokens,
  error: null
})

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
