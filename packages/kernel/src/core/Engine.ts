import {
  Cause,
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  PubSub,
  Result,
  type Scope,
  Semaphore,
  Stream
} from "effect"
import type { CommandId, RunId } from "../base/Ids.ts"
import { LogUnavailable } from "../base/LogUnavailable.ts"
import type { EventCandidate, Recorded } from "../base/Recorded.ts"
import type { Lease, WorkItem } from "../base/Work.ts"
import { type ChainBroken, type ChainHead, verifyNext } from "../log/codec.ts"
import { type Appended, type Conflict, EventLog, type LeaseLost } from "../log/EventLog.ts"
import { chainFaultOf, faultText } from "../log/faults.ts"
import { Digest } from "../port/Digest.ts"
import { IdGenerator } from "../port/IdGenerator.ts"
import { RunHeads } from "../port/RunHeads.ts"
import type { Composition, Snapshot } from "./compose.ts"
import { type AnyCommand, type Host, PluginFault, type Start } from "./contract.ts"
import { orPluginMissing } from "./logNewer.ts"
import { type EventManifest, makeManifest } from "./manifest.ts"
import { type Rejection, rejectConflict } from "./Rejection.ts"
import { makeRecent } from "./recent.ts"
import { emptySnapshot, makeFold, type Step, stepAll } from "./step.ts"
import { unfit } from "./unfit.ts"

export interface ExecuteOptions {
  /** The work this command reports on; the log refuses the append when it is no longer ours. */
  readonly lease?: Lease
  /** The work ends with the command, where that is written now. */
  readonly settles?: boolean
  /** Chosen by the caller, to be able to ask again: the same id twice is decided once. */
  readonly commandId?: CommandId
  readonly causationId?: CommandId
  /** Decided behind the command and appended with it: neither is recorded without the other. */
  readonly also?: AnyCommand
}

export interface Outcome {
  /** The run after the command. */
  readonly snapshot: Snapshot
  readonly events: ReadonlyArray<Recorded>
  /** The command had been carried out before; `events` are those of then. */
  readonly repeated: boolean
  /** The work of the lease was ended with it. */
  readonly settled: boolean
}

/** An event as it was appended in this process, with the run after the whole batch. */
export interface Change {
  readonly event: Recorded
  readonly snapshot: Snapshot
  /** Work that was ordered before is not wanted any more since this batch. */
  readonly withdrawsWork: boolean
}

/** Conflicts in a row before the engine gives up; every one of them means that somebody else got ahead. */
const maxConflicts = 10_000

/** Runs of which the state is kept in memory, to fold only what is new. */
const maxSnapshots = 64

/** Where in the source a span was made is the same for all of its name, and finding it out costs more than the span. */
export const noStackTrace = { captureStackTrace: false }

/**
 * Carries out commands: read → guard → decide → append → fold → react, with everything that follows from a command in
 * one append. A run has no owner: on a conflict it reads what is new and decides again.
 */
export class Engine extends Context.Service<
  Engine,
  {
    readonly execute: (
      run: RunId,
      command: AnyCommand,
      options?: ExecuteOptions
    ) => Effect.Effect<Outcome, Rejection | LeaseLost | LogUnavailable>
    /** The run as the log has it now; version 0 when there is none. */
    readonly load: (run: RunId) => Effect.Effect<Snapshot, LogUnavailable>
    /**
     * The run at once, and whenever another process may have changed it; each time when the command that this process
     * carries out on it is done, and told.
     */
    readonly changedElsewhere: (run: RunId) => Stream.Stream<Snapshot, LogUnavailable>
    /** What this process appends from now on, in order per run. */
    readonly changes: Stream.Stream<Change>
    /** Whether a run goes on: its work is wanted, and whoever drives it waits. */
    readonly isRunning: (snapshot: Snapshot) => boolean
    /** A run whose project lies in another directory; null: where it was begun. */
    readonly at: (slices: Snapshot["slices"], root: string | null) => Snapshot["slices"]
    readonly composition: Composition
    readonly host: Host & { readonly slot: number }
    readonly manifest: EventManifest
  }
>()("@proofline/kernel/core/Engine") {
  static readonly layer = (composition: Composition): Layer.Layer<Engine, never, EventLog | Digest | IdGenerator> =>
    Layer.effect(Engine, make(composition))
}

