import {
  chunkedOutcome,
  chunkedTaskStatus,
  isChunked,
  type State,
  subtaskStatus,
  subtasksOf,
  type TaskState
} from "@proofline/kernel"

/** A task as the tree names it, in the words of the terminal: `RUNNING - Chunked 2/3`, `Running (iteration 2)`. */
export const labelOf = (state: State, task: TaskState): string => {
  const parts = isChunked(task) ? subtasksOf(state, task) : []
  if (parts.length === 0) return wordOf(task)
  const status = chunkedTaskStatus(task)
  const word = chunkedOutcome(task) ?? (status === "COMPLETE" ? status : "RUNNING")
  const done = parts.filter((part) => part.status === "completed").length
  return `${word} - Chunked ${done}/${parts.length}`
}

const wordOf = (task: TaskState): string => {
  if (task.status === "blocked") return "Blocked"
  if (task.status === "backlog") return "Backlog"
  if (task.status === "skipped") return `Skipped${because(task)}`
  switch (subtaskStatus(task)) {
    case "COMPLETE":
      return "Complete"
    case "FAILED":
      return task.reason === "run_cancelled" ? "Interrupted" : `Failed${because(task)}`
    case "RUNNING":
      return (task.current?.iteration ?? 1) > 1 ? `Running (iteration ${task.current?.iteration})` : "Running"
    case "RETRYING":
      return "Retrying"
    case "PENDING":
      return "Pending"
  }
}

const because = ({ reason }: TaskState): string => (reason === "" ? "" : ` (${reason.replaceAll("_", " ")})`)
