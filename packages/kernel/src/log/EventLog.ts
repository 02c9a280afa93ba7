import { Context, type Effect, Schema, type Stream } from "effect"
import type { CommandId, ItemId } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"
import type { EventCandidate, Recorded } from "../base/Recorded.ts"
import type { Lease, WorkItem } from "../base/Work.ts"
import type { Away } from "./away.ts"
import type { ChainBroken } from "./codec.ts"

/** The stream moved on since its state was read. Nothing was written; read again and decide again. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  stream: Schema.String,
  /** Version the writer had read. */
  expected: Schema.Int,
  /** Version the stream is at. */
  actual: Schema.Int
}) {
  override get message() {
    return `Stream ${this.stream} is at version ${this.actual}, not ${this.expected}.`
  }
}

/** The work was given to somebody else, settled or cancelled. Nothing was written; the result must be dropped. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  item: Schema.String,
  lease: Schema.Int
}) {
  override get message() {
    return `Lease ${this.lease} of work item ${this.item} is no longer valid.`
  }
}

export interface AppendOptions {
  /** Work that exists if and only if the events do. An id that was ever dispatched before is left alone. */
  readonly dispatch?: ReadonlyArray<WorkItem>
  /** Proof that the writer still owns the work it reports on; refused with `LeaseLost` when it does not. */
  readonly lease?: Lease
  /** The work of the lease ends with what is written, as `WorkQueue.settle` ends it. A repeated command ends nothing. */
  readonly settles?: boolean
  /** Work nobody shall do any more; unknown or finished ids are ignored. */
  readonly cancel?: ReadonlyArray<ItemId>
  /**
   * The command that the stream must end with: for what was decided before it was known whether that one is written.
   * A `Conflict` otherwise, also at the expected version.
   */
  readonly behind?: CommandId
}

export interface Appended {
  /** The events as stored, in order. */
  readonly events: ReadonlyArray<Recorded>
  /** True when the command id had been appended before: `events` are those of the first time, nothing was written. */
  readonly repeated: boolean
}

/** The one command that all the events of an append belong to; null when there are none. Mixed commands are a defect. */
export const commandIdOf = (events: ReadonlyArray<EventCandidate>): string | null => {
  const id = events[0]?.command_id
  if (id === undefined) return null
  if (events.some((event) => event.command_id !== id)) throw new Error("The events of one append have one command id.")
  return id
}

export interface AdoptOptions {
  /** More is to come: until then the stream takes nothing else. From where, and since when (ISO 8601). */
  readonly arriving?: Pick<Away, "place" | "at">
}

/**
 * The append-only log. Every stream is one run.
 *
 * `append` writes all events, the dispatched work and the cancellations, or nothing, and answers once they are
 * durable. `expectedVersion` is the number of events already in the stream. All events of one call share one
 * command id; a call whose command id is already in the stream writes nothing and answers with what was written then.
 *
 * `read` gives the stream in version order from `from` (1 by default), `readAll` the whole log in position order from
 * `fromPosition` (1 by default). `follow` is `readAll` that goes on with what is appended later, by any process; it
 * neither skips nor repeats a position. `othersAppended` signals at once, and whenever another process may have appended
 * something since; what this process appends may be signalled too, and many appends once.
 *
 * `adopt` takes over events of another log, in which they have these versions: they continue the stream's chain and keep
 * their hashes, get positions here, and their commands count as carried out. Nothing is dispatched. `leave` says that a
 * stream goes on elsewhere, or lies in an archive: from then on it takes nothing, its open work is cancelled, and what
 * was archived cannot be read here any more; its positions stay empty. Both need the expected version. The last `adopt`
 * of a stream brings it home; one that was archived must then be as it was. `away` says where a stream is; null: here.
 *
 * Otherwise events are never taken away. Where events that this process has read or appended are not in the log any more, or the
 * log itself is gone, everything fails with `log_lost` from then on; an append does so before it is acknowledged. `check`
 * only looks.
 */
export class EventLog extends Context.Service<
  EventLog,
  {
    readonly append: (
      stream: string,
      expectedVersion: number,
      events: ReadonlyArray<EventCandidate>,
      options?: AppendOptions
    ) => Effect.Effect<Appended, Conflict | LeaseLost | LogUnavailable>
    readonly read: (stream: string, from?: number) => Stream.Stream<Recorded, LogUnavailable>
    readonly readAll: (fromPosition?: number) => Stream.Stream<Recorded, LogUnavailable>
    readonly follow: (fromPosition?: number) => Stream.Stream<Recorded, LogUnavailable>
    readonly othersAppended: Stream.Stream<void>
    readonly adopt: (
      stream: string,
      expectedVersion: number,
      events: ReadonlyArray<Recorded>,
      options?: AdoptOptions
    ) => Effect.Effect<ReadonlyArray<Recorded>, Conflict | ChainBroken | LogUnavailable>
    readonly leave: (
      stream: string,
      expectedVersion: number,
      to: Pick<Away, "kind" | "place" | "at">
    ) => Effect.Effect<Away, Conflict | LogUnavailable>
    readonly away: (stream: string) => Effect.Effect<Away | null, LogUnavailable>
    readonly check: Effect.Effect<void, LogUnavailable>
  }
>()("@proofline/kernel/log/EventLog") {}
