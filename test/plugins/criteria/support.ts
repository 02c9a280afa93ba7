import { assert } from "@effect/vitest"
import {
  type CommandOf,
  type PlannedSubtask,
  type Plugin,
  type RecordJudgment,
  type RunConfig,
  type Snapshot,
  taskOf
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import { criteria } from "@proofline/plugins/policies/criteria"
import { Baseline, Workspaces } from "@proofline/plugins/ports"
import { Effect, HashMap, Layer } from "effect"
import { end, start, stateOf } from "../../kernel/support/words.ts"
import { carryOut } from "../carryOut.ts"
import { type Project, sandbox } from "../node-baseline/support.ts"
import { grammars } from "../tree-sitter/support.ts"

export type Files = Readonly<Record<string, string>>

export interface Work {
  /** What there is when the run begins. */
  readonly before?: Files
  /** What the attempt writes. */
  readonly files: Files
  /** What is removed. */
  readonly part?: Partial<PlannedSubtask>
  /** The other part of the plan; it has an attempt running at the same time. */
  readonly other?: Partial<PlannedSubtask>
  /** What was found to have changed; all that was written when left out. */
  readonly modified?: ReadonlyArray<string> | null
  /** Another directory where it works. */
  readonly directory?: Project
  readonly config?: Partial<RunConfig["chunking"]>
  readonly inRepository?: boolean
}

const planned = (part: Partial<PlannedSubtask>): PlannedSubtask => ({
  title: "A part",
  prompt: "Do the part.",
  dependencies: [],
  acceptance_criteria: ["It is done."],
  checklist: [],
  paths: [],
  changes_files: true,
  ...part
})

/** The place of a subtask that works elsewhere, or nowhere else. */
const placesOf = (root: string) =>
  Layer.succeed(Workspaces, {
    open: () =>
      Effect.succeed({
        directory: root,
        fingerprint: Effect.succeed({ _tag: "Fingerprint" } as const),
        changedSince: () => Effect.succeed([]),
        watched: Effect.map((value) => [value, { modified: [], undecided: [] }] as const),
        beside: (work) => work,
        keep: Effect.succeed([])
      }),
    aggregate: () => Effect.die("nothing is aggregated"),
    close: () => Effect.succeed({ stays: [], removed: [] })
  })

/** A subtask of a run that begins in a project as it is, an attempt with this work, and how it is judged. */
export const judged = (work: Work): Effect.Effect<Judgment> =>
  Effect.gen(function* () {
    const project = yield* sandbox
    for (const [path, text] of Object.entries(work.before ?? {})) project.write(path, text)
    if (work.inRepository !== false) project.commit()
    const base = yield* Effect.provide(
      Effect.flatMap(Baseline, (baseline) => baseline.capture),
      project.services
    )
    const place = work.directory ?? project
    for (const [path, text] of Object.entries(work.files)) place.write(path, text)
    const modified = work.modified === undefined ? Object.keys(work.files) : work.modified
    const world = Layer.mergeAll(project.services, projectFiles({ root: project.root }), grammars, placesOf(place.root))
    const plugin = yield* Effect.provide(criteria, world)
    const began = { ...aRun([aTask("task_1", { checks: [], chunk: "asked" })]), root: project.root, base }
    const run = {
      ...began,
      config: {
        ...began.config,
        chunking: { ...began.config.chunking, workspace: "shared" as const, ...work.config }
      }
    }
    const subtasks = [planned(work.part ?? {}), planned({ prompt: "Do the other part.", ...work.other })]
    const state = given([], [plugin]).after(
      run,
      {
        _tag: "RecordAnalysis",
        task_id: "task_1",
        analyzer: "agent",
        started_at: "2026-01-01T00:00:00.000Z",
        analysis: { is_decomposable: true, decomposition_reason: "Two parts.", criteria: [], subtasks }
      },
      start("task_1-sub-1"),
      ...(work.other === undefined ? [] : [start("task_1-sub-2")])
    )
    const ended = state.when(end("task_1-sub-1", 1, "COMPLETE", { files_modified: modified })).step?.after
    assert.isDefined(ended)
    return yield* carriedOut(plugin, ended)
  }).pipe(Effect.scoped, Effect.orDie)

type Judgment = CommandOf<typeof RecordJudgment>

const carriedOut = (plugin: Plugin, after: Snapshot) => {
  const input = { task_id: "task_1-sub-1", attempt: 1 }
  const state = stateOf(after)
  assert.isDefined(taskOf(state, input.task_id), `tasks: ${[...HashMap.keys(state.tasks.byId)].join(", ")}`)
  return Effect.map(carryOut([plugin], "criteria", after, input), (command) => {
    assert.strictEqual(command?._tag, "RecordJudgment")
    return command as Judgment
  })
}

/** `no_todo_left: src/a.ts:2: // TODO` for every criterion that was not met. */
const refusals = ({ checks }: Judgment): ReadonlyArray<string> =>
  checks.filter(({ passed }) => !passed).map(({ criterion, details }) => `${criterion.split(":")[0]}: ${details}`)

/** The work is judged, and these are the criteria it does not meet. */
export const refused = (work: Work) => Effect.map(judged(work), refusals)