/** What carrying out a command needs. */
interface Parts {
  readonly log: EventLog["Service"]
  readonly digest: Digest["Service"]
  readonly heads: (typeof RunHeads)["Service"]
  readonly composition: Composition
  readonly manifest: EventManifest
  readonly host: Host & { readonly slot: number }
  readonly changes: PubSub.PubSub<Change>
  /** The state of some runs, to fold only what is new. */
  readonly snapshots: {
    readonly get: (run: RunId) => Snapshot | undefined
    readonly set: (run: RunId, snapshot: Snapshot) => void
  }
  /** In this process one decision per run at a time: without it they would only conflict with each other. */
  readonly oneAtATime: ReturnType<typeof makeLocks>
  /** The last append of each run that is on its way. */
  readonly ahead: Map<RunId, Ahead>
  /** The reading of each run that was asked for last. */
  readonly readings: Map<RunId, Reading>
  /** That of the engine: an append is brought to its end, whoever asked for it. */
  readonly scope: Scope.Scope
}

/**
 * An append that is on its way. The next command on the run is decided behind it: so that those who report at the same
 * moment wait for one write, not each for the write of the one before.
 */
interface Ahead {
  readonly commandId: CommandId
  /** The run after it, if it is written. */
  readonly snapshot: Snapshot
  /** Answered, and told. */
  readonly done: Deferred.Deferred<void>
  /** The appends that were decided one behind the other. When one was not written, those behind it cannot be. */
  readonly chain: { isBroken: boolean }
  /** What was decided directly behind it. */
  next: Ahead | undefined
}

/**
 * Waits until nothing that was decided behind it is on its way. For who was not written and is decided again: written
 * under the same command id, it would be taken for what those stand behind.
 */
const behindSettled = ({ next }: Ahead): Effect.Effect<void> =>
  next === undefined ? Effect.void : Effect.andThen(Deferred.await(next.done), () => behindSettled(next))

const make = Effect.fnUntraced(function* (composition: Composition) {
  const ids = yield* IdGenerator
  const parts: Parts = {
    log: yield* EventLog,
    digest: yield* Digest,
    heads: yield* RunHeads,
    composition,
    manifest: makeManifest(composition),
    host: hostOf(composition),
    changes: yield* PubSub.unbounded<Change>(),
    snapshots: makeRecent<RunId, Snapshot>(maxSnapshots),
    oneAtATime: makeLocks(),
    ahead: new Map(),
    readings: new Map(),
    scope: yield* Effect.scope
  }
  const { changes, host, log, manifest } = parts

  const execute = (run: RunId, command: AnyCommand, options: ExecuteOptions = {}) =>
    Effect.gen(function* () {
      const commandId = options.commandId ?? (yield* ids.commandId)
      const wellFormed = repairText(options.also === undefined ? [command] : [command, options.also])
      let isOld = false
      const decided = Effect.suspend(() => decide(parts, run, wellFormed, commandId, options, isOld))
      return yield* parts
        .oneAtATime(run)(decided)
        .pipe(
          Effect.flatten,
          Effect.tapError((error) => Effect.sync(() => (isOld = error._tag === "Conflict"))),
          Effect.retry({ times: maxConflicts, while: (error) => error._tag === "Conflict" }),
          Effect.catchTag("Conflict", () => Effect.fail(contended(run)))
        )
    }).pipe(Effect.withSpan("Engine.execute", { attributes: { run, command: command._tag } }, noStackTrace))

  return Engine.of({
    execute,
    load: Effect.fn("Engine.load")(function* (run: RunId) {
      const now = yield* load(parts, run)
      yield* Effect.annotateCurrentSpan({ run, version: now.version })
      return now
    }),
    changedElsewhere: (run) =>
      Stream.mapEffect(log.othersAppended, () =>
        parts.oneAtATime(run)(Effect.andThen(writtenAhead(parts, run), load(parts, run)))
      ),
    changes: Stream.fromPubSub(changes),
    isRunning: ({ slices }) => host.isRunning(slices[host.slot]),
    at: (slices, root) => (root === null ? slices : slices.with(host.slot, host.at(slices[host.slot], root))),
    composition,
    host,
    manifest
  })
})

const keep = ({ snapshots }: Parts, run: RunId, snapshot: Snapshot): void => {
  if (snapshot.version > (snapshots.get(run)?.version ?? 0)) snapshots.set(run, snapshot)
}

