import { Result } from "effect"
import { ownFiles, someRanTogether } from "./attribution.ts"
import type { Aggregation, CarriedEvidence, SubtaskResult } from "./Chunking.ts"
import type { RecordAggregation, RecordAnalysis } from "./Command.ts"
import type { KernelEvent } from "./Event.ts"
import type { TaskId } from "./Ids.ts"
import { planOf } from "./plan.ts"
import { type Rejection, reject } from "./Rejection.ts"
import type { ReportedItem } from "./Report.ts"
import { type ItemState, isLost, isOver, type State, subtasksOf, type TaskState, taskOf } from "./State.ts"

type Decision = Result.Result<ReadonlyArray<KernelEvent>, Rejection>

/** Who judges by the built-in criteria, as it is named in judgements. No agent can have this name. */
export const criteriaReviewer = "proofline:criteria"

/** How often a reviewer may ask for the same again in one loop before it counts as a refusal. */
export const maxReviewRetries = 2

/** The task is judged and done again until it passes, before a retry is spent. */
export const isLooped = ({ config }: State, { chunk, part }: TaskState): boolean =>
  config.chunking.review_loop_per_subtask && (part !== null || chunk?.stage === "skipped")

/**
 * What was changed is judged by the built-in criteria: in every attempt of a subtask, and once more in the whole when
 * several worked in one directory at the same time and nobody could tell whose a line was.
 */
export const needsCriteria = (state: State, task: TaskState): boolean => {
  const { review_loop_per_subtask, workspace } = state.config.chunking
  return (
    isLooped(state, task) ||
    (review_loop_per_subtask &&
      workspace === "shared" &&
      task.chunk?.stage === "aggregated" &&
      someRanTogether(subtasksOf(state, task)))
  )
}

/** What a task that was analysed is judged by where it says nothing of that itself. */
export const acceptanceCriteria = ({ chunk, part }: TaskState): ReadonlyArray<string> =>
  part?.acceptance_criteria ?? chunk?.acceptance_criteria ?? []

/**
 * Somebody has to judge its validation. Where nobody was named to do so, evidence for every criterion does it too: it is
 * more than the word of the agent that did the work.
 */
export const needsReview = ({ config }: State, task: TaskState): boolean => {
  if (task.spec.validation.length === 0) return false
  const criteria = acceptanceCriteria(task)
  return (
    config.reviewer_named ||
    !task.spec.validation.every(
      (criterion) =>
        criteria.includes(criterion) &&
        task.items.some(({ item, verdict }) => item === criterion && verdict === "proven")
    )
  )
}

/** The report offers evidence for criteria: then it owes evidence for all of them. Null: nothing new is owed. */
export const owedItems = (
  task: TaskState,
  checklist: ReadonlyArray<ReportedItem> | null
): TaskState["spec"]["checklist"] | null => {
  const known = new Set(task.spec.checklist.map(({ item }) => item))
  const criteria = acceptanceCriteria(task).filter((item) => !known.has(item))
  const offered = new Set(criteria)
  return checklist?.some(({ item }) => offered.has(item))
    ? [...task.spec.checklist, ...criteria.map((item) => ({ item }))]
    : null
}

const isSequential = (parent: TaskState | undefined): parent is TaskState =>
  parent?.chunk?.execution_mode === "sequential"

/** One subtask after the other: the one that has to be over before the others. */
export const firstInTurn = (state: State, parentId: TaskId | undefined): TaskState | undefined => {
  const parent = parentId === undefined ? undefined : taskOf(state, parentId)
  if (!isSequential(parent)) return undefined
  for (const id of parent.chunk?.subtasks ?? []) {
    const subtask = taskOf(state, id)
    if (subtask !== undefined && !isOver(subtask)) return subtask
  }
  return undefined
}

/** Its siblings need not be waited for: it is the first, and nobody is at work. */
export const isItsTurn = (state: State, task: TaskState): boolean => {
  const parent = task.part === null ? undefined : taskOf(state, task.part.parent_task_id)
  return (
    !isSequential(parent) ||
    (firstInTurn(state, parent.spec.id) === task &&
      subtasksOf(state, parent).every(({ status }) => status !== "in_progress"))
  )
}

