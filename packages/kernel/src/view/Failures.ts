import type { KernelState } from "../composition.ts"
import { hasPassed } from "../modules/tasks/checks.ts"
import { childrenOf, dependentsOf, type TaskState, taskOf, tasksOf } from "../modules/tasks/state.ts"
import { historyOf, type RunHistory } from "./RunHistory.ts"
import type { FailureView } from "./TaskShapes.ts"

/** So many are told of one by one. */
const maxFailures = 20
const maxLines = 8

/**
 * The tasks at which a run failed, each with what its last attempt came to. A task that failed because of another, or
 * because of its parts, is none of them: it is named by the one that it waited for.
 */
export const failuresOf = (state: KernelState, history: Pick<RunHistory, "tasks">): ReadonlyArray<FailureView> =>
  tasksOf(state)
    .filter((task) => isCause(state, task))
    .slice(0, maxFailures)
    .map((task) => failureOf(state, history, task))

const isCause = (state: KernelState, task: TaskState): boolean =>
  task.status === "failed" &&
  !task.alternative &&
  !task.reason.startsWith("dependency_") &&
  !childrenOf(state, task).some((part) => part.status === "failed" && !part.alternative)

const failureOf = (state: KernelState, history: Pick<RunHistory, "tasks">, task: TaskState): FailureView => {
  const { id, title } = task.spec
  const last = historyOf(history, id).attempts.at(-1) ?? null
  const { checks = [], exit_code = null, output_tail = "", refusals = [], signal = null } = last ?? {}
  return {
    task_id: id,
    title,
    reason: task.reason,
    message: task.message,
    attempt: last?.attempt ?? null,
    exit_code,
    signal,
    timed_out: last?.outcome === "TIMEOUT",
    printed: output_tail
      .split("\n")
      .filter((line) => line.trim() !== "")
      .slice(-maxLines),
    refusals,
    checks: checks.filter((check) => !hasPassed(check)),
    blocks: blockedBy(state, task)
  }
}

/** Everything that waits for a task, directly or not, and is not completed. */
const blockedBy = (state: KernelState, task: TaskState): ReadonlyArray<string> => {
  const found = new Set<string>()
  const open = [task.spec.id]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const dependent of dependentsOf(state, id)) {
      if (found.has(dependent) || taskOf(state, dependent)?.status === "completed") continue
      found.add(dependent)
      open.push(dependent)
    }
  }
  return tasksOf(state).flatMap(({ spec }) => (found.has(spec.id) ? [spec.id] : []))
}
