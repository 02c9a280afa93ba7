import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { promptContext } from "./fixtureInput.ts"
import { blobAt, embedded, image, text, textAt } from "./samples.ts"

const staticText = "test://static-text"
const staticBinary = "test://static-binary"

const resources = Layer.mergeAll(
  McpServer.resource({
    uri: staticText,
    name: "static-text",
    description: "A text.",
    mimeType: "text/plain",
    content: Effect.succeed({
      contents: [textAt(staticText, "text/plain", "This is the content of the static text resource.")]
    })
  }),
  McpServer.resource({
    uri: staticBinary,
    name: "static-binary",
    description: "An image.",
    mimeType: "image/png",
    content: Effect.succeed({ contents: [blobAt(staticBinary)] })
  }),
  McpServer.resource({
    uri: "test://watched-resource",
    name: "watched-resource",
    description: "A text that a client can subscribe to.",
    mimeType: "text/plain",
    content: Effect.succeed("Nothing has changed.")
  }),
  McpServer.resource`test://template/${McpSchema.param("id", Schema.String)}/data`({
    name: "template",
    description: "Data of one id.",
    mimeType: "application/json",
    content: (uri, id) =>
      Effect.succeed({
        contents: [
          textAt(uri, "application/json", JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
        ]
      })
  })
)

const byUser = (content: McpSchema.ContentBlock) => McpSchema.PromptMessage.make({ role: "user", content })

const prompts = Layer.mergeAll(
  McpServer.prompt({
    name: "test_simple_prompt",
    description: "A prompt.",
    content: () => Effect.succeed("This is a simple prompt for testing.")
  }),
  McpServer.prompt({
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments.",
    parameters: { arg1: Schema.String, arg2: Schema.String },
    completion: {
      arg1: (begun) => Effect.succeed(["test", "testValue1"].filter((value) => value.startsWith(begun)))
    },
    content: ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)
  }),
  McpServer.prompt({
    name: "test_prompt_with_embedded_resource",
    description: "A prompt about a resource.",
    parameters: { resourceUri: Schema.String },
    content: ({ resourceUri }) =>
      Effect.succeed([
        byUser(embedded(resourceUri, "text/plain", "Embedded resource content for testing.")),
        byUser(text("Please process the embedded resource above."))
      ])
  }),
  McpServer.prompt({
    name: "test_prompt_with_image",
    description: "A prompt about an image.",
    content: () => Effect.succeed([byUser(image), byUser(text("Please analyze the image above."))])
  })
)

const askingPrompt = Layer.effectDiscard(
  Effect.flatMap(McpServer.McpServer, (server) =>
    server.addPrompt({
      prompt: new McpSchema.Prompt({
        name: "test_input_required_result_prompt",
        description: "A prompt that asks first.",
        arguments: []
      }),
      annotations: Context.empty(),
      completions: {},
      handle: () =>
        Effect.map(promptContext, (answer) =>
          answer instanceof McpSchema.InputRequired
            ? answer
            : new McpSchema.GetPromptResult({ messages: [byUser(text(`Context: ${JSON.stringify(answer)}`))] })
        )
    })
  )
)

/** The resources and prompts that the conformance suite reads. */
export const fixtureTexts = Layer.mergeAll(resources, prompts, askingPrompt)
