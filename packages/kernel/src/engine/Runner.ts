import { Context, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import type { RunId } from "../domain/Ids.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { Rejection } from "../domain/Rejection.ts"
import type { State } from "../domain/State.ts"
import type { LeaseLost } from "../log/EventLog.ts"
import { Engine } from "./Engine.ts"
import type { AnyCommand } from "./step.ts"
import { Worker, type WorkerOptions } from "./Worker.ts"

/** How often it looks whether another process has ended the run. */
const lookAgain = "2 seconds"

/**
 * Drives one run in this process: carries out the command that starts or resumes it, then works until the run has
 * ended. Interrupting it interrupts all running work and leaves the run as the log has it, to be resumed.
 */
export class Runner extends Context.Service<
  Runner,
  {
    readonly drive: (
      run: RunId,
      command: AnyCommand,
      options: WorkerOptions
    ) => Effect.Effect<State, Rejection | LeaseLost | LogUnavailable>
  }
>()("@proofline/kernel/engine/Runner") {
  static readonly layer: Layer.Layer<Runner, never, Engine | Worker> = Layer.effect(
    Runner,
    Effect.gen(function* () {
      const engine = yield* Engine
      const worker = yield* Worker
      const drive = Effect.fnUntraced(function* (run: RunId, command: AnyCommand, options: WorkerOptions) {
        const ended = engine.changes.pipe(
          Stream.filter(({ event, state }) => event.stream === run && state.status !== "running"),
          Stream.runHead
        )
        // listening begins before the command, so that no end can be missed
        const listening = yield* Effect.forkChild(ended, { startImmediately: true })
        const { snapshot } = yield* engine.execute(run, command)
        if (snapshot.state.status === "running") {
          const endedElsewhere = Effect.repeat(engine.load(run), {
            schedule: Schedule.spaced(lookAgain),
            until: ({ state }) => state.status !== "running"
          })
          yield* Effect.raceAllFirst([worker.run(options), Fiber.join(listening), endedElsewhere])
        }
        return (yield* engine.load(run)).state
      })
      return Runner.of({ drive })
    })
  )
}
