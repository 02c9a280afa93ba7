import { Schema } from "effect"
import { AggregationStrategy, areCriteriaItems, RetryCondition } from "../run/config.ts"
import {
  completed,
  failed,
  registered,
  reported,
  respecified,
  retried,
  skipped,
  started,
  yielded
} from "../tasks/changes.ts"
import { AttemptRef, judgedFields, shown } from "../tasks/events.ts"
import { ReportedItem } from "../tasks/Report.ts"
import { Completion } from "../tasks/schemas.ts"
import type { TaskState } from "../tasks/state.ts"
import { answered } from "../tasks/state.ts"
import { ChecklistItemSpec, type TaskSpec } from "../tasks/TaskSpec.ts"
import { Aggregation, Analysis, Created, ExecutionMode, SubtaskResult, WorkspaceKind } from "./schemas.ts"
import {
  analysing,
  Chunking,
  type ChunkingView,
  type LoopState,
  noLoop,
  withChunk,
  withKnown,
  withLoop,
  withParentOf
} from "./state.ts"

const SubtaskRef = { parent_task_id: Schema.String, subtask_id: Schema.String }

// What this module records: S4's events. Field names are part of the log format.

export const ChunkingStart = Chunking.event("CHUNKING_START", {
  schema: Schema.Struct({
    parent_task_id: Schema.String,
    original_prompt: Schema.String,
    analysis_started: Schema.Literal(true),
    /** What the task has to show as a whole. */
    checklist: Schema.Array(ChecklistItemSpec)
  }),
  visibility: "summary",
  evolve: (own, { checklist, parent_task_id }) =>
    withKnown(own, parent_task_id, (known) => ({ ...known, chunk: { ...analysing, checklist } })),
  sentence: ({ parent_task_id }) => `How to split ${parent_task_id} is being analysed.`
})

export const ChunkingAnalysis = Chunking.event("CHUNKING_ANALYSIS", {
  schema: Schema.Struct({
    parent_task_id: Schema.String,
    analyzer: Schema.String,
    started_at: Schema.String,
    is_decomposable: Schema.Boolean,
    decomposition_reason: Schema.String,
    subtask_count: Schema.Int,
    dependencies_detected: Schema.Boolean,
    /** How the parts will be run; null when it is not split. */
    execution_mode: Schema.NullOr(ExecutionMode),
    /** Where they work; null when it is not split. */
    workspace: Schema.NullOr(WorkspaceKind),
    criteria: Analysis.fields.criteria,
    /** The plan as the analyzer made it. */
    subtasks: Analysis.fields.subtasks
  }),
  visibility: "full",
  evolve: (own, { execution_mode, parent_task_id, started_at, workspace }) =>
    withChunk(own, parent_task_id, (chunk) => ({
      ...chunk,
      started_at,
      workspace: workspace ?? chunk.workspace,
      execution_mode: execution_mode ?? chunk.execution_mode
    })),
  sentence: ({ decomposition_reason, parent_task_id, subtask_count }) =>
    `${parent_task_id} was analysed: ${subtask_count} parts. ${decomposition_reason}`
})

/** Why attempts beside each other are not made of a task. */
const onceBecause: ReadonlySet<string> = new Set([
  "attempts_need_repository",
  "attempts_unjudged",
  "attempts_ids_taken"
])

export const ChunkingSkipped = Chunking.event("CHUNKING_SKIPPED", {
  schema: Schema.Struct({
    parent_task_id: Schema.String,
    chunking_skipped: Schema.Literal(true),
    /** `disabled`, `not_decomposable`, one of `onceBecause`, or why the plan could not be used. */
    reason: Schema.String,
    message: Schema.String,
    /** What the task is judged by where it says nothing of that itself. */
    acceptance_criteria: Schema.Array(Schema.String),
    /** What it has to show in one piece, and what is judged by a reviewer. */
    checklist: Schema.Array(ChecklistItemSpec),
    validation: Schema.Array(Schema.String)
  }),
  visibility: "summary",
  changes: ({ checklist, parent_task_id: task_id, validation }) => [
    respecified({ task_id, checklist, validation, status: "pending" })
  ],
  evolve: (own, { acceptance_criteria, parent_task_id, reason }) =>
    withKnown(own, parent_task_id, (known) => ({
      ...known,
      chunk: { ...(known.chunk ?? analysing), stage: "skipped", acceptance_criteria, is_race: onceBecause.has(reason) }
    })),
  sentence: ({ message, parent_task_id }) => `${parent_task_id} is run in one piece: ${message}`
})

