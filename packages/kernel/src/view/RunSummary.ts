import type { Recorded } from "../domain/Recorded.ts"
import type { LoopBStatus } from "../domain/Requirement.ts"

/** One line about a run, kept beside the log so that `status` and `history` need not fold anything. */
export interface RunSummary {
  readonly run_id: string
  readonly kind: string
  readonly name: string
  readonly status: "running" | "completed" | "incomplete" | "failed" | "cancelled"
  /** ISO 8601, UTC, ms. */
  readonly started_at: string
  readonly ended_at: string | null
  readonly parent_run_id: string | null
  readonly tasks_total: number
  readonly tasks_completed: number
  readonly tasks_failed: number
  readonly tasks_skipped: number
  readonly items_total: number
  /** Items proven or waived in completed checklists. */
  readonly items_closed: number
  /** Subtasks of tasks that were split; left out in summaries of before there were any. */
  readonly subtasks_total?: number
  readonly subtasks_completed?: number
  /** Tasks that are being worked on, by id. */
  readonly active: ReadonlyArray<string>
  /** The phase a session run is in; left out in runs without phases. */
  readonly phase?: string
  /** Of a requirements run, whose tasks are those of its task runs; left out in any other. */
  readonly iteration?: number
  /** Number of the last iteration that may be begun, as far as that is known. */
  readonly max_iterations?: number
  readonly requirements_total?: number
  /** As the last verification of all of them found it. */
  readonly requirements_met?: number
  readonly loop_status?: LoopBStatus
  /** Where a resume goes on with what could not be done; left out where there is no such thing. */
  readonly loop_resumes_at?: LoopBStatus
}

/** The only events that change a summary. */
export const summarizedTypes: ReadonlySet<string> = new Set([
  "RUN_STARTED",
  "RUN_RESUMED",
  "RUN_COMPLETED",
  "RUN_INCOMPLETE",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "PHASE_ENTERED",
  "TASK_REGISTERED",
  "CHECKLIST_REGISTERED",
  "SUBTASK_CREATED",
  "SUBTASK_COMPLETE",
  "SUBTASK_FAILED",
  "ATTEMPT_STARTED",
  "TASK_STATUS_CHANGED",
  "TASK_COMPLETED",
  "TASK_FAILED",
  "TASK_SKIPPED",
  "REQUIREMENTS_LOADED",
  "ITERATION_STARTED",
  "TASKS_GENERATED",
  "TASK_RUN_ENDED",
  "REQUIREMENTS_VERIFIED",
  "REQUIREMENTS_MET",
  "REQUIREMENTS_UNMET"
])

// biome-ignore lint/suspicious/noExplicitAny: what was appended fits the schema of its type
type Fields = Readonly<Record<string, any>>

const ended = (summary: RunSummary, status: RunSummary["status"], at: string): RunSummary => {
  const over: RunSummary = { ...summary, status, ended_at: at, active: [] }
  return status === "failed" || status === "incomplete" ? loopFailed(over) : over
}

/** A requirements run that did not come to its end has failed, and is taken up again where it was. */
const loopFailed = (summary: RunSummary): RunSummary => {
  const { loop_status } = summary
  return loop_status === undefined || loop_status === "failed" || loop_status === "completed"
    ? summary
    : { ...summary, loop_status: "failed", loop_resumes_at: loop_status }
}