export const failsFast = ({ config }: State): boolean => config.chunking.fail_fast || config.fail_fast

/** All that a subtask depends on, directly or not, in order of execution. */
export const buildsOn = (state: State, task: TaskState): ReadonlyArray<TaskState> => {
  const found = new Map<TaskId, TaskState>()
  const open = [...task.spec.depends_on]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const dependency = taskOf(state, id)
    if (dependency?.part == null || found.has(id)) continue
    found.set(id, dependency)
    open.push(...dependency.spec.depends_on)
  }
  return [...found.values()].sort((a, b) => (a.part?.execution_order ?? 0) - (b.part?.execution_order ?? 0))
}

/** The item of a subtask that shows an item of its parent; undefined when no subtask carries it. */
export const carriedBy = (state: State, parent: TaskState, index: number): ItemState | undefined => {
  for (const subtask of subtasksOf(state, parent)) {
    const at = subtask.part?.carries.indexOf(index) ?? -1
    if (at >= 0) return subtask.items[at]
  }
  return undefined
}

/** What the subtasks have shown of the parent's checklist, as a report of the parent. */
export const aggregatedReport = (
  state: State,
  parent: TaskState,
  found: ReadonlyArray<CarriedEvidence>
): { readonly summary: string; readonly checklist: ReadonlyArray<ReportedItem> | null } => ({
  summary: subtasksOf(state, parent)
    .flatMap(({ current, spec, status }) => {
      const summary = current?.report?.summary.trim() ?? ""
      return status === "completed" && summary !== "" ? [`${spec.title}: ${summary}`] : []
    })
    .join("\n"),
  checklist:
    parent.items.length === 0
      ? null
      : parent.items.map(({ item }, index): ReportedItem => {
          const shown = carriedBy(state, parent, index)
          if (shown?.verdict === "waived") return { item, status: "skipped", reason: shown.reason }
          const now = found.find((one) => one.index === index)
          return { item, status: "done", evidence: now === undefined ? (shown?.evidence ?? null) : now.evidence }
        })
})

const nothingToProve = ({ spec }: TaskState): boolean =>
  spec.checklist.length === 0 && spec.checks.length === 0 && spec.validation.length === 0

const skipped = (task: TaskState, reason: string, message: string, stated: ReadonlyArray<string>): KernelEvent => {
  const criteria = [...new Set(stated.map((text) => text.trim()).filter((text) => text !== ""))]
  return {
    type: "CHUNKING_SKIPPED",
    content: {
      parent_task_id: task.spec.id,
      chunking_skipped: true,
      reason,
      message,
      acceptance_criteria: !nothingToProve(task)
        ? []
        : criteria.length > 0
          ? criteria
          : ["Everything the task asks for is done, completely, and nothing else was changed."]
    }
  }
}

const notAnalysing = (id: TaskId): Decision =>
  Result.fail(reject("task_not_ready", `Task ${id} does not wait for an analysis.`, "Drop this result."))

/** A task that is ready to be split. */
export const startChunking = (state: State, task: TaskState): ReadonlyArray<KernelEvent> => {
  const { chunking } = state.config
  const parent_task_id = task.spec.id
  const started: KernelEvent = { type: "TASK_STARTED", content: { task_id: parent_task_id } }
  if (!chunking.enabled) return [started, skipped(task, "disabled", "Task chunking is disabled.", [])]
  if (task.spec.chunk === "auto" && !chunking.auto_detect) {
    const message = "Nobody asked to split it, and auto_detect is off."
    return [started, skipped(task, "auto_detect_off", message, [])]
  }
  return [
    started,
    {
      type: "CHUNKING_START",
      content: { parent_task_id, original_prompt: task.spec.instruction, analysis_started: true }
    }
  ]
}

/** Fail-closed: the task is run in one piece. */
export const skipChunking = (task: TaskState): ReadonlyArray<KernelEvent> => {
  const { code, message } = task.chunk?.failure ?? { code: "analysis_failed", message: "" }
  return [skipped(task, code, `It could not be analysed: ${message}`, [])]
}