/** It goes on as any other task; where it says nothing of what must be true in the end, it gets criteria. */
export const inOnePiece = (
  { run }: Pick<ChunkingView, "run">,
  { spec }: TaskState,
  acceptance_criteria: ReadonlyArray<string>
): Pick<TaskSpec, "checklist" | "validation"> =>
  areCriteriaItems(run.config)
    ? {
        checklist: [...spec.checklist, ...acceptance_criteria.map((item) => ({ item }))],
        validation: spec.validation
      }
    : { checklist: spec.checklist, validation: [...spec.validation, ...acceptance_criteria] }

/** Several attempts at a task are made beside each other; the first that is proven wins. */
export const ParallelAttemptsStart = Chunking.event("PARALLEL_ATTEMPTS_START", {
  schema: Schema.Struct({
    parent_task_id: Schema.String,
    attempts: Schema.Int,
    /** What each of them has to show. */
    checklist: Schema.Array(ChecklistItemSpec)
  }),
  visibility: "summary",
  evolve: (own, { checklist, parent_task_id }) =>
    withKnown(own, parent_task_id, (known) => ({
      ...known,
      chunk: { ...analysing, stage: "executing", checklist, workspace: "worktree", is_race: true }
    })),
  sentence: ({ attempts, parent_task_id }) =>
    `${attempts} attempts at ${parent_task_id} are made beside each other; the first that is proven wins.`
})

/** One of several attempts at a task is proven; the others are given up. */
export const ParallelAttemptWon = Chunking.event("PARALLEL_ATTEMPT_WON", {
  schema: Schema.Struct(SubtaskRef),
  visibility: "summary",
  sentence: ({ parent_task_id, subtask_id }) => `${subtask_id} is proven first, and is what ${parent_task_id} comes to.`
})

export const SubtaskCreated = Chunking.event("SUBTASK_CREATED", {
  schema: Created,
  visibility: "full",
  changes: ({
    alternative,
    carries,
    checklist,
    dependencies,
    parent_task_id,
    priority,
    prompt,
    subtask_id,
    title,
    validation
  }) => [
    registered({
      spec: {
        id: subtask_id,
        title,
        instruction: prompt,
        validation,
        checks: [],
        depends_on: dependencies,
        checklist,
        chunk: "no",
        ...alternative
      },
      priority,
      parent_task_id,
      carried: carries.length,
      alternative: alternative !== undefined
    })
  ],
  evolve: (own, content) =>
    withChunk(
      withKnown(own, content.subtask_id, (known) => ({
        ...known,
        subtask: {
          parent_task_id: content.parent_task_id,
          index: content.subtask_index,
          total: content.total_subtasks,
          execution_order: content.execution_order,
          acceptance_criteria: content.acceptance_criteria,
          carries: content.carries,
          paths: content.paths,
          changes_files: content.changes_files,
          windows: []
        }
      })),
      content.parent_task_id,
      (chunk) => ({ ...chunk, stage: "executing", total: chunk.total + 1, open: chunk.open + 1 })
    ),
  sentence: ({ parent_task_id, subtask_id, title }) => `${subtask_id} is part of ${parent_task_id}: ${title}`
})

export const SubtaskStart = Chunking.event("SUBTASK_START", {
  schema: Schema.Struct({
    ...SubtaskRef,
    prompt: Schema.String,
    /** Retries used before: 0 at the first start. */
    retry_count: Schema.Int,
    worker_id: Schema.String
  }),
  visibility: "summary",
  changes: ({ subtask_id }) => [started({ task_id: subtask_id })],
  evolve: (own, { retry_count, subtask_id }) =>
    withLoop(own, subtask_id, (loop) => ({ ...loop, started: true, retry_count })),
  sentence: ({ subtask_id }) => `Subtask ${subtask_id} was started.`
})

