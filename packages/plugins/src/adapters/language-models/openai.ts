import { Option, Schema } from "effect"
import { figures } from "../../agents/usage.ts"
import { silent, type Wire } from "./wire.ts"

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Some send a list of parts, of which those are the answer that are text. */
const Content = Schema.Union([
  Schema.String,
  Schema.Array(Schema.Struct({ type: Schema.String, text: optional(Schema.String) }))
])
const Message = Schema.Struct({ content: optional(Content) })

/** A whole answer has a `message`, an event of a stream a `delta`. */
const Answer = Schema.Struct({
  choices: optional(
    Schema.Array(
      Schema.Struct({ delta: optional(Message), message: optional(Message), finish_reason: optional(Schema.String) })
    )
  ),
  usage: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown)
})
const decode = Schema.decodeUnknownOption(Answer)

const endings: Readonly<Record<string, "stop" | "length" | "content-filter" | "tool-calls">> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  tool_calls: "tool-calls"
}

const textOf = (content: typeof Content.Type | null | undefined): string =>
  typeof content === "string"
    ? content
    : (content ?? []).map(({ text, type }) => (type === "text" ? (text ?? "") : "")).join("")

/** `POST /chat/completions` of OpenAI, and of all who speak like it. */
export const openai: Wire = {
  path: "/chat/completions",
  headers: (key) => (key === null ? {} : { authorization: `Bearer ${key}` }),
  body: ({ max_tokens, messages, model }) => ({
    model,
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    stream: true,
    stream_options: { include_usage: true },
    ...(max_tokens === undefined ? {} : { max_tokens })
  }),
  amended: (body, refusal) => {
    const { max_tokens, stream_options, ...rest } = body
    if (max_tokens !== undefined && refusal.includes("max_completion_tokens"))
      return { ...rest, stream_options, max_completion_tokens: max_tokens }
    if (stream_options !== undefined && refusal.includes("stream_options"))
      return { ...rest, ...(max_tokens === undefined ? {} : { max_tokens }) }
    return null
  },
  read: (json) =>
    Option.match(decode(json), {
      onNone: () => silent,
      onSome: ({ choices, error, usage }) => {
        const choice = choices?.[0]
        const reason = choice?.finish_reason
        return {
          text: textOf((choice?.message ?? choice?.delta)?.content),
          ended: reason == null ? null : (endings[reason] ?? "other"),
          input_tokens: figures(usage, "prompt_tokens"),
          output_tokens: figures(usage, "completion_tokens"),
          error: error ?? null
        }
      }
    }),
  over: /^data: ?\[DONE\]\s*$/m,
  statusOf: {
    authentication_error: 401,
    invalid_api_key: 401,
    insufficient_quota: 402,
    rate_limit_exceeded: 429,
    rate_limit_error: 429,
    server_error: 500,
    overloaded_error: 503,
    service_unavailable: 503,
    invalid_request_error: 400
  }
}
