import type { Schema } from "effect"
import type { ItemId, RunId, WorkKey } from "./Ids.ts"

/** One piece of work. The queue reads `id`, `labels`, `priority` and `not_before`; the rest is for the worker. */
export interface WorkItem {
  /** UUID v5 of run and key: dispatching the same work twice is a no-op, also after it was done. */
  readonly id: ItemId
  readonly run: RunId
  readonly key: WorkKey
  /** `attempt`: an agent works on a task. `activity`: anything else that touches the world. */
  readonly kind: "attempt" | "activity"
  /** Which activity carries it out. */
  readonly activity: string
  readonly task_id: string | null
  readonly parent_task_id?: string
  readonly subtask_index?: number
  readonly total_subtasks?: number
  readonly is_subtask: boolean
  readonly input: Schema.Json
  /** A worker must offer all of them. */
  readonly labels: ReadonlyArray<string>
  /** Higher first; equal priorities in the order of dispatch. */
  readonly priority: number
  /** Not before this moment, ms since the epoch; 0: at once. */
  readonly not_before: number
}

/** The right to report on an item. Every claim of the item raises `number`; a report with an older one is refused. */
export interface Lease {
  readonly item: ItemId
  readonly number: number
}

export interface Claim {
  readonly item: WorkItem
  readonly lease: Lease
}
