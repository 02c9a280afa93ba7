import {
  Cause,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  Result,
  Schedule,
  Schema,
  type Scope,
  Stream
} from "effect"
import type { ItemId, RunId } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"
import type { Claim, WorkItem } from "../base/Work.ts"
import type { LeaseLost } from "../log/EventLog.ts"
import { WorkQueue } from "../port/WorkQueue.ts"
import { anEffect, aResult, wronglyAnswered } from "./answers.ts"
import type { OwnedActivity, Snapshot } from "./compose.ts"
import type { ActivityContext, ActivityFailure, AnyCommand, Asked, Host } from "./contract.ts"
import { Engine, noStackTrace } from "./Engine.ts"
import { brokenByOwnInterrupt, faultOf, isFault } from "./faults.ts"
import { type Location, Locations, type Report } from "./Locations.ts"
import type { Rejection } from "./Rejection.ts"

export interface WorkerOptions {
  /** Recorded with every attempt, followed by the slot: `host:4711/2`. */
  readonly workerId: string
  /** The machine, recorded too; left out: nobody says. */
  readonly host?: string
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
  readonly slots: Map<number, RunningWork>
  /** Runs that others must work on. */
  readonly left: Set<RunId>
  /** Takes work for so many slots, its own or those that work which waits has lent, until it is interrupted. What was begun goes on then. */
  readonly taking: (slots: number, lender?: RunningWork) => Effect.Effect<never, LogUnavailable>
}

const work = Effect.fnUntraced(function* (
  engine: Engine["Service"],
  queue: WorkQueue["Service"],
  options: WorkerOptions
) {
  const locations = yield* Locations
  const scope = yield* Effect.scope
  const broken = yield* Deferred.make<never, LogUnavailable>()
  const begin = (claim: Claim, lender?: RunningWork) => {
    const own = state.running.get(claim.item.id)
    if (own === undefined) {
      return Effect.map(
        carryOutClaim({ engine, queue, locations, options, state }, claim).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.asVoid(Deferred.failCause(broken, cause))
          ),
          Effect.forkIn(scope, { startImmediately: true })
        ),
        (fiber) => {
          lender?.lent.add(fiber)
          fiber.addObserver(() => lender?.lent.delete(fiber))
        }
      )
    }
    // this process was silent for too long (suspended, stopped) and was handed its own work again
    own.claim = claim
    return Effect.void
  }
  const state: WorkerState = {
    running: new Map(),
    slots: new Map(),
    left: new Set(),
    taking: (slots, lender) =>
      Effect.andThen(
        Stream.runForEach(queue.take(slots, options.labels), (claim) => begin(claim, lender)),
        Effect.never
      )
  }
  const beat = keepClaims(queue, state)
  // what was given up is ended at once, not only when the next heartbeat finds it gone
  const withdrawn = engine.changes.pipe(
    Stream.filter(({ withdrawsWork }) => withdrawsWork),
    Stream.runForEach(() => beat)
  )
  return yield* Effect.raceAllFirst([
    state.taking(options.slots),
    Deferred.await(broken),
    Effect.repeat(beat, Schedule.spaced(heartbeat)).pipe(Effect.andThen(Effect.never)),
    Effect.andThen(withdrawn, Effect.never)
  ])
}, Effect.scoped)

/** Says that the claims are worked on, and ends the work on those that are lost. */
const keepClaims = (queue: WorkQueue["Service"], { running }: WorkerState) =>
  Effect.gen(function* () {
    const going = [...running.values()].filter(({ claim, givenUp }) => claim.lease.number !== givenUp)
    const lost = yield* queue.keep(going.map(({ claim }) => claim))
    // not awaited: ending a stubborn agent takes seconds in which the others must be kept
    for (const claim of lost) {
      const own = running.get(claim.item.id)
      // what is settled with its report is no loss; what is lost meanwhile is refused
      if (own?.fiber !== undefined && !own.handsIn && own.claim.lease.number === claim.lease.number) {
        own.givenUp = claim.lease.number
        yield* Effect.forkChild(Fiber.interrupt(own.fiber))
      }
    }
  })

/** The first that is free; where all are in use, that of work which is being settled with its report. */
const takeSlot = ({ slots }: WorkerState, own: RunningWork, all: number): number => {
  let slot = 1
  while (slots.has(slot)) slot++
  if (slot > all) slot = [...slots].find(([, { isReporting }]) => isReporting)?.[0] ?? slot
  slots.set(slot, own)
  return slot
}

/** What carrying out a claim needs. */
interface Working {
  readonly engine: Engine["Service"]
  readonly queue: WorkQueue["Service"]
  readonly locations: (typeof Locations)["Service"]
  readonly options: WorkerOptions
  readonly state: WorkerState
}

