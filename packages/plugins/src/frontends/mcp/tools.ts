import { type Operation, operations } from "@proofline/kernel"
import { Context, Effect, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { ofDefect, toolResult } from "./answers.ts"
import { type Args, inputSchema } from "./args.ts"
import { type Connection, makeConnection } from "./connection.ts"

/** Registers one tool for each operation; all of them share one connection. */
export const registrations = (options: { readonly agent: string | null; readonly ttlMs: number }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const connection = yield* makeConnection(options)
      yield* Effect.forEach(
        operations,
        (operation) =>
          server.addTool({
            tool: toolOf(operation),
            annotations: Context.empty(),
            handle: (args: Args) => handle(server, connection, operation, args)
          }),
        { discard: true }
      )
    })
  )

const toolOf = (operation: Operation): McpSchema.Tool =>
  new McpSchema.Tool({
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: inputSchema(operation),
    annotations: {
      title: operation.title,
      readOnlyHint: operation.readOnly,
      destructiveHint: false,
      idempotentHint: operation.idempotent,
      openWorldHint: false
    },
    // clients that look tools up only when they think of them would miss the protocol of work
    _meta: { "anthropic/alwaysLoad": true }
  })

const handle = (server: McpServer.McpServer["Service"], connection: Connection, operation: Operation, args: Args) =>
  Effect.gen(function* () {
    const { clientInfo, requestMetadata } = yield* McpSchema.McpRequestContext
    const token = requestMetadata?.["progressToken"]
    const answer = connection.call(operation.name, args, clientInfo?.name)
    return toolResult(
      yield* typeof token === "string" || typeof token === "number"
        ? Effect.raceFirst(answer, heartbeat(server, token))
        : answer
    )
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError(`${operation.name} failed`, cause), toolResult(ofDefect(operation.name)))
    )
  )

/** Many clients give a silent call up after 60 s. */
const heartbeat = (
  server: McpServer.McpServer["Service"],
  progressToken: string | number
): Effect.Effect<never, never, never> => {
  let progress = 0
  return Effect.sleep("10 seconds").pipe(
    Effect.andThen(
      Effect.suspend(() =>
        server.notifications["notifications/progress"]({
          progressToken,
          progress: ++progress,
          message: "Still at work."
        })
      )
    ),
    Effect.forever
  )
}
