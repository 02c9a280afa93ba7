import { type ItemState, rootsOf, type State, type TaskOutcome, type TaskState } from "@proofline/kernel"
import type { ContentOf } from "./events.ts"

/** What came of a task run, for the run above it: a function of its log alone. */
export const outcomeOf = (state: State, iteration: number): ContentOf<"TASK_RUN_ENDED"> => ({
  iteration,
  run_id: state.run_id,
  status:
    state.status === "completed" || state.status === "failed" || state.status === "cancelled"
      ? state.status
      : "incomplete",
  stopped: stoppedBy(state),
  message: needsPerson(state) ? `A person has to decide. ${state.message}` : state.message,
  tasks: rootsOf(state).map(taskOutcome),
  spent: state.spent
})

const stoppedBy = (state: State): ContentOf<"TASK_RUN_ENDED">["stopped"] => {
  if (state.status === "cancelled") return "cancelled"
  if (needsPerson(state)) return "needs_person"
  return state.failed_by === "budget" || state.failed_by === "breaker" ? state.failed_by : null
}

/** Only somebody's decision brings a task further. */
export const needsPerson = (state: State): boolean =>
  state.status !== "completed" &&
  rootsOf(state).some(({ reason, status }) => status === "failed" && reason === "needs_person")

const taskOutcome = (task: TaskState): TaskOutcome => ({
  id: task.spec.id,
  title: task.spec.title,
  status: task.status,
  verdict: task.verdict,
  attempts: task.attempts,
  message: task.status === "completed" ? "" : task.message,
  summary: (task.current?.report?.summary ?? "").trim().slice(0, 500).toWellFormed(),
  files: task.files,
  checks: task.spec.checks,
  items: task.items.map(itemOutcome)
})

const itemOutcome = ({ ablation, check, covers, evidence, item, reason, receipt, verdict, weak }: ItemState) => ({
  item,
  ...(check === undefined ? {} : { check }),
  ...(ablation === undefined ? {} : { ablation }),
  ...(covers === undefined ? {} : { covers }),
  verdict,
  evidence,
  reason,
  receipt,
  weak
})
