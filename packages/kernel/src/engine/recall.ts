import type { Command } from "../domain/Command.ts"
import type { contents, KernelEvent, KernelEventType, PluginEvent } from "../domain/Event.ts"
import type { TaskSpec } from "../domain/Task.ts"
import type { Composition } from "../plugin/compose.ts"
import type { Batch } from "../plugin/Plugin.ts"
import type { AnyCommand } from "./step.ts"

type ContentOf<T extends KernelEventType> = (typeof contents)[T]["Type"]

const first = <T extends KernelEventType>(batch: Batch, type: T): ContentOf<T> | undefined =>
  batch.find((event) => event.type === type)?.content as ContentOf<T> | undefined

/** By the type of the first event of a batch: the command that wrote it. Every fact of a command is in its events. */
const kernelRecall: Readonly<Record<string, (batch: Batch) => Command | undefined>> = {
  RUN_STARTED: (batch) => {
    const started = first(batch, "RUN_STARTED")
    const pull = first(batch, "PHASE_CONTRACT_ADOPTED")
    return started && { _tag: "StartRun", ...started, tasks: registeredTasks(batch), ...(pull && { pull }) }
  },
  RUN_RESUMED: (batch) => {
    const resumed = first(batch, "RUN_RESUMED")
    return resumed && { _tag: "ResumeRun", driver: resumed.driver, config: resumed.config }
  },
  TASK_STARTED: (batch) => startAttempt(batch),
  SUBTASK_START: (batch) => startAttempt(batch),
  REVIEW_LOOP_START: (batch) => startAttempt(batch),
  ATTEMPT_STARTED: (batch) => startAttempt(batch),
  ATTEMPT_OUTPUT_SUMMARIZED: (batch) => endAttempt(batch),
  ATTEMPT_ENDED: (batch) => endAttempt(batch),
  ATTEMPT_CANCELLED: (batch) => endRun(batch),
  TASK_SKIPPED: (batch) => endRun(batch),
  SUBTASK_FAILED: (batch) => endRun(batch),
  REVIEW_LOOP_END: (batch) => endRun(batch),
  RUN_CANCELLED: (batch) => endRun(batch),
  RUN_FAILED: (batch) => endRun(batch),
  AGENT_CALLED: (batch) => {
    const called = first(batch, "AGENT_CALLED")
    return called && { _tag: "RecordUsage", ...called }
  },
  CHUNKING_ANALYSIS: (batch) => {
    const analysed = first(batch, "CHUNKING_ANALYSIS")
    if (analysed === undefined) return undefined
    const { analyzer, criteria, decomposition_reason, is_decomposable, parent_task_id, started_at, subtasks } = analysed
    const analysis = { is_decomposable, decomposition_reason, criteria, subtasks }
    return { _tag: "RecordAnalysis", task_id: parent_task_id, analyzer, started_at, analysis }
  },
  CHUNKING_AGGREGATION: (batch) => {
    const aggregated = first(batch, "CHUNKING_AGGREGATION")
    if (aggregated === undefined) return undefined
    const { aggregation_result, duration_ms, parent_task_id } = aggregated
    const { conflicts_detected, total_files_modified, ...outcome } = aggregation_result
    return { _tag: "RecordAggregation", task_id: parent_task_id, duration_ms, outcome }
  },
  VERIFICATION_RUN: (batch) => {
    const run = first(batch, "VERIFICATION_RUN")
    return run && { _tag: "RecordVerification", task_id: run.task_id, attempt: run.attempt, checks: run.checks }
  },
  QUALITY_JUDGMENT: (batch) => {
    const judgment = first(batch, "QUALITY_JUDGMENT")
    return judgment && { _tag: "RecordJudgment", ...judgment }
  },
  SESSION_OPENED: (batch) => {
    const opened = first(batch, "SESSION_OPENED")
    const gone = (batch as ReadonlyArray<KernelEvent>).flatMap(({ content, type }) =>
      type === "SESSION_CLOSED" ? [content.session_id] : []
    )
    return opened && { _tag: "OpenSession", ...opened, gone }
  },
  SESSION_CLOSED: (batch) => {
    const closed = first(batch, "SESSION_CLOSED")
    return closed && { _tag: "CloseSession", ...closed }
  },
  NEXT_ACTION_ISSUED: (batch) => {
    const issued = first(batch, "NEXT_ACTION_ISSUED")
    return issued && { _tag: "IssueNextAction", session_id: issued.session_id, at: issued.at, tool: issued.tool }
  },
  PHASE_SUBMITTED: (batch) => {
    const submitted = first(batch, "PHASE_SUBMITTED")
    if (submitted === undefined) return undefined
    const { at, payload, prompt, report, session_id } = submitted
    return session_id === null
      ? { _tag: "AnswerPhase", at, payload }
      : { _tag: "SubmitPhase", session_id, at, payload, prompt, isReport: report }
  },
  PHASE_REJECTED: (batch) => {
    const refused = first(batch, "PHASE_REJECTED")
    if (refused === undefined) return undefined
    const { at, payload, report, session_id } = refused
    return { _tag: "SubmitPhase", session_id, at, payload, prompt: null, isReport: report }
  },
  PHASE_VERIFIED: (batch) => {
    const verified = first(batch, "PHASE_VERIFIED")
    if (verified === undefined) return undefined
    return {
      _tag: "RecordPhaseChecks",
      phase: verified.phase,
      submission: verified.submission,
      checks: verified.checks
    }
  },
  WRITE_TARGET_CHECKED: (batch) => {
    const checked = first(batch, "WRITE_TARGET_CHECKED")
    if (checked === undefined) return undefined
    const { allowed, code, ...asked } = checked
    return { _tag: "CheckWriteTarget", ...asked }
  },
  TASK_STATUS_CHANGED: (batch) => {
    const changed = first(batch, "TASK_STATUS_CHANGED")
    if (changed?.by === undefined) return undefined
    const { asked: status, ...by } = changed.by
    return { _tag: "UpdateTaskStatus", ...by, task_id: changed.task_id, status, reason: changed.reason }
  },
  TASKS_CREATED: (batch) => {
    const created = first(batch, "TASKS_CREATED")
    return created && { _tag: "CreateTasks", session_id: created.session_id, at: created.at, tasks: created.tasks }
  },
  COMPLETION_REPORTED: (batch) => {
    const reported = first(batch, "COMPLETION_REPORTED")
    if (reported === undefined) return undefined
    const { open, ...report } = reported
    return { _tag: "ReportCompleted", ...report }
  },
  ACTIVITY_RESULT: (batch) => {
    const result = first(batch, "ACTIVITY_RESULT")
    return result && { _tag: "RecordActivity", ...result }
  },
  ACTIVITY_FAILED: (batch) => {
    const failed = first(batch, "ACTIVITY_FAILED")
    return failed && { _tag: "RecordActivityFailure", ...failed }
  }
}