export const SubtaskComplete = Chunking.event("SUBTASK_COMPLETE", {
  schema: Schema.Struct({
    ...SubtaskRef,
    subtask_result: SubtaskResult,
    retry_count: Schema.Int,
    attempts: Schema.Int,
    ...Completion.fields
  }),
  visibility: "summary",
  changes: ({ proven, subtask_id, verdict, waived }) => [
    completed({ task_id: subtask_id, verdict: verdict ?? shown(proven, waived) })
  ],
  sentence: ({ subtask_id }) => `Subtask ${subtask_id} is completed.`
})

export const SubtaskFailed = Chunking.event("SUBTASK_FAILED", {
  schema: Schema.Struct({
    ...SubtaskRef,
    /** Stable, e.g. `checks_failed`, `dependency_failed`, `fail_fast`. */
    failure_reason: Schema.String,
    message: Schema.String,
    retry_count: Schema.Int,
    attempts: Schema.Int,
    /** `refuted`: tried and found wanting; `unproven`: nothing proved it; null: it was never tried to its end. */
    verdict: Schema.NullOr(Schema.Literals(["refuted", "unproven"])),
    subtask_result: SubtaskResult
  }),
  visibility: "summary",
  changes: ({ failure_reason: reason, message: said, subtask_id: task_id, verdict }) => {
    const message = said === "" ? reason : said
    return [verdict === null ? skipped({ task_id, reason, message }) : failed({ task_id, verdict, reason, message })]
  },
  sentence: ({ message, subtask_id }) => `Subtask ${subtask_id} failed: ${message}`
})

export const SubtaskRetry = Chunking.event("SUBTASK_RETRY", {
  schema: Schema.Struct({
    ...SubtaskRef,
    /** Retries used, this one included. */
    retry_count: Schema.Int,
    /** How the attempt ended. */
    reason: RetryCondition,
    failure_reason: Schema.String,
    message: Schema.String,
    /** Wait before the next attempt, in ms. */
    delay_ms: Schema.Int
  }),
  visibility: "summary",
  changes: ({ delay_ms, retry_count, subtask_id: task_id }) => [retried({ task_id, retry_count, delay_ms })],
  evolve: (own, { retry_count, subtask_id }) =>
    withParentOf(
      withLoop(own, subtask_id, ({ iteration }) => ({ ...noLoop, iteration, retry_count })),
      subtask_id,
      (chunk) => ({ ...chunk, subtask_retries: chunk.subtask_retries + 1 })
    ),
  sentence: ({ message, retry_count, subtask_id }) =>
    `Subtask ${subtask_id} is tried again (${retry_count}): ${message}`
})

export const ChunkingAggregation = Chunking.event("CHUNKING_AGGREGATION", {
  schema: Schema.Struct({
    parent_task_id: Schema.String,
    aggregation_strategy: AggregationStrategy.fields.type,
    conflict_resolution: AggregationStrategy.fields.conflict_resolution,
    aggregation_result: Schema.Struct({
      total_files_modified: Schema.Int,
      conflicts_detected: Schema.Boolean,
      ...Aggregation.fields
    }),
    /** A plugin has put them together; what its parts have shown is looked up next. Left out: nothing is. */
    to_be_looked_at: Schema.optionalKey(Schema.Literal(true)),
    /** From the beginning of the analysis. */
    duration_ms: Schema.Int,
    /** What the whole has to show, and what its subtasks report of it; null: they are not put together. */
    whole: Schema.NullOr(
      Schema.Struct({
        checklist: Schema.Array(ChecklistItemSpec),
        validation: Schema.Array(Schema.String),
        report: Schema.Struct({ summary: Schema.String, checklist: Schema.NullOr(Schema.Array(ReportedItem)) }),
        /** By whom the attempt was judged that is all of it; left out: by nobody. */
        judgment: Schema.optionalKey(Schema.Struct(judgedFields))
      })
    )
  }),
  visibility: "full",
  changes: ({ aggregation_result, parent_task_id: task_id, whole }) =>
    whole === null
      ? []
      : [
          respecified({ task_id, checklist: whole.checklist, validation: whole.validation, status: "in_progress" }),
          reported({
            task_id,
            report: { ...whole.report, problems: [] },
            files: aggregation_result.files_modified,
            judgment: whole.judgment ?? null
          }),
          ...aggregation_result.lost.flatMap(({ index, subtask_id }) =>
            index === undefined ? [] : [yielded({ task_id: subtask_id, index })]
          )
        ],
  evolve: (own, { aggregation_result, duration_ms, parent_task_id, to_be_looked_at, whole }) => {
    const { conflicts_detected, total_files_modified, ...outcome } = aggregation_result
    return withChunk(own, parent_task_id, (chunk) => ({
      ...chunk,
      outcome,
      isLookedAt: to_be_looked_at !== true,
      duration_ms,
      stage: whole === null ? chunk.stage : "aggregated"
    }))
  },
  sentence: ({ aggregation_result, parent_task_id, to_be_looked_at }) =>
    `The parts of ${parent_task_id} were put together: ${aggregation_result.outcome}${to_be_looked_at === true ? ", by a plugin; what they have shown is looked up next" : ""}.`
})

