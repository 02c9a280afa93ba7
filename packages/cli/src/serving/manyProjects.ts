/** Several projects on one server, each with a kernel and a storage of its own: what is wrong with one is its own too. */
import { statSync } from "node:fs"
import * as Path from "node:path"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layerServer, operatorGuard, Projects, routerConfig } from "@proofline/plugins/frontends/http"
import type { ServedProject } from "@proofline/plugins/frontends/http/api"
import { Cause, Clock, Deferred, Effect, FiberMap, Layer, Logger, Option, Queue } from "effect"
import { HttpRouter } from "effect/http"
import { isMissing, type ProjectPaths, pathsOf, realPath, type Where } from "../base/paths.ts"
import { asStop, exitCodes, type KernelFailure, type Problem, problemText, type Stop, stop } from "../base/problems.ts"
import { say } from "../process/output.ts"
import { existingProject } from "../project/files.ts"
import { sharedParts } from "../project/sharedLog.ts"
import { type StorageParts, withStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { type App, answerWith, guardOptions, type Listening, listenAt, operatorToken } from "./answering.ts"
import { endsWhenLost } from "./loss.ts"
import { byProject, checkOwnToken, makeApp, makeLayerBeside, type ProjectApp } from "./projectApp.ts"
import { type KnownProject, knownProject, opened, unopened } from "./servedProject.ts"
import { type ServerFlags, serverSetup } from "./server.ts"

export interface ManyProjectsOptions extends ServerFlags, Pick<Where, "databaseUrl" | "blobs"> {
  /** Their directories. */
  readonly projects: ReadonlyArray<string>
  readonly port?: number | undefined
}

/** A project of the server, and how it stands; that changes. */
interface Slot {
  readonly project: KnownProject
  readonly paths: ProjectPaths
  /** Done once it was tried for the first time. */
  readonly tried: Deferred.Deferred<void>
  /** What answers for it; null: nothing does now. */
  served: ProjectApp | null
  /** Why nothing does; null: it is just being opened, or ended. */
  failure: Stop | null
  isTrying: boolean
  /** How often it could not be opened, one time after the other; when that was last, ms; and how its files were then. */
  failures: number
  failedAt: number
  seenFiles: string
}

/** So long a server waits for its projects before it says where it is. */
const opensWithin = "15 seconds"

/** So long a list waits for what one of them says. */
const patience = "2 seconds"

/**
 * A project that cannot be served is tried again when somebody asks for it: after `againAfterMs`, then twice as long each
 * time, at most `againAfterMostMs`; after `changedAfterMs` where its files have changed.
 */
const againAfterMs = 5_000
const againAfterMostMs = 60_000
const changedAfterMs = 1_000

/**
 * Serves projects over HTTP until the scope closes. One that cannot be served is listed with why, and is no matter of the
 * others; fails when none can be.
 */
export const openProjects = Effect.fnUntraced(function* (options: ManyProjectsOptions) {
  const listening = yield* listenAt(options.port, yield* operatorToken)
  const slots = yield* slotsOf(options)
  const due = yield* Queue.unbounded<Slot>()
  const fatal = yield* Deferred.make<never, Stop>()
  const told = yield* Deferred.make<void>()
  const projects: (typeof Projects)["Service"] = { list: listOf(slots, due) }
  const parts = sharedParts(pathsOf(options))
  const fibers = yield* FiberMap.make<string>()
  const serve = (slot: Slot) =>
    FiberMap.run(fibers, slot.project.id, serving(slot, { options, listening, projects, parts, fatal, told }))
  // not by who asks: what a request has with it is not for a project that outlives it
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(due), serve)))
  yield* answerWith(
    listening,
    byProject(
      (id) => slots.find(({ project }) => project.id === id)?.served?.app ?? null,
      yield* makeBeside(listening, projects)
    )
  )
  // before connections are waited for: streams do not end by themselves
  yield* Effect.addFinalizer(() =>
    Effect.forEach(slots, ({ served }) => served?.events.close ?? Effect.void, { discard: true })
  )
  yield* Effect.forEach(slots, serve, { discard: true })
  const tried = Effect.forEach(slots, (slot) => Deferred.await(slot.tried), { discard: true })
  yield* Effect.raceFirst(Effect.timeoutOption(tried, opensWithin), Deferred.await(fatal))
  const failed = slots.flatMap(({ failure }) => failure ?? [])
  const [first] = failed
  if (first !== undefined && failed.length === slots.length) {
    return yield* stop(first.exitCode, ...failed.flatMap(({ problems }) => problems))
  }
  yield* Deferred.succeed(told, undefined)
  return {
    listening,
    projects: slots.map(({ failure, paths, project, served }) => ({
      ...project,
      paths,
      isOpen: served !== null,
      problems: failure?.problems ?? []
    })),
    /** Fails when no project can be served any more, for a reason that is none of theirs. */
    ended: Deferred.await(fatal)
  }
})

