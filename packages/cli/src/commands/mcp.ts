import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { layerStdio } from "@proofline/plugins/frontends/mcp"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { exitCodes } from "../problems.ts"
import { version } from "../version.ts"
import { attemptToken, callersProject, type ServerFlags, serverSetup } from "./server.ts"
import { withKernel, withStorage } from "./shared.ts"

export interface McpOptions extends ServerFlags {
  readonly cwd?: string | undefined
  readonly state?: string | undefined
}

/** `proofline mcp`: an agent that is open already works under Proofline, until it closes standard input. */
export const mcp = Effect.fnUntraced(function* (options: McpOptions) {
  const token = attemptToken()
  const paths = yield* callersProject(options, token)
  const { answering, caller, check, shown, toolsOfPlugins } = yield* serverSetup(paths, options)
  const server = Layer.unwrap(
    Effect.map(toolsOfPlugins, ({ ofPlugins, shownOfPlugins }) =>
      layerStdio({
        name: "proofline",
        version,
        ...caller,
        token,
        ofPlugins,
        // an attempt has its own work, and no session
        shown: token === null ? [...shown, ...shownOfPlugins] : shown.filter(({ subject }) => subject !== "project")
      })
    )
  ).pipe(Layer.provide(answering), Layer.provide(NodeStdio.layer))
  return yield* withStorage(
    paths,
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        if (token === null) yield* check
        // the server interrupts whoever launched it when its input ends; that is its regular end
        const serving = yield* Effect.forkChild(Layer.launch(server))
        const exit = yield* Fiber.await(serving)
        if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
        return exitCodes.proven
      })
    )
  )
})
