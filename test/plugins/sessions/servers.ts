import {
  type CheckRun,
  composePlugins,
  definePlugin,
  Engine,
  EventLog,
  LogUnavailable,
  makeSummaries,
  type Plugin,
  plugin,
  type Recorded,
  type RunConfig,
  type RunSummary,
  Worker,
  WorkQueue
} from "@proofline/kernel"
import type { Answer } from "@proofline/plugins/operations"
import {
  type Identity,
  type OpenedSession,
  type SessionRef,
  Sessions,
  sessionsLayer
} from "@proofline/plugins/policies/sessions"
import { Baseline, BlobStore, FileRefused, ProjectFiles, type WriteTarget } from "@proofline/plugins/ports"
import { Context, Effect, Exit, Fiber, Layer, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  type AnyRun,
  RecordPhaseChecks,
  runIn,
  SessionRun,
  type SessionRunSetup,
  sessionSummary
} from "../../../packages/plugins/src/policies/sessions/contract.ts"
import { sessionsRules } from "../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { rules } from "../../kernel/golden/scenarios.ts"
import { type Holds, holdsOf, newHolds } from "../../kernel/support/holds.ts"
import { letOthersGoOn } from "../../kernel/support/letOthersGoOn.ts"
import { digest } from "../../kernel/support/recorded.ts"
import { answered, cancel, check } from "../../kernel/support/words.ts"
import { aroundAppend, countedIds, type Log, newLog } from "../../kernel/support/world.ts"
import { fitsDeclared } from "../operations/fitsDeclared.ts"
import { aPlan, aSessionRun, aTarget, explored, type PlannedTask } from "./rules/playing.ts"

/** A log in memory that processes share, and who of them holds what. */
export interface Project {
  readonly log: Log
  readonly holds: Holds
  readonly setup: Partial<SessionRunSetup>
  /** What governs its runs beside what every test has. */
  readonly config: Partial<RunConfig>
}

export const newProject = (
  setup: Partial<SessionRunSetup> = {},
  config: Partial<RunConfig> = {}
): Effect.Effect<Project, never, Scope.Scope> =>
  Effect.map(newLog, (log) => ({ log, holds: newHolds(), setup, config }))

/** One process that serves sessions. */
export interface Server {
  readonly sessions: Sessions["Service"]
  readonly load: (run: string) => Effect.Effect<AnyRun>
  /** A person ends the run. */
  readonly cancel: (run: string) => Effect.Effect<void>
  /** A person answers about what cannot be done. */
  readonly answer: (run: string, ...about: Parameters<typeof answered>) => Effect.Effect<void>
  /** Ends it in good order. */
  readonly stop: Effect.Effect<void>
  /** Ends it so that it says nothing any more: what it held is free, and what it had claimed is not done. */
  readonly kill: Effect.Effect<void>
}

export interface ServerOptions {
  /** How the commands of the n-th verification end, from 1; all pass when left out. */
  readonly verify?: (n: number) => Effect.Effect<CheckRun>
  /** False: whatever is to be done, others do it. */
  readonly works?: boolean
  /** In place of the evidence that is really looked at. */
  readonly plugins?: ReadonlyArray<Plugin>
  /** What happens between a call's first look at the run and its command: the files that it is about are looked at. */
  readonly meanwhile?: Effect.Effect<unknown>
  /** Whether a file is another one than before the run; null: nobody knows. Undefined: it cannot be read. Left out: nobody looks. */
  readonly differs?: (path: string) => boolean | null | undefined
  /** What happens right after this process has appended something, before it does anything else. */
  readonly appended?: Effect.Effect<unknown>
  /** Asked before everything that is written: whether the storage is not there for it. */
  readonly isLogGone?: () => boolean
}

