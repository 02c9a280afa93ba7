import { symlink } from "node:fs/promises"
import * as Path from "node:path"
import {
  type ActivityFailure,
  type AnyCommand,
  type Claim,
  EndAttempt,
  Engine,
  EventLog,
  type Location,
  type LocationRefused,
  type Locations,
  LogUnavailable,
  missingPlugins,
  RunHeads,
  type RunId
} from "@proofline/kernel"
import {
  type Begun,
  headOfTrees,
  leftOutOf,
  makeRunCheckouts,
  mergedTree,
  type Opened,
  type RunCheckouts,
  type RunTrees,
  type Sources,
  type Work,
  workIn,
  writeFiles
} from "@proofline/plugins/adapters/git-workspaces"
import { layer as nodeProcess } from "@proofline/plugins/adapters/node-process"
import { RecordTree, treeMoved } from "@proofline/plugins/policies/checkouts"
import { BlobStore, CommandRunner } from "@proofline/plugins/ports"
import { Context, Effect, Layer, type Scope } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { problemText, type Stop } from "../base/problems.ts"
import { kernel } from "../project/compose.ts"
import { projectConfig } from "../project/files.ts"
import type { Agents } from "../project/settings.ts"
import { sharedByEngines } from "../project/sharedLog.ts"
import type { StorageServices } from "../project/storage.ts"
import { sayingOfGit } from "./failedByGit.ts"

export interface LocationOptions {
  /** Where checkouts are made. Absolute. */
  readonly directory: string
  /** Run with `sh -c` in every new checkout before work is done there, e.g. `npm ci`; null: nothing is. */
  readonly setup: string | null
}

type Engines = Engine["Service"]
type Failure = ActivityFailure | LocationRefused | LogUnavailable

/** Checkouts of runs with an engine each, whose plugins work there. */
export const makeLocations = Effect.fnUntraced(function* (paths: ProjectPaths, options: LocationOptions) {
  const services = (yield* Effect.context<StorageServices>()).pipe(
    // the heads of runs are kept by whoever watches them, beside the project
    Context.add(RunHeads, noHeads),
    Context.add(EventLog, yield* sharedByEngines(yield* EventLog))
  )
  const sources: Sources = { log: yield* EventLog, blobs: yield* BlobStore }
  const checkouts: RunCheckouts<Engines, Failure> = yield* makeRunCheckouts(
    sources,
    options.directory,
    (begun, trees) =>
      Effect.gen(function* () {
        const whole =
          trees.parent === null ? trees : yield* Effect.mapError(checkouts.trees(trees.parent, begun.run), asFailure)
        const plugins = yield* pluginsOf(begun, whole)
        return yield* engineIn({ ...paths, plugins }, options, begun, trees)
      }).pipe(Effect.provideContext(services))
  )
  const of = Effect.fnUntraced(function* (claim: Claim): Effect.fn.Return<Location, Failure, Scope.Scope> {
    const opened = yield* Effect.mapError(checkouts.open(claim.item.run), asFailure)
    return locationOf(sources, checkouts, claim, opened)
  })
  return { of } satisfies (typeof Locations)["Service"]
})

const noHeads: (typeof RunHeads)["Service"] = {
  keep: () => Effect.void,
  of: () => Effect.succeed(null),
  all: Effect.succeed([])
}

/** A project that cannot be had, as a failure of the work. */
const asFailure = sayingOfGit(({ code, message }): ActivityFailure => ({ _tag: "ActivityFailure", code, message }))

/**
 * Where the project's plugins are as they were handed over, with the configuration that names them: agents may have
 * changed them since, and they judge what agents have done.
 */
const pluginsOf = Effect.fnUntraced(function* (
  { checkout, root, start }: Begun,
  { trees }: RunTrees
): Effect.fn.Return<string, ActivityFailure> {
  const handed = trees.findLast(({ by }) => by === null) ?? start
  if (handed.commit === start.commit) return root
  const directory = Path.join(checkout.directory, "plugins")
  yield* Effect.mapError(writeFiles(checkout, handed.commit, directory), asFailure)
  const there = Path.join(directory, handed.prefix)
  // packages are not among the files
  yield* Effect.ignore(
    Effect.tryPromise(() => symlink(Path.join(root, "node_modules"), Path.join(there, "node_modules")))
  )
  return there
})

