import {
  chunkedOutcome,
  chunkedTaskStatus,
  chunkOf,
  type ItemState,
  isChunked,
  type Obligation,
  obligationsOf,
  proofFields,
  proofOf,
  rootsOf,
  shownStatus,
  stoppedFields,
  stoppedOf,
  subtaskStatus,
  subtasksOf,
  type TaskState
} from "@proofline/kernel"
import type { Loop } from "@proofline/plugins/policies/requirements"
import type { State } from "./state.ts"

/** `data` of `run`, `resume` and `history --show`. */
export const runData = (state: State) => ({
  run_id: state.run.run_id,
  kind: state.run.kind,
  name: state.run.name,
  status: shownStatus(state.run),
  ...stoppedFields(state.run),
  message: state.run.message,
  ...proofFields(proofOf(state)),
  // to whoever asked, a task that was split is one task
  tasks: rootsOf(state).map((task) => ({ ...taskData(state, task), ...splitData(state, task) }))
})

const splitData = (state: State, task: TaskState) => {
  const chunk = chunkOf(state, task)
  if (chunk === null) return {}
  if (!isChunked(state, task)) return { chunking_skipped: true }
  const subtasks = subtasksOf(state, task)
  const outcome = chunkedOutcome(state, task)
  return {
    chunked: {
      status: chunkedTaskStatus(state, task),
      ...(outcome === undefined ? {} : { outcome }),
      execution_mode: chunk.execution_mode,
      completed_subtasks: subtasks.filter(({ status }) => status === "completed").length,
      total_subtasks: subtasks.length,
      total_retries: chunk.total_retries
    },
    subtasks: subtasks.map((subtask) => ({
      subtask_id: subtask.spec.id,
      ...taskData(state, subtask),
      subtask_status: subtaskStatus(subtask),
      dependencies: subtask.spec.depends_on,
      retry_count: subtask.retry_count,
      files_modified: subtask.files
    }))
  }
}

const taskData = (state: State, task: TaskState) => {
  // items come first
  const shown = obligationsOf(state, task)
  return {
    id: task.spec.id,
    title: task.spec.title,
    status: task.status,
    verdict: task.verdict,
    attempts: task.attempts,
    reason: task.reason,
    message: task.message,
    checklist: task.items.map((item, index) => itemData(item, shown[index]))
  }
}

/**
 * `data` of `run-requirements`, and of `resume` and `history --show` of such a run. `status` is S2's; `iterations` are those
 * of this run; of the tasks the ids.
 */
export const requirementsData = (loop: Loop, state: State) => ({
  run_id: state.run.run_id,
  kind: state.run.kind,
  name: state.run.name,
  status: loopStatus(loop, state),
  run_status: shownStatus(state.run),
  ...stoppedFields(state.run),
  message: state.run.message,
  ...proofFields(proofOf(state)),
  requirements_path: loop.requirements_path,
  tasks_output_dir: loop.tasks_output_dir,
  iterations: loop.iterations.length,
  max_iterations: loop.max_iterations,
  requirements: (loop.definition?.requirements ?? []).map((requirement) => {
    const seen = loop.requirements.get(requirement.id)
    return {
      id: requirement.id,
      name: requirement.name ?? requirement.description,
      priority: requirement.priority,
      verdict: seen?.verdict ?? "unproven",
      met: seen?.met === true,
      criteria: requirement.acceptance_criteria.map(({ criterion, id }) => {
        const one = seen?.criteria.find((verdict) => verdict.id === id)
        return {
          id,
          criterion,
          verdict: one?.verdict ?? "unproven",
          by: one?.by ?? null,
          tasks: one?.tasks ?? [],
          message: one?.message ?? ""
        }
      })
    }
  }),
  unmet_requirements: (loop.definition?.requirements ?? []).flatMap(({ id }) =>
    loop.requirements.get(id)?.met === true ? [] : [id]
  ),
  completed_task_ids: loop.completed.map(({ id }) => id),
  task_runs: loop.iterations.map(
    ({ ended, iteration_number, loop_c_history_id, tasks_yaml_path, uncovered, tasks }) => ({
      iteration: iteration_number,
      run_id: loop_c_history_id,
      tasks_yaml_path,
      status: ended?.status ?? null,
      tasks: tasks.map(({ id }) => id),
      uncovered
    })
  )
})

/** What has ended is completed or failed; anything else, also what was stopped, stands where its loop does. */
export const loopStatus = (loop: Loop, { run }: State): Loop["status"] => {
  if (run.status === "completed") return "completed"
  return (run.status === "failed" || run.status === "incomplete") && stoppedOf(run) === null ? "failed" : loop.status
}

const itemData = ({ evidence, item, reason, receipt, status, verdict }: ItemState, shown: Obligation | undefined) => ({
  item,
  status,
  verdict,
  shown_by: shown?.shown_by ?? null,
  weak: shown?.weak ?? [],
  ...(evidence === null ? {} : { evidence }),
  ...(reason === null ? {} : { reason }),
  ...(receipt === null ? {} : { receipt })
})