/** A process over the project. Evidence is judged by the policy that is shipped, on the two files of the golden logs. */
export const newServer = Effect.fnUntraced(function* (project: Project, name: string, options: ServerOptions = {}) {
  let dead = false
  const gone = new LogUnavailable({ code: "log_failed", message: "The process is dead.", hint: "" })
  const { appended = Effect.void, isLogGone = () => false } = options
  const living = aroundAppend(project.log, (append) =>
    Effect.suspend(() => (dead || isLogGone() ? Effect.fail(gone) : Effect.tap(append, appended)))
  )
  const queue = Context.get(living, WorkQueue)
  const log = options.works === false ? Context.add(living, WorkQueue, { ...queue, take: () => Stream.never }) : living
  const plugins = [
    sessionsRules,
    ...(options.plugins ?? (yield* rules(log, () => Effect.die("Nobody is driven here.")))),
    verification(options.verify ?? (() => Effect.succeed(check(0))))
  ]
  const scope = yield* Scope.fork(yield* Effect.scope)
  const context = yield* Layer.buildWithScope(
    Layer.fresh(
      Layer.unwrap(Effect.map(Engine, (engine) => sessionsLayer(sessionsOf(project, engine, name)))).pipe(
        Layer.provideMerge(Worker.layer),
        Layer.provideMerge(Engine.layer(composePlugins(plugins))),
        Layer.provide(
          Layer.mergeAll(
            Layer.succeedContext(log),
            countedIds(name),
            holdsOf(project.holds, name),
            blobs(options.meanwhile),
            places(options),
            Layer.mock(Baseline, {
              capture: Effect.die("No run is begun with it here."),
              changes: (_, path) => Effect.sync(() => changesOf(options.differs?.(path) ?? null))
            })
          )
        )
      )
    ),
    scope
  )
  const engine = Context.get(context, Engine)
  const stop = Scope.close(scope, Exit.void)
  const server: Server = {
    sessions: Context.get(context, Sessions),
    load: (run) => Effect.orDie(Effect.map(engine.load(run), runIn)),
    cancel: (run) => Effect.orDie(Effect.asVoid(engine.execute(run, cancel()))),
    answer: (run, ...about) => Effect.orDie(Effect.asVoid(engine.execute(run, answered(...about)))),
    stop,
    kill: Effect.suspend(() => {
      dead = true
      return stop
    })
  }
  return server
})

const sessionsOf = ({ config, log, setup }: Project, engine: Engine["Service"], name: string) => ({
  workerId: name,
  begin: (run_id: string) =>
    Effect.succeed({
      ...aSessionRun(setup, { ...config, labels: [`run:${run_id}`] }),
      run_id,
      plugins: engine.composition.versions,
      base: { commit: null, snapshot: { sha256: "0".repeat(64), bytes: 2 } }
    }),
  runs: Effect.map(runsOf(log), (runs) =>
    runs.map(({ ended_at, run_id, status }) => ({ run_id, isRunning: status === "running", ended_at }))
  )
})

/** All runs, newest first. */
export const runsOf = (log: Log): Effect.Effect<ReadonlyArray<RunSummary>> =>
  Effect.map(readAll(log), (events) => {
    const { summarize } = makeSummaries([sessionSummary])
    const runs = new Map<string, RunSummary>()
    for (const event of events) {
      const next = summarize(runs.get(event.stream) ?? null, event)
      if (next !== null) runs.set(event.stream, next)
    }
    return [...runs.values()].reverse()
  })

/** Everything that was written. */
export const readAll = (log: Log): Effect.Effect<ReadonlyArray<Recorded>> =>
  Context.get(log, EventLog).readAll().pipe(Stream.runCollect, Effect.orDie)

const verification = (verify: (n: number) => Effect.Effect<CheckRun>): Plugin => {
  let runs = 0
  const Verification = plugin("verification", { state: null, after: [SessionRun] })
  const activity = Verification.activity("verification", {
    input: Schema.Struct({ phase: Schema.String, submission: Schema.Int }),
    run: (input) => Effect.map(verify(++runs), (run) => RecordPhaseChecks({ ...input, checks: [run] }))
  })
  return definePlugin(Verification, { version: "1", parts: [activity] })
}