/** Each directory once, by whatever links it is named. */
const slotsOf = Effect.fnUntraced(function* ({ blobs, databaseUrl, projects }: ManyProjectsOptions) {
  const slots = new Map<string, Slot>()
  for (const cwd of projects) {
    const paths = pathsOf({ cwd, databaseUrl, blobs })
    const project = yield* knownProject(paths)
    if (slots.has(project.id)) continue
    slots.set(project.id, {
      ...{ project, paths, tried: yield* Deferred.make<void>() },
      ...{ served: null, failure: null, isTrying: false, failures: 0, failedAt: 0, seenFiles: "" }
    })
  }
  return [...slots.values()]
}, Effect.provide(nodeDigest))

interface Serving {
  readonly options: ManyProjectsOptions
  readonly listening: Listening
  readonly projects: (typeof Projects)["Service"]
  /** Of their storages. */
  readonly parts: StorageParts | undefined
  /** What ends the whole server. */
  readonly fatal: Deferred.Deferred<never, Stop>
  /** Done once it is told how each of them stands: what becomes of them later is said. */
  readonly told: Deferred.Deferred<void>
}

/** Serves one of them until it is interrupted, or cannot be served any more. */
const serving = (slot: Slot, { fatal, listening, options, parts, projects, told }: Serving) => {
  const { paths, project, tried } = slot
  const use = Effect.gen(function* () {
    yield* existingProject({ cwd: paths.root }, "--project")
    const setup = yield* serverSetup(paths, options)
    const answering = Effect.gen(function* () {
      yield* setup.check
      // whoever has that token would be the operator of all of them
      yield* Effect.tapError(checkOwnToken(paths, listening.token), (why) =>
        why._tag === "Stop" ? Deferred.fail(fatal, why) : Effect.void
      )
      const app = yield* makeApp(paths, { setup, canStart: true, listening, projects, at: project.path })
      yield* Effect.acquireRelease(begun(slot, app), () =>
        Effect.sync(() => {
          slot.served = null
        })
      )
      yield* Deferred.succeed(tried, undefined)
      return yield* endsWhenLost()
      // sessions and runs end before the storage they are recorded in is closed
    }).pipe(Effect.scoped)
    return yield* withStorage(paths, withKernel(paths, {}, answering), parts)
  })
  return Effect.suspend(() => {
    slot.isTrying = true
    return use
  }).pipe(
    // layers of one project are not for another
    Effect.provideService(Layer.CurrentMemoMap, Layer.makeMemoMapUnsafe()),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.flatMap(stopOf(cause), (why) => ended(slot, why, told))
    ),
    Effect.ensuring(
      Effect.suspend(() => {
        slot.isTrying = false
        return Deferred.succeed(tried, undefined)
      })
    )
  )
}

const begun = (slot: Slot, app: ProjectApp) =>
  Effect.suspend(() => {
    const { failure, paths } = slot
    slot.served = app
    slot.failure = null
    slot.failures = 0
    return Effect.as(failure === null ? Effect.void : say(`The project ${paths.root} is served now.`), app)
  })

/** Said once: it is tried again, and may fail for the same reason each time. */
const ended = Effect.fnUntraced(function* (slot: Slot, failure: Stop, told: Serving["told"]) {
  const { failure: before, paths } = slot
  const isKnown = before !== null && codesOf(before) === codesOf(failure)
  slot.failure = failure
  slot.failures += 1
  slot.failedAt = yield* Clock.currentTimeMillis
  slot.seenFiles = filesOf(paths)
  if (isKnown || !(yield* Deferred.isDone(told))) return
  yield* say(
    [
      `The project ${paths.root} cannot be served:`,
      ...failure.problems.map((problem) => `  ${problemText(problem)}`)
    ].join("\n")
  )
})

const codesOf = ({ problems }: Stop): string => problems.map(({ code, file, line }) => `${code} ${file} ${line}`).join()

