import { Context, Effect, Schema } from "effect"
import type { RunId } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"

/** What a worker is at. */
const WorkerLease = Schema.Struct({
  item: Schema.String,
  run: Schema.String,
  task_id: Schema.NullOr(Schema.String),
  key: Schema.String,
  /** Number of the claim. */
  lease: Schema.Int,
  /** When it was claimed; ISO 8601. */
  since: Schema.String
})

/** A process that takes work, on this machine or another. */
export const WorkerOverview = Schema.Struct({
  name: Schema.String,
  host: Schema.String,
  pid: Schema.Int,
  slots: Schema.Int,
  /** Slots in use. */
  holding: Schema.Int,
  labels: Schema.Array(Schema.String),
  version: Schema.String,
  /** When it was heard of last; ISO 8601. */
  seen_at: Schema.String,
  /** From then on it is taken for dead. */
  deadline: Schema.String,
  /** It gave no sign until then: what it was at is handed to others. By the clock of the log, as the next. */
  lost: Schema.Boolean,
  /** How long ago it was heard of, ms. */
  silent_ms: Schema.Int,
  leases: Schema.Array(WorkerLease)
})
export type WorkerOverview = typeof WorkerOverview.Type

interface WorkersService {
  readonly list: Effect.Effect<ReadonlyArray<WorkerOverview>, LogUnavailable>
  /** Whether there is work of the run that waits or is done: without any nobody goes on with it, whatever its log says. */
  readonly haveWorkOf: (run: RunId) => Effect.Effect<boolean, LogUnavailable>
}

/** Who takes work from the queue; nobody is listed where the queue is this process's own. */
export const Workers: Context.Reference<WorkersService> = Context.Reference("@proofline/kernel/port/Workers", {
  defaultValue: (): WorkersService => ({
    list: Effect.succeed([]),
    haveWorkOf: () => Effect.succeed(false)
  })
})
