import { Context, Effect, Layer, Option, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { inputTools } from "./fixtureInput.ts"
import type { Args, Content, FixtureTool, Server } from "./fixtureTool.ts"
import { audio, defaults, embedded, enums, form, headerSchema, image, text, wideSchema } from "./samples.ts"

const fixed = (name: string, ...content: Content): FixtureTool => ({ name, handle: () => Effect.succeed(content) })

/** Long enough for a client to get what was sent before; nothing is measured by it. */
const aMoment = Effect.sleep("20 millis")

const said = (text: string) => (server: Server) =>
  server.notifications["notifications/message"]({ level: "info", logger: "fixture", data: text })

const logging = (name: string): FixtureTool => ({
  name,
  handle: Effect.fnUntraced(function* (_, server) {
    yield* said("Tool execution started")(server)
    yield* aMoment
    yield* said("Tool processing data")(server)
    yield* aMoment
    yield* said("Tool execution completed")(server)
    return [text("Logged three times.")]
  })
})

const progress: FixtureTool = {
  name: "test_tool_with_progress",
  handle: Effect.fnUntraced(function* (_, server) {
    const { requestMetadata } = yield* McpSchema.McpRequestContext
    const token = requestMetadata?.["progressToken"]
    for (const done of [0, 50, 100]) {
      if (typeof token === "string" || typeof token === "number") {
        yield* server.notifications["notifications/progress"]({ progressToken: token, progress: done, total: 100 })
      }
      if (done < 100) yield* aMoment
    }
    return [text("Done.")]
  })
}

/** What the client answers to a request of the server; revisions with a handshake only. */
const asked = <A, E>(
  ask: (client: McpSchema.McpReverseClient) => Effect.Effect<A, E>
): Effect.Effect<A, McpSchema.InternalError> =>
  Effect.gen(function* () {
    const session = yield* Effect.serviceOption(McpSchema.McpServerClient)
    if (Option.isNone(session)) return yield* new McpSchema.InternalError({ message: "There is no session." })
    return yield* ask(yield* session.value.getClient)
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => new McpSchema.InternalError({ message: String(error) }))
  )

const toElicit = Schema.decodeUnknownEffect(McpSchema.ElicitRequestFormParams)

const eliciting = (name: string, requestedSchema: unknown, message = "Please fill this in."): FixtureTool => ({
  name,
  schema: { type: "object", properties: { message: { type: "string" } } },
  handle: Effect.fnUntraced(function* (args) {
    const request = yield* Effect.orDie(toElicit({ message: args["message"] ?? message, requestedSchema }))
    const answer = yield* asked((client) => client.elicit(request))
    const content = answer.action === "accept" ? answer.content : {}
    return [text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(content)}`)]
  })
})

const sampling: FixtureTool = {
  name: "test_sampling",
  schema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  handle: Effect.fnUntraced(function* ({ prompt }) {
    const { content } = yield* asked((client) =>
      client.createMessage({ messages: [{ role: "user", content: text(String(prompt)) }], maxTokens: 100 })
    )
    return [text(`LLM response: ${JSON.stringify(content)}`)]
  })
}

const trigger = (what: "tool" | "prompt"): FixtureTool => ({
  name: `test_trigger_${what}_change`,
  handle: (_, server) =>
    Effect.as(server.notifications[`notifications/${what}s/list_changed`]({}), [text("The list has changed.")])
})

const person = form({
  username: { type: "string", description: "User's response" },
  email: { type: "string", description: "User's email address" }
})

const tools: ReadonlyArray<FixtureTool> = [
  fixed("test_simple_text", text("This is a simple text response for testing.")),
  fixed("test_image_content", image),
  fixed("test_audio_content", audio),
  fixed(
    "test_embedded_resource",
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
  ),
  fixed(
    "test_multiple_content_types",
    text("Multiple content types test:"),
    image,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
  ),
  {
    name: "test_error_handling",
    handle: () =>
      Effect.succeed(
        new McpSchema.CallToolResult({
          content: [text("This tool intentionally returns an error for testing")],
          isError: true
        })
      )
  },
  logging("test_tool_with_logging"),
  logging("test_logging_tool"),
  progress,
  sampling,
  eliciting("test_elicitation", person),
  eliciting("test_elicitation_sep1034_defaults", defaults),
  eliciting("test_elicitation_sep1330_enums", enums),
  { ...fixed("json_schema_2020_12_tool", text("It fits.")), schema: wideSchema },
  { ...fixed("test_custom_headers", text("The headers fit.")), schema: headerSchema },
  trigger("tool"),
  trigger("prompt"),
  ...inputTools
]

const register = (server: Server, { handle, name, schema }: FixtureTool) =>
  server.addTool({
    tool: new McpSchema.Tool({
      name,
      description: `A tool of the conformance suite: ${name}.`,
      inputSchema: schema ?? { type: "object", properties: {} }
    }),
    annotations: Context.empty(),
    handle: (args: Args) =>
      Effect.map(handle(args, server), (answer) =>
        Array.isArray(answer)
          ? new McpSchema.CallToolResult({ content: answer })
          : (answer as Exclude<typeof answer, Content>)
      )
  })

/** The tools that the conformance suite calls, on whichever server is built with this. */
export const fixtureTools = Layer.effectDiscard(
  Effect.flatMap(McpServer.McpServer, (server) =>
    Effect.forEach(tools, (tool) => register(server, tool), { discard: true })
  )
)
