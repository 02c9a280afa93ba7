import { hostname } from "node:os"
import {
  Digest,
  EventLog,
  Locks,
  type LogUnavailable,
  Presence,
  type Summarizer,
  Workers,
  WorkQueue
} from "@proofline/kernel"
import { Context, Effect, Layer } from "effect"
import { makeLocks, makePresence, makeTake } from "./holds.ts"
import { makeLog } from "./log.ts"
import { type Holder, makeProcess } from "./process.ts"
import { makeQueue } from "./queue.ts"
import { openSession } from "./session.ts"
import { haveWorkOf, listWorkers } from "./workers.ts"

export type { Holder } from "./process.ts"

export interface PostgresLogOptions {
  /** `postgres://user@host:5432/database?schema=NAME`; the schema, `proofline` by default, is made when it is not there. */
  readonly url: string
  /** In whose name work is claimed, locks are held and presences announced; this process by default. */
  readonly holder?: Holder
  /** What plugins add to the summaries of runs. */
  readonly summarizers?: ReadonlyArray<Summarizer>
  /** The version of the program, for those who look at its workers. */
  readonly version?: string
  /** How long whoever asks waits while the database is away, ms; a minute when left out. */
  readonly awayMs?: number
}

/**
 * The log, its queue, locks and presences in one schema of a PostgreSQL database, shared by any number of machines.
 * An append is one statement, which appends that wait together share; it is answered once it is committed. While the
 * database is away for a moment everything waits for it.
 */
export const layer = ({
  url,
  holder = { pid: process.pid, host: hostname() },
  summarizers = [],
  version = "",
  awayMs
}: PostgresLogOptions): Layer.Layer<EventLog | WorkQueue | Locks | Presence, LogUnavailable, Digest> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { sha256 } = yield* Digest
      const session = yield* openSession(url, summarizers, awayMs)
      const own = yield* makeProcess(session, holder, version)
      const take = makeTake(session, own, holder, yield* Effect.scope)
      return Context.make(EventLog, yield* makeLog(session, sha256)).pipe(
        Context.add(WorkQueue, yield* makeQueue(session, own)),
        Context.add(Locks, makeLocks(session, take)),
        Context.add(Presence, makePresence(session, take)),
        Context.add(Workers, { list: listWorkers(session), haveWorkOf: (run) => haveWorkOf(session, run) })
      )
    })
  )
