import {
  type AnyCommand,
  composePlugins,
  type Digest,
  Engine,
  EventLog,
  IdGenerator,
  type KernelState,
  layerMemory,
  type Plugin,
  type Recorded,
  type RunConfig,
  Runner,
  type TaskSpec,
  tasksOf,
  Worker,
  type WorkerOptions,
  type WorkQueue
} from "@proofline/kernel"
import { aRun, type Script, type ScriptedAttempt, scripted } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { judge } from "./judge.ts"
import { stateOf } from "./words.ts"

/** Counted ids, so that the same run gives the same log. */
export const countedIds = (prefix: string): Layer.Layer<IdGenerator> =>
  Layer.sync(IdGenerator, () => {
    let runs = 0
    let commands = 0
    let sessions = 0
    let tokens = 0
    return {
      runId: Effect.sync(() => `run_${prefix}${++runs}`),
      commandId: Effect.sync(() => `cmd_${prefix}${++commands}`),
      sessionId: Effect.sync(() => `ses_${prefix}${++sessions}`),
      token: Effect.sync(() => `token_${prefix}${++tokens}`)
    }
  })

export type Log = Context.Context<EventLog | WorkQueue | Digest>

/** An empty log in memory, to be shared by as many engines as a test wants. */
export const newLog: Effect.Effect<Log, never, Scope.Scope> = Layer.build(
  Layer.fresh(layerMemory.pipe(Layer.provideMerge(nodeDigest)))
)

/** One process: an engine, a worker and a runner of its own over a log that others may use too. */
export interface Process {
  readonly engine: Engine["Service"]
  readonly worker: Worker["Service"]
  readonly runner: {
    /** As the runner of this process does; gives the run as it is at its end. */
    readonly drive: (
      ...args: Parameters<Runner["Service"]["drive"]>
    ) => Effect.Effect<KernelState, Effect.Error<ReturnType<Runner["Service"]["drive"]>>>
  }
}

export const newProcess = (
  log: Log,
  plugins: ReadonlyArray<Plugin>,
  name = ""
): Effect.Effect<Process, never, Scope.Scope> =>
  Layer.build(
    Layer.fresh(
      Runner.layer.pipe(
        Layer.provideMerge(Worker.layer),
        Layer.provideMerge(Engine.layer(composePlugins(plugins))),
        Layer.provide(Layer.succeedContext(log)),
        Layer.provide(countedIds(name))
      )
    )
  ).pipe(
    Effect.map((context) => ({
      engine: Context.get(context, Engine),
      worker: Context.get(context, Worker),
      runner: { drive: (...args) => Effect.map(Context.get(context, Runner).drive(...args), stateOf) }
    }))
  )

export const plays = (script: Script): ReadonlyArray<Plugin> => [scripted(script), judge]

export const workerOptions = (over: Partial<WorkerOptions> = {}): WorkerOptions => ({
  workerId: "w",
  slots: 3,
  labels: [],
  ...over
})

export const readRun = (log: Log, run = "run_1"): Effect.Effect<ReadonlyArray<Recorded>> =>
  Context.get(log, EventLog).read(run).pipe(Stream.runCollect, Effect.orDie)

/** A whole run by one process. Without a wait between attempts, so that no clock needs to be moved. */
export const runOf = Effect.fnUntraced(function* (
  tasks: ReadonlyArray<TaskSpec>,
  script: Script,
  config: Partial<RunConfig> = {},
  slots = 3
) {
  const log = yield* newLog
  const { runner } = yield* newProcess(log, plays(script))
  const state = yield* runner.drive("run_1", aRun(tasks, { retry_delay_ms: 0, ...config }), workerOptions({ slots }))
  return { log, state, events: yield* readRun(log) }
})

export const statusesOf = (state: Parameters<typeof tasksOf>[0]): Readonly<Record<string, string>> =>
  Object.fromEntries(tasksOf(state).map((task) => [task.spec.id, task.status]))

export const well: ScriptedAttempt = { outcome: "COMPLETE" }
export const badly: ScriptedAttempt = { outcome: "ERROR" }

/** Every attempt goes well at once. */
export const works: ReadonlyArray<Plugin> = plays(() => Effect.succeed(well))

/** The contents of all events of a type. */
export const all = (events: ReadonlyArray<Recorded>, type: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  events.flatMap((event) => (event.event_type === type ? [event.content as Readonly<Record<string, unknown>>] : []))

/** The same log, with something done around every append. */
export const aroundAppend = (
  log: Log,
  around: (
    append: ReturnType<EventLog["Service"]["append"]>,
    stream: string
  ) => ReturnType<EventLog["Service"]["append"]>
): Log => {
  const inner = Context.get(log, EventLog)
  return Context.add(log, EventLog, {
    ...inner,
    append: (stream, expected, events, options) => around(inner.append(stream, expected, events, options), stream)
  })
}

export type { AnyCommand }
