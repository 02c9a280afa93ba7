import { Effect, Layer, Logger } from "effect"
import { McpServer } from "effect/ai"
import type { HttpRouter } from "effect/http"
import type { Stdio } from "effect/Stdio"
import { type Answer, type CallerOptions, type Declaration, makeCaller, operations } from "../../operations/index.ts"
import type { Attempts } from "../../policies/attempts/contract.ts"
import type { Oversight } from "../../policies/oversight/contract.ts"
import type { Sessions } from "../../policies/sessions/contract.ts"
import { instructions } from "../../told/index.ts"
import { makeConnections } from "./http.ts"
import { readableInput } from "./input.ts"
import { prompts } from "./prompts.ts"
import { protocols } from "./protocols.ts"
import { resources } from "./resources.ts"
import { type CallerOf, tools } from "./tools.ts"

export { type GuardOptions, guard } from "../../http/guard.ts"

export interface McpOptions extends CallerOptions {
  /** What the server is called by its clients. */
  readonly name: string
  readonly version: string
  /** The operations its clients are shown as tools. */
  readonly shown: ReadonlyArray<Declaration>
  /** Told of every answer, before it is sent. */
  readonly answered?: (answer: Answer) => Effect.Effect<void>
  /** Told when standard input has ended; what is under way then is still answered. */
  readonly inputEnded?: Effect.Effect<void>
  /** Operations of plugins, beside Proofline's own; those that are not shown are answered too. */
  readonly ofPlugins?: ReadonlyArray<Declaration>
  /** More than Proofline's own tools, resources and prompts. */
  readonly more?: Layer.Layer<never, never, McpServer.McpServer>
}

type Asked = Sessions | Attempts | Oversight

/**
 * Pull mode over MCP on standard input and output: one tool for each operation, all of the project's own rules behind
 * `Sessions`. Nothing but the protocol is written to standard output. When standard input ends, what is under way is
 * still answered; then the fiber that built the layer is interrupted.
 */
export const layerStdio = (options: McpOptions): Layer.Layer<never, never, Asked | Stdio> =>
  McpServer.layerStdio({
    ...serverOf(options),
    registrations: Layer.unwrap(
      Effect.map(makeCaller(options), ({ call, ...caller }) =>
        registrations(
          Effect.succeed({
            ...caller,
            call: (operation, args, client) =>
              Effect.tap(call(operation, args, client), options.answered ?? (() => Effect.void))
          }),
          options
        )
      )
    )
  }).pipe(
    Layer.provide([readableInput(options.inputEnded), Layer.succeed(Logger.LogToStderr, true)]),
    // only a list of protocols that contradicts itself fails
    Layer.orDie
  )

export interface McpHttpOptions extends Omit<McpOptions, "token" | "answered" | "inputEnded"> {
  /** Where it is served, e.g. `/mcp`. */
  readonly path: `/${string}`
  /** Origins of pages that may ask; the guard looks at them too. */
  readonly origins: ReadonlyArray<string>
}

/**
 * The same over Streamable HTTP, for any number of clients at once. What each may do is said by the token it shows, which
 * the guard of the router has to have looked at: a layer that serves this needs `guard`.
 */
export const layerHttp = (options: McpHttpOptions): Layer.Layer<never, never, Asked | HttpRouter.HttpRouter> =>
  Layer.unwrap(
    Effect.map(makeConnections(options), ({ attach, bridge, callerOf, tell }) =>
      McpServer.layerHttp({
        ...serverOf(options),
        path: options.path,
        allowedOrigins: options.origins,
        allowSessionTermination: true,
        registrations: Layer.merge(registrations(callerOf, options, tell), attach)
      }).pipe(Layer.provide(bridge(options.path)), Layer.orDie)
    )
  )

const registrations = (
  callerOf: CallerOf,
  { more = Layer.empty, ofPlugins = [], shown }: Pick<McpOptions, "more" | "ofPlugins" | "shown">,
  tell?: (uri: string) => Effect.Effect<void>
) =>
  Layer.mergeAll(
    tools(callerOf, shown, [...operations, ...ofPlugins]),
    resources(callerOf, tell),
    prompts(callerOf),
    more
  )

const serverOf = ({ name, version }: Pick<McpOptions, "name" | "version">) => ({
  name,
  version,
  instructions,
  protocols
})
