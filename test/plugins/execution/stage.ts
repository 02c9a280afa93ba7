import * as Path from "node:path"
import { assert } from "@effect/vitest"
import {
  Agents,
  type ChecklistItemSpec,
  defaultProof,
  type Plugin,
  type ReportedItem,
  type RunConfig,
  type Snapshot,
  taskOf,
  UnknownAgent
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as checkouts, projects } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { layer as workspaces } from "@proofline/plugins/adapters/git-workspaces"
import { layer as baseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { layer as commands } from "@proofline/plugins/adapters/node-process"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import { layer as testReports } from "@proofline/plugins/adapters/node-test-reports"
import { escrow } from "@proofline/plugins/policies/escrow"
import { evidence } from "@proofline/plugins/policies/evidence"
import { execution } from "@proofline/plugins/policies/execution"
import { Baseline, type EscrowedChecks } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { endReporting, start, stateOf } from "../../kernel/support/words.ts"
import { carryOut as carriedOut } from "../carryOut.ts"
import { leftOf, type Place, printOf, write } from "../git-scratch-checkouts/support.ts"
import { escrowOf, type Hidden, hiddenIn, hiddenLayer } from "../hidden.ts"
import type { Files } from "../repositories.ts"
import { grammars } from "../tree-sitter/support.ts"

/** What lies in the project but for what Proofline keeps there for itself, which git ignores. */
const ownFilesOf = ({ root }: Place) => printOf(root).filter((line) => !line.startsWith(".proofline/state/"))

/** Everything but the agent is as in a run. */
const worldOf = ({ root, temporary }: Place, checks: Layer.Layer<EscrowedChecks>) =>
  Layer.mergeAll(
    commands({ root, grace_ms: 50 }),
    testReports,
    checks,
    projectFiles({ root }),
    workspaces({ root, stateDir: Path.join(root, ".proofline", "state") }),
    checkouts({ root, temporary }),
    grammars,
    digest,
    Layer.provideMerge(
      projects({ root, temporary, state: Path.join(root, ".proofline", "state") }),
      baseline({ root })
    ),
    Layer.succeed(Agents, { names: [], run: (agent) => Effect.fail(new UnknownAgent({ agent, known: [] })) })
  ).pipe(Layer.provideMerge(Layer.provide(blobs({ directory: Path.join(temporary, "../blobs") }), digest)))

const work = { task_id: "task_1", attempt: 1 }

const carryOut = (plugins: ReadonlyArray<Plugin>, name: string, after: Snapshot) =>
  Effect.map(carriedOut(plugins, name, after, work), (command) => {
    assert.isNotNull(command)
    return command
  })

export interface Attempt {
  /** Commands that must pass in the end. */
  readonly checks?: ReadonlyArray<string>
  readonly items: ReadonlyArray<ChecklistItemSpec>
  readonly report: ReadonlyArray<ReportedItem>
  readonly config?: Partial<RunConfig>
  readonly instruction?: string | undefined
  /** The commands of the user are run on the project as it is before the work. */
  readonly isBaseChecked?: boolean
  /** What the agent writes. */
  readonly files: Files
  /** What else it does. */
  readonly work?: () => void
  readonly hidden?: Hidden | undefined
  /** What happens after the evidence was accepted. */
  readonly meanwhile?: Files
}

/** A run that begins in the project as it is, an attempt with this work and report, and what its checks came to. */
export const attempted = (
  place: Place,
  {
    checks = [],
    config,
    files,
    hidden,
    instruction = "Add add().",
    isBaseChecked = false,
    items,
    meanwhile = {},
    report,
    work: more
  }: Attempt
) =>
  Effect.gen(function* () {
    const plugins = [escrow, ...(yield* Effect.all([execution, evidence]))]
    const base = yield* (yield* Baseline).capture
    const proof = { ...(config?.proof ?? defaultProof), ...(hidden && { escrow: yield* escrowOf(place, hidden) }) }
    const first = aRun(
      [aTask("task_1", { checks, checklist: items, instruction })],
      hidden === undefined ? config : { ...config, proof }
    )
    const beginning = { ...first, root: place.root, base }
    const begun = given([], plugins).after(beginning)
    const known = isBaseChecked ? [yield* carryOut(plugins, "base_checks", begun.snapshot)] : []
    const started = begun.after(...known, start("task_1"))
    write(place.root, files)
    more?.()
    if (hidden?.later !== undefined) write(hiddenIn(place), hidden.later)
    const ending = endReporting("task_1", 1, report)
    const ended = started.after(ending)
    const looked = yield* carriedOut(plugins, "evidence", ended.snapshot, work)
    const accepted = looked === null ? ended : ended.after(looked)
    write(place.root, meanwhile)
    const before = ownFilesOf(place)
    const checked = yield* carryOut(plugins, "checks", accepted.snapshot)
    assert.deepStrictEqual(ownFilesOf(place), before, "the project was changed")
    assert.deepStrictEqual(leftOf(place), [], "something was left")
    const done = accepted.when(checked).step
    const state = stateOf(done?.after)
    const task = taskOf(state, "task_1")
    assert.isDefined(task)
    const runs = task.current?.verification?.checks ?? []
    return { state, task, runs, events: done?.events ?? [] }
  }).pipe(Effect.provide(worldOf(place, hiddenLayer(place, hidden))))
