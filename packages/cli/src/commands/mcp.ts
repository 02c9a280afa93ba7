import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { EventLog } from "@proofline/kernel"
import { layerStdio } from "@proofline/plugins/frontends/mcp"
import { Cause, type Duration, Effect, Exit, Fiber, Latch, Layer } from "effect"
import type { Where } from "../base/paths.ts"
import { exitCodes } from "../base/problems.ts"
import { version } from "../base/version.ts"
import { withKernel } from "../project/withKernel.ts"
import { endsWhenLost } from "../serving/loss.ts"
import { callersProject, type ServerFlags, serverSetup, withCallersStorage } from "../serving/server.ts"
import { attemptToken } from "../sessions/attemptToken.ts"

export interface McpOptions extends ServerFlags, Where {}

/** Once standard input has ended, for what is under way to be answered. */
const answersWithin = "1200 millis"

/** From TERM to KILL, ms: who ended standard input does not wait for a command. */
const commandsGraceMs = 300

/** Once standard input has ended the process ends whatever it is at: commands end with it, and the log can be left at any moment. */
const endsWithin = "1900 millis"

/** `proofline mcp`: an agent that is open already works under Proofline, until it closes standard input. */
export const mcp = Effect.fnUntraced(function* (options: McpOptions) {
  const token = attemptToken()
  const paths = yield* callersProject(options, token)
  const { answering, caller, check, shown, toolsOfPlugins } = yield* serverSetup(paths, options)
  const [told, ended] = [Latch.makeUnsafe(false), Latch.makeUnsafe(false)]
  const server = Layer.unwrap(
    Effect.map(toolsOfPlugins, ({ ofPlugins, shownOfPlugins }) =>
      layerStdio({
        name: "proofline",
        version,
        ...caller,
        token,
        ofPlugins,
        inputEnded: Effect.sync(() => void ended.openUnsafe()),
        answered: ({ body }) => Effect.sync(() => void (body["error"] === "log_lost" && told.openUnsafe())),
        // an attempt has its own work, and no session
        shown: token === null ? [...shown, ...shownOfPlugins] : shown.filter(({ subject }) => subject !== "project")
      })
    )
  ).pipe(Layer.provide(answering), Layer.provide(NodeStdio.layer))
  const served = withCallersStorage(
    paths,
    token,
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        if (token === null) yield* check
        // the server interrupts whoever launched it when its input ends; that is its regular end
        const serving = yield* Effect.forkChild(Layer.launch(server))
        const overtime = Effect.andThen(after(ended, answersWithin), Fiber.interrupt(serving))
        yield* Effect.forkChild(overtime)
        const exit = yield* Effect.raceFirst(Fiber.await(serving), endsWhenLost(isTold(told)))
        if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
        // it may have been lost just now
        yield* (yield* EventLog).check
        return exitCodes.proven
      }),
      { grace_ms: commandsGraceMs }
    )
  )
  return yield* Effect.acquireUseRelease(
    Effect.forkDetach(Effect.andThen(after(ended, endsWithin), exitNow)),
    () => served,
    Fiber.interrupt
  )
})

const after = (latch: Latch.Latch, time: Duration.Input) => Effect.andThen(latch.await, Effect.sleep(time))

const exitNow = Effect.sync(() => process.exit(exitCodes.proven))

/** The agent, which learns by its next call why nothing goes on; one that does not call is not waited for. */
const isTold = (told: Latch.Latch) =>
  told.await.pipe(
    Effect.timeoutOption("10 seconds"),
    // for the answer to be read
    Effect.andThen(Effect.sleep("500 millis"))
  )
