import { Cause, Context, Effect, Exit, Fiber, Layer, Schedule, Schema, Stream } from "effect"
import type { ItemId, RunId } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"
import type { Claim, WorkItem } from "../base/Work.ts"
import { WorkQueue } from "../port/WorkQueue.ts"
import type { OwnedActivity, Snapshot } from "./compose.ts"
import type { ActivityContext, ActivityFailure, AnyCommand, Asked, Host } from "./contract.ts"
import { Engine, noStackTrace } from "./Engine.ts"
import type { Rejection } from "./Rejection.ts"

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
>()("@proofline/kernel/core/Worker") {
  static readonly layer: Layer.Layer<Worker, never, Engine | WorkQueue> = Layer.effect(
    Worker,
    Effect.gen(function* () {
      const engine = yield* Engine
      const queue = yield* WorkQueue
      return Worker.of({ run: (options) => work(engine, queue, options) })
    })
  )
}

/** What one worker is at: its claims by item, and which of its slots are in use. */
interface WorkerState {
  readonly running: Map<ItemId, RunningWork>
  readonly slots: Set<number>
}

const work = Effect.fnUntraced(function* (
  engine: Engine["Service"],
  queue: WorkQueue["Service"],
  options: WorkerOptions
) {
  const state: WorkerState = { running: new Map(), slots: new Set() }
  const beat = keepClaims(queue, state)
  const taking = queue.take(options.slots, options.labels).pipe(
    Stream.mapEffect(
      (claim) => {
        const own = state.running.get(claim.item.id)
        if (own === undefined) return carryOutClaim(engine, queue, options.workerId, state, claim)
        // this process was silent for too long (suspended, stopped) and was handed its own work again
        own.claim = claim
        return Effect.void
      },
      { concurrency: "unbounded", unordered: true }
    ),
    Stream.runDrain
  )
  // what was given up is ended at once, not only when the next heartbeat finds it gone
  const withdrawn = engine.changes.pipe(
    Stream.filter(({ withdrawsWork }) => withdrawsWork),
    Stream.runForEach(() => beat)
  )
  return yield* Effect.raceAllFirst([
    Effect.andThen(taking, Effect.never),
    Effect.repeat(beat, Schedule.spaced(heartbeat)).pipe(Effect.andThen(Effect.never)),
    Effect.andThen(withdrawn, Effect.never)
  ])
})

/** Says that the claims are worked on, and ends the work on those that are lost. */
const keepClaims = (queue: WorkQueue["Service"], { running }: WorkerState) =>
  Effect.gen(function* () {
    const lost = yield* queue.keep([...running.values()].map(({ claim }) => claim))
    // not awaited: ending a stubborn agent takes seconds in which the others must be kept
    for (const claim of lost) {
      const own = running.get(claim.item.id)
      if (own?.fiber !== undefined && own.claim.lease.number === claim.lease.number) {
        yield* Effect.forkChild(Fiber.interrupt(own.fiber))
      }
    }
  })

const takeSlot = (slots: Set<number>): number => {
  let slot = 1
  while (slots.has(slot)) slot++
  slots.add(slot)
  return slot
}

const carryOutClaim = Effect.fnUntraced(function* (
  engine: Engine["Service"],
  queue: WorkQueue["Service"],
  workerId: string,
  { running, slots }: WorkerState,
  claim: Claim
) {
  const own: RunningWork = { claim, fiber: undefined }
  running.set(claim.item.id, own)
  const slot = takeSlot(slots)
  const fiber = yield* Effect.forkChild(carryOut(engine, `${workerId}/${slot}`, own))
  own.fiber = fiber
  const exit = yield* Fiber.await(fiber).pipe(
    Effect.onInterrupt(() => Fiber.interrupt(fiber)),
    Effect.ensuring(
      Effect.sync(() => {
        running.delete(claim.item.id)
        slots.delete(slot)
      })
    )
  )
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  yield* queue.settle(own.claim)
})