/** Folds one event into the summary of its run. Events of other types leave it as it is. */
export const summarize = (summary: RunSummary | null, event: Recorded): RunSummary | null => {
  const content = event.content as Fields
  if (event.event_type === "RUN_STARTED") {
    return {
      run_id: event.stream,
      kind: content["kind"],
      name: content["name"],
      status: "running",
      started_at: event.timestamp,
      ended_at: null,
      parent_run_id: content["parent_run_id"],
      tasks_total: 0,
      tasks_completed: 0,
      tasks_failed: 0,
      tasks_skipped: 0,
      items_total: 0,
      items_closed: 0,
      subtasks_total: 0,
      subtasks_completed: 0,
      active: []
    }
  }
  if (summary === null) return null
  const task: string = content["task_id"]
  const without = (one: string) => summary.active.filter((id) => id !== one)
  const inactive = () => without(task)
  switch (event.event_type) {
    case "RUN_RESUMED": {
      const again = { ...summary, status: "running", ended_at: null } as const
      // every task that failed or was skipped is reopened by a resume; those of iterations that are over are not
      return summary.loop_status === undefined ? { ...again, tasks_failed: 0, tasks_skipped: 0 } : loopResumed(again)
    }
    case "RUN_COMPLETED":
      return ended(summary, "completed", event.timestamp)
    case "RUN_INCOMPLETE":
      return ended(summary, "incomplete", event.timestamp)
    case "RUN_FAILED":
      return ended(summary, "failed", event.timestamp)
    case "RUN_CANCELLED":
      return ended(summary, "cancelled", event.timestamp)
    case "PHASE_ENTERED":
      return { ...summary, phase: content["phase"] }
    case "TASK_REGISTERED":
      return { ...summary, tasks_total: summary.tasks_total + 1 }
    case "SUBTASK_CREATED":
      return { ...summary, subtasks_total: (summary.subtasks_total ?? 0) + 1 }
    case "SUBTASK_COMPLETE":
      return {
        ...summary,
        active: without(content["subtask_id"]),
        subtasks_completed: (summary.subtasks_completed ?? 0) + 1
      }
    case "SUBTASK_FAILED":
      return { ...summary, active: without(content["subtask_id"]) }
    case "CHECKLIST_REGISTERED":
      // acceptance criteria of a subtask are none of the items that were asked for
      if (content["criteria"] === true) return summary
      return { ...summary, items_total: summary.items_total + (content["added"] ?? content["items"].length) }
    case "ATTEMPT_STARTED":
      return { ...summary, active: [...inactive(), task] }
    case "TASK_COMPLETED":
      return {
        ...summary,
        active: inactive(),
        tasks_completed: summary.tasks_completed + 1,
        // what the whole had to show once more was none of the items that were asked for
        items_closed: Math.min(summary.items_total, summary.items_closed + content["proven"] + content["waived"])
      }
    case "TASK_STATUS_CHANGED":
      return content["reopened_items"] === undefined
        ? summary
        : {
            ...summary,
            tasks_completed: summary.tasks_completed - 1,
            items_closed: summary.items_closed - content["reopened_items"]
          }
    case "TASK_FAILED":
      return { ...summary, active: inactive(), tasks_failed: summary.tasks_failed + 1 }
    case "TASK_SKIPPED":
      return { ...summary, active: inactive(), tasks_skipped: summary.tasks_skipped + 1 }
    default:
      return summarizeLoop(summary, event.event_type, content)
  }
}

/** The events of a requirements run, which a plugin owns: they are known here by their names alone. */
const summarizeLoop = (summary: RunSummary, type: string, content: Fields): RunSummary => {
  const at = (loop_status: LoopBStatus) => ({ ...withoutResume(summary), loop_status })
  switch (type) {
    case "REQUIREMENTS_LOADED": {
      const offset: number = content["carried"]?.iteration ?? 0
      const limit: number = offset + content["max_iterations"]
      return {
        ...(summary.loop_status === "executing_tasks" ? summary : at("verifying_requirements")),
        iteration: content["changed"] === true ? (summary.iteration ?? offset) : offset,
        max_iterations: content["changed"] === true ? Math.max(summary.max_iterations ?? 0, limit) : limit,
        requirements_total: content["definition"].requirements.length,
        requirements_met: 0
      }
    }
    case "ITERATION_STARTED": {
      const iteration: number = content["iteration"]
      return {
        ...at(content["status"]),
        iteration,
        max_iterations: Math.max(summary.max_iterations ?? 0, iteration)
      }
    }
    case "TASKS_GENERATED":
      return { ...at("executing_tasks"), tasks_total: summary.tasks_total + content["tasks"].length }
    case "TASK_RUN_ENDED": {
      // its tasks are not over: it ends once more
      if (content["stopped"] !== null) return summary
      const by = (status: string): number => content["tasks"].filter((task: Fields) => task["status"] === status).length
      return {
        ...at("verifying_requirements"),
        tasks_completed: summary.tasks_completed + by("completed"),
        tasks_failed: summary.tasks_failed + by("failed"),
        tasks_skipped: summary.tasks_skipped + by("skipped")
      }
    }
    case "REQUIREMENTS_VERIFIED":
      return {
        ...summary,
        requirements_met: content["requirement_status"].filter((one: Fields) => one["met"] === true).length
      }
    case "REQUIREMENTS_MET":
      return at("completed")
    case "REQUIREMENTS_UNMET":
      return content["reason"] === "iterations_used_up" ? at("failed") : loopFailed(summary)
    default:
      return summary
  }
}

const withoutResume = ({ loop_resumes_at, ...summary }: RunSummary): RunSummary => summary

/** What had ended is verified once more: somebody may have mended what was missing. */
const loopResumed = (summary: RunSummary): RunSummary => {
  const { loop_resumes_at, loop_status } = summary
  return loop_status === "completed" || loop_status === "failed"
    ? { ...withoutResume(summary), loop_status: loop_resumes_at ?? "verifying_requirements" }
    : summary
}
