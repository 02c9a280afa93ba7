import type { Schema } from "effect"
import type { Command } from "./Command.ts"
import type { ItemId, TaskId, WorkKey } from "./Ids.ts"

/** What should happen next, as data: a replay looks at it and does nothing. */
export type Intent<C = Command> = Start | Cancel | Dispatch<C>

/** Carry out an activity. The same key twice is the same work. */
export interface Start {
  readonly _tag: "Start"
  readonly key: WorkKey
  readonly kind: "attempt" | "activity"
  readonly activity: string
  readonly task_id: TaskId | null
  readonly input: Schema.Json
  /** Wait before it may start, ms after the event. */
  readonly delay_ms: number
  /** Higher first. */
  readonly priority: number
}

/** The work is not wanted any more; named by its key, or by its id where that is what the log knows. */
export interface Cancel {
  readonly _tag: "Cancel"
  readonly work: { readonly key: WorkKey } | { readonly item: ItemId }
}

/** Decide this command too, within the same append. */
export interface Dispatch<C = Command> {
  readonly _tag: "Dispatch"
  readonly command: C
}
