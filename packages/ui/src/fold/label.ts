import {
  asItStands,
  chunkedOutcome,
  chunkedTaskStatus,
  isChunked,
  loopOf,
  subtaskStatus,
  subtasksOf,
  type TaskState,
  waitsForPerson
} from "@proofline/kernel"
import type { State } from "./compose.ts"

/** A task as the tree names it, in the words of the terminal: `RUNNING - Chunked 2/3`, `Running (iteration 2)`. */
export const labelOf = (state: State, task: TaskState): string => {
  const parts = isChunked(state, task) ? subtasksOf(state, task) : []
  if (parts.length === 0) return wordOf(state, task)
  const status = chunkedTaskStatus(state, task)
  const word = chunkedOutcome(state, task) ?? (status === "COMPLETE" ? status : "RUNNING")
  const done = parts.filter((part) => part.status === "completed").length
  return `${word} - Chunked ${done}/${parts.length}`
}

const wordOf = (state: State, known: TaskState): string => {
  const task = asItStands(state.run, known)
  if (waitsForPerson(task)) return "Waits for you"
  if (task.status === "blocked") return "Blocked"
  if (task.status === "backlog") return "Backlog"
  if (task.status === "skipped") return `Skipped${because(task)}`
  switch (subtaskStatus(task)) {
    case "COMPLETE":
      return "Complete"
    case "FAILED":
      return task.reason === "run_cancelled" ? "Interrupted" : `Failed${because(task)}`
    case "RUNNING": {
      const iteration = task.current === null ? 1 : loopOf(state, task).iteration
      return iteration > 1 ? `Running (iteration ${iteration})` : "Running"
    }
    case "RETRYING":
      return "Retrying"
    case "PENDING":
      return "Pending"
  }
}

const because = ({ reason }: TaskState): string => (reason === "" ? "" : ` (${reason.replaceAll("_", " ")})`)
