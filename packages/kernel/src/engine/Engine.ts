import type { Schema } from "effect"
import { Clock, Context, Effect, Layer, PubSub, Semaphore, Stream } from "effect"
import type { CommandId, RunId, TaskId } from "../domain/Ids.ts"
import type { Start } from "../domain/Intent.ts"
import { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { EventCandidate, Recorded } from "../domain/Recorded.ts"
import { type Rejection, reject } from "../domain/Rejection.ts"
import { type State, taskOf } from "../domain/State.ts"
import type { Lease, WorkItem } from "../domain/Work.ts"
import { EventLog, type LeaseLost } from "../log/EventLog.ts"
import { type EventManifest, makeManifest, UnknownEvent } from "../log/EventManifest.ts"
import type { Composition } from "../plugin/compose.ts"
import { Digest } from "../port/Digest.ts"
import { IdGenerator } from "../port/IdGenerator.ts"
import { type AnyCommand, emptySnapshot, makeFold, type Snapshot, type Step, step } from "./step.ts"

export interface ExecuteOptions {
  /** The work this command reports on; the log refuses the append when it is no longer ours. */
  readonly lease?: Lease
  /** Chosen by the caller, to be able to ask again: the same id twice is decided once. */
  readonly commandId?: CommandId
  readonly causationId?: CommandId
}

export interface Outcome {
  /** The run after the command. */
  readonly snapshot: Snapshot
  readonly events: ReadonlyArray<Recorded>
  /** The command had been carried out before; `events` are those of then. */
  readonly repeated: boolean
}

/** An event as it was appended in this process, with the run after the whole batch. */
export interface Change {
  readonly event: Recorded
  readonly state: State
}

/** Conflicts in a row before the engine gives up; every one of them means that somebody else got ahead. */
const maxConflicts = 10_000

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
    /** What this process appends from now on, in order per run. */
    readonly changes: Stream.Stream<Change>
    readonly composition: Composition
    readonly manifest: EventManifest
  }
>()("@proofline/kernel/engine/Engine") {
  static readonly layer = (composition: Composition): Layer.Layer<Engine, never, EventLog | Digest | IdGenerator> =>
    Layer.effect(Engine, make(composition))
}

