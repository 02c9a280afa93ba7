import type { Recorded } from "../base/Recorded.ts"
import { commandsFailed } from "../modules/tasks/obligations.ts"
import type { RunSummary } from "./RunShapes.ts"
import { stoppedOf } from "./Standing.ts"

/** What a plugin adds to the summaries of runs. */
export interface Summarizer {
  /** Event types it looks at, beside those of every run. */
  readonly types: ReadonlyArray<string>
  /** The summary after an event; `before` is as it was, `after` as the kernel has it then. */
  readonly summarize: (before: RunSummary, after: RunSummary, event: Recorded) => RunSummary
}

/** The only events that change a summary. */
const ownTypes: ReadonlySet<string> = new Set([
  "RUN_STARTED",
  "RUN_RESUMED",
  "RUN_COMPLETED",
  "RUN_INCOMPLETE",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "TASK_REGISTERED",
  "CHECKLIST_REGISTERED",
  "SUBTASK_CREATED",
  "SUBTASK_COMPLETE",
  "SUBTASK_FAILED",
  "CHUNKING_AGGREGATION",
  "ATTEMPT_STARTED",
  "PERSON_ASKED",
  "PERSON_ANSWERED",
  "PERMISSION_ASKED",
  "PERMISSION_ANSWERED",
  "PERMISSION_WITHDRAWN",
  "ATTEMPT_ENDED",
  "VERIFICATION_RUN",
  "TASK_STATUS_CHANGED",
  "TASK_COMPLETED",
  "TASK_FAILED",
  "TASK_SKIPPED"
])

// biome-ignore lint/suspicious/noExplicitAny: what was appended fits the schema of its type
type Fields = Readonly<Record<string, any>>

const ended = (
  summary: RunSummary,
  status: RunSummary["status"],
  { content, timestamp }: Pick<Recorded, "content" | "timestamp">
): RunSummary => {
  const { message = "", proof, reason = null } = content as Fields
  const stopped = stoppedOf({ status, message, failed_by: reason })
  return {
    ...withPermissions(summary, () => []),
    status,
    ...(stopped === null ? {} : { stopped }),
    ...(proof === undefined
      ? {}
      : { proof: summary.redacted === undefined ? proof : { ...proof, verdict: "unproven" } }),
    ended_at: timestamp,
    active: []
  }
}

/** Questions that are open still. */
const withPermissions = (
  { permissions = [], ...summary }: RunSummary,
  change: (open: NonNullable<RunSummary["permissions"]>) => NonNullable<RunSummary["permissions"]>
): RunSummary => {
  const open = change(permissions)
  return { ...summary, ...(open.length === 0 ? {} : { permissions: open.slice(0, maxAsked) }) } as RunSummary
}

const withoutEnd = ({ proof, stopped, ...summary }: RunSummary): RunSummary => summary as RunSummary

/** Folds events into summaries of their runs. Events of other types than `types` leave a summary as it is. */
export interface Summaries {
  readonly types: ReadonlySet<string>
  readonly summarize: (summary: RunSummary | null, event: Recorded) => RunSummary | null
}

export const makeSummaries = (more: ReadonlyArray<Summarizer>): Summaries => ({
  types: new Set([...ownTypes, ...more.flatMap(({ types }) => types)]),
  summarize: (before, event) => {
    if (event.event_type === "RUN_STARTED") return begun(event)
    if (before === null) return null
    const own = ownTypes.has(event.event_type) ? summarizeOwn(before, event) : before
    return more.reduce((after, one) => one.summarize(before, after, event), own)
  }
})

