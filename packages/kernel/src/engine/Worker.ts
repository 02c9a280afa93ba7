import { Cause, Context, Effect, Exit, Fiber, Layer, Schedule, Stream } from "effect"
import type { ItemId, RunId } from "../domain/Ids.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { Rejection } from "../domain/Rejection.ts"
import type { State } from "../domain/State.ts"
import type { Claim, WorkItem } from "../domain/Work.ts"
import type { Activity, ActivityContext, ActivityFailure } from "../plugin/Plugin.ts"
import { WorkQueue } from "../port/WorkQueue.ts"
import { Engine } from "./Engine.ts"
import type { AnyCommand } from "./step.ts"

export interface WorkerOptions {
  /** Recorded with every attempt, followed by the slot: `host:4711/2`. */
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
        const held = new Map<ItemId, Held>()
        const slotsTaken = new Set<number>()
        const takeSlot = (): number => {
          let slot = 1
          while (slotsTaken.has(slot)) slot++
          slotsTaken.add(slot)
          return slot
        }
        const beat = Effect.gen(function* () {
          const lost = yield* queue.keep([...held.values()].map(({ claim }) => claim))
          // not awaited: ending a stubborn agent takes seconds in which the others must be kept
          for (const claim of lost) {
            const mine = held.get(claim.item.id)
            if (mine?.fiber !== undefined && mine.claim.lease.number === claim.lease.number) {
              yield* Effect.forkChild(Fiber.interrupt(mine.fiber))
            }
          }
        })
        const start = Effect.fnUntraced(function* (claim: Claim) {
          const mine: Held = { claim, fiber: undefined }
          held.set(claim.item.id, mine)
          const slot = takeSlot()
          const fiber = yield* Effect.forkChild(carryOut(engine, `${options.workerId}/${slot}`, mine))
          mine.fiber = fiber
          const exit = yield* Fiber.await(fiber).pipe(
            Effect.onInterrupt(() => Fiber.interrupt(fiber)),
            Effect.ensuring(
              Effect.sync(() => {
                held.delete(claim.item.id)
                slotsTaken.delete(slot)
              })
            )
          )
          if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
          yield* queue.settle(mine.claim)
        })
        const work = queue.take(options.slots, options.labels).pipe(
          Stream.mapEffect(
            (claim) => {
              const mine = held.get(claim.item.id)
              if (mine === undefined) return start(claim)
              // this process was silent for too long (suspended, stopped) and was handed its own work again
              mine.claim = claim
              return Effect.void
            },
            { concurrency: "unbounded", unordered: true }
          ),
          Stream.runDrain
        )
        // what was given up is ended at once, not only when the next heartbeat finds it gone
        const givenUp = engine.changes.pipe(
          Stream.filter(({ event }) => ending.has(event.event_type)),
          Stream.runForEach(() => beat)
        )
        return yield* Effect.raceAllFirst([
          Effect.andThen(work, Effect.never),
          Effect.repeat(beat, Schedule.spaced(heartbeat)).pipe(Effect.andThen(Effect.never)),
          Effect.andThen(givenUp, Effect.never)
        ])
      })
      return Worker.of({ run })
    })
  )
}

/** Events with which work may have been taken back. */
const ending: ReadonlySet<string> = new Set([
  "ATTEMPT_CANCELLED",
  "SUBTASK_FAILED",
  "TASK_SKIPPED",
  "RUN_CANCELLED",
  "RUN_FAILED"
])