/** Why a project ended; a fault of ours is told in full to whoever looks after the server. */
const stopOf = (cause: Cause.Cause<Stop | KernelFailure>): Effect.Effect<Stop> => {
  const error = Cause.squash(cause)
  if (Cause.hasDies(cause) || !isFailure(error)) {
    return Effect.as(
      Effect.provideService(Effect.logError("A project ended.", cause), Logger.LogToStderr, true),
      stop(exitCodes.unmet, internal(error))
    )
  }
  return Effect.succeed(error._tag === "Stop" ? error : asStop(error))
}

const isFailure = (error: unknown): error is Stop | KernelFailure =>
  typeof error === "object" && error !== null && "_tag" in error

const internal = (error: unknown): Problem => ({
  code: "project_failed",
  message: `The project ended with an error inside of Proofline: ${error instanceof Error ? error.message : String(error)}`,
  hint: "What happened stands on the standard error of the server; please report it. The log is intact."
})

/** How they stand now; those that cannot be served are looked at again. */
const listOf = (slots: ReadonlyArray<Slot>, due: Queue.Queue<Slot>): Effect.Effect<ReadonlyArray<ServedProject>> =>
  Effect.gen(function* () {
    yield* tryAgain(slots, due)
    const first = new Map<string, string>()
    const views = yield* Effect.forEach(slots, viewOf, { concurrency: "unbounded" })
    return views.map((view, i) => {
      const { paths, project } = slots[i] as Slot
      const log = placeOfLog(paths)
      const same_log_as = view.status === "open" ? (first.get(log) ?? null) : null
      if (view.status === "open" && same_log_as === null) first.set(log, project.id)
      return { ...view, same_log_as }
    })
  })

/** One that answers late is in nobody's way. */
const viewOf = ({ failure, project, served }: Slot): Effect.Effect<ServedProject> =>
  served === null
    ? Effect.succeed(unopened(project, failure?.problems ?? []))
    : Effect.map(
        Effect.timeoutOption(opened(project, served), patience),
        Option.getOrElse(() => ({ ...unopened(project, []), status: "open" as const }))
      )

/** Which log it is, whatever leads there. */
const placeOfLog = ({ database, databaseUrl }: ProjectPaths): string => databaseUrl ?? realPath(database)

const tryAgain = (slots: ReadonlyArray<Slot>, due: Queue.Queue<Slot>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const again = slots.filter((slot) => isDue(slot, now))
    for (const slot of again) slot.isTrying = true
    return Queue.offerAll(due, again)
  })

const isDue = ({ failedAt, failure, failures, isTrying, paths, seenFiles }: Slot, now: number): boolean => {
  if (failure === null || isTrying) return false
  // a new log would be made in the place of one that was lost
  if (failure.problems.some(({ code }) => code === "log_lost") && !hasLog(paths)) return false
  const sinceMs = now - failedAt
  const pauseMs = Math.min(againAfterMostMs, againAfterMs * 2 ** Math.min(failures - 1, 10))
  return sinceMs >= pauseMs || (sinceMs >= changedAfterMs && filesOf(paths) !== seenFiles)
}

/** Whether there is a log, as far as can be told. */
export const hasLog = ({ database, databaseUrl }: Pick<ProjectPaths, "database" | "databaseUrl">): boolean =>
  databaseUrl !== undefined || !isMissing(database)

/** What a project is opened with, as it lies there now. */
const filesOf = ({ database, root, state }: ProjectPaths): string =>
  [
    root,
    Path.join(root, "proofline.yaml"),
    Path.join(root, ".claude", "task-chunking.json"),
    Path.join(root, ".proofline", "phase_contract.yml"),
    state,
    database
  ]
    .map((file) => {
      try {
        const { ino, mode, mtimeMs, size } = statSync(file)
        return `${ino} ${mode} ${mtimeMs} ${size}`
      } catch (cause) {
        return (cause as NodeJS.ErrnoException).code
      }
    })
    .join()

/** The page, and what is answered at addresses that name no project that is served. */
const makeBeside = (listening: Listening, projects: (typeof Projects)["Service"]) =>
  HttpRouter.toHttpEffect(
    Layer.merge(layerServer, makeLayerBeside(true)).pipe(
      Layer.provide(operatorGuard(guardOptions(listening))),
      Layer.provide([Layer.succeed(Projects, projects), nodeDigest])
    )
  ).pipe(
    Effect.provideService(HttpRouter.RouterConfig, routerConfig),
    Effect.provide(listening.platform)
  ) satisfies Effect.Effect<App, unknown, unknown>
