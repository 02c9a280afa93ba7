import {
  type Analysis,
  type AnyCommand,
  type CommandOf,
  criteriaReviewer,
  defaultChunkingConfig,
  type PlannedSubtask,
  type RecordAnalysis,
  type RunConfig
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { end, judged, start } from "../../kernel/support/words.ts"

export const part = (prompt: string, over: Partial<PlannedSubtask> = {}): PlannedSubtask => ({
  title: prompt,
  prompt,
  dependencies: [],
  acceptance_criteria: [`${prompt}: done`],
  checklist: [],
  paths: [],
  changes_files: true,
  ...over
})

export const plan = (...subtasks: ReadonlyArray<PlannedSubtask>): Analysis => ({
  is_decomposable: true,
  decomposition_reason: "It has parts.",
  criteria: [],
  subtasks
})

export const analysed = (analysis: Analysis, task_id = "t"): CommandOf<typeof RecordAnalysis> => ({
  _tag: "RecordAnalysis",
  task_id,
  analyzer: "test",
  started_at: "2026-01-02T03:04:05.000Z",
  analysis
})

/** A run of one task `t` that was split like this. */
export const split = (
  analysis: Analysis,
  chunking: Partial<RunConfig["chunking"]> = {},
  config: Partial<RunConfig> = {}
) =>
  given()
    .after(
      aRun([aTask("t", { instruction: "Do all of it.", checks: [], chunk: "asked" })], {
        reviewer: "critic",
        reviewer_named: true,
        ...config,
        chunking: { ...defaultChunkingConfig, ...chunking }
      })
    )
    .after(analysed(analysis))

/** What a subtask needs after its attempt began until it is completed, having changed these files. */
export const finish = (
  task_id: string,
  files_modified: ReadonlyArray<string>,
  summary = "",
  files_undecided: ReadonlyArray<string> = []
): ReadonlyArray<AnyCommand> => [
  end(task_id, 1, "COMPLETE", { report: { summary, checklist: null, problems: [] }, files_modified, files_undecided }),
  { ...judged(task_id), reviewer: criteriaReviewer },
  judged(task_id)
]

export const begin = (task_id: string): AnyCommand => start(task_id)
