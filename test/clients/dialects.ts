/*
 * What the model interfaces of the four clients look like on the wire, as far as a scripted model needs it: one reads
 * what was asked and says one thing or uses one tool. Everything a client sends beyond that is ignored.
 */

/** What the model does next; the tools by what they are for, not by the name that a client gives them. */
export type Move =
  | { readonly say: string }
  | { readonly shell: string }
  | { readonly write: { readonly path: string; readonly content: string } }
  | McpUse

/** A tool of an MCP server, by its own name; a client puts something before it. */
export interface McpUse {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface Asked {
  /** Names of the tools that the client offers; those of a namespace as `namespace/name`. */
  readonly tools: ReadonlyArray<string>
  /** The instructions that the client itself gives, where its interface keeps them apart. */
  readonly system: string
  /** Everything the user's side said, tool results left out. */
  readonly user: string
  /** How often the model has used a tool in this conversation. */
  readonly uses: number
  /** What the last use gave; empty when there was none. */
  readonly result: string
}

export interface Use {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** `refused`: the key is not accepted; `spent`: no quota is left; `busy`: too many requests at the moment. */
export type Refusal = "refused" | "spent" | "busy"

/** Name and data of an event of a stream; an empty name is left out. */
export type StreamEvent = readonly [name: string, data: unknown]

export interface Dialect {
  readonly read: (body: unknown) => Asked
  readonly use: (move: Exclude<Move, { say: string } | McpUse>) => Use
  readonly stream: (model: string, id: string, move: string | Use) => ReadonlyArray<StreamEvent>
  /** The same for a client that did not ask for a stream. */
  readonly whole: (model: string, id: string, move: string | Use) => unknown
  readonly refusal: (refusal: Refusal) => { readonly status: number; readonly body: unknown }
}

interface Part {
  readonly type?: string
  readonly text?: string
  readonly content?: string | ReadonlyArray<Part>
}

const textOf = (content: string | ReadonlyArray<Part> | null | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? textOf(part.content)).join("\n")

const OUT_OF_QUOTA =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs."

// ---- Anthropic Messages -------------------------------------------------------------------------------------------

interface MessagesRequest {
  readonly system?: string | ReadonlyArray<Part>
  readonly tools?: ReadonlyArray<{ readonly name: string }>
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | ReadonlyArray<Part> }>
}

const messageParts = (body: MessagesRequest, role: string): ReadonlyArray<Part> =>
  body.messages
    .filter((message) => message.role === role)
    .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content))

const anthropicUsage = {
  input_tokens: 10,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0
}

const anthropicBlock = (id: string, move: string | Use) =>
  typeof move === "string"
    ? { type: "text", text: move }
    : { type: "tool_use", id: `toolu_${id}`, name: move.name, input: move.input }

const anthropicMessage = (model: string, id: string, move: string | Use) => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model,
  content: [anthropicBlock(id, move)],
  stop_reason: typeof move === "string" ? "end_turn" : "tool_use",
  stop_sequence: null,
  usage: anthropicUsage
})

const anthropicError = (status: number, type: string, message: string) => ({
  status,
  body: { type: "error", error: { type, message } }
})

export const anthropic: Dialect = {
  read: (request) => {
    const body = request as MessagesRequest
    const results = messageParts(body, "user").filter((part) => part.type === "tool_result")
    return {
      tools: (body.tools ?? []).map((tool) => tool.name),
      system: textOf(body.system),
      user: textOf(messageParts(body, "user").filter((part) => part.type === "text")),
      uses: messageParts(body, "assistant").filter((part) => part.type === "tool_use").length,
      result: textOf(results.at(-1)?.content)
    }
  },
  use: (move) =>
    "shell" in move
      ? { name: "Bash", input: { command: move.shell, description: "Runs a command" } }
      : { name: "Write", input: { file_path: move.write.path, content: move.write.content } },
  stream: (model, id, move) => {
    const message = anthropicMessage(model, id, move)
    const isText = typeof move === "string"
    const start = isText ? { type: "text", text: "" } : { ...anthropicBlock(id, move), input: {} }
    const delta = isText
      ? { type: "text_delta", text: move }
      : { type: "input_json_delta", partial_json: JSON.stringify(move.input) }
    const events: ReadonlyArray<{ readonly type: string } & Record<string, unknown>> = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: message.stop_reason, stop_sequence: null },
        usage: { output_tokens: 20 }
      },
      { type: "message_stop" }
    ]
    return events.map((event) => [event.type, event] as const)
  },
  whole: anthropicMessage,
  refusal: (refusal) => {
    switch (refusal) {
      case "refused":
        return anthropicError(401, "authentication_error", "invalid x-api-key")
      case "spent":
        return anthropicError(
          400,
          "invalid_request_error",
          "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
        )
      case "busy":
        return anthropicError(429, "rate_limit_error", "This request would exceed the rate limit of your organization.")
    }
  }
}