const blobs = (meanwhile: Effect.Effect<unknown> = Effect.void) =>
  Layer.sync(BlobStore, () => {
    const kept = new Map<string, Uint8Array>()
    return {
      put: (data) =>
        Effect.map(meanwhile, () => {
          const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data
          const sha256 = digest.sha256(bytes)
          kept.set(sha256, bytes)
          return { sha256, bytes: bytes.length }
        }),
      get: (sha256) => Effect.succeed(kept.get(sha256) ?? new Uint8Array())
    }
  })

/** Its only line is changed, or is not; null: nobody knows. */
const changesOf = (differs: boolean | null) =>
  differs === null ? null : { touched: (start: number, end: number) => differs && start === 1 && end === 1 }

/** Where something may be written; what is read is the evidence policy's. */
const places = ({ differs, meanwhile = Effect.void }: ServerOptions) =>
  Layer.succeed(ProjectFiles, {
    root: "/project",
    readText: (path) => {
      if (differs === undefined) return Effect.die(`Nobody reads ${path} here.`)
      return differs(path) === undefined
        ? Effect.fail(new FileRefused({ path, reason: "not_text", message: "It is no text." }))
        : Effect.succeed({ path, text: "one line", git_blob: null, git_commit: null })
    },
    digest: (path) => Effect.die(`Nobody reads ${path} here.`),
    paths: Effect.succeed([]),
    entryAt: (path) => Effect.die(`Nobody asks for ${path} here.`),
    at: (directory) => {
      throw new Error(`Nobody works in ${directory} here.`)
    },
    resolveTarget: (path): Effect.Effect<WriteTarget> =>
      Effect.as(
        meanwhile,
        path.startsWith("..") ? aTarget(null) : aTarget(path, /^src\/(?:ledger|a\.)/.test(path) ? "file" : "missing")
      )
  })

// ---- asking

/** Waits for something that needs others and the clock, but no more than five minutes of it. */
export const inTime = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let steps = 0; steps < 1_500 && fiber.pollUnsafe() === undefined; steps++) {
    yield* letOthersGoOn
    if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(200)
  }
  return yield* Fiber.join(fiber)
})

export const anIdentity = (agent: string, over: Partial<Identity> = {}): Identity => ({
  agent,
  ofProcess: true,
  ttl_ms: 3_600_000,
  ...over
})

/** A session, and what it asks for. */
export interface Client {
  readonly opened: OpenedSession
  readonly call: (operation: string, args?: unknown) => Effect.Effect<Answer>
  /** Hands in an exploration, then a plan of these tasks. */
  readonly works: (...tasks: ReadonlyArray<string | PlannedTask>) => Effect.Effect<Answer>
}

export const clientOf =
  ({ sessions }: Server, session: SessionRef): Client["call"] =>
  (operation, args = {}) =>
    Effect.orDie(inTime(sessions.call(session, operation, args))).pipe(Effect.tap(fitsDeclared(operation)))

export const aClient = Effect.fnUntraced(function* (server: Server, agent: string, over: Partial<Identity> = {}) {
  const opened = yield* Effect.orDie(inTime(server.sessions.open(anIdentity(agent, over))))
  const call = clientOf(server, opened)
  const client: Client = {
    opened,
    call,
    works: (...tasks) =>
      Effect.andThen(call("submit_phase", { data: explored }), call("submit_phase", { data: aPlan(...tasks) }))
  }
  return client
})

/** A project of one process, which serves alice. */
export const alone = Effect.fnUntraced(function* (
  setup: Partial<SessionRunSetup> = {},
  options: ServerOptions = {},
  over: Partial<Identity> = {}
) {
  const project = yield* newProject(setup)
  const server = yield* newServer(project, "one", options)
  const alice = yield* aClient(server, "alice", over)
  return { project, server, alice, ...alice }
})