export const recordAnalysis = (command: RecordAnalysis, state: State): Decision => {
  const task = taskOf(state, command.task_id)
  if (state.status !== "running" || task?.chunk?.stage !== "analysing" || isOver(task) || task.chunk.failure !== null) {
    return notAnalysing(command.task_id)
  }
  const { analysis, analyzer, started_at } = command
  const plan = planOf(state, task, analysis)
  const analysed: KernelEvent = {
    type: "CHUNKING_ANALYSIS",
    content: {
      parent_task_id: command.task_id,
      analyzer,
      started_at,
      is_decomposable: analysis.is_decomposable,
      decomposition_reason: analysis.decomposition_reason,
      subtask_count: analysis.subtasks.length,
      dependencies_detected: analysis.subtasks.some(({ dependencies }) => dependencies.length > 0),
      execution_mode: Result.isSuccess(plan) ? plan.success.execution_mode : null,
      criteria: analysis.criteria,
      subtasks: analysis.subtasks
    }
  }
  if (Result.isSuccess(plan)) return Result.succeed([analysed, ...plan.success.subtasks])
  const { message, reason } = plan.failure
  const stated = analysis.subtasks.flatMap(({ acceptance_criteria }) => acceptance_criteria)
  return Result.succeed([analysed, skipped(task, reason, message, stated)])
}

export const recordAggregation = (command: RecordAggregation, state: State): Decision => {
  const task = taskOf(state, command.task_id)
  const chunk = task?.chunk
  if (
    state.status !== "running" ||
    task === undefined ||
    isOver(task) ||
    chunk?.stage !== "executing" ||
    chunk.open > 0 ||
    chunk.outcome !== null
  ) {
    return Result.fail(
      reject("task_not_ready", `Task ${command.task_id} does not wait for its parts to be put together.`, "Drop this.")
    )
  }
  const { type, conflict_resolution } = state.config.chunking.aggregation_strategy
  return Result.succeed([
    {
      type: "CHUNKING_AGGREGATION",
      content: {
        parent_task_id: command.task_id,
        aggregation_strategy: type,
        conflict_resolution,
        aggregation_result: {
          total_files_modified: command.outcome.files_modified.length,
          conflicts_detected: command.outcome.conflicts.length > 0,
          ...command.outcome
        },
        duration_ms: command.duration_ms
      }
    }
  ])
}

/** What the ends of the subtasks mean for a task that will not be completed. Otherwise nothing. */
export const settleChunks = (state: State, task: TaskState): ReadonlyArray<KernelEvent> => {
  const { chunk } = task
  if (isOver(task) || chunk?.stage !== "executing") return []
  const total = chunk.subtasks.length
  const failed = subtasksOf(state, task).filter(isLost)
  if (failed.length > 0 && failsFast(state)) {
    const first = failed.find(({ status }) => status === "failed") ?? failed[0]
    return [
      ...subtasksOf(state, task).flatMap((subtask) => (isOver(subtask) ? [] : givenUp(state, subtask, "fail_fast"))),
      parentFailed(task, "fail_fast", `Subtask ${first?.spec.id} failed, and the task stops at the first failure.`)
    ]
  }
  if (chunk.open > 0) return []
  const names = failed.map(({ spec }) => spec.id).join(", ")
  if (failed.length === total) {
    return [parentFailed(task, "subtasks_failed", `None of its ${total} subtasks is completed.`)]
  }
  const { outcome } = chunk
  if (outcome === null) return []
  if (outcome.outcome !== "merged") return [notTogether(task, outcome)]
  return failed.length === 0
    ? []
    : [
        parentFailed(
          task,
          "subtasks_incomplete",
          `${total - failed.length} of ${total} subtasks are completed, and what they did is kept; not completed: ${names}.`
        )
      ]
}