/** Who carries out a piece of work, as its attempt records it. */
type By = Pick<AnyContext, "worker_id" | "host">

const byOf = ({ host, workerId }: Working["options"], slot: number): By => ({
  worker_id: `${workerId}/${slot}`,
  ...(host === undefined ? {} : { host })
})

const carryOutClaim = Effect.fnUntraced(function* (
  working: Working,
  claim: Claim
): Effect.fn.Return<void, LogUnavailable> {
  const { options, queue, state } = working
  const { running, slots } = state
  const own: RunningWork = {
    claim,
    fiber: undefined,
    givenUp: null,
    handsIn: false,
    isReporting: false,
    lent: new Set()
  }
  running.set(claim.item.id, own)
  const slot = takeSlot(state, own, options.slots)
  const fiber = yield* Effect.forkChild(carryOut(working, byOf(options, slot), own))
  own.fiber = fiber
  const exit = yield* Fiber.await(fiber).pipe(
    Effect.onInterrupt(() => Fiber.interrupt(fiber)),
    // its slot is free again when nothing is at work there
    Effect.tap((ended) => (Exit.isSuccess(ended) ? lentEnded(own) : Effect.void)),
    Effect.ensuring(
      Effect.sync(() => {
        running.delete(claim.item.id)
        if (slots.get(slot) === own) slots.delete(slot)
      })
    )
  )
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  const carried = Exit.isSuccess(exit) ? exit.value : "lost"
  if (carried === "done") return yield* queue.settle(own.claim)
  if (carried === "left") return yield* queue.decline(own.claim)
  // what was given up is not done: it is not settled, and begun anew where it was handed to this worker again meanwhile
  if (own.givenUp !== null && own.givenUp !== own.claim.lease.number) yield* carryOutClaim(working, own.claim)
})

/** Work in progress. The claim is replaced when the same work is handed to this worker again. */
interface RunningWork {
  claim: Claim
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  /** The lease that was lost, so that its work is being ended or its report was refused. */
  givenUp: number | null
  /** Nothing is left of it but to hand in what came of it: that is tried for as long as it takes. */
  handsIn: boolean
  /** Its last report is on its way, which settles it: the queue may hand out its slot with that. */
  isReporting: boolean
  /** What was begun on its slot while it waited, and goes on. */
  readonly lent: Set<Fiber.Fiber<void>>
}

/**
 * What came of carrying it out. Settled: with its report. Left: nobody can do it here. Lost: its lease was, before it was
 * reported.
 */
type Carried = "done" | "settled" | "left" | "lost"

/** Under whichever lease it was handed out last, it is not done. */
const lost = (own: RunningWork, { lease }: Pick<LeaseLost, "lease">): Effect.Effect<Carried> =>
  Effect.sync(() => {
    own.givenUp = lease
    return "lost"
  })

/** Interrupts the work as from outside: an activity that interrupts itself is broken. */
const interrupted = ({ fiber }: RunningWork): Effect.Effect<never> =>
  Effect.andThen(
    Effect.sync(() => fiber?.interruptUnsafe()),
    Effect.interrupt
  )