/** Work in progress. The claim is replaced when the same work is handed to this worker again. */
interface RunningWork {
  claim: Claim
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

/** What an activity is given, whatever its plugin sees of the run. */
export type AnyContext = ActivityContext<Asked, string>

/** What is to be recorded of an activity, however it ended; null when there is nothing to say. */
export const perform = (
  activity: OwnedActivity | undefined,
  context: AnyContext,
  host: Host
): Effect.Effect<AnyCommand | null, LogUnavailable> => {
  const { item } = context
  const broken = (code: string, message: string): AnyCommand =>
    host.failed(item, { _tag: "ActivityFailure", code, message })
  if (activity === undefined) {
    return Effect.succeed(broken("activity_unknown", `No plugin offers the activity ${item.activity}.`))
  }
  return inputOf(activity, item).pipe(
    Effect.flatMap((input) => activity.run(input, context)),
    Effect.map((request) => request as AnyCommand | null),
    Effect.catchTag("ActivityFailure", (failure: ActivityFailure) => Effect.succeed(host.failed(item, failure))),
    Effect.catchTag("Rejection", (rejection: Rejection) => Effect.succeed(refusedBy(host, item, rejection))),
    Effect.catchDefect((defect) =>
      Effect.logDebug(`Activity ${item.activity} of ${item.run} broke`, defect).pipe(
        Effect.as(
          broken(
            "activity_broken",
            `The activity ${item.activity} of plugin ${activity.owner} broke: ${sentence(defect)}`
          )
        )
      )
    ),
    Effect.withSpan(
      `activity ${item.activity}`,
      { attributes: { run: item.run, key: item.key, plugin: activity.owner, lease: context.lease } },
      noStackTrace
    )
  )
}

/** What the activity is asked to do, as its schema reads it. */
const inputOf = ({ input, name }: OwnedActivity, item: WorkItem): Effect.Effect<unknown, ActivityFailure> =>
  Effect.mapError(Schema.decodeUnknownEffect(input)(item.input), ({ message }) => ({
    _tag: "ActivityFailure",
    code: "activity_input_invalid",
    message: `The activity ${name} was asked for something it cannot read: ${message.split("\n").join(" ")}`
  }))

/** Carries out one work item from claim to report. A report that comes too late is dropped; a refused one is recorded. */
const carryOut = Effect.fnUntraced(function* (engine: Engine["Service"], workerId: string, runningWork: RunningWork) {
  const { composition, host } = engine
  const { item, lease } = runningWork.claim
  const activity = composition.activities.get(item.activity)
  const slot = activity?.slot ?? 0
  const view = ({ slices }: Snapshot) => composition.view(slot, slices)
  const execute = (command: AnyCommand) => engine.execute(item.run, command, { lease: runningWork.claim.lease })
  const begun = yield* engine.load(item.run)
  const context: AnyContext = {
    item,
    lease: lease.number,
    worker_id: workerId,
    state: view(begun),
    dispatch: (request) =>
      execute(request as unknown as AnyCommand).pipe(
        Effect.map(({ snapshot }) => view(snapshot)),
        // the lease is lost: stop the work, its report would be refused
        Effect.catchTag("LeaseLost", () => Effect.interrupt)
      ),
    drive: (run, begin) => Effect.map(driveUnder(engine, view, item, run, begin), view)
  }
  const result = yield* Effect.annotateSpans(perform(activity, context, host), { version: begun.version })
  if (result === null) return
  yield* execute(result).pipe(
    Effect.catchTag("Rejection", (rejection) => {
      const why = refusedBy(host, item, rejection)
      return why === null ? Effect.void : execute(why)
    }),
    Effect.catchTag(["LeaseLost", "Rejection"], () => Effect.void)
  )
})

/** Another run from its beginning, or from where it is, to its end. */
const driveUnder = Effect.fnUntraced(function* (
  engine: Engine["Service"],
  view: (snapshot: Snapshot) => AnyContext["state"],
  { id, run: parent }: WorkItem,
  run: RunId,
  begin: Parameters<AnyContext["drive"]>[1]
) {
  const { composition, host } = engine
  const command = begin({ state: view(yield* engine.load(run)), plugins: composition.versions })
  const drive = untilEnded(
    engine,
    run,
    command === null
      ? Effect.void
      : // not under this item's lease: a child run has its own log
        // the same work, handed out again, begins nothing twice
        Effect.catchTag(
          engine.execute(run, command as unknown as AnyCommand, { commandId: `cmd_${id}` }),
          "LeaseLost",
          () => Effect.interrupt
        )
  )
  return yield* drive.pipe(
    // cancelling a run cancels its child runs; an interrupt here leaves them to another worker or a resume
    Effect.onInterrupt(() =>
      Effect.flatMap(engine.load(parent), (whole) =>
        engine.isRunning(whole) ? Effect.void : engine.execute(run, host.cancel("parent_ended"))
      ).pipe(Effect.ignore)
    )
  )
})

/** Carries out what makes a run go on, and waits until it has ended, whoever ends it. The run as it is then. */
export const untilEnded = <A, E, R>(
  engine: Engine["Service"],
  run: RunId,
  begin: Effect.Effect<A, E, R>,
  meanwhile: Effect.Effect<never, LogUnavailable> = Effect.never
): Effect.Effect<Snapshot, E | LogUnavailable, R> =>
  Effect.gen(function* () {
    const { isRunning } = engine
    const ended = engine.changes.pipe(
      Stream.filter(({ event, snapshot }) => event.stream === run && !isRunning(snapshot)),
      Stream.runHead
    )
    // listening begins before the command, so that no end can be missed
    const listening = yield* Effect.forkChild(ended, { startImmediately: true })
    yield* begin
    const endedElsewhere = engine.changedElsewhere(run).pipe(
      Stream.takeUntil((later) => !isRunning(later)),
      Stream.runDrain
    )
    yield* Effect.raceAllFirst([endedElsewhere, Fiber.join(listening), meanwhile])
    return yield* engine.load(run)
  })

/** What to record about work that was refused; null when there is nothing to say. */
const refusedBy = (host: Host, item: WorkItem, { code, message }: Rejection): AnyCommand | null =>
  host.overtaken.has(code) ? null : host.failed(item, { _tag: "ActivityFailure", code, message })

const sentence = (defect: unknown): string =>
  (defect instanceof Error ? defect.message : String(defect)).split("\n")[0] ?? ""
