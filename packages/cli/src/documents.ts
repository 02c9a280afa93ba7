import {
  chunkedOutcome,
  chunkedTaskStatus,
  type ItemState,
  isChunked,
  rootsOf,
  type State,
  subtaskStatus,
  subtasksOf,
  type TaskState
} from "@proofline/kernel"

/** `data` of `run`, `resume` and `history --show`. */
export const runData = (state: State) => ({
  run_id: state.run_id,
  kind: state.kind,
  name: state.name,
  status: state.status,
  message: state.message,
  // to whoever asked, a task that was split is one task
  tasks: rootsOf(state).map((task) => ({ ...taskData(task), ...splitData(state, task) }))
})

const splitData = (state: State, task: TaskState) => {
  if (task.chunk === null) return {}
  if (!isChunked(task)) return { chunking_skipped: true }
  const subtasks = subtasksOf(state, task)
  const outcome = chunkedOutcome(task)
  return {
    chunked: {
      status: chunkedTaskStatus(task),
      ...(outcome === undefined ? {} : { outcome }),
      execution_mode: task.chunk.execution_mode,
      completed_subtasks: subtasks.filter(({ status }) => status === "completed").length,
      total_subtasks: subtasks.length,
      total_retries: task.chunk.total_retries
    },
    subtasks: subtasks.map((subtask) => ({
      subtask_id: subtask.spec.id,
      ...taskData(subtask),
      subtask_status: subtaskStatus(subtask),
      dependencies: subtask.spec.depends_on,
      retry_count: subtask.retry_count,
      files_modified: subtask.files
    }))
  }
}

const taskData = (task: TaskState) => ({
  id: task.spec.id,
  title: task.spec.title,
  status: task.status,
  verdict: task.verdict,
  attempts: task.attempts,
  reason: task.reason,
  message: task.message,
  checklist: task.items.map(itemData)
})

const itemData = ({ evidence, item, reason, receipt, status, verdict, weak }: ItemState) => ({
  item,
  status,
  verdict,
  ...(evidence === null ? {} : { evidence }),
  ...(reason === null ? {} : { reason }),
  ...(receipt === null ? {} : { receipt }),
  ...(status === "done" ? { weak } : {})
})
