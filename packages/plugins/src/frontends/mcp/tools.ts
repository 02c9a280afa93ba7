import { Context, Effect, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { type Args, argumentsSchema, type Caller, type Declaration, outputSchema } from "../../operations/index.ts"
import { ofDefect, toolResult } from "./answers.ts"

/** Who asks in the request that is being handled. */
export type CallerOf = Effect.Effect<Caller, never, McpSchema.McpRequestContext>

/**
 * Registers one tool for each operation. Those that are not shown are not listed, since what a client keeps in its list
 * costs it context, but answered as always: a sentence may name them, and who may ask is said elsewhere.
 */
export const tools = (callerOf: CallerOf, shown: ReadonlyArray<Declaration>, all: ReadonlyArray<Declaration>) => {
  const unlisted = all.filter((one) => !shown.includes(one))
  return Layer.mergeAll(
    register(callerOf, shown),
    Layer.provide(
      register(callerOf, unlisted),
      McpServer.visibility(({ method }) => Effect.succeed(method !== "tools/list")).layer
    )
  )
}

const register = (callerOf: CallerOf, registered: ReadonlyArray<Declaration>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = yield* Effect.context<never>()
      yield* Effect.forEach(
        registered,
        (operation) =>
          server.addTool({
            tool: toolOf(operation),
            annotations: Context.empty(),
            services,
            handle: (args: Args) => handle(server, callerOf, operation, args)
          }),
        { discard: true }
      )
    })
  )

const toolOf = (operation: Declaration): McpSchema.Tool =>
  new McpSchema.Tool({
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: argumentsSchema(operation),
    outputSchema: outputSchema(operation),
    annotations: {
      title: operation.title,
      readOnlyHint: operation.readOnly,
      destructiveHint: false,
      idempotentHint: operation.idempotent,
      openWorldHint: false
    },
    // clients that look tools up only when they think of them would miss how work is handed in
    ...(operation.level === "core" || operation.subject === "attempt"
      ? { _meta: { "anthropic/alwaysLoad": true } }
      : {})
  })

const handle = (server: McpServer.McpServer["Service"], callerOf: CallerOf, operation: Declaration, args: Args) =>
  Effect.gen(function* () {
    const { clientInfo, requestMetadata } = yield* McpSchema.McpRequestContext
    const caller = yield* callerOf
    const token = requestMetadata?.["progressToken"]
    const answer = caller.call(operation, args, clientInfo?.name)
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
