import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { EventLog } from "@proofline/kernel"
import { layerStdio } from "@proofline/plugins/frontends/mcp"
import { Cause, Effect, Exit, Fiber, Latch, Layer } from "effect"
import type { Where } from "../paths.ts"
import { exitCodes } from "../problems.ts"
import { version } from "../version.ts"
import { endsWhenLost } from "./loss.ts"
import { attemptToken, callersProject, type ServerFlags, serverSetup, withCallersStorage } from "./server.ts"
import { withKernel } from "./shared.ts"

export interface McpOptions extends ServerFlags, Where {}

/** `proofline mcp`: an agent that is open already works under Proofline, until it closes standard input. */
export const mcp = Effect.fnUntraced(function* (options: McpOptions) {
  const token = attemptToken()
  const paths = yield* callersProject(options, token)
  const { answering, caller, check, shown, toolsOfPlugins } = yield* serverSetup(paths, options)
  const told = Latch.makeUnsafe(false)
  const server = Layer.unwrap(
    Effect.map(toolsOfPlugins, ({ ofPlugins, shownOfPlugins }) =>
      layerStdio({
        name: "proofline",
        version,
        ...caller,
        token,
        ofPlugins,
        answered: ({ body }) => Effect.sync(() => void (body["error"] === "log_lost" && told.openUnsafe())),
        // an attempt has its own work, and no session
        shown: token === null ? [...shown, ...shownOfPlugins] : shown.filter(({ subject }) => subject !== "project")
      })
    )
  ).pipe(Layer.provide(answering), Layer.provide(NodeStdio.layer))
  return yield* withCallersStorage(
    paths,
    token,
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        if (token === null) yield* check
        // the server interrupts whoever launched it when its input ends; that is its regular end
        const serving = yield* Effect.forkChild(Layer.launch(server))
        const exit = yield* Effect.raceFirst(Fiber.await(serving), endsWhenLost(isTold(told)))
        if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
        // it may have been lost just now
        yield* (yield* EventLog).check
        return exitCodes.proven
      })
    )
  )
})

/** The agent, which learns by its next call why nothing goes on; one that does not call is not waited for. */
const isTold = (told: Latch.Latch) =>
  told.await.pipe(
    Effect.timeoutOption("10 seconds"),
    // for the answer to be read
    Effect.andThen(Effect.sleep("500 millis"))
  )
