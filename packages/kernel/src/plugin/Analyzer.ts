import { Clock, Effect } from "effect"
import type { Analysis } from "../domain/Chunking.ts"
import type { RunId, TaskId } from "../domain/Ids.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import { analyzerActivity } from "../domain/nextStep.ts"
import { taskOf } from "../domain/State.ts"
import type { Asking } from "./askAgent.ts"
import { type Activity, type ActivityFailure, definePlugin, type Plugin } from "./Plugin.ts"

/** A task that may be split. Everything is in the user's own words: nothing that Proofline adds to prompts is in it. */
export interface AnalysisRequest {
  readonly run_id: RunId
  readonly task_id: TaskId
  readonly prompt: string
  /** The texts of the task's checklist. */
  readonly checklist: ReadonlyArray<string>
  readonly min_subtasks: number
  readonly max_subtasks: number
  /** Who works, as named in the configuration. */
  readonly agent: string
  /** Hard limit in ms. */
  readonly timeout_ms: number
  /** Ends an agent after so many ms without output; null: never. */
  readonly idle_timeout_ms: number | null
}

/**
 * Plans how to split a task. Whatever it fails with, the task is run in one piece. One that asks an agent does so within
 * `context` (`checkBudget`, `askAgent`), so that the call is counted.
 */
export type Analyzer = (
  request: AnalysisRequest,
  context: Asking
) => Effect.Effect<Analysis, ActivityFailure | LogUnavailable>

/** An analyzer as a plugin: `chunking.analyzer: <name>` chooses it. */
export const defineAnalyzer = (name: string, version: string, analyze: Analyzer): Plugin => {
  const activity: Activity = Effect.fnUntraced(function* ({ dispatch, item, state }) {
    const task = item.task_id === null ? undefined : taskOf(state, item.task_id)
    if (task === undefined) return null
    const { agent, chunking, idle_timeout_ms, timeout_ms } = state.config
    const started_at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const request: AnalysisRequest = {
      run_id: state.run_id,
      task_id: task.spec.id,
      prompt: task.spec.instruction,
      checklist: task.spec.checklist.map(({ item }) => item),
      min_subtasks: chunking.min_subtasks,
      max_subtasks: chunking.max_subtasks,
      agent,
      timeout_ms,
      idle_timeout_ms
    }
    const analysis = yield* analyze(request, { dispatch, state })
    return { _tag: "RecordAnalysis", task_id: task.spec.id, analyzer: name, started_at, analysis }
  })
  return definePlugin({
    name: analyzerActivity(name),
    version,
    initial: null,
    activities: { [analyzerActivity(name)]: activity }
  })
}
