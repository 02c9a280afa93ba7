import * as Path from "node:path"
import { EventLog } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { layer as fileBlobs } from "@proofline/plugins/adapters/file-blobs"
import {
  bringHome,
  handOver,
  handOverAgain,
  makeRunCheckouts,
  mergedTree,
  type Opened,
  type RecordedTree,
  type RunCheckouts,
  type Sources,
  workIn
} from "@proofline/plugins/adapters/git-workspaces"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { checkouts, RecordTree } from "@proofline/plugins/policies/checkouts"
import { BlobStore } from "@proofline/plugins/ports"
import { Context, Effect, Layer, type Scope } from "effect"
import { newLog, newProcess, type Process, works } from "../../../kernel/support/world.ts"
import { type Files, git } from "../../repositories.ts"
import { contentOf, type Project, repository } from "../support.ts"

export interface Machines {
  readonly project: Project
  readonly blobs: string
  readonly sources: Sources
  readonly engine: Process["engine"]
}

/** A project, and what all machines share. */
export const machinesOf = Effect.fnUntraced(function* (
  project: Project
): Effect.fn.Return<Machines, never, Scope.Scope> {
  const log = yield* newLog
  const { engine } = yield* newProcess(log, [...works, checkouts])
  const directory = Path.join(project.room, "blobs")
  const stored = yield* Layer.build(fileBlobs({ directory }).pipe(Layer.provide(nodeDigest)))
  return {
    project,
    blobs: directory,
    sources: { log: Context.get(log, EventLog), blobs: Context.get(stored, BlobStore) },
    engine
  }
})

export const machines = (files: Files, below = "") => Effect.flatMap(repository(files, below), machinesOf)

/** A run begins, with the project as it is. */
export const begun = Effect.fnUntraced(function* (
  { engine, project, sources }: Machines,
  remote: string | null = null,
  run = "run_1"
) {
  const tree = yield* handOver(sources, project, run, remote)
  yield* engine.execute(run, aRun([aTask("a")], {}, run), { also: RecordTree(tree) })
  return tree
})

/** A machine with checkouts of its own. They lie in the project's own state directory, where git would find the project. */
export const machine = ({ project, sources }: Machines, name = "one") =>
  makeRunCheckouts(sources, Path.join(project.stateDir, name), (one) => Effect.succeed(one.checkout.directory))

export type Machine = RunCheckouts<string, never>

/** What an open piece of work has left, merged; null: nothing. */
export const reported = Effect.fnUntraced(function* (
  { engine, sources }: Machines,
  { trees }: Machine,
  opened: Opened<string>
): Effect.fn.Return<RecordedTree | null, unknown> {
  const { begun } = opened
  const work = yield* workIn(begun, yield* trees(begun.run))
  if (work === null) return null
  const tree = yield* mergedTree(sources, begun, yield* trees(begun.run), work, { item: "item", lease: 1 })
  yield* engine.execute(begun.run, RecordTree(tree))
  return tree
})

/** A piece of work from beginning to end. */
export const worked = (
  all: Machines,
  on: Machine,
  work: (root: string, top: string) => void,
  run = "run_1"
): Effect.Effect<RecordedTree | null, unknown> =>
  Effect.gen(function* () {
    const opened = yield* on.open(run)
    work(opened.begun.root, opened.begun.checkout.top)
    return yield* reported(all, on, opened)
  }).pipe(Effect.scoped)

/** What the next piece of work finds in its project. */
export const found = (on: Machine, run = "run_1") =>
  Effect.map(on.open(run), ({ begun }) => contentOf(begun.root)).pipe(Effect.scoped)

export const home = ({ project, sources }: Machines, isOver = false) => bringHome(sources, project, "run_1", isOver)

/** What the user changed meanwhile is handed over. */
export const again = Effect.fnUntraced(function* (
  { engine, project, sources }: Machines,
  run = "run_1",
  remote: string | null = null
) {
  const tree = yield* handOverAgain(sources, project, run, remote)
  if (tree !== null) yield* engine.execute(run, RecordTree(tree))
  return tree
})

/** Names of the refs that Proofline has in the user's repository. */
export const refsOf = ({ top }: Project): ReadonlyArray<string> =>
  git(top, "for-each-ref", "--format=%(refname)", "refs/proofline")
    .split("\n")
    .filter((line) => line !== "")

/** Why it was refused. */
export const refusalOf = <A, R>(effect: Effect.Effect<A, unknown, R>) =>
  Effect.map(Effect.flip(effect), (failure) => failure as { readonly code: string; readonly message: string })