/** Waits until nothing that was begun on its slot goes on. */
const lentEnded = ({ lent }: RunningWork) =>
  Effect.suspend(() => Effect.forEach([...lent], Fiber.await, { discard: true }))

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
    Effect.flatMap((input) => ran(activity, input, context)),
    brokenByOwnInterrupt,
    Effect.catchTag("ActivityFailure", (failure: ActivityFailure) => Effect.succeed(host.failed(item, failure))),
    Effect.catchTag("Rejection", (rejection: Rejection) => Effect.succeed(refusedBy(host, item, rejection))),
    Effect.catchIf((failure) => !isUnavailable(failure), Effect.die),
    Effect.catchDefect((defect) =>
      // a rule that breaks has said nothing about the work
      isFault(defect)
        ? Effect.die(faultOf(activity.owner, `run of ${activity.name}`, defect))
        : Effect.logDebug(`Activity ${item.activity} of ${item.run} broke`, defect).pipe(
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

/** An activity, and that it answers as one. */
const ran = ({ name, owner, run }: OwnedActivity, input: unknown, context: AnyContext) => {
  const where = `run of ${name}`
  const running: unknown = run(input, context)
  const wrong = anEffect(running)
  if (wrong !== null) return Effect.die(wronglyAnswered(owner, where, wrong))
  return Effect.map(running as ReturnType<OwnedActivity["run"]>, (request) => {
    const unfit = aResult(request)
    if (unfit !== null) throw wronglyAnswered(owner, where, unfit)
    return request as AnyCommand | null
  })
}

/** Whatever a plugin without types fails with. */
const isUnavailable = (failure: unknown): failure is LogUnavailable =>
  typeof failure === "object" && failure !== null && "_tag" in failure && failure._tag === "LogUnavailable"

/** What the activity is asked to do, as its schema reads it. */
const inputOf = ({ input, name }: OwnedActivity, item: WorkItem): Effect.Effect<unknown, ActivityFailure> =>
  Effect.mapError(Schema.decodeUnknownEffect(input)(item.input), ({ message }) => ({
    _tag: "ActivityFailure",
    code: "activity_input_invalid",
    message: `The activity ${name} was asked for something it cannot read: ${message.split("\n").join(" ")}`
  }))

/** Carries out one work item from claim to report. A report that comes too late is dropped; a refused one is recorded. */
const carryOut = Effect.fnUntraced(function* (
  working: Working,
  by: By,
  runningWork: RunningWork
): Effect.fn.Return<Carried, LogUnavailable, Scope.Scope> {
  const { engine, locations, state } = working
  const { item } = runningWork.claim
  return yield* Effect.flatMap(locations.of(runningWork.claim, engine), (location) =>
    Effect.flatMap(location.engine.load(item.run), (begun) => carryOutAt(location, begun, state, by, runningWork))
  ).pipe(
    Effect.catchTag("ActivityFailure", (failure) => recording(engine, runningWork)(engine.host.failed(item, failure))),
    Effect.catchTag("LocationRefused", ({ message }) => leave(state, item, message)),
    // a run that a newer Proofline works on is left to those that know it
    Effect.catchTag("LogUnavailable", (failure) =>
      failure.code === "log_newer" || failure.code === "plugin_missing"
        ? leave(state, item, failure.message)
        : Effect.fail(failure)
    )
  )
}, Effect.scoped)

/** Said once a run: the work is offered again and again until somebody can do it. */
const leave = ({ left }: WorkerState, { run }: WorkItem, why: string): Effect.Effect<Carried> =>
  Effect.suspend(() => {
    if (left.has(run)) return Effect.succeed("left")
    left.add(run)
    return Effect.as(Effect.logWarning(`The work of ${run} is left to other workers: ${why}`), "left")
  })

/** Records under the lease of the work. What comes too late is dropped. */
const recording =
  (engine: Engine["Service"], runningWork: RunningWork) =>
  (command: AnyCommand): Effect.Effect<Carried, LogUnavailable> =>
    engine.execute(runningWork.claim.item.run, command, { lease: runningWork.claim.lease }).pipe(
      Effect.as<Carried>("done"),
      Effect.catchTag("LeaseLost", (failure) => lost(runningWork, failure)),
      Effect.catchTag("Rejection", () => Effect.succeed<Carried>("done"))
    )

const carryOutAt = Effect.fnUntraced(function* (
  location: Location,
  begun: Snapshot,
  state: WorkerState,
  by: By,
  runningWork: RunningWork
): Effect.fn.Return<Carried, LogUnavailable> {
  const { engine } = location
  const { composition, host } = engine
  const { item, lease } = runningWork.claim
  const activity = composition.activities.get(item.activity)
  const slot = activity?.slot ?? 0
  const view = ({ slices }: Snapshot) => composition.view(slot, engine.at(slices, location.root))
  const hostView = ({ slices }: Snapshot) => composition.view(host.slot, slices)
  const execute = (command: AnyCommand, also?: AnyCommand, settles = false) =>
    engine.execute(item.run, command, {
      lease: runningWork.claim.lease,
      settles,
      ...(also === undefined ? {} : { also })
    })
  const context: AnyContext = {
    item,
    lease: lease.number,
    ...by,
    state: view(begun),
    dispatch: (request) =>
      execute(request).pipe(
        Effect.map(({ snapshot }) => view(snapshot)),
        // the lease is lost: stop the work, whichever fiber of it asks; its report would be refused
        Effect.catchTag("LeaseLost", (failure) => Effect.andThen(lost(runningWork, failure), interrupted(runningWork)))
      ),
    until: (find) =>
      Effect.map(
        // what is told of ends with a state in which it was found
        whenever(engine, item.run, (snapshot) => find(view(snapshot)) !== null),
        (snapshot) => find(view(snapshot)) as NonNullable<ReturnType<typeof find>>
      ),
    handsIn: Effect.sync(() => {
      runningWork.handsIn = true
    }),
    // who waits needs no slot: the other run's work may have it
    drive: (run, begin) =>
      Effect.raceFirst(
        Effect.map(driveUnder(location, view, item, run, begin), view),
        Effect.andThen(lentEnded(runningWork), state.taking(1, runningWork))
      )
  }
  // where the work was handed out again meanwhile, what was refused belongs to a lease of before: it is begun anew
  const nothingToSay = Effect.suspend(() =>
    runningWork.claim.lease.number === lease.number
      ? Effect.as(Effect.flatMap(engine.load(item.run), tellWaiting), "done" as const)
      : lost(runningWork, { lease: lease.number })
  )
  // whether something else is still to come only its plugin knows; nothing else says why a run does not go on
  const tellWaiting = (now: Snapshot): Effect.Effect<void> => {
    const why = item.kind === "activity" && engine.isRunning(now) ? host.awaits(hostView(now), item) : null
    return why === null ? Effect.void : Effect.logWarning(why)
  }
  const result = yield* Effect.annotateSpans(perform(activity, context, host), { version: begun.version })
  yield* context.handsIn
  for (;;) {
    const report = yield* location
      .report(result)
      .pipe(
        Effect.catchTag("ActivityFailure", (failure) => Effect.succeed<Report>({ result: host.failed(item, failure) }))
      )
    const [first, also] = report.result === null ? [report.also] : [report.result, report.also]
    if (first === undefined) return yield* nothingToSay
    // its slot is free when nothing is at work there
    runningWork.isReporting = runningWork.lent.size === 0
    const recorded = yield* Effect.result(execute(first, also, runningWork.isReporting))
    if (Result.isSuccess(recorded)) {
      yield* tellWaiting(recorded.success.snapshot)
      return recorded.success.settled ? "settled" : "done"
    }
    runningWork.isReporting = false
    if (recorded.failure._tag === "LeaseLost") return yield* lost(runningWork, recorded.failure)
    if (recorded.failure._tag !== "Rejection") return yield* recorded.failure
    if (location.overtaken.has(recorded.failure.code)) continue
    const why = refusedBy(host, item, recorded.failure)
    return why === null ? yield* nothingToSay : yield* recording(engine, runningWork)(why)
  }
})

/** Another run from its beginning, or from where it is, to its end. */
const driveUnder = Effect.fnUntraced(function* (
  { begins, ended, engine }: Location,
  view: (snapshot: Snapshot) => AnyContext["state"],
  { id, run: parent }: WorkItem,
  run: RunId,
  begin: Parameters<AnyContext["drive"]>[1]
) {
  const { composition, host } = engine
  const command = begin({ state: view(yield* engine.load(run)), plugins: composition.versions })
  const also = command === null ? undefined : yield* begins(run)
  const drive = untilEnded(
    engine,
    run,
    command === null
      ? Effect.void
      : // not under this item's lease: a child run has its own log
        // the same work, handed out again, begins nothing twice
        Effect.catchTag(
          engine.execute(run, command, {
            commandId: `cmd_${id}`,
            ...(also === undefined ? {} : { also })
          }),
          "LeaseLost",
          Effect.die
        )
  )
  return yield* Effect.tap(drive, () => ended(run)).pipe(
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
  Effect.andThen(
    whenever(engine, run, (snapshot) => !engine.isRunning(snapshot), begin, meanwhile),
    engine.load(run)
  )

/** Does something, and waits until the run is as is wanted, whoever changes it. */
const whenever = <A, E, R>(
  engine: Engine["Service"],
  run: RunId,
  isWanted: (snapshot: Snapshot) => boolean,
  begin: Effect.Effect<A, E, R> | Effect.Effect<void> = Effect.void,
  meanwhile: Effect.Effect<never, LogUnavailable> = Effect.never
): Effect.Effect<Snapshot, E | LogUnavailable, R> =>
  Effect.gen(function* () {
    const here = engine.changes.pipe(
      Stream.filter(({ event, snapshot }) => event.stream === run && isWanted(snapshot)),
      Stream.map(({ snapshot }) => snapshot),
      Stream.runHead
    )
    // listening begins before anything is done, so that no change can be missed
    const listening = yield* Effect.forkChild(here, { startImmediately: true })
    yield* begin
    const elsewhere = engine.changedElsewhere(run).pipe(Stream.filter(isWanted), Stream.runHead)
    const found = yield* Effect.raceAllFirst([elsewhere, Fiber.join(listening), meanwhile])
    return Option.isSome(found) ? found.value : yield* engine.load(run)
  })

/** What to record about work that was refused; null when there is nothing to say. */
const refusedBy = (host: Host, item: WorkItem, { code, hint, message }: Rejection): AnyCommand | null =>
  host.overtaken.has(code)
    ? null
    : host.failed(item, { _tag: "ActivityFailure", code, message: hint ? `${message} ${hint}` : message })

const sentence = (defect: unknown): string =>
  (defect instanceof Error ? defect.message : String(defect)).split("\n")[0] ?? ""
