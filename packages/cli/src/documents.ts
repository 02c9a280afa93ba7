import { type ItemState, type State, type TaskState, tasksOf } from "@proofline/kernel"

/** `data` of `run`, `resume` and `history --show`. */
export const runData = (state: State) => ({
  run_id: state.run_id,
  kind: state.kind,
  name: state.name,
  status: state.status,
  message: state.message,
  tasks: tasksOf(state).map(taskData)
})

const taskData = (task: TaskState) => ({
  id: task.spec.id,
  title: task.spec.title,
  status: task.status,
  verdict: task.verdict,
  attempts: task.attempts,
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
