import { Cause, Context, Effect, Exit, Fiber, Layer, Schedule, Stream } from "effect"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { Rejection } from "../domain/Rejection.ts"
import type { Claim } from "../domain/Work.ts"
import type { ActivityContext, ActivityFailure } from "../plugin/Plugin.ts"
import { WorkQueue } from "../port/WorkQueue.ts"
import { Engine } from "./Engine.ts"
import type { AnyCommand } from "./step.ts"

export interface WorkerOptions {
  /** Recorded with every attempt. */
  readonly workerId: string
  /** Work done at the same time. */
  readonly slots: number
  readonly labels: ReadonlyArray<string>
}

/** How often a worker says that it still lives, well within the time after which its claims are handed out again. */
const heartbeat = "2 seconds"

/**
 * Takes work and carries it out until interrupted. Ends only by failure: when the log cannot be written, all running
 * work is interrupted and the failure is the worker's. Work whose lease is lost is interrupted and reports nothing.
 */
export class Worker extends Context.Service<
  Worker,
  { readonly run: (options: WorkerOptions) => Effect.Effect<never, LogUnavailable> }
>()("@proofline/kernel/engine/Worker") {
  static readonly layer: Layer.Layer<Worker, never, Engine | WorkQueue> = Layer.effect(
    Worker,
    Effect.gen(function* () {
      const engine = yield* Engine
      const queue = yield* WorkQueue
      const run = Effect.fnUntraced(function* (options: WorkerOptions) {
        const held = new Map<Claim, Fiber.Fiber<unknown, unknown>>()
        const beat = Effect.gen(function* () {
          const lost = yield* queue.keep([...held.keys()])
          yield* Effect.forEach(lost, (claim) => interruptHeld(held, claim), { discard: true })
        })
        const work = queue.take(options.slots, options.labels).pipe(
          Stream.mapEffect(
            (claim) =>
              Effect.gen(function* () {
                const fiber = yield* Effect.forkChild(carryOut(engine, options, claim))
                held.set(claim, fiber)
                const exit = yield* Fiber.await(fiber).pipe(
                  Effect.onInterrupt(() => Fiber.interrupt(fiber)),
                  Effect.ensuring(Effect.sync(() => held.delete(claim)))
                )
                if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause))
                  return yield* Effect.failCause(exit.cause)
                yield* queue.settle(claim)
              }),
            { concurrency: "unbounded", unordered: true }
          ),
          Stream.runDrain
        )
        return yield* Effect.raceFirst(
          Effect.andThen(work, Effect.never),
          Effect.repeat(beat, Schedule.spaced(heartbeat)).pipe(Effect.andThen(Effect.never))
        )
      })
      return Worker.of({ run })
    })
  )
}

const interruptHeld = (held: Map<Claim, Fiber.Fiber<unknown, unknown>>, claim: Claim) => {
  const found = [...held].find(
    ([mine]) => mine.lease.item === claim.lease.item && mine.lease.number === claim.lease.number
  )
  return found === undefined ? Effect.void : Fiber.interrupt(found[1])
}

/** Refusals that say the work was done already or is not wanted any more; any other says that it may not be done. */
const overtaken = new Set(["task_not_ready", "task_unknown", "attempt_not_current"])

/** One piece of work from claim to report. A report that comes too late is dropped; one that is refused is told. */
const carryOut = Effect.fnUntraced(function* (engine: Engine["Service"], options: WorkerOptions, claim: Claim) {
  const { item, lease } = claim
  const { state } = yield* engine.load(item.run)
  const activity = engine.composition.activities.get(item.activity)
  const execute = (command: AnyCommand) => engine.execute(item.run, command, { lease })
  const context: ActivityContext = {
    item,
    lease: lease.number,
    worker_id: options.workerId,
    state,
    dispatch: (command) =>
      execute(command).pipe(
        Effect.map((outcome) => outcome.snapshot.state),
        // nothing may be reported on this work any more, so nothing more of it may be done
        Effect.catchTag("LeaseLost", () => Effect.interrupt)
      )
  }
  const result =
    activity === undefined
      ? yield* Effect.succeed(
          failed(claim, {
            _tag: "ActivityFailure",
            code: "activity_unknown",
            message: `No plugin offers the activity ${item.activity}.`
          })
        )
      : yield* activity(context).pipe(
          Effect.catchTag("ActivityFailure", (failure: ActivityFailure) => Effect.succeed(failed(claim, failure))),
          Effect.catchTag("Rejection", (rejection: Rejection) => Effect.succeed(refusedBy(claim, rejection))),
          Effect.catchDefect((defect) =>
            Effect.logError(`Activity ${item.activity} of ${item.run} broke`, defect).pipe(
              Effect.as(
                failed(claim, {
                  _tag: "ActivityFailure",
                  code: "activity_broken",
                  message: `The activity ${item.activity} broke: ${sentence(defect)}`
                })
              )
            )
          )
        )
  if (result === null) return
  yield* execute(result).pipe(
    Effect.catchTag("Rejection", (rejection) => {
      const why = refusedBy(claim, rejection)
      return why === null ? Effect.void : execute(why)
    }),
    Effect.catchTag(["LeaseLost", "Rejection"], () => Effect.void)
  )
})

/** What to record about work that was refused; null when there is nothing to say. */
const refusedBy = (claim: Claim, { code, message }: Rejection): AnyCommand | null =>
  overtaken.has(code) ? null : failed(claim, { _tag: "ActivityFailure", code, message })

const failed = ({ item }: Claim, failure: ActivityFailure): AnyCommand => ({
  _tag: "RecordActivityFailure",
  name: item.activity,
  key: item.key,
  input: item.input,
  code: failure.code,
  message: failure.message
})

const sentence = (defect: unknown): string =>
  (defect instanceof Error ? defect.message : String(defect)).split("\n")[0] ?? ""