/** Work in progress. The claim is replaced when the same work is handed to this worker again. */
interface Held {
  claim: Claim
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

/** Refusals that say the work was done already or is not wanted any more; any other says that it may not be done. */
const overtaken = new Set(["task_not_ready", "task_unknown", "attempt_not_current"])

/** What is to be recorded of an activity, however it ended; null when there is nothing to say. */
export const perform = (
  activity: Activity | undefined,
  context: ActivityContext
): Effect.Effect<AnyCommand | null, LogUnavailable> => {
  const { item } = context
  const broken = (code: string, message: string): AnyCommand => failed(item, { _tag: "ActivityFailure", code, message })
  return activity === undefined
    ? Effect.succeed(broken("activity_unknown", `No plugin offers the activity ${item.activity}.`))
    : activity(context).pipe(
        Effect.catchTag("ActivityFailure", (failure: ActivityFailure) => Effect.succeed(failed(item, failure))),
        Effect.catchTag("Rejection", (rejection: Rejection) => Effect.succeed(refusedBy(item, rejection))),
        Effect.catchDefect((defect) =>
          Effect.logDebug(`Activity ${item.activity} of ${item.run} broke`, defect).pipe(
            Effect.as(broken("activity_broken", `The activity ${item.activity} broke: ${sentence(defect)}`))
          )
        )
      )
}

/** One piece of work from claim to report. A report that comes too late is dropped; one that is refused is told. */
const carryOut = Effect.fnUntraced(function* (engine: Engine["Service"], workerId: string, held: Held) {
  const { claim } = held
  const { item, lease } = claim
  const { state } = yield* engine.load(item.run)
  const activity = engine.composition.activities.get(item.activity)
  const execute = (command: AnyCommand) => engine.execute(item.run, command, { lease: held.claim.lease })
  const context: ActivityContext = {
    item,
    lease: lease.number,
    worker_id: workerId,
    state,
    dispatch: (command) =>
      execute(command).pipe(
        Effect.map((outcome) => outcome.snapshot.state),
        // nothing may be reported on this work any more, so nothing more of it may be done
        Effect.catchTag("LeaseLost", () => Effect.interrupt)
      ),
    drive: (run, begin) => driveUnder(engine, item, run, begin)
  }
  const result = yield* perform(activity, context)
  if (result === null) return
  yield* execute(result).pipe(
    Effect.catchTag("Rejection", (rejection) => {
      const why = refusedBy(item, rejection)
      return why === null ? Effect.void : execute(why)
    }),
    Effect.catchTag(["LeaseLost", "Rejection"], () => Effect.void)
  )
})

/** Another run from its beginning, or from where it is, to its end. */
const driveUnder = Effect.fnUntraced(function* (
  engine: Engine["Service"],
  { id, run: parent }: WorkItem,
  run: RunId,
  begin: Parameters<ActivityContext["drive"]>[1]
) {
  const { state } = yield* engine.load(run)
  const command = begin({ state, plugins: engine.composition.versions })
  const drive = untilEnded(
    engine,
    run,
    command === null
      ? Effect.void
      : // nothing of it is under the lease of the waiting work: it has a log of its own
        // the same work, handed out again, begins nothing twice
        Effect.catchTag(engine.execute(run, command, { commandId: `cmd_${id}` }), "LeaseLost", () => Effect.interrupt)
  )
  return yield* drive.pipe(
    // whoever ends the whole ends its parts; what is merely interrupted here goes on elsewhere, or later
    Effect.onInterrupt(() =>
      Effect.flatMap(engine.load(parent), ({ state: whole }) =>
        whole.status === "running" ? Effect.void : engine.execute(run, { _tag: "CancelRun", reason: "parent_ended" })
      ).pipe(Effect.ignore)
    )
  )
})

/** How often it is looked whether another process has ended a run. */
const lookAgain = "2 seconds"

/** Carries out what makes a run go on, and waits until it has ended, whoever ends it. The run as it is then. */
export const untilEnded = <A, E, R>(
  engine: Engine["Service"],
  run: RunId,
  begin: Effect.Effect<A, E, R>,
  meanwhile: Effect.Effect<never, LogUnavailable> = Effect.never
): Effect.Effect<State, E | LogUnavailable, R> =>
  Effect.gen(function* () {
    const ended = engine.changes.pipe(
      Stream.filter(({ event, state }) => event.stream === run && state.status !== "running"),
      Stream.runHead
    )
    // listening begins before the command, so that no end can be missed
    const listening = yield* Effect.forkChild(ended, { startImmediately: true })
    yield* begin
    const { state } = yield* engine.load(run)
    if (state.status !== "running") return state
    const endedElsewhere = Effect.repeat(engine.load(run), {
      schedule: Schedule.spaced(lookAgain),
      until: ({ state: now }) => now.status !== "running"
    })
    yield* Effect.raceAllFirst([meanwhile, Fiber.join(listening), endedElsewhere])
    return (yield* engine.load(run)).state
  })

/** What to record about work that was refused; null when there is nothing to say. */
const refusedBy = (item: WorkItem, { code, message }: Rejection): AnyCommand | null =>
  overtaken.has(code) ? null : failed(item, { _tag: "ActivityFailure", code, message })

const failed = (item: WorkItem, failure: ActivityFailure): AnyCommand => ({
  _tag: "RecordActivityFailure",
  name: item.activity,
  key: item.key,
  input: item.input,
  code: failure.code,
  message: failure.message,
  ...(failure.terminalAgent === undefined ? {} : { agent: failure.terminalAgent, terminal: true })
})

const sentence = (defect: unknown): string =>
  (defect instanceof Error ? defect.message : String(defect)).split("\n")[0] ?? ""