/** A reading of a run. Whoever asks for the run before it begins shares it. */
interface Reading {
  isBegun: boolean
  /** What it has read; where it was interrupted, another reading. */
  readonly read: Deferred.Deferred<Snapshot, LogUnavailable>
  /** It has ended, however it did. */
  readonly ended: Deferred.Deferred<void>
}

/** The run as the log has it at some moment from now on: many who ask at the same moment read and fold it once. */
const load = (parts: Parts, run: RunId): Effect.Effect<Snapshot, LogUnavailable> =>
  // an entry that is set is removed, wherever whoever set it is interrupted
  Effect.uninterruptibleMask((restore) => {
    const { ahead, readings } = parts
    const last = readings.get(run)
    if (last?.isBegun === false) return restore(Deferred.await(last.read))
    const own: Reading = { isBegun: last === undefined, read: Deferred.makeUnsafe(), ended: Deferred.makeUnsafe() }
    readings.set(run, own)
    // not for what it has read: the other reading, where it was interrupted, may be this one
    const turn = last === undefined ? Effect.void : Deferred.await(last.ended)
    const reading = Effect.andThen(turn, () => {
      own.isBegun = true
      // what this process has on its way is folded already, and known once it is told
      const written = ahead.get(run)
      const told = written === undefined ? Effect.void : Deferred.await(written.done)
      return Effect.andThen(told, () => readNew(parts, run))
    })
    return restore(reading).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          if (readings.get(run) === own) readings.delete(run)
          const isLeft = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
          Deferred.doneUnsafe(own.ended, Effect.void)
          Deferred.doneUnsafe(own.read, isLeft ? load(parts, run) : exit)
        })
      )
    )
  })

const readNew = (parts: Parts, run: RunId): Effect.Effect<Snapshot, LogUnavailable> =>
  Effect.map(foldNew(parts, run, parts.snapshots.get(run) ?? emptySnapshot(parts.composition)), (now) => {
    keep(parts, run, now)
    return now
  })

/** Waits until nothing that this process appends to the run is on its way. For who alone decides about it now. */
const writtenAhead = (parts: Parts, run: RunId): Effect.Effect<void> =>
  Effect.suspend(() => {
    const last = parts.ahead.get(run)
    return last === undefined ? Effect.void : Effect.flatMap(Deferred.await(last.done), () => writtenAhead(parts, run))
  })

type Attempt = Effect.Effect<Outcome, Conflict | LeaseLost | LogUnavailable>

/**
 * Decides about the run as it is, or will be when what is on its way is written, and gives what then waits for the
 * outcome. That fails with a `Conflict` when somebody else got ahead meanwhile. What is known of the run is not compared
 * with the log before: whatever is written is refused with a `Conflict` where it is old, and where nothing would be
 * written the run is read. `isOld`: that has happened.
 */
const decide = Effect.fnUntraced(function* (
  parts: Parts,
  run: RunId,
  commands: ReadonlyArray<AnyCommand>,
  commandId: CommandId,
  options: ExecuteOptions,
  isOld: boolean
): Effect.fn.Return<Attempt, Rejection | LogUnavailable> {
  const { ahead, composition, log, scope, snapshots } = parts
  let read = isOld
  for (;;) {
    const last = ahead.get(run)
    const known = read ? undefined : snapshots.get(run)
    const before = last?.snapshot ?? known ?? (yield* load(parts, run))
    const decided = stepAll(composition, before, commands)
    const wrong = decided._tag === "Failure" ? null : unfit(composition, decided.success)
    if (decided._tag === "Success" && decided.success.events.length > 0 && wrong === null) {
      const appending = append(parts, run, before.version, decided.success, commandId, options, last)
      const fiber = yield* Effect.forkIn(appending, scope, { startImmediately: true })
      return Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
    }
    if (last !== undefined) {
      // only what is written counts as a reason for that
      yield* writtenAhead(parts, run)
      read = true
      continue
    }
    if (known !== undefined) {
      read = true
      continue
    }
    if (wrong !== null) return yield* Effect.die(wrong)
    // nothing would be written now, which the log cannot answer: was something written then?
    const events = options.commandId === undefined ? [] : yield* writtenBy(log, run, options.commandId)
    if (events.length > 0) return Effect.succeed({ snapshot: before, events, repeated: true, settled: false })
    // a plugin's rejection may be a plain object
    if (decided._tag === "Failure") return yield* Effect.fail(decided.failure)
    return Effect.succeed({ snapshot: before, events, repeated: false, settled: false })
  }
})

