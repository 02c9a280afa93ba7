import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { layerStdio } from "@proofline/plugins/frontends/mcp"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { say } from "../output.ts"
import { exitCodes } from "../problems.ts"
import { version } from "../version.ts"
import { existingProject } from "./files.ts"
import { checkSessionPlugins } from "./sessionPlugins.ts"
import { agentNamed, type PullFlags, projectSessions, pullSetup, runningSession } from "./sessions.ts"
import { withKernel, withStorage } from "./shared.ts"

export interface McpOptions extends PullFlags {
  readonly cwd?: string | undefined
  readonly state?: string | undefined
  readonly agent?: string | undefined
}

/** `proofline mcp`: an agent that is open already works under Proofline, until it closes standard input. */
export const mcp = Effect.fnUntraced(function* (options: McpOptions) {
  const paths = yield* existingProject(options)
  const named = options.agent === undefined ? null : yield* agentNamed(options.agent)
  const { agent, config, setup, ttlMs } = yield* pullSetup(paths, options)
  const server = layerStdio({ name: "proofline", version, agent: named ?? agent, ttlMs }).pipe(
    Layer.provide(projectSessions(paths, setup, config)),
    Layer.provide(NodeStdio.layer)
  )
  return yield* withStorage(
    paths,
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        yield* checkSessionPlugins(paths, setup.contract)
        const run = yield* runningSession(paths)
        const isSaid = [options.contract, options.intent, options.gate, ...options.flag].some(
          (one) => one !== undefined
        )
        if (run !== undefined && isSaid) {
          yield* say(
            `${run} goes on under the contract it began with; --contract, --intent, --gate and --flag are for a new run.`
          )
        }
        // the server interrupts whoever launched it when its input ends; that is its regular end
        const serving = yield* Effect.forkChild(Layer.launch(server))
        const exit = yield* Fiber.await(serving)
        if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
        return exitCodes.proven
      })
    )
  )
})
