import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { layerStdio } from "@proofline/plugins/frontends/mcp"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { exitCodes } from "../problems.ts"
import { version } from "../version.ts"
import { existingProject } from "./files.ts"
import { type ServerFlags, serverSetup } from "./server.ts"
import { withKernel, withStorage } from "./shared.ts"

export interface McpOptions extends ServerFlags {
  readonly cwd?: string | undefined
  readonly state?: string | undefined
}

/** `proofline mcp`: an agent that is open already works under Proofline, until it closes standard input. */
export const mcp = Effect.fnUntraced(function* (options: McpOptions) {
  const token = attemptToken()
  const paths = yield* existingProject(
    // an agent that Proofline has started works where it was told, and its run is where it was told
    token === null
      ? options
      : {
          cwd: options.cwd ?? process.env["PROOFLINE_ROOT"],
          state: options.state ?? process.env["PROOFLINE_STATE"]
        }
  )
  const { answering, caller, check, shown } = yield* serverSetup(paths, options)
  const server = layerStdio({
    name: "proofline",
    version,
    ...caller,
    token,
    shown: token === null ? shown : shown.filter(({ subject }) => subject !== "project")
  }).pipe(Layer.provide(answering), Layer.provide(NodeStdio.layer))
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

/** The token of the attempt in which this server was started; null: it was started by a person's client. */
const attemptToken = (): string | null => {
  const token = process.env["PROOFLINE_TOKEN"]
  return token?.startsWith("att_") === true ? token : null
}
