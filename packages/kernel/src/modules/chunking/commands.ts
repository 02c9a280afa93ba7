import { Result, Schema } from "effect"
import type { TaskId } from "../../base/Ids.ts"
import type { Fact, Worded } from "../../core/contract.ts"
import { type Rejection, reject } from "../../core/Rejection.ts"
import { walk } from "../tasks/gates.ts"
import { failFast, failTask, giveUp, overtaken } from "../tasks/settle.ts"
import { attemptsAtOnce, isLost, isOver, type TaskState, taskOf } from "../tasks/state.ts"
import { begin } from "../tasks/words.ts"
import {
  ChunkingAggregation,
  ChunkingAnalysis,
  ChunkingSkipped,
  ChunkingStart,
  inOnePiece,
  ParallelAttemptsStart,
  ParallelAttemptWon,
  SubtaskCreated
} from "./events.ts"
import { attemptId, planOf, takenIds } from "./plan.ts"
import { wholeOf, winnerOf } from "./report.ts"
import { analyzerInTurn, failsFast, isRaced, waitsForAggregation } from "./rules.ts"
import { Aggregation, Analysis } from "./schemas.ts"
import { Chunking, type ChunkingView, type ChunkState, chunkOf, subtasksOf } from "./state.ts"

const ByTask = Schema.Struct({ task_id: Schema.String })

/** The task, when its chunking is at a stage and the run goes on; undefined otherwise. */
const at = (
  state: ChunkingView,
  id: TaskId,
  stage: ChunkState["stage"]
): { readonly task: TaskState; readonly chunk: ChunkState } | undefined => {
  const task = taskOf(state, id)
  const chunk = task === undefined ? null : chunkOf(state, task)
  return task !== undefined && chunk?.stage === stage && !isOver(task) && state.run.status === "running"
    ? { task, chunk }
    : undefined
}

/** A task that may be split is ready: it is analysed first. */
export const StartChunking = Chunking.command("StartChunking", {
  schema: ByTask,
  decide: ({ task_id }, state) => {
    const task = taskOf(state, task_id)
    if (task === undefined || !mayBegin(state, task)) return []
    const { chunking } = state.run.config
    const started = begin(task_id)
    if (isRaced(state, task)) return [started, ...raceOf(state, task)]
    if (!chunking.enabled) return [started, skipped(state, task, "disabled", "Task chunking is disabled.", [])]
    if (task.spec.chunk === "auto" && !chunking.auto_detect) {
      const message = "Nobody asked to split it, and auto_detect is off."
      return [started, skipped(state, task, "auto_detect_off", message, [])]
    }
    const { checklist, instruction: original_prompt } = task.spec
    return [started, ChunkingStart({ parent_task_id: task_id, original_prompt, analysis_started: true, checklist })]
  },
  recall: "follows"
})

/** Several attempts at all of it, each in a worktree; once, where nothing could tell which of them wins. */
const raceOf = (state: ChunkingView, task: TaskState): ReadonlyArray<Fact<"chunking">> => {
  const { base } = state.run
  if (base === null || base.commit === null) {
    const message = "Attempts beside each other need a git repository with a commit, for a worktree each."
    return [skipped(state, task, "attempts_need_repository", message, [])]
  }
  if (nothingToProve(task)) {
    const message = "It has no checklist, no checks and no validation by which one of several attempts could win."
    return [skipped(state, task, "attempts_unjudged", message, [])]
  }
  const { checklist, id, title } = task.spec
  const total = attemptsAtOnce(state, task)
  const ids = Array.from({ length: total }, (_, i) => attemptId(id, i + 1))
  const taken = takenIds(state, "attempts", ids)
  if (taken !== null) return [skipped(state, task, "attempts_ids_taken", taken, [])]
  return [
    ParallelAttemptsStart({ parent_task_id: id, attempts: total, checklist }),
    ...ids.map((subtask_id, i) =>
      SubtaskCreated({
        parent_task_id: id,
        subtask_id,
        prompt: task.spec.instruction,
        dependencies: [],
        execution_order: i + 1,
        title,
        subtask_index: i + 1,
        total_subtasks: total,
        acceptance_criteria: [],
        validation: task.spec.validation,
        checklist,
        carries: [...checklist.keys()],
        paths: [],
        changes_files: true,
        priority: task.priority,
        alternative: {
          checks: task.spec.checks,
          ...(task.spec.commands_by === undefined ? {} : { commands_by: task.spec.commands_by })
        }
      })
    )
  ]
}

/** Everything before its parts is done, and it waits for nothing but to be split. */
const mayBegin = (state: ChunkingView, task: TaskState): boolean =>
  state.run.status === "running" &&
  !isOver(task) &&
  chunkOf(state, task) === null &&
  walk(state, task)?.gate.name === "parts"

