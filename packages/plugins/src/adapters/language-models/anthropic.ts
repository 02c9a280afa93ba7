import { Option, Schema } from "effect"
import { figures } from "../../agents/usage.ts"
import { silent, type Wire } from "./wire.ts"

/** It has to be named, and the answer has no more. The smaller models of today take so many. */
const usualMaxTokens = 8_192

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Part = Schema.Struct({ type: optional(Schema.String), text: optional(Schema.String) })
const Usage = Schema.optionalKey(Schema.Unknown)

/** A whole answer has `content`, an event of a stream a `delta`. */
const Answer = Schema.Struct({
  content: optional(Schema.Array(Part)),
  stop_reason: optional(Schema.String),
  message: optional(Schema.Struct({ usage: Usage })),
  delta: optional(Schema.Struct({ ...Part.fields, stop_reason: optional(Schema.String) })),
  usage: Usage,
  error: Schema.optionalKey(Schema.Unknown)
})
const decode = Schema.decodeUnknownOption(Answer)

const endings: Readonly<Record<string, "stop" | "length" | "content-filter" | "tool-calls" | "pause">> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content-filter",
  tool_use: "tool-calls",
  pause_turn: "pause"
}

/** `POST /v1/messages` of Anthropic. */
export const anthropic: Wire = {
  path: "/v1/messages",
  headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === null ? {} : { "x-api-key": key }) }),
  body: ({ max_tokens, messages, model }) => {
    const system = messages.flatMap(({ role, text }) => (role === "system" ? [text] : []))
    return {
      model,
      max_tokens: max_tokens ?? usualMaxTokens,
      ...(system.length === 0 ? {} : { system: system.join("\n\n") }),
      messages: messages.flatMap(({ role, text }) => (role === "system" ? [] : [{ role, content: text }])),
      stream: true
    }
  },
  amended: () => null,
  read: (json) =>
    Option.match(decode(json), {
      onNone: () => silent,
      onSome: ({ content, delta, error, message, stop_reason, usage }) => {
        const reason = stop_reason ?? delta?.stop_reason
        const used = usage ?? message?.usage
        return {
          text: [...(content ?? []), ...(delta == null ? [] : [delta])]
            .map(({ text, type }) => (type === "text" || type === "text_delta" ? (text ?? "") : ""))
            .join(""),
          ended: reason == null ? null : (endings[reason] ?? "other"),
          input_tokens: figures(used, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
          output_tokens: figures(used, "output_tokens"),
          error: error ?? null
        }
      }
    }),
  over: /^data: ?\{"type": ?"message_stop"\s*\}\s*$/m,
  statusOf: {
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529
  }
}