/** Appends what was decided, behind what is on its way, and tells it. */
const append = (
  parts: Parts,
  run: RunId,
  version: number,
  next: Step,
  commandId: CommandId,
  options: ExecuteOptions,
  last: Ahead | undefined
): Effect.Effect<Outcome, Conflict | LeaseLost | LogUnavailable> =>
  Effect.suspend(() => {
    const { ahead } = parts
    const { chain } = last ?? { chain: { isBroken: false } }
    const own: Ahead = { commandId, snapshot: next.after, done: Deferred.makeUnsafe(), chain, next: undefined }
    if (last !== undefined) last.next = own
    ahead.set(run, own)
    const written = Effect.catchTag(
      write(parts, run, version, next, commandId, options, last),
      "Conflict",
      (conflict) => Effect.fail(last === undefined && isShrunk(conflict) ? shrunk(conflict) : conflict)
    )
    // what is appended is told, also when whoever asked is interrupted meanwhile: others wait for it
    return Effect.uninterruptibleMask((restore) =>
      restore(written).pipe(
        Effect.tap(() => (last === undefined ? Effect.void : Deferred.await(last.done))),
        Effect.tap(keepHead(parts, run, next)),
        Effect.flatMap((appended) => tell(parts, run, next, appended, options.settles === true))
      )
    ).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          if (!Exit.isSuccess(exit) || exit.value.repeated) chain.isBroken = true
          const latest = ahead.get(run)
          if (latest === own || (latest?.chain === chain && chain.isBroken)) ahead.delete(run)
          Deferred.doneUnsafe(own.done, Effect.void)
        })
      ),
      Effect.tapError(() => behindSettled(own))
    )
  })

/**
 * Where the run goes on no more after what was appended, its end is kept outside of the log: before anybody is told, for
 * then the process may end.
 */
const keepHead =
  ({ heads, host }: Parts, run: RunId, { after }: Step) =>
  ({ events, repeated }: Appended): Effect.Effect<void> => {
    const last = events.at(-1)
    return last === undefined || repeated || host.isRunning(after.slices[host.slot])
      ? Effect.void
      : heads.keep({ run_id: run, version: last.version, hash: last.hash })
  }

/** The outcome of what was appended, told to those who follow the changes of this process. */
const tell = Effect.fnUntraced(function* (
  parts: Parts,
  run: RunId,
  next: Step,
  { events, repeated }: Appended,
  settles: boolean
) {
  // not shared with those who wait for this append
  if (repeated) return { snapshot: yield* readNew(parts, run), events, repeated, settled: false }
  keep(parts, run, next.after)
  yield* Effect.annotateCurrentSpan({
    version: next.after.version,
    position: events[0]?.position,
    events: events.length
  })
  const withdrawsWork = next.cancels.length > 0
  yield* PubSub.publishAll(
    parts.changes,
    events.map((event) => ({ event, snapshot: next.after, withdrawsWork }))
  )
  return { snapshot: next.after, events, repeated, settled: settles }
})

/** Everything that follows from a command, at once: its events, the work it orders and the work it takes back. */
const write = (
  { digest, host, log, manifest }: Parts,
  run: RunId,
  version: number,
  next: Step,
  commandId: CommandId,
  options: ExecuteOptions,
  last: Ahead | undefined
) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    const labels = host.labels(next.after.slices[host.slot])
    return log.append(run, version, candidates(manifest, run, next, commandId, options, nowMs), {
      dispatch: next.starts.map((start) => workItem(digest.uuid5, run, labels, start, nowMs)),
      cancel: next.cancels.map((work) => ("item" in work ? work.item : itemId(digest.uuid5, run, work.key))),
      ...(options.lease === undefined ? {} : { lease: options.lease, settles: options.settles === true }),
      ...(last === undefined ? {} : { behind: last.commandId })
    })
  })

const hostOf = ({ host }: Composition): Parts["host"] => {
  if (host === null) {
    throw new PluginFault({ plugin: "none", where: "composition", problem: "No plugin owns runs: add the kernel's." })
  }
  return host
}

/** One semaphore per run that somebody waits for or works on; forgotten with the last of them. */
const makeLocks = () => {
  const locks = new Map<RunId, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return (run: RunId) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const lock = locks.get(run) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        locks.set(run, lock)
        lock.users++
        return lock.semaphore
          .withPermits(1)(effect)
          .pipe(
            Effect.ensuring(
              Effect.sync(() => {
                if (--lock.users === 0) locks.delete(run)
              })
            )
          )
      })
}

