import {
  type ActivityFailure,
  buildsOn,
  chunkOf,
  type HasChunking,
  type HasRun,
  type HasTasks,
  parentOf,
  subtaskStateOf,
  type TaskState
} from "@proofline/kernel"
import { Effect } from "effect"
import type { WorkspaceSpec, Workspaces } from "./Workspaces.ts"

/** Where a task works that came from a splitting, or was analysed and left in one piece; null: in the project, unwatched. */
export const workspaceSpecOf = (state: HasRun & HasTasks & HasChunking, task: TaskState): WorkspaceSpec | null => {
  const { aggregation_strategy: strategy } = state.run.config.chunking
  const workspaceSpec = { run_id: state.run.run_id, task_id: task.spec.id, strategy }
  const part = subtaskStateOf(state, task)
  if (part !== null) {
    const parent = parentOf(state, task)
    const workspace = (parent === undefined ? null : chunkOf(state, parent))?.workspace ?? "shared"
    const after = buildsOn(state, task).map(({ spec }) => spec.id)
    return { ...workspaceSpec, parent_task_id: part.parent_task_id, workspace, after }
  }
  const stage = chunkOf(state, task)?.stage
  return stage === "skipped" || stage === "aggregated"
    ? { ...workspaceSpec, parent_task_id: task.spec.id, workspace: "shared", after: [] }
    : null
}

/** The directory in which a task works, absolute, for an activity that looks at its work; undefined: the project's own. */
export const directoryOf = (
  workspaces: Workspaces["Service"],
  state: HasRun & HasTasks & HasChunking,
  task: TaskState
): Effect.Effect<string | undefined, ActivityFailure> => {
  const workspaceSpec = workspaceSpecOf(state, task)
  if (workspaceSpec === null) return Effect.succeed(undefined)
  return workspaces.open(workspaceSpec).pipe(
    Effect.map(({ directory }) => directory),
    Effect.mapError(({ code, message }) => ({ _tag: "ActivityFailure", code, message }))
  )
}