const begun = (event: Recorded): RunSummary => {
  const content = event.content as Fields
  return {
    run_id: event.stream,
    kind: content["kind"],
    name: content["name"],
    status: "running",
    started_at: event.timestamp,
    ended_at: null,
    parent_run_id: content["parent_run_id"],
    input: content["input"] ?? null,
    base_commit: content["base"]?.commit ?? null,
    ...(content["redacted"] == null ? {} : { redacted: true }),
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

/** So many items that wait for a person are kept in a summary. */
const maxAsked = 20

/** Without what was asked of a task; with an index, of one of its items. */
const withoutAsked = (summary: RunSummary, task_id: string, index: number | null = null): RunSummary => {
  const { asked, ...rest } = summary
  if (asked === undefined) return summary
  const left = asked.filter((one) => one.task_id !== task_id || (index !== null && one.index !== index))
  return { ...rest, ...(left.length === 0 ? {} : { asked: left }) } as RunSummary
}

const withAsked = (summary: RunSummary, { attempt, files, items, task_id }: Fields): RunSummary => {
  const asked = items.map((item: object) => ({
    run_id: summary.run_id,
    task_id,
    attempt,
    ...item,
    files: files.slice(0, maxAsked)
  }))
  return { ...summary, asked: [...(summary.asked ?? []), ...asked].slice(0, maxAsked) }
}

/** Events after which nothing is asked of a task any more. */
const settling: ReadonlySet<string> = new Set([
  "ATTEMPT_STARTED",
  "TASK_STATUS_CHANGED",
  "TASK_COMPLETED",
  "TASK_FAILED",
  "TASK_SKIPPED",
  "SUBTASK_FAILED",
  "SUBTASK_COMPLETE"
])

const summarizeOwn = (before: RunSummary, event: Recorded): RunSummary => {
  const { checks, parent_task_id, subtask_id, task_id } = event.content as Fields
  const task = subtask_id ?? task_id ?? parent_task_id
  const summary = settling.has(event.event_type) ? withoutAsked(before, task) : before
  if (event.event_type === "VERIFICATION_RUN") return withFailed(summary, task, commandsFailed(checks))
  return counted(checked.has(event.event_type) ? withFailed(summary, task, 0) : summary, event)
}

/** Events after which no check of a task has failed. */
const checked: ReadonlySet<string> = new Set([
  "ATTEMPT_STARTED",
  "CHUNKING_AGGREGATION",
  "TASK_COMPLETED",
  "SUBTASK_COMPLETE"
])

/** Of so many tasks it is kept: a summary is written with every event. */
const maxFailed = 500

/** Attempts that are made beside each other are none of what is counted: their ids end so. */
const beside = /-try-\d+$/

const withFailed = (summary: RunSummary, task: string, count: number): RunSummary => {
  const { failed_checks, ...rest } = summary
  if (failed_checks?.[task] === undefined && (count === 0 || beside.test(task))) return summary
  const { [task]: _, ...others } = failed_checks ?? {}
  if (Object.keys(others).length >= maxFailed) return summary
  const now = count === 0 ? others : { ...others, [task]: count }
  return { ...rest, ...(Object.keys(now).length === 0 ? {} : { failed_checks: now }) } as RunSummary
}

const counted = (summary: RunSummary, event: Recorded): RunSummary => {
  const content = event.content as Fields
  const task: string = content["task_id"]
  const without = (one: string) =>
    summary.active.includes(one) ? summary.active.filter((id) => id !== one) : summary.active
  const inactive = () => without(task)
  switch (event.event_type) {
    case "RUN_RESUMED": {
      // every task that failed or was skipped is reopened by a resume, but for what a person has given up; after a
      // budget stop those that were skipped for it
      const given_up = summary.tasks_given_up ?? 0
      const { over_budget = [], ...rest } = summary
      const reopened = new Set((content["reopened"] ?? []).map((one: Fields) => one["task_id"] ?? one))
      const stillOver = over_budget.filter((id: string) => !reopened.has(id))
      const others =
        summary.stopped?.by === "budget"
          ? { failed: summary.tasks_failed, skipped: summary.tasks_skipped - over_budget.length + stillOver.length }
          : { failed: given_up, skipped: 0 }
      const left = content["only"]?.left ?? { ...others, given_up }
      return {
        ...withPermissions(withoutEnd(rest as RunSummary), () => []),
        ...(stillOver.length === 0 ? {} : { over_budget: stillOver }),
        status: "running",
        ended_at: null,
        tasks_failed: left.failed,
        tasks_skipped: left.skipped,
        ...(left.given_up === given_up ? {} : { tasks_given_up: left.given_up })
      }
    }
    case "RUN_COMPLETED":
      return ended(summary, "completed", event)
    case "RUN_INCOMPLETE":
      return ended(summary, "incomplete", event)
    case "RUN_FAILED":
      return ended(summary, "failed", event)
    case "RUN_CANCELLED":
      return ended(summary, "cancelled", event)
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
    case "PERMISSION_ASKED": {
      const { key: _, ...asked } = content
      return withPermissions(summary, (open) => [
        ...open,
        { run_id: summary.run_id, ...asked } as (typeof open)[number]
      ])
    }
    case "PERMISSION_ANSWERED":
    case "PERMISSION_WITHDRAWN":
      return withPermissions(summary, (open) => open.filter((one) => one.permission !== content["permission"]))
    case "ATTEMPT_ENDED":
      return summary.permissions === undefined
        ? summary
        : withPermissions(summary, (open) =>
            open.filter((one) => one.task_id !== task || one.attempt !== content["attempt"] || one.role !== "work")
          )
    case "PERSON_ASKED":
      return { ...withAsked(withoutAsked(summary, task), content), active: inactive() }
    case "PERSON_ANSWERED":
      return withoutAsked(summary, task, content["index"])
    case "ATTEMPT_STARTED":
      return { ...summary, active: [...inactive(), task] }
    case "TASK_COMPLETED":
      return {
        ...summary,
        active: inactive(),
        tasks_completed: summary.tasks_completed + 1,
        // what the whole had to show once more was none of the items that were asked for
        items_closed: Math.min(
          summary.items_total,
          summary.items_closed + content["proven"] + content["waived"] + (content["weak"] ?? 0)
        )
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
      return {
        ...summary,
        active: inactive(),
        tasks_failed: summary.tasks_failed + 1,
        ...(content["reason"] === "given_up" ? { tasks_given_up: (summary.tasks_given_up ?? 0) + 1 } : {})
      }
    case "TASK_SKIPPED":
      return {
        ...summary,
        active: inactive(),
        tasks_skipped: summary.tasks_skipped + 1,
        ...(content["reason"] === "budget" ? { over_budget: [...(summary.over_budget ?? []), task] } : {})
      }
    default:
      return summary
  }
}
