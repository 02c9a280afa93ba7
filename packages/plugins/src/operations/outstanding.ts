import { type Intent, type KernelState, nextWork, type Start, type TaskState } from "@proofline/kernel"

/** The work that a task waits for; null: none. */
export const outstandingOf = (state: KernelState, task: TaskState): Start | null =>
  nextWork(state, task).find(isStart) ?? null

const isStart = (intent: Intent<string>): intent is Start => intent._tag === "Start"