/** The kernel with the plugins of the run, for work in one checkout. */
const engineIn = Effect.fnUntraced(function* (
  paths: ProjectPaths,
  { setup }: LocationOptions,
  { checkout, root, run }: Begun,
  { agents }: RunTrees
): Effect.fn.Return<Engines, Failure, StorageServices | Scope.Scope> {
  const there: ProjectPaths = { ...paths, root, state: checkout.state }
  // the run's plugins may be among what is installed
  if (setup !== null) yield* Effect.provide(setUp(setup), nodeProcess({ root }))
  const { plugins } = yield* Effect.mapError(projectConfig({ ...there, root: there.plugins ?? root }), refusedBy)
  const built = yield* Effect.mapError(Layer.build(kernel(there, agents as unknown as Agents, plugins)), refusedBy)
  const missing = yield* Effect.provideContext(missingPlugins(run), built)
  if (missing.length > 0) {
    return yield* Effect.fail<LocationRefused>({
      _tag: "LocationRefused",
      message: `It was made with plugins that are not here: ${missing.join(", ")}.`
    })
  }
  return Context.get(built, Engine)
})

/** A worker without a plugin of the run, or with another version of it, leaves the work to others. */
const refusedBy = (failure: Stop | LogUnavailable): LocationRefused | LogUnavailable =>
  failure._tag === "LogUnavailable"
    ? failure
    : { _tag: "LocationRefused", message: failure.problems.map(problemText).join("\n") }

const setupLimitMs = 30 * 60_000

const setUp = Effect.fnUntraced(function* (command: string) {
  const commands = yield* CommandRunner
  const { exit_code, output } = yield* commands.run({ command, env: {}, timeout_ms: setupLimitMs })
  if (exit_code === 0) return
  const words = new TextDecoder().decode(output).trim().split("\n").slice(-5).join("\n")
  return yield* Effect.fail<LocationRefused>({
    _tag: "LocationRefused",
    message: `\`${command}\`, which prepares a checkout, ended with ${exit_code ?? "no exit code"}: ${words}`
  })
})

const locationOf = (
  sources: Sources,
  { trees }: RunCheckouts<Engines, Failure>,
  { item, lease }: Claim,
  { begun, made: engine }: Opened<Engines>
): Location => {
  const by = { item: item.id, lease: lease.number }
  let child: RunId | null = null
  let done: Work | null | undefined
  /** What was done here; what another run has come to that this work has waited for. */
  const work = Effect.gen(function* () {
    if (child === null) return yield* workIn(begun, yield* trees(begun.run))
    const ofChild = yield* trees(child, begun.run)
    const leftOut = leftOutOf(ofChild)
    const head = headOfTrees(ofChild)
    return head === undefined || (head.commit === begun.start.commit && leftOut.length === 0)
      ? null
      : { commit: head.commit, refs: [], leftOut }
  })
  const merged = Effect.gen(function* () {
    done ??= yield* work
    if (done === null) return undefined
    return RecordTree(yield* mergedTree(sources, begun, yield* trees(begun.run), done, by))
  })
  return {
    engine,
    root: begun.root,
    overtaken: new Set([treeMoved]),
    report: (result) =>
      merged.pipe(
        Effect.mapBoth({ onFailure: asFailure, onSuccess: (also) => ({ result, also }) }),
        Effect.catchTag("ActivityFailure", (failure) => {
          const retried = result === null ? null : endedWith(result, failure)
          return retried === null ? Effect.fail(failure) : Effect.succeed({ result: retried })
        })
      ),
    begins: (run) =>
      Effect.gen(function* () {
        if (headOfTrees(yield* trees(run)) !== undefined) return undefined
        const own = yield* workIn(begun, yield* trees(begun.run))
        const now = own ?? { commit: begun.start.commit, refs: [], leftOut: [] }
        const first = yield* mergedTree(
          sources,
          begun,
          { version: 0, parent: null, origins: [], agents: {}, trees: [begun.start] },
          now,
          by
        )
        return RecordTree({ ...first, onto: null, refs: [] })
      }).pipe(
        Effect.mapError(asFailure),
        Effect.catchTag("ActivityFailure", ({ message }) => Effect.fail(unavailable(message)))
      ),
    ended: (run) =>
      Effect.sync(() => {
        child = run
      })
  }
}

/** An attempt whose work could not be merged has failed, and may be tried again; null: it was no attempt. */
const endedWith = (result: AnyCommand, { code, message }: ActivityFailure): AnyCommand | null =>
  result._tag === endAttempt
    ? { ...result, outcome: "ERROR", error: { code, message, terminal: false }, report: null }
    : null

const endAttempt: AnyCommand["_tag"] = EndAttempt.name

const unavailable = (message: string): LogUnavailable =>
  new LogUnavailable({ code: "log_failed", message, hint: "Look at the disk of the worker, then start it again." })