/** The analysis could not be made: fail-closed, the task is run in one piece. */
export const SkipChunking = Chunking.command("SkipChunking", {
  schema: ByTask,
  decide: ({ task_id }, state) => {
    const found = at(state, task_id, "analysing")
    if (found === undefined) return []
    const { failure } = found.chunk
    if (failure === null || analyzerInTurn(state, found.chunk) !== null) return []
    const { code, message } = failure
    return [skipped(state, found.task, code, `It could not be analysed: ${message}`, [])]
  },
  recall: "follows"
})

/** What is asked of a prompt that is carried out in one piece and states nothing itself. What it names is what evidence is held against. */
export const wholePrompt = "Everything the task asks for is done, completely, and nothing else was changed."

/** Commands by themselves may have passed before the work. */
const nothingToProve = ({ spec }: TaskState): boolean => spec.checklist.length === 0 && spec.validation.length === 0

const skipped = (
  state: ChunkingView,
  task: TaskState,
  reason: string,
  message: string,
  stated: ReadonlyArray<string>
): Fact<"chunking"> => {
  const criteria = [...new Set(stated.map((text) => text.trim()).filter((text) => text !== ""))]
  // who wrote a task without anything to prove is told that it is unproven, as where nothing is split
  const unstated = state.run.kind === "prompt" ? [wholePrompt] : []
  const acceptance_criteria = !nothingToProve(task) ? [] : criteria.length > 0 ? criteria : unstated
  return ChunkingSkipped({
    parent_task_id: task.spec.id,
    chunking_skipped: true,
    reason,
    message,
    acceptance_criteria,
    ...inOnePiece(state, task, acceptance_criteria)
  })
}

const notWaiting = (id: TaskId, what: string): Rejection =>
  reject("task_not_ready", `Task ${id} does not wait for ${what}.`, "Drop this result.")

/** What an analyzer makes of a task that may be split. */
export const RecordAnalysis = Chunking.command("RecordAnalysis", {
  schema: Schema.Struct({
    task_id: Schema.String,
    analyzer: Schema.String,
    /** ISO 8601, UTC, ms. */
    started_at: Schema.String,
    analysis: Analysis
  }),
  decide: ({ analysis, analyzer, started_at, task_id }, state) => {
    const found = at(state, task_id, "analysing")
    const isLate =
      found !== undefined && found.chunk.failure !== null && analyzerInTurn(state, found.chunk) !== analyzer
    if (found === undefined || isLate) return notWaiting(task_id, "an analysis")
    const plan = planOf(state, found.task, analysis)
    const analysed = ChunkingAnalysis({
      parent_task_id: task_id,
      analyzer,
      started_at,
      is_decomposable: analysis.is_decomposable,
      decomposition_reason: analysis.decomposition_reason,
      subtask_count: analysis.subtasks.length,
      dependencies_detected: analysis.subtasks.some(({ dependencies }) => dependencies.length > 0),
      execution_mode: Result.isSuccess(plan) ? plan.success.execution_mode : null,
      workspace: Result.isSuccess(plan) ? plan.success.workspace : null,
      criteria: analysis.criteria,
      subtasks: analysis.subtasks
    })
    if (Result.isSuccess(plan)) return [analysed, ...plan.success.subtasks.map((created) => SubtaskCreated(created))]
    const { message, reason } = plan.failure
    const stated = analysis.subtasks.flatMap(({ acceptance_criteria }) => acceptance_criteria)
    return [analysed, skipped(state, found.task, reason, message, stated)]
  },
  recall: {
    from: [ChunkingAnalysis],
    args: (batch) => {
      const analysed = batch.first(ChunkingAnalysis)
      if (analysed === undefined) return undefined
      const { analyzer, criteria, decomposition_reason, is_decomposable, parent_task_id, started_at, subtasks } =
        analysed
      const analysis = { is_decomposable, decomposition_reason, criteria, subtasks }
      return { task_id: parent_task_id, analyzer, started_at, analysis }
    }
  }
})

