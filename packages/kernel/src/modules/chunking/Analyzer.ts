import { Clock, Effect, Schema } from "effect"
import type { RunId, TaskId } from "../../base/Ids.ts"
import type { LogUnavailable } from "../../base/LogUnavailable.ts"
import type { ActivityFailure, Plugin } from "../../core/contract.ts"
import { definePlugin, plugin } from "../../core/define.ts"
import type { Asking } from "../run/askAgent.ts"
import { plannerOf, Run, startableFor } from "../run/state.ts"
import { Tasks, taskOf } from "../tasks/state.ts"
import { RecordAnalysis } from "./commands.ts"
import { inFileOrder } from "./fileOrder.ts"
import { analyzerActivity } from "./rules.ts"
import type { Analysis } from "./schemas.ts"
import { Chunking } from "./state.ts"

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

/**
 * An analyzer as a plugin: `chunking.analyzer: <name>` chooses it; `auto` stands for those that are built in. Whatever it plans, parts that write one file are put
 * one after the other before the plan is recorded.
 */
export const defineAnalyzer = (name: string, version: string, analyze: Analyzer): Plugin => {
  const header = plugin(analyzerActivity(name), { state: null, after: [Run, Tasks, Chunking] })
  const activity = header.activity(analyzerActivity(name), {
    input: Schema.Struct({ task_id: Schema.String }),
    run: Effect.fnUntraced(function* ({ task_id }, context) {
      const { state } = context
      const task = taskOf(state, task_id)
      if (task === undefined) return null
      const started_at = new Date(yield* Clock.currentTimeMillis).toISOString()
      const request = requestOf(state, task.spec)
      const analysis = inFileOrder(request.prompt, yield* analyze(request, context))
      return RecordAnalysis({ task_id, analyzer: name, started_at, analysis })
    })
  })
  return definePlugin(header, { version, parts: [activity] })
}

const requestOf = (
  state: Asking["state"],
  {
    checklist,
    id,
    instruction
  }: { readonly id: TaskId; readonly instruction: string; readonly checklist: ReadonlyArray<{ readonly item: string }> }
): AnalysisRequest => {
  const { run } = state
  const { chunking, idle_timeout_ms, timeout_ms } = run.config
  return {
    run_id: run.run_id,
    task_id: id,
    prompt: instruction,
    checklist: checklist.map(({ item }) => item),
    min_subtasks: chunking.min_subtasks,
    max_subtasks: chunking.max_subtasks,
    agent: startableFor(state, plannerOf(run.config)),
    timeout_ms,
    idle_timeout_ms
  }
}