export const ChunkingComplete = Chunking.event("CHUNKING_COMPLETE", {
  schema: Schema.Struct({
    parent_task_id: Schema.String,
    total_subtasks: Schema.Int,
    completed_subtasks: Schema.Int,
    failed_subtasks: Schema.Int,
    /** Of its subtasks, and of the whole after the aggregation. */
    total_retries: Schema.Int,
    /** From the beginning of the analysis to the end of the aggregation, and of the attempts at the whole after it. */
    total_duration_ms: Schema.Int
  }),
  visibility: "summary",
  sentence: ({ completed_subtasks, parent_task_id, total_subtasks }) =>
    `${completed_subtasks} of ${total_subtasks} parts of ${parent_task_id} are completed and hold together.`
})

export const ReviewLoopStart = Chunking.event("REVIEW_LOOP_START", {
  schema: Schema.Struct({
    ...AttemptRef,
    retry_count: Schema.Int,
    max_iterations: Schema.Int,
    /** An attempt for which the reviewer asks for the same again is an iteration; left out: it is not. */
    counts_again: Schema.optionalKey(Schema.Literal(true))
  }),
  visibility: "summary",
  evolve: (own, { counts_again: countsAgain = false, retry_count, task_id }) =>
    withLoop(own, task_id, (loop) => ({ ...loop, started: true, reviewed: true, countsAgain, retry_count })),
  sentence: ({ max_iterations, task_id }) => `A review loop of ${task_id} began, at most ${max_iterations} iterations.`
})

export const ReviewLoopEnd = Chunking.event("REVIEW_LOOP_END", {
  schema: Schema.Struct({
    ...AttemptRef,
    final_status: Schema.Literals(["COMPLETE", "INCOMPLETE", "ERROR"]),
    /** Attempts in this loop that were judged or failed; those a crash took do not count. */
    total_iterations: Schema.Int
  }),
  visibility: "summary",
  evolve: (own, { task_id }) => withLoop(own, task_id, (loop) => ({ ...loop, reviewed: false })),
  sentence: ({ final_status, task_id }) => `The review loop of ${task_id} ended: ${final_status}.`
})

/** Reasons for another attempt that are none against the one before. */
const uncounted: ReadonlySet<string> = new Set(["attempt_lost", answered])

/** The loop after the status of its task was changed. */
export const loopAfter = (
  loop: LoopState,
  change: { readonly to: string; readonly reason: string; readonly retry_count: number }
): LoopState => {
  const { iteration } = loop
  if (change.retry_count !== loop.retry_count) return { ...noLoop, iteration, retry_count: change.retry_count }
  if (change.to !== "retrying" || !loop.started || uncounted.has(change.reason)) return loop
  return change.reason === "review_retry" ? { ...loop, again: loop.again + 1 } : { ...loop, refused: loop.refused + 1 }
}

export const events = [
  ChunkingStart,
  ChunkingAnalysis,
  ChunkingSkipped,
  ParallelAttemptsStart,
  ParallelAttemptWon,
  SubtaskCreated,
  SubtaskStart,
  SubtaskComplete,
  SubtaskFailed,
  SubtaskRetry,
  ChunkingAggregation,
  ChunkingComplete,
  ReviewLoopStart,
  ReviewLoopEnd
]
