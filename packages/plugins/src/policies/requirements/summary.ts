import { Count, described, type Recorded, type RunSummary, type Summarizer } from "@proofline/kernel"
import { Option, Schema, Struct } from "effect"
import type { ContentOf, LoopEventType } from "./contents.ts"
import { LoopBStatus } from "./definition.ts"

/** How far the loop of a requirements run is. */
export const LoopProgress = Schema.Struct({
  loop_status: described("Where the loop stands; of a requirements run.", LoopBStatus),
  iteration: described("Of a requirements run: the current iteration, 0 before the first.", Count),
  max_iterations: described("Number of the last iteration that may be begun, as far as that is known.", Count),
  requirements_total: Count,
  requirements_met: described("As the last verification of all of them found it; optional ones count too.", Count)
}).annotate({ identifier: "LoopProgress" })
export type LoopProgress = typeof LoopProgress.Type

/** What the summary of a requirements run has beside that of every run. Its tasks are those of its task runs. */
export const LoopSummary = Schema.Struct({
  ...LoopProgress.fields,
  loop_resumes_at: described("Where a resume goes on with what could not be done.", LoopBStatus)
}).mapFields(Struct.map(Schema.optionalKey))
export type LoopSummary = typeof LoopSummary.Type

const decode = Schema.decodeUnknownOption(LoopSummary)

/** The fields of the loop in a summary; none in the summary of any other run. */
export const loopSummaryOf = (summary: RunSummary): LoopSummary =>
  Option.getOrElse(decode(summary), (): LoopSummary => ({}))

/** How far the loop of a run is; null: it is no requirements run. */
export const loopProgressOf = (summary: RunSummary): LoopProgress | null => {
  const {
    iteration = 0,
    loop_status,
    max_iterations = 0,
    requirements_met = 0,
    requirements_total = 0
  } = loopSummaryOf(summary)
  return loop_status === undefined
    ? null
    : { loop_status, iteration, max_iterations, requirements_total, requirements_met }
}

/** What was appended fits the schema of its type. */
const contentOf = <T extends LoopEventType>(_type: T, { content }: Recorded): ContentOf<T> =>
  content as unknown as ContentOf<T>

const withoutResume = ({ loop_resumes_at, ...summary }: RunSummary): RunSummary => summary

const at = (summary: RunSummary, loop_status: LoopBStatus): RunSummary => ({ ...withoutResume(summary), loop_status })

const loaded = (summary: RunSummary, content: ContentOf<"REQUIREMENTS_LOADED">): RunSummary => {
  const { iteration, loop_status, max_iterations } = loopSummaryOf(summary)
  const offset = content.carried?.iteration ?? 0
  const limit = offset + content.max_iterations
  return {
    ...(loop_status === "executing_tasks" ? summary : at(summary, "verifying_requirements")),
    iteration: content.changed ? (iteration ?? offset) : offset,
    max_iterations: content.changed ? Math.max(max_iterations ?? 0, limit) : limit,
    requirements_total: content.definition.requirements.length,
    requirements_met: 0
  }
}

const taskRunEnded = (summary: RunSummary, { stopped, tasks }: ContentOf<"TASK_RUN_ENDED">): RunSummary => {
  // its tasks are not over: it ends once more
  if (stopped !== null) return summary
  const by = (expected: string): number => tasks.filter(({ status }) => status === expected).length
  return {
    ...at(summary, "verifying_requirements"),
    tasks_completed: summary.tasks_completed + by("completed"),
    tasks_failed: summary.tasks_failed + by("failed"),
    tasks_skipped: summary.tasks_skipped + by("skipped")
  }
}

/** A requirements run that did not come to its end has failed, and is taken up again where it was. */
const failed = (summary: RunSummary): RunSummary => {
  const { loop_status } = loopSummaryOf(summary)
  return loop_status === undefined || loop_status === "failed" || loop_status === "completed"
    ? summary
    : { ...summary, loop_status: "failed", loop_resumes_at: loop_status }
}

/** One that was stopped stands where it was. */
const stoppedWhere = (summary: RunSummary): RunSummary => {
  const { loop_status } = loopSummaryOf(summary)
  return loop_status === undefined ? summary : { ...summary, loop_resumes_at: loop_status }
}

/** What had ended is verified once more: somebody may have mended what was missing. Tasks of before stay as they are. */
const resumed = (before: RunSummary, after: RunSummary): RunSummary => {
  const { loop_resumes_at, loop_status } = loopSummaryOf(before)
  if (loop_status === undefined) return after
  const again = { ...after, tasks_failed: before.tasks_failed, tasks_skipped: before.tasks_skipped }
  return loop_status === "completed" || loop_status === "failed"
    ? at(again, loop_resumes_at ?? "verifying_requirements")
    : withoutResume(again)
}

const summarize: Summarizer["summarize"] = (before, after, event) => {
  const type = event.event_type
  switch (type) {
    case "RUN_RESUMED":
      return resumed(before, after)
    case "RUN_FAILED":
    case "RUN_INCOMPLETE":
      return after.stopped === undefined ? failed(after) : stoppedWhere(after)
    case "REQUIREMENTS_LOADED":
      return loaded(after, contentOf(type, event))
    case "ITERATION_STARTED": {
      const { iteration, status } = contentOf(type, event)
      const max_iterations = Math.max(loopSummaryOf(after).max_iterations ?? 0, iteration)
      return { ...at(after, status), iteration, max_iterations }
    }
    case "TASKS_GENERATED":
      return { ...at(after, "executing_tasks"), tasks_total: after.tasks_total + contentOf(type, event).tasks.length }
    case "TASK_RUN_ENDED":
      return taskRunEnded(after, contentOf(type, event))
    case "REQUIREMENTS_VERIFIED": {
      const { requirement_status } = contentOf(type, event)
      return { ...after, requirements_met: requirement_status.filter(({ met }) => met).length }
    }
    case "REQUIREMENTS_MET":
      return at(after, "completed")
    case "REQUIREMENTS_UNMET":
      return contentOf(type, event).reason === "iterations_used_up" ? at(after, "failed") : failed(after)
    default:
      return after
  }
}

/** Keeps how far the loop of a requirements run is in the run's summary. */
export const loopSummary: Summarizer = {
  types: [
    "RUN_RESUMED",
    "RUN_INCOMPLETE",
    "RUN_FAILED",
    "REQUIREMENTS_LOADED",
    "ITERATION_STARTED",
    "TASKS_GENERATED",
    "TASK_RUN_ENDED",
    "REQUIREMENTS_VERIFIED",
    "REQUIREMENTS_MET",
    "REQUIREMENTS_UNMET"
  ],
  summarize
}
