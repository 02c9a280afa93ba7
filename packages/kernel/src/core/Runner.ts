import { Context, Effect, Layer } from "effect"
import type { RunId } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"
import type { LeaseLost } from "../log/EventLog.ts"
import type { Snapshot } from "./compose.ts"
import type { AnyCommand } from "./contract.ts"
import { Engine } from "./Engine.ts"
import type { Rejection } from "./Rejection.ts"
import { untilEnded, Worker, type WorkerOptions } from "./Worker.ts"

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
    ) => Effect.Effect<Snapshot, Rejection | LeaseLost | LogUnavailable>
    /** The same where workers elsewhere do the work: waits until the run has ended. Null: it goes on already. `also` is recorded with it. */
    readonly watch: (
      run: RunId,
      command: AnyCommand | null,
      also?: AnyCommand
    ) => Effect.Effect<Snapshot, Rejection | LeaseLost | LogUnavailable>
  }
>()("@proofline/kernel/core/Runner") {
  static readonly layer: Layer.Layer<Runner, never, Engine | Worker> = Layer.effect(
    Runner,
    Effect.gen(function* () {
      const engine = yield* Engine
      const worker = yield* Worker
      return Runner.of({
        drive: (run, command, options) => untilEnded(engine, run, engine.execute(run, command), worker.run(options)),
        watch: (run, command, also) =>
          untilEnded(
            engine,
            run,
            command === null ? Effect.void : engine.execute(run, command, also === undefined ? {} : { also })
          )
      })
    })
  )
}
