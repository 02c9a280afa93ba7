import {
  type Composition,
  canonicalJson,
  Digest,
  Engine,
  type EventCandidate,
  EventLog,
  ForkRun,
  IdGenerator,
  itemId,
  type Json,
  makeRetelling,
  originOf,
  type Recorded,
  type RunConfig,
  type Start,
  sealChain,
  step
} from "@proofline/kernel"
import { loopOf } from "@proofline/plugins/policies/requirements"
import { Clock, Effect, Result, Stream } from "effect"
import { type ProjectPaths, pathsOf } from "../base/paths.ts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { forkDocument } from "../documents/log.ts"
import { resolveAgents } from "../driving/resolveAgents.ts"
import type { ResumeOptions } from "../driving/resumeOptions.ts"
import { checkWhoWorks, ownLabel } from "../driving/whoWorks.ts"
import type { Handed } from "../process/handle.ts"
import { commandFor, print, printDocument } from "../process/output.ts"
import { projectConfig } from "../project/files.ts"
import { stateOf } from "../project/state.ts"
import { withKernel } from "../project/withKernel.ts"
import { checkContinued } from "../reading/oneRun.ts"
import { runRedacted } from "../reading/provenReceipts.ts"
import { withRun } from "../reading/withRun.ts"

export interface ForkOptions extends ResumeOptions {
  /** The last version that both share; the last of all when left out. */
  readonly at?: number | undefined
  /** Go on with it at once. */
  readonly resume: boolean
}

/** Whether it is gone on with at once: who names an agent wants it to work. */
const goesOn = ({ agent, resume }: Pick<ForkOptions, "agent" | "resume">): boolean => resume || agent !== undefined

/** `proofline fork [run] --at N`: a new run whose past are the first N events of another one. */
export const fork = Effect.fnUntraced(function* (
  options: ForkOptions,
  resume: Handed<ForkOptions & { readonly run: string }>
) {
  yield* checkWhoWorks(options, pathsOf(options))
  const made = yield* withRun(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        yield* checkContinued(run)
        const log = yield* EventLog
        const whole = yield* Stream.runCollect(log.read(run))
        const last = whole.at(-1)
        if (last === undefined) return yield* none
        const events = yield* upTo(run, whole, options.at ?? last.version)
        const told = yield* toldAgain(run, events)
        if (goesOn(options)) yield* checkAgents(options, stateOf(told.snapshot).run.config, paths)
        return { ...(yield* forked(run, events, told)), paths }
      })
    )
  )
  const { at, origin, paths, run_id, status } = made
  if (goesOn(options)) return yield* resume({ ...options, run: run_id })
  const data = { run_id, origin: { run_id: origin, version: at.version, hash: at.hash }, status }
  yield* options.json ? printDocument(forkDocument, data) : print(textOf(data, paths))
  return exitCodes.proven
})

/** A fork that nobody could go on with as it is asked for is not written. */
const checkAgents = Effect.fnUntraced(function* (options: ForkOptions, config: RunConfig, paths: ProjectPaths) {
  const { agents } = yield* projectConfig(paths)
  // what is to be told of recording is told when it goes on
  const resolved = yield* resolveAgents({ ...options, record: undefined }, [], agents, paths, config)
  if (Result.isFailure(resolved)) return yield* stop(exitCodes.usage, resolved.failure)
})

/** The events up to a version, which is the last that its command wrote. */
const upTo = (
  run: string,
  whole: ReadonlyArray<Recorded>,
  version: number
): Effect.Effect<ReadonlyArray<Recorded>, Stop> => {
  const at = whole[version - 1]
  if (at === undefined) {
    return stop(exitCodes.usage, {
      code: "version_unknown",
      message: `Run ${run} has no version ${version}: it ends at version ${whole.length}.`,
      hint: `Name one from 1 to ${whole.length} with --at.`
    })
  }
  if (whole[version]?.command_id !== at.command_id) return Effect.succeed(whole.slice(0, version))
  const first = whole.findIndex(({ command_id }) => command_id === at.command_id)
  const end = whole.findLastIndex(({ command_id }) => command_id === at.command_id) + 1
  const before = first > 0 ? `${first} or ` : ""
  return stop(exitCodes.usage, {
    code: "version_within_command",
    message: `Events ${first + 1} to ${end} of ${run} were written by one command, all of them or none: it cannot be forked behind version ${version}.`,
    hint: `Fork it at ${before}${end}.`
  })
}