/** A run with what was appended since it was folded; the same value where nothing was. */
const foldNew = (
  { composition, digest, log, manifest }: Parts,
  run: RunId,
  known: Snapshot
): Effect.Effect<Snapshot, LogUnavailable> =>
  Effect.suspend(() => {
    let fold: ReturnType<typeof makeFold> | null = null
    let head: ChainHead | null = null
    const add = (page: ReadonlyArray<Recorded>) => {
      const folding = fold ?? makeFold(composition, known)
      fold = folding
      for (const recorded of page) {
        if (head === null && known.version > 0) head = { stream: run, version: known.version, hash: recorded.prev_hash }
        const next: Result.Result<ChainHead, ChainBroken> = verifyNext(head, recorded, digest.sha256)
        if (Result.isFailure(next)) throw changed(run, next.failure)
        head = next.success
        folding.add(manifest.decode(recorded, folding.now))
      }
    }
    return log.read(run, known.version + 1).pipe(
      Stream.runForEachArray((page) => Effect.sync(() => add(page))),
      (reading) => orPluginMissing(reading, log, composition),
      Effect.catchDefect((defect) => (defect instanceof LogUnavailable ? Effect.fail(defect) : Effect.die(defect))),
      Effect.map(() => fold?.end() ?? known)
    )
  })

/** What a command id led to, when it was carried out before. */
const writtenBy = (log: EventLog["Service"], run: RunId, commandId: CommandId) =>
  log.read(run).pipe(
    Stream.filter((event) => event.command_id === commandId),
    Stream.runCollect
  )

const contended = (run: RunId): Rejection =>
  rejectConflict("run_contended", `Run ${run} is being changed too fast by others.`, "Try again in a moment.")

/** The stream ends before what was read of it: no new decision helps against that. */
const isShrunk = ({ actual, expected }: Conflict): boolean => actual < expected

const shrunk = ({ actual, expected, stream }: Conflict): LogUnavailable =>
  new LogUnavailable({
    code: "log_lost",
    message: `The log has lost events of ${stream}: it ends at version ${actual}, and version ${expected} was read from it.`,
    hint: "Put the log back from a copy; what was reported since then cannot be proven."
  })

/** Nothing is concluded from events that are not as they were written. */
const changed = (run: RunId, broken: ChainBroken): LogUnavailable =>
  new LogUnavailable({
    code: "log_changed",
    message: faultText(run, chainFaultOf(broken)),
    hint: "`proofline verify` says the same of this run alone; `proofline doctor` of all of the log. Restore it from a backup."
  })

/** The id of a work item: the same run and key give the same id. */
export const itemId = (uuid5: (name: string) => string, run: RunId, key: string): string => uuid5(`${run}/${key}`)

const workItem = (
  uuid5: (name: string) => string,
  run: RunId,
  labels: ReadonlyArray<string>,
  { delay_ms, subtask, _tag, ...start }: Start,
  nowMs: number
): WorkItem => ({
  id: itemId(uuid5, run, start.key),
  run,
  ...start,
  // source: task chunking §8.1
  ...(subtask === undefined ? { is_subtask: false } : { ...subtask, is_subtask: true }),
  labels,
  not_before: delay_ms === 0 ? 0 : nowMs + delay_ms
})

const candidates = (
  manifest: EventManifest,
  run: RunId,
  next: Step,
  commandId: CommandId,
  options: ExecuteOptions,
  nowMs: number
): ReadonlyArray<EventCandidate> => {
  const timestamp = new Date(nowMs).toISOString()
  return next.events.map((event) => ({
    event_type: event.type,
    schema_version: manifest.schemaVersionOf(event.type),
    timestamp,
    visibility: manifest.visibilityOf(event.type),
    content: event.content,
    command_id: commandId,
    causation_id: options.causationId ?? null,
    correlation_id: run
  }))
}

/**
 * The same value with every half of a surrogate pair replaced by U+FFFD: text from agents and files is cut anywhere, and
 * half a character is no JSON. Done before anything is decided, so that a replay decides about the same text.
 */
export const repairText = <A>(value: A): A => {
  if (typeof value === "string") return (value.isWellFormed() ? value : value.toWellFormed()) as A
  if (Array.isArray(value)) return value.map(repairText) as A
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [repairText(key), repairText(one)])) as A
}