const notTogether = (task: TaskState, { conflicts, message, outcome }: Aggregation): KernelEvent => {
  const files = conflicts.map(({ file, sources }) => `${file} (${sources.join(", ")})`).join("; ")
  const what = `What its subtasks changed cannot be put together: ${files}.`
  return parentFailed(task, outcome === "needs_person" ? "needs_person" : "conflict", message === "" ? what : message)
}

const parentFailed = (task: TaskState, reason: string, message: string): KernelEvent => ({
  type: "TASK_FAILED",
  content: { task_id: task.spec.id, attempts: task.attempts, verdict: "refuted", reason, message }
})

/** A task that something else brings to its end, whatever it was doing. */
export const givenUp = (
  state: State,
  task: TaskState,
  reason: string,
  waiting_for: ReadonlyArray<TaskId> = []
): ReadonlyArray<KernelEvent> => {
  const { current, part, spec, status } = task
  const cancelled: ReadonlyArray<KernelEvent> =
    // an attempt that rests while its task is blocked ends with it
    (status === "in_progress" || status === "blocked") && current?.outcome === null && !current.cancelled
      ? [{ type: "ATTEMPT_CANCELLED", content: { task_id: spec.id, attempt: current.attempt, reason } }]
      : []
  const ended = [...cancelled, ...loopEnd(task, "ERROR")]
  if (part === null) {
    return [...ended, { type: "TASK_SKIPPED", content: { task_id: spec.id, reason, waiting_for } }]
  }
  const message =
    waiting_for.length === 0
      ? (becauseOf[reason] ?? "It was given up.")
      : `It depends on what is not completed: ${waiting_for.join(", ")}.`
  return [...ended, subtaskFailed(state, task, null, reason, message)]
}

/** The end of the review loop that a task is in. */
export const loopEnd = (
  { current, loop, spec, status }: TaskState,
  final_status: "COMPLETE" | "INCOMPLETE" | "ERROR"
): ReadonlyArray<KernelEvent> => {
  if (!loop.reviewed || current === null) return []
  // what a crash took was judged by nobody, and what waits for its next attempt has been counted
  const total_iterations = loop.refused + Number(status === "in_progress" && current.outcome !== "LOST")
  return [
    { type: "REVIEW_LOOP_END", content: { task_id: spec.id, attempt: current.attempt, final_status, total_iterations } }
  ]
}

/** Why subtasks are given up that nothing spoke against. */
const becauseOf: Readonly<Record<string, string>> = {
  fail_fast: "Another subtask failed, and the task stops at the first failure.",
  run_cancelled: "The run was cancelled."
}

export const subtaskFailed = (
  state: State,
  task: TaskState,
  verdict: "refuted" | "unproven" | null,
  failure_reason: string,
  message: string
): KernelEvent => ({
  type: "SUBTASK_FAILED",
  content: {
    ...subtaskRef(task),
    failure_reason,
    message,
    retry_count: task.retry_count,
    attempts: task.attempts,
    verdict,
    subtask_result: subtaskResult(state, task, task.current?.outcome === "COMPLETE" ? "INCOMPLETE" : "ERROR")
  }
})

export const subtaskRef = (task: TaskState) => ({
  parent_task_id: task.part?.parent_task_id ?? "",
  subtask_id: task.spec.id
})

export const subtaskResult = (state: State, task: TaskState, status: SubtaskResult["status"]): SubtaskResult => ({
  status,
  output_summary: task.current?.report?.summary ?? "",
  files_modified: ownFiles(state, task),
  ...(task.loop.started ? { review_loop_iterations: task.loop.refused + 1 } : {})
})

/** The end of a task whose parts are all completed and hold together. */
export const chunkingComplete = (task: TaskState): ReadonlyArray<KernelEvent> => {
  const { chunk } = task
  return chunk?.stage !== "aggregated"
    ? []
    : [
        {
          type: "CHUNKING_COMPLETE",
          content: {
            parent_task_id: task.spec.id,
            total_subtasks: chunk.subtasks.length,
            completed_subtasks: chunk.subtasks.length - chunk.failed - chunk.open,
            failed_subtasks: chunk.failed,
            total_retries: chunk.total_retries,
            total_duration_ms: chunk.duration_ms
          }
        }
      ]
}
