import {
  type ActivityImpl,
  type Aggregation,
  type Analysis,
  type Analyzer,
  type ChunkingConfig,
  type CommandOf,
  criteriaReviewer,
  defaultChunkingConfig,
  defineAnalyzer,
  type PlannedSubtask,
  type Plugin,
  type RecordAggregation,
  type RecordAnalysis,
  type RecordJudgment,
  type RunConfig
} from "@proofline/kernel"
import { aRun, aTask, type Script, scripted } from "@proofline/kernel/testing"
import { Effect } from "effect"
import { withActivities } from "./activities.ts"
import { judge } from "./judge.ts"
import { type Played, played } from "./play.ts"
import { end, judged, start } from "./words.ts"

/** One part of a plan; it has a criterion of its own unless the test says otherwise. */
export const aPart = (name: string, over: Partial<PlannedSubtask> = {}): PlannedSubtask => ({
  title: name,
  prompt: `Do ${name}.`,
  dependencies: [],
  acceptance_criteria: [`${name} is done`],
  checklist: [],
  paths: [],
  changes_files: true,
  ...over
})

export const anAnalysis = (subtasks: ReadonlyArray<PlannedSubtask>, over: Partial<Analysis> = {}): Analysis => ({
  is_decomposable: true,
  decomposition_reason: "It names its parts.",
  criteria: [{ criterion: "explicit_enumeration", met: true, words: ["x, y and z"] }],
  subtasks,
  ...over
})

/** A plan of as many parts that depend on nothing. */
export const parts = (count: number): ReadonlyArray<PlannedSubtask> =>
  Array.from({ length: count }, (_, i) => aPart(`part ${i + 1}`))

/** What governs a run whose tasks are split. */
export const chunking = (
  over: Partial<Omit<ChunkingConfig, "retry">> & { readonly retry?: Partial<ChunkingConfig["retry"]> } = {}
): Pick<RunConfig, "chunking"> => ({
  chunking: {
    ...defaultChunkingConfig,
    analyzer: "heuristic",
    ...over,
    retry: { ...defaultChunkingConfig.retry, ...over.retry }
  }
})

export const analysed = (
  analysis: Analysis | ReadonlyArray<PlannedSubtask>,
  over: Partial<CommandOf<typeof RecordAnalysis>> = {}
): CommandOf<typeof RecordAnalysis> => ({
  _tag: "RecordAnalysis",
  task_id: "p",
  analyzer: "heuristic",
  started_at: "2025-01-23T10:00:00.000Z",
  analysis: "subtasks" in analysis ? analysis : anAnalysis(analysis),
  ...over
})

export const aggregated = (
  outcome: Partial<Aggregation> = {},
  over: Partial<CommandOf<typeof RecordAggregation>> = {}
): CommandOf<typeof RecordAggregation> => ({
  _tag: "RecordAggregation",
  task_id: "p",
  duration_ms: 300_000,
  outcome: { outcome: "merged", files_modified: [], conflicts: [], message: "", evidence: [], lost: [], ...outcome },
  ...over
})

/** What the built-in criteria say of an attempt. */
export const measured = (
  task_id: string,
  attempt = 1,
  judgment: CommandOf<typeof RecordJudgment>["judgment"] = "PASS",
  modification_prompt: string | null = null
): CommandOf<typeof RecordJudgment> => ({
  ...judged(task_id, attempt, judgment, modification_prompt),
  reviewer: criteriaReviewer
})

/** A run of the one task `p`, to be split on demand, with nothing to prove but what its parts have. */
export const aSplit = (
  config: Partial<RunConfig> = {},
  spec: Parameters<typeof aTask>[1] = {},
  others: ReadonlyArray<ReturnType<typeof aTask>> = []
) => aRun([aTask("p", { checks: [], chunk: "asked", ...spec }), ...others], { ...chunking(), ...config })

/** The one task `p`, split into these parts. Evidence is judged by the small policy of `judge`. */
export const givenSplit = (
  subtasks: ReadonlyArray<PlannedSubtask>,
  config: Partial<RunConfig> = {},
  spec: Parameters<typeof aTask>[1] = {},
  others: ReadonlyArray<ReturnType<typeof aTask>> = []
): Played => played(judge).after(aSplit(config, spec, others), analysed(subtasks))

/** An attempt of a subtask that is accepted under a reviewer: begun, ended, measured and reviewed. */
export const passes = (id: string, attempt = 1, files_modified: ReadonlyArray<string> | null = null) => [
  start(id, attempt),
  end(id, attempt, "COMPLETE", { files_modified }),
  measured(id, attempt),
  judged(id, attempt)
]

/** Both parts of a task are accepted. */
export const bothPass = [...passes("p-sub-1"), ...passes("p-sub-2")]

/** Plugins that play a run with tasks that are split. What is left out goes well at once. */
export const playsSplit = (
  script: Script,
  analyze: Analyzer,
  activities: Readonly<Record<string, ActivityImpl["run"]>> = {}
): ReadonlyArray<Plugin> => [
  withActivities(scripted(script), (activity) => ({ ...activity, run: activities[activity.name] ?? activity.run })),
  judge,
  defineAnalyzer("heuristic", "1", analyze)
]

/** The same events and rules, but nobody who could do anything: every activity dies. */
export const unplugged = (plugins: ReadonlyArray<Plugin>): ReadonlyArray<Plugin> =>
  plugins.map((plugin) =>
    withActivities(plugin, (activity) => ({ ...activity, run: () => Effect.die(`${activity.name} was called.`) }))
  )
