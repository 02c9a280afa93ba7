import type { TaskId } from "../../base/Ids.ts"
import { isLineReceipt, type ReportedItem } from "../tasks/Report.ts"
import { workedOnSinceText } from "../tasks/revisit.ts"
import { type AttemptState, type HasTasks, type ItemState, type TaskState, taskOf } from "../tasks/state.ts"
import type { TaskSpec } from "../tasks/TaskSpec.ts"
import type { Aggregation, CarriedEvidence } from "./schemas.ts"
import { chunkOf, type HasChunking, subtaskStateOf, subtasksOf } from "./state.ts"

type State = HasTasks & HasChunking

/** The item of a subtask that shows an item of its parent; undefined when no subtask carries it. */
export const carriedBy = (state: State, parent: TaskState, index: number): ItemState | undefined =>
  carrierOf(state, parent, index)?.item

const carrierOf = (state: State, parent: TaskState, index: number) => {
  const found = subtasksOf(state, parent).flatMap((subtask) => {
    const at = subtaskStateOf(state, subtask)?.carries.indexOf(index) ?? -1
    return at < 0 ? [] : [{ subtask, item: subtask.items[at] }]
  })
  // of several attempts at all of it the one that is proven
  return found.find(({ subtask }) => subtask.status === "completed") ?? found[0]
}

/**
 * What a part has shown of an item of the whole that does not hold any more, once they are together, and why. Null: it holds,
 * or a log of before does not say why.
 */
export const lostOf = (
  state: State,
  parent: TaskState,
  index: number
): { readonly evidence: string; readonly why: string } | null => {
  const chunk = chunkOf(state, parent)
  if (chunk === null || chunk.outcome === null) return null
  const lost = chunk.outcome.lost[index - chunk.checklist.length]
  const subtask = taskOf(state, lost?.subtask_id ?? "")
  const { item, reason, task } =
    lost === undefined
      ? {
          reason: chunk.outcome.evidence.find((one) => one.index === index)?.reason,
          item: carriedBy(state, parent, index),
          task: carrierOf(state, parent, index)?.subtask
        }
      : { reason: lost.reason, item: subtask?.items.find((one) => one.item === lost.item), task: subtask }
  if (reason === undefined || item === undefined || task === undefined) return null
  const path = item.receipt !== null && isLineReceipt(item.receipt) ? item.receipt.path : null
  return { evidence: item.evidence ?? "", why: `${reason} ${workedOnSinceText(state, task, path)}` }
}

/** Of several attempts at a task the one that was proven first; undefined: none was so far. */
export const winnerOf = (state: State, parent: TaskState): TaskState | undefined =>
  subtasksOf(state, parent).find(({ status }) => status === "completed")

/** What the subtasks have shown of a checklist of the parent, as a report of the parent. */
export const aggregatedReport = (
  state: State,
  parent: TaskState,
  found: ReadonlyArray<CarriedEvidence>,
  checklist: TaskSpec["checklist"]
): { readonly summary: string; readonly checklist: ReadonlyArray<ReportedItem> | null } => ({
  summary: subtasksOf(state, parent)
    .flatMap(({ current, spec, status }) => {
      const summary = current?.report?.summary.trim() ?? ""
      return status === "completed" && summary !== "" ? [`${spec.title}: ${summary}`] : []
    })
    .join("\n"),
  checklist:
    checklist.length === 0
      ? null
      : checklist.map(({ item }, index): ReportedItem => {
          const shown = carriedBy(state, parent, index)
          if (shown?.verdict === "waived") return { item, status: "skipped", reason: shown.reason }
          const now = found.find((one) => one.index === index)
          return { item, status: "done", evidence: now === undefined ? (shown?.evidence ?? null) : now.evidence }
        })
})

/** What a parent has to show as a whole, and its report; null: its subtasks are not put together. */
export const wholeOf = (
  state: State,
  id: TaskId,
  outcome: Aggregation
):
  | (Pick<TaskSpec, "checklist" | "validation"> & {
      readonly report: ReturnType<typeof aggregatedReport>
      readonly judgment?: NonNullable<AttemptState["judgment"]>
    })
  | null => {
  const parent = taskOf(state, id)
  const chunk = parent === undefined ? null : chunkOf(state, parent)
  if (parent === undefined || chunk === null || outcome.outcome !== "merged" || (chunk.failed > 0 && !chunk.is_race))
    return null
  const lost = outcome.lost.map(({ item, subtask_id }) => ({ item: `${subtask_id}: ${item}` }))
  const checklist = [...chunk.checklist, ...lost]
  const report = aggregatedReport(state, parent, outcome.evidence, checklist)
  const judgment = chunk.is_race ? winnerOf(state, parent)?.current?.judgment : undefined
  return { checklist, validation: parent.spec.validation, report, ...(judgment == null ? {} : { judgment }) }
}