/** What putting the subtasks of a task together came to. */
export const RecordAggregation = Chunking.command("RecordAggregation", {
  schema: Schema.Struct({
    task_id: Schema.String,
    /** From the beginning of the analysis until now. */
    duration_ms: Schema.Int,
    outcome: Aggregation
  }),
  decide: ({ duration_ms, outcome, task_id }, state) => {
    const found = at(state, task_id, "executing")
    if (found === undefined || !waitsForAggregation(found.chunk)) {
      return notWaiting(task_id, "its parts to be put together")
    }
    const { aggregation_strategy, custom_looked_at } = state.run.config.chunking
    const { conflict_resolution, type } = aggregation_strategy
    const isFirst = found.chunk.outcome === null
    const isUnseen = isFirst && type === "custom" && custom_looked_at === true && outcome.outcome === "merged"
    return [
      ChunkingAggregation({
        parent_task_id: task_id,
        aggregation_strategy: type,
        conflict_resolution,
        aggregation_result: {
          total_files_modified: outcome.files_modified.length,
          conflicts_detected: outcome.conflicts.length > 0,
          ...outcome
        },
        ...(isUnseen ? { to_be_looked_at: true as const } : {}),
        duration_ms,
        whole: isUnseen ? null : wholeOf(state, task_id, outcome)
      })
    ]
  },
  recall: {
    from: [ChunkingAggregation],
    args: (batch) => {
      const aggregated = batch.first(ChunkingAggregation)
      if (aggregated === undefined) return undefined
      const { aggregation_result, duration_ms, parent_task_id } = aggregated
      const { conflicts_detected, total_files_modified, ...outcome } = aggregation_result
      return { task_id: parent_task_id, duration_ms, outcome }
    }
  }
})

/** What the ends of the subtasks mean for a task that will not be completed. Otherwise nothing. */
export const SettleChunks = Chunking.command("SettleChunks", {
  schema: ByTask,
  decide: ({ task_id }, state) => {
    const found = at(state, task_id, "executing")
    if (found === undefined) return []
    const subtasks = subtasksOf(state, found.task)
    const lost = subtasks.filter(isLost)
    if (found.chunk.is_race) return settledRace(state, found.task, found.chunk, lost)
    if (lost.length > 0 && failsFast(state)) {
      const first = lost.find(({ status }) => status === "failed") ?? lost[0]
      const message = `Subtask ${first?.spec.id} failed, and the task stops at the first failure.`
      return [
        ...subtasks.filter((one) => !isOver(one)).map((subtask) => giveUp(state, subtask, failFast)),
        ...parentFailed(state, found.task, failFast, message)
      ]
    }
    return found.chunk.open > 0 ? [] : whenAllOver(state, found.task, found.chunk, lost)
  },
  recall: "follows"
})

/** The first that is proven wins: the others are given up, and it alone goes into the project. */
const settledRace = (
  state: ChunkingView,
  task: TaskState,
  chunk: ChunkState,
  lost: ReadonlyArray<TaskState>
): ReadonlyArray<Fact<"chunking"> | Worded> => {
  const winner = winnerOf(state, task)
  const open = subtasksOf(state, task).filter((one) => !isOver(one))
  if (winner === undefined) return open.length > 0 ? [] : whenAllOver(state, task, chunk, lost)
  if (open.length > 0) {
    return [
      ParallelAttemptWon({ parent_task_id: task.spec.id, subtask_id: winner.spec.id }),
      ...open.map((one) => giveUp(state, one, overtaken))
    ]
  }
  const { outcome } = chunk
  return outcome === null || outcome.outcome === "merged" ? [] : notTogether(state, task, outcome)
}

const whenAllOver = (
  state: ChunkingView,
  task: TaskState,
  { outcome, total }: ChunkState,
  lost: ReadonlyArray<TaskState>
): ReadonlyArray<Worded> => {
  if (lost.length === total) {
    return parentFailed(state, task, "subtasks_failed", `None of its ${total} subtasks is completed.`)
  }
  if (outcome === null) return []
  if (outcome.outcome !== "merged") return notTogether(state, task, outcome)
  const names = lost.map(({ spec }) => spec.id).join(", ")
  return lost.length === 0
    ? []
    : parentFailed(
        state,
        task,
        "subtasks_incomplete",
        `${total - lost.length} of ${total} subtasks are completed, and what they did is kept; not completed: ${names}.`
      )
}

const notTogether = (
  state: ChunkingView,
  task: TaskState,
  { conflicts, message, outcome }: Aggregation
): ReadonlyArray<Worded> => {
  const files = conflicts.map(({ file, sources }) => `${file} (${sources.join(", ")})`).join("; ")
  const what = `What its subtasks changed cannot be put together: ${files}.`
  const reason = outcome === "needs_person" ? "needs_person" : "conflict"
  return parentFailed(state, task, reason, message === "" ? what : message)
}

const parentFailed = (state: ChunkingView, task: TaskState, reason: string, message: string): ReadonlyArray<Worded> => [
  failTask(state, task, reason, message)
]

export const commands = [StartChunking, SkipChunking, RecordAnalysis, RecordAggregation, SettleChunks]