const registeredTasks = (batch: Batch): ReadonlyArray<TaskSpec> => {
  const tasks: Array<TaskSpec> = []
  for (const { content, type } of batch as ReadonlyArray<KernelEvent>) {
    if (type === "TASK_REGISTERED") {
      const { priority, task_id, ...spec } = content
      tasks.push({ id: task_id, ...spec, checklist: [] })
    } else if (type === "CHECKLIST_REGISTERED") {
      const last = tasks.pop()
      if (last !== undefined) tasks.push({ ...last, checklist: content.items })
    }
  }
  return tasks
}

const startAttempt = (batch: Batch): Command | undefined => {
  const started = first(batch, "ATTEMPT_STARTED")
  return started && { _tag: "StartAttempt", ...started }
}

const endAttempt = (batch: Batch): Command | undefined => {
  const ended = first(batch, "ATTEMPT_ENDED")
  if (ended === undefined) return undefined
  return {
    _tag: "EndAttempt",
    ...ended,
    output: withoutAttempt(first(batch, "ATTEMPT_OUTPUT_SUMMARIZED")),
    report: withoutAttempt(first(batch, "CHECKLIST_REPORTED"))
  }
}

const withoutAttempt = <T extends { readonly task_id: string; readonly attempt: number }>(
  content: T | undefined
): Omit<T, "task_id" | "attempt"> | null => {
  if (content === undefined) return null
  const { attempt, task_id, ...rest } = content
  return rest
}

const endRun = (batch: Batch): Command | undefined => {
  const cancelled = first(batch, "RUN_CANCELLED")
  if (cancelled !== undefined) return { _tag: "CancelRun", reason: cancelled.reason }
  const failed = first(batch, "RUN_FAILED")
  return failed?.reason === "budget" ? { _tag: "ExhaustBudget", message: failed.message } : undefined
}

/** The command that wrote this batch; undefined when nobody here knows how to read it back. */
export const recall = (
  plugins: Composition,
  batch: ReadonlyArray<KernelEvent | PluginEvent>
): AnyCommand | undefined => {
  const [head, ...rest] = batch
  if (head === undefined) return undefined
  const owner = plugins.plugins.find((plugin) => plugin.recall?.[head.type] !== undefined)
  return owner?.recall?.[head.type]?.([head, ...rest]) ?? kernelRecall[head.type]?.([head, ...rest])
}