const make = Effect.fnUntraced(function* (composition: Composition) {
  const log = yield* EventLog
  const digest = yield* Digest
  const ids = yield* IdGenerator
  const manifest = makeManifest(composition.events)
  const changes = yield* PubSub.unbounded<Change>()
  const snapshots = new Map<RunId, Snapshot>()
  const locks = new Map<RunId, Semaphore.Semaphore>()

  const lockOf = (run: RunId): Semaphore.Semaphore => {
    const lock = locks.get(run) ?? Semaphore.makeUnsafe(1)
    locks.set(run, lock)
    return lock
  }

  const load = Effect.fnUntraced(function* (run: RunId) {
    const known = snapshots.get(run) ?? emptySnapshot(composition)
    const fold = makeFold(composition, known)
    yield* log.read(run, known.version + 1).pipe(
      Stream.runForEachArray((page) =>
        Effect.sync(() => {
          for (const recorded of page) fold.add(manifest.decode(recorded))
        })
      ),
      Effect.catchDefect((defect) =>
        defect instanceof UnknownEvent ? Effect.fail(unreadable(defect)) : Effect.die(defect)
      )
    )
    const now = fold.end()
    keep(run, now)
    return now
  })

  const keep = (run: RunId, snapshot: Snapshot): void => {
    if (snapshot.version > (snapshots.get(run)?.version ?? 0)) snapshots.set(run, snapshot)
  }

  /** What a command id led to, when it was carried out before. */
  const earlier = (run: RunId, commandId: CommandId) =>
    log.read(run).pipe(
      Stream.filter((event) => event.command_id === commandId),
      Stream.runCollect
    )

  const attempt = Effect.fnUntraced(function* (
    run: RunId,
    command: AnyCommand,
    commandId: CommandId,
    options: ExecuteOptions
  ) {
    const before = yield* load(run)
    const decided = step(composition, before, command)
    if (decided._tag === "Failure" || decided.success.events.length === 0) {
      // nothing would be written now, which the log cannot answer: was something written then?
      const events = options.commandId === undefined ? [] : yield* earlier(run, options.commandId)
      if (events.length > 0) return { snapshot: before, events, repeated: true }
      // a plugin's rejection may be a plain object
      if (decided._tag === "Failure") return yield* Effect.fail(decided.failure)
      return { snapshot: before, events, repeated: false }
    }
    const next = decided.success
    const unfit = unfitEvent(composition, manifest, next)
    if (unfit !== null) return yield* Effect.fail(unfit)
    const nowMs = yield* Clock.currentTimeMillis
    const appended = yield* log.append(
      run,
      before.version,
      candidates(manifest, run, next, commandId, options, nowMs),
      {
        dispatch: next.starts.map((start) => workItem(digest.uuid5, run, next.after.state, start, nowMs)),
        cancel: next.cancels.map((work) => ("item" in work ? work.item : itemId(digest.uuid5, run, work.key))),
        ...(options.lease === undefined ? {} : { lease: options.lease })
      }
    )
    if (appended.repeated) return { snapshot: yield* load(run), events: appended.events, repeated: true }
    keep(run, next.after)
    yield* PubSub.publishAll(
      changes,
      appended.events.map((event) => ({ event, state: next.after.state }))
    )
    return { snapshot: next.after, events: appended.events, repeated: false }
  })

  const execute = Effect.fnUntraced(function* (run: RunId, command: AnyCommand, options: ExecuteOptions = {}) {
    const wellFormed = repairText(command)
    const commandId = options.commandId ?? (yield* ids.commandId)
    return yield* attempt(run, wellFormed, commandId, options).pipe(
      Effect.retry({ times: maxConflicts, while: (error) => error._tag === "Conflict" }),
      Effect.catchTag("Conflict", () =>
        Effect.fail(
          reject("run_contended", `Run ${run} is being changed too fast by others.`, "Try again in a moment.")
        )
      ),
      // in this process one decision per run at a time: without it they would only conflict with each other
      lockOf(run).withPermits(1)
    )
  })

  return Engine.of({ execute, load, changes: Stream.fromPubSub(changes), composition, manifest })
})

const unreadable = (error: UnknownEvent): LogUnavailable =>
  new LogUnavailable({
    code: "log_newer",
    message: error.message,
    hint: "Use the version of Proofline and the plugins that wrote the log."
  })

/** The id of a work item: the same run and key give the same id. */
export const itemId = (uuid5: (name: string) => string, run: RunId, key: string): string => uuid5(`${run}/${key}`)

const workItem = (
  uuid5: (name: string) => string,
  run: RunId,
  state: State,
  start: Start,
  nowMs: number
): WorkItem => ({
  id: itemId(uuid5, run, start.key),
  run,
  key: start.key,
  kind: start.kind,
  activity: start.activity,
  task_id: start.task_id,
  ...partOf(state, start.task_id),
  input: start.input,
  labels: state.config.labels,
  priority: start.priority,
  not_before: start.delay_ms === 0 ? 0 : nowMs + start.delay_ms
})

/** Source: task chunking §8.1. */
const partOf = (
  state: State,
  id: TaskId | null
): Pick<WorkItem, "parent_task_id" | "subtask_index" | "total_subtasks" | "is_subtask"> => {
  const part = id === null ? null : taskOf(state, id)?.part
  return part == null
    ? { is_subtask: false }
    : { parent_task_id: part.parent_task_id, subtask_index: part.index, total_subtasks: part.total, is_subtask: true }
}

/** An event of a plugin that does not fit its own schema; a log that holds one could never be read again. */
const unfitEvent = (composition: Composition, manifest: EventManifest, next: Step): Rejection | null => {
  const theirs = new Set(composition.events.map(({ type }) => type))
  for (const event of next.events) {
    if (!theirs.has(event.type)) continue
    try {
      manifest.decode({
        event_type: event.type,
        schema_version: manifest.schemaVersionOf(event.type),
        content: event.content,
        stream: "",
        version: 0
      })
    } catch (error) {
      if (!(error instanceof UnknownEvent)) throw error
      return reject(
        "event_invalid",
        `A plugin wrote an event that does not fit its own schema: ${error.message}`,
        "Mend the plugin."
      )
    }
  }
  return null
}

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
    content: event.content as Schema.Json,
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
