import type { Digest, EventLog, Locks, LogUnavailable, Presence, Summarizer, WorkQueue } from "@proofline/kernel"
import { Effect, Layer } from "effect"
import { type Holder, thisProcess } from "./holder.ts"
import { makeServices } from "./services.ts"
import { openSession } from "./session.ts"

export type { Holder } from "./holder.ts"

export interface SqliteLogOptions {
  /** Path of the log file; it and its directory are made when they are not there. */
  readonly file: string
  /** In whose name work is claimed, locks are held and presences announced; this process by default. */
  readonly holder?: Holder
  /** What plugins add to the summaries of runs. */
  readonly summarizers?: ReadonlyArray<Summarizer>
}

/**
 * The log, its queue, locks and presences in one SQLite file, shared by any number of processes of one host.
 * An append is answered once it would survive the loss of power; appends that wait together share one such commit.
 * A storage that fails fails every request that waits for it and works again when the cause is gone.
 */
export const layer = ({
  file,
  holder = thisProcess(),
  summarizers = []
}: SqliteLogOptions): Layer.Layer<EventLog | WorkQueue | Locks | Presence, LogUnavailable, Digest> =>
  Layer.effectContext(Effect.flatMap(openSession(file, summarizers), (session) => makeServices(session, holder)))