/** The events as those of a new run. */
const toldAgain = Effect.fnUntraced(function* (origin: string, events: ReadonlyArray<Recorded>) {
  const { composition } = yield* Engine
  const { uuid5 } = yield* Digest
  const run_id = yield* (yield* IdGenerator).runId
  return { run_id, ...retold(composition, uuid5, origin, run_id, events) }
})

/** Writes them at once. */
const forked = Effect.fnUntraced(function* (
  origin: string,
  events: ReadonlyArray<Recorded>,
  { run_id, ...told }: Effect.Success<ReturnType<typeof toldAgain>>
) {
  const { composition, manifest } = yield* Engine
  const { sha256 } = yield* Digest
  const ids = yield* IdGenerator
  const log = yield* EventLog
  const at = events.at(-1) as Recorded
  const { run } = stateOf(told.snapshot)
  const refused =
    run.redacted !== null ? runRedacted({ run_id: origin, events: at.version }) : notForked(origin, told.snapshot)
  if (refused !== null) return yield* refused
  const decided = step(composition, told.snapshot, ForkRun({ run_id: origin, version: at.version, hash: at.hash }))
  if (Result.isFailure(decided)) return yield* Effect.fail(decided.failure)
  const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
  const command_id = yield* ids.commandId
  const all = [...told.events, ...decided.success.events].map(({ content, type }, i) => {
    const recorded = events[i] ?? { ...at, timestamp, command_id, causation_id: null }
    const candidate: EventCandidate = {
      event_type: type,
      schema_version: manifest.schemaVersionOf(type),
      timestamp: recorded.timestamp,
      visibility: manifest.visibilityOf(type),
      content,
      command_id: recorded.command_id,
      causation_id: recorded.causation_id,
      correlation_id: run_id
    }
    return [candidate, originOf(recorded)] as const
  })
  const sealed = sealChain(run_id, all, sha256)
  yield* log.adopt(run_id, 0, sealed).pipe(Effect.catchTag(["Conflict", "ChainBroken"], (error) => Effect.die(error)))
  return { run_id, origin, at, status: run.status }
})

/** What cannot go its own way as it is. */
const notForked = (origin: string, snapshot: Parameters<typeof stateOf>[0]): Stop | null => {
  const { run, sessions } = stateOf(snapshot)
  const refused = (message: string, hint: string) =>
    stop(exitCodes.usage, { code: "run_not_forked", kind: "conflict", message, hint })
  if (sessions.phases !== null) {
    return refused(`${origin} is a session run: agents work on it by themselves.`, "Begin a new one: `proofline mcp`.")
  }
  if (run.parent_run_id !== null) {
    return refused(
      `${origin} is a task run of ${run.parent_run_id}, which decides how it goes on.`,
      "Fork that one, or run its file again with other options."
    )
  }
  const open =
    run.kind === "requirements"
      ? loopOf(snapshot).iterations.find((one) => one.loop_c_history_id !== null && one.ended === null)
      : undefined
  return open === undefined
    ? null
    : refused(
        `At this version the task run ${open.loop_c_history_id} of ${origin} is under way: it cannot go on in two runs.`,
        "Fork it before that task run is linked, or behind its end: see TASK_RUN_LINKED and TASK_RUN_ENDED in `proofline events`."
      )
}

/** The events as they are when the run has this id: nothing else of them changes but the ids of work that follow from it. */
const retold = (
  composition: Composition,
  uuid5: (name: string) => string,
  origin: string,
  run_id: string,
  events: ReadonlyArray<Recorded>
) => {
  const names = new Map([
    [origin, run_id],
    [ownLabel(origin), ownLabel(run_id)]
  ])
  const named = <A>(value: A): A => {
    if (typeof value === "string") return (names.get(value) ?? value) as A
    if (Array.isArray(value)) return value.map(named) as A
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one)])) as A
  }
  const retelling = makeRetelling(composition, {
    command: named,
    event: ({ content, type }) => ({ type, content: named<Json>(content) }),
    isSame: (before, told) => canonicalJson(named(before) as never) === canonicalJson(told as never),
    ordered: (before: ReadonlyArray<Start>) => {
      for (const { key } of before) names.set(itemId(uuid5, origin, key), itemId(uuid5, run_id, key))
    }
  })
  for (const recorded of events) retelling.add(recorded)
  return retelling.end()
}

const textOf = ({ origin, run_id }: typeof forkDocument.data.Type, paths: ProjectPaths): string =>
  [
    `Run ${run_id} begins as ${origin.run_id} did, up to its event ${origin.version}; nobody works on it so far.`,
    "The files of the project stay as they are: what was done behind that event is not taken back.",
    `Go on with: ${commandFor(paths)(`resume ${run_id}`)}`,
    ""
  ].join("\n")
