import {
  type AnyCommand,
  type BlobRef,
  Digest,
  Engine,
  EventLog,
  type HasTasks,
  IdGenerator,
  Locks,
  type LogUnavailable,
  makeRecent,
  Presence,
  type Recorded,
  RecordPlugins,
  type Rejection,
  type Request,
  type RunId,
  type TaskId,
  taskOf,
  Worker
} from "@proofline/kernel"
import { Clock, Effect, type Scope, Semaphore } from "effect"
import { Baseline, BlobStore, ProjectFiles } from "../../port/index.ts"
import { type AnyRun, runIn } from "./state.ts"

export interface SessionsOptions {
  /** Session runs of the project, newest first, those that have ended too; `ended_at` is ISO 8601. */
  readonly runs: Effect.Effect<
    ReadonlyArray<{ readonly run_id: RunId; readonly isRunning: boolean; readonly ended_at: string | null }>,
    LogUnavailable
  >
  /** The command that begins a new one: `StartRun` with `pull`. */
  readonly begin: (run: RunId) => Effect.Effect<AnyCommand, LogUnavailable | Rejection>
  /** Names this process among the workers, e.g. `host:4711`. */
  readonly workerId: string
}

/** Tokens of which it is remembered where they belong. */
const maxTokens = 1_000

/** What everything that is asked of sessions works with, in one process. */
export interface SessionContext {
  readonly options: SessionsOptions
  readonly engine: Engine["Service"]
  readonly log: EventLog["Service"]
  readonly worker: Worker["Service"]
  readonly locks: Locks["Service"]
  readonly presence: Presence["Service"]
  readonly ids: IdGenerator["Service"]
  readonly digest: Digest["Service"]
  readonly blobs: BlobStore["Service"]
  readonly projectFiles: ProjectFiles["Service"]
  readonly baseline: Baseline["Service"]
  /** Sessions of this process end with it. */
  readonly scope: Scope.Scope
  /** One session is opened at a time. */
  readonly opening: Semaphore.Semaphore
  /** By session: when it last asked for anything, ms; reading leaves no trace in the log. */
  readonly seen: Map<string, number>
  /** By the SHA-256 of a token: the run of its session. */
  readonly runsOfTokens: ReturnType<typeof makeRecent<string, RunId>>
  /** Sessions that end with this process, by id, for as long as they are open: it is present for each of them. */
  readonly ofThisProcess: Map<string, Scope.Closeable>
  /** Runs whose work is carried out here. */
  readonly served: Set<RunId>
}

export const makeContext = Effect.fnUntraced(function* (options: SessionsOptions) {
  const context: SessionContext = {
    options,
    engine: yield* Engine,
    log: yield* EventLog,
    worker: yield* Worker,
    locks: yield* Locks,
    presence: yield* Presence,
    ids: yield* IdGenerator,
    digest: yield* Digest,
    blobs: yield* BlobStore,
    projectFiles: yield* ProjectFiles,
    baseline: yield* Baseline,
    scope: yield* Effect.scope,
    opening: yield* Semaphore.make(1),
    seen: new Map(),
    runsOfTokens: makeRecent(maxTokens),
    ofThisProcess: new Map(),
    served: new Set()
  }
  return context
})

/** The time, in ms and as commands have it. */
export const now = Effect.map(Clock.currentTimeMillis, (ms) => ({ ms, at: new Date(ms).toISOString() }))

/** The run as the log has it now. */
export const load = (
  { engine }: Pick<SessionContext, "engine">,
  run: RunId
): Effect.Effect<{ readonly state: AnyRun; readonly version: number }, LogUnavailable> =>
  Effect.map(engine.load(run), (snapshot) => ({ state: runIn(snapshot), version: snapshot.version }))

/** What a command of a session run has written, and the run after it. */
export interface Executed {
  readonly events: ReadonlyArray<Recorded>
  readonly state: AnyRun
  readonly version: number
}

/** What is decided here is decided with the plugins of this process, which may not be those of before. */
export const execute = (
  { engine }: SessionContext,
  run: RunId,
  command: Request<"sessions">
): Effect.Effect<Executed, Rejection | LogUnavailable> =>
  engine.execute(run, RecordPlugins({ plugins: engine.composition.versions })).pipe(
    Effect.andThen(engine.execute(run, command)),
    Effect.map(({ events, snapshot }) => ({ events, state: runIn(snapshot), version: snapshot.version })),
    Effect.catchTag("LeaseLost", Effect.die)
  )

/** What an agent was asked for its task; null: there is no such task. */
export const instructionBlob = (
  { blobs }: SessionContext,
  state: HasTasks,
  id: TaskId
): Effect.Effect<BlobRef | null, LogUnavailable> => {
  const task = taskOf(state, id)
  return task === undefined ? Effect.succeed(null) : blobs.put(task.spec.instruction)
}
