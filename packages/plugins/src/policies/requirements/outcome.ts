import {
  givenUp,
  type HasRun,
  type HasTasks,
  type ItemState,
  isWaivedByPerson,
  outermostOf,
  type TaskState
} from "@proofline/kernel"
import { shownInLines } from "../evidence/contract.ts"
import type { ContentOf } from "./contents.ts"
import type { TaskOutcome } from "./definition.ts"

/** What came of a task run, for the run above it: a function of its log alone. */
export const outcomeOf = (state: HasRun & HasTasks, iteration: number): ContentOf<"TASK_RUN_ENDED"> => {
  const { message, run_id, spent, status } = state.run
  return {
    iteration,
    run_id,
    status: status === "completed" || status === "failed" || status === "cancelled" ? status : "incomplete",
    stopped: stoppedBy(state),
    message: needsPerson(state) ? `A person has to decide. ${message}` : message,
    tasks: outermostOf(state).map(taskOutcome),
    spent
  }
}

const stoppedBy = (state: HasRun & HasTasks): ContentOf<"TASK_RUN_ENDED">["stopped"] => {
  const { failed_by, status } = state.run
  if (status === "cancelled") return "cancelled"
  if (needsPerson(state)) return "needs_person"
  return failed_by === "budget" || failed_by === "breaker" ? failed_by : null
}

/** Only somebody's decision brings a task further. */
export const needsPerson = (state: HasRun & HasTasks): boolean =>
  state.run.status !== "completed" &&
  (state.tasks.asking_count > 0 ||
    outermostOf(state).some(({ reason, status }) => status === "failed" && reason === "needs_person"))

/** It came to its end by itself: that has only to be told. What was stopped, or waits for somebody, goes on. */
export const hasEnded = (state: HasRun & HasTasks): boolean => {
  switch (state.run.status) {
    case "completed":
      return true
    case "incomplete":
      return !needsPerson(state)
    case "failed":
      return state.run.failed_by !== "budget" && state.run.failed_by !== "breaker" && !needsPerson(state)
    default:
      return false
  }
}

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
  items: task.items.map(itemOutcome),
  ...shownBy(task),
  ...(task.spec.commands_by === undefined ? {} : { commands_by: task.spec.commands_by }),
  ...(task.status === "failed" && task.reason === givenUp ? { given_up: true as const } : {})
})

const shownBy = (task: TaskState): Pick<TaskOutcome, "shown"> => {
  const shown = shownInLines(task).map(({ item, path, shows, whole }) => ({ item, path, shows, whole }))
  return shown.length === 0 ? {} : { shown }
}

const itemOutcome = ({
  ablation,
  answer,
  check,
  covers,
  evidence,
  item,
  reason,
  receipt,
  verdict,
  weak
}: ItemState) => ({
  item,
  ...(check === undefined ? {} : { check }),
  ...(ablation === undefined ? {} : { ablation }),
  ...(covers === undefined ? {} : { covers }),
  verdict,
  evidence,
  reason,
  receipt,
  weak,
  ...(isWaivedByPerson(answer === undefined ? {} : { answer }) ? { waived_by: "person" as const } : {})
})