// ---- OpenAI, both interfaces --------------------------------------------------------------------------------------

const openaiError = (status: number, type: string, code: string, message: string) => ({
  status,
  body: { error: { message, type, param: null, code } }
})

const openaiRefusal = (refusal: Refusal) => {
  switch (refusal) {
    case "refused":
      return openaiError(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: dummy.")
    case "spent":
      return openaiError(429, "insufficient_quota", "insufficient_quota", OUT_OF_QUOTA)
    case "busy":
      return openaiError(429, "requests", "rate_limit_exceeded", "Rate limit reached for requests. Please try again.")
  }
}

interface ResponsesRequest {
  readonly instructions?: string
  readonly tools?: ReadonlyArray<{
    readonly type: string
    readonly name?: string
    /** Of a namespace, which is what an MCP server is here. */
    readonly tools?: ReadonlyArray<{ readonly name: string }>
  }>
  readonly input?: ReadonlyArray<{
    readonly type?: string
    readonly role?: string
    readonly content?: string | ReadonlyArray<Part>
    readonly output?: string | ReadonlyArray<Part>
  }>
}

const responsesItem = (id: string, move: string | Use) =>
  typeof move === "string"
    ? {
        type: "message",
        id: `msg_${id}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: move, annotations: [] }]
      }
    : {
        type: "function_call",
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name: move.name.split("/").at(-1),
        // one that is undefined is not sent
        namespace: move.name.split("/").at(-2),
        arguments: JSON.stringify(move.input),
        status: "completed"
      }

const responsesWhole = (model: string, id: string, move: string | Use) => ({
  id: `resp_${id}`,
  object: "response",
  created_at: 0,
  status: "completed",
  model,
  output: [responsesItem(id, move)],
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15
  }
})

export const openaiResponses: Dialect = {
  read: (request) => {
    const { tools = [], input = [], instructions = "" } = request as ResponsesRequest
    return {
      tools: tools.flatMap(({ name, tools: inside, type }) =>
        inside === undefined ? [name ?? type] : inside.map((tool) => `${name}/${tool.name}`)
      ),
      system: instructions,
      user: input
        .filter((item) => item.role === "user")
        .map((item) => textOf(item.content))
        .join("\n"),
      uses: input.filter((item) => item.type === "function_call").length,
      result: textOf(input.filter((item) => item.type === "function_call_output").at(-1)?.output)
    }
  },
  // It has no tool that writes a file as such; a patch is written through the shell too.
  use: (move) => ({
    name: "exec_command",
    input: {
      cmd: "shell" in move ? move.shell : `cat > '${move.write.path}' <<'END'\n${move.write.content}\nEND`
    }
  }),
  stream: (model, id, move) => {
    const response = responsesWhole(model, id, move)
    const item = responsesItem(id, move)
    const started = typeof move === "string" ? { ...item, content: [] } : { ...item, arguments: "" }
    const piece =
      typeof move === "string"
        ? { type: "response.output_text.delta", item_id: item.id, output_index: 0, content_index: 0, delta: move }
        : {
            type: "response.function_call_arguments.done",
            item_id: item.id,
            output_index: 0,
            arguments: item.arguments
          }
    const events = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...started, status: "in_progress" } },
      piece,
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response }
    ]
    return events.map((event, sequence_number) => [event.type, { ...event, sequence_number }] as const)
  },
  whole: responsesWhole,
  refusal: openaiRefusal
}

interface ChatRequest {
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
  readonly messages: ReadonlyArray<{
    readonly role: string
    readonly content?: string | ReadonlyArray<Part> | null
    readonly tool_calls?: ReadonlyArray<unknown>
  }>
}

const chatCalls = (id: string, use: Use) => [
  {
    index: 0,
    id: `call_${id}`,
    type: "function",
    function: { name: use.name, arguments: JSON.stringify(use.input) }
  }
]

const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

export const openaiChat: Dialect = {
  read: (request) => {
    const { tools = [], messages } = request as ChatRequest
    const by = (role: string) => messages.filter((message) => message.role === role)
    return {
      tools: tools.map((tool) => tool.function.name),
      system: by("system")
        .map((message) => textOf(message.content))
        .join("\n"),
      user: by("user")
        .map((message) => textOf(message.content))
        .join("\n"),
      uses: by("assistant").flatMap((message) => message.tool_calls ?? []).length,
      result: textOf(by("tool").at(-1)?.content)
    }
  },
  use: (move) =>
    "shell" in move
      ? { name: "bash", input: { command: move.shell, description: "Runs a command" } }
      : { name: "write", input: { filePath: move.write.path, content: move.write.content } },
  stream: (model, id, move) => {
    const base = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 0, model }
    const isText = typeof move === "string"
    const delta = isText ? { role: "assistant", content: move } : { role: "assistant", tool_calls: chatCalls(id, move) }
    return [
      ["", { ...base, choices: [{ index: 0, delta, finish_reason: null }] }],
      ["", { ...base, choices: [{ index: 0, delta: {}, finish_reason: isText ? "stop" : "tool_calls" }] }],
      ["", { ...base, choices: [], usage: chatUsage }],
      ["", "[DONE]"]
    ]
  },
  whole: (model, id, move) => ({
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message:
          typeof move === "string"
            ? { role: "assistant", content: move }
            : { role: "assistant", content: null, tool_calls: chatCalls(id, move) },
        finish_reason: typeof move === "string" ? "stop" : "tool_calls"
      }
    ],
    usage: chatUsage
  }),
  refusal: openaiRefusal
}

// ---- Gemini generateContent ---------------------------------------------------------------------------------------

interface GeminiPart {
  readonly text?: string
  readonly functionCall?: unknown
  readonly functionResponse?: { readonly response?: { readonly output?: string; readonly error?: string } }
}

interface GeminiRequest {
  readonly systemInstruction?: { readonly parts?: ReadonlyArray<GeminiPart> }
  readonly tools?: ReadonlyArray<{ readonly functionDeclarations?: ReadonlyArray<{ readonly name: string }> }>
  readonly contents?: ReadonlyArray<{ readonly role?: string; readonly parts?: ReadonlyArray<GeminiPart> }>
}

const geminiWhole = (model: string, _id: string, move: string | Use) => ({
  candidates: [
    {
      content: {
        role: "model",
        parts: [typeof move === "string" ? { text: move } : { functionCall: { name: move.name, args: move.input } }]
      },
      finishReason: "STOP",
      index: 0
    }
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: model
})

const geminiError = (code: number, status: string, message: string, details: ReadonlyArray<unknown>) => ({
  status: code,
  body: { error: { code, message, status, details } }
})

export const gemini: Dialect = {
  read: (request) => {
    const { tools = [], contents = [], systemInstruction } = request as GeminiRequest
    const parts = (role: string) =>
      contents.filter((content) => content.role === role).flatMap(({ parts = [] }) => parts)
    const last = parts("user").findLast((part) => part.functionResponse !== undefined)?.functionResponse?.response
    return {
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
      system: textOf((systemInstruction?.parts ?? []).map(({ text = "" }) => ({ text }))),
      user: textOf(
        parts("user")
          .filter((part) => part.text !== undefined)
          .map(({ text = "" }) => ({ text }))
      ),
      uses: parts("model").filter((part) => part.functionCall !== undefined).length,
      result: last?.output ?? last?.error ?? ""
    }
  },
  use: (move) =>
    "shell" in move
      ? { name: "run_shell_command", input: { command: move.shell, description: "Runs a command" } }
      : { name: "write_file", input: { file_path: move.write.path, content: move.write.content } },
  stream: (model, id, move) => [["", geminiWhole(model, id, move)]],
  whole: geminiWhole,
  refusal: (refusal) => {
    switch (refusal) {
      case "refused":
        return geminiError(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", [])
      case "spent":
        return geminiError(429, "RESOURCE_EXHAUSTED", OUT_OF_QUOTA, [
          {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }]
          }
        ])
      case "busy":
        return geminiError(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", [])
    }
  }
}
