import { Clock, Effect } from "effect"
import type { Ablation } from "../domain/CheckRun.ts"
import type { Command } from "../domain/Command.ts"
import { checksOf } from "../domain/checks.ts"
import { criteriaReviewer } from "../domain/chunks.ts"
import { type State, taskOf } from "../domain/State.ts"
import { type Activity, definePlugin, type Plugin } from "../plugin/Plugin.ts"

/** What a scripted attempt does. */
export type ScriptedAttempt = {
  readonly outcome: "COMPLETE" | "ERROR" | "TIMEOUT"
  /** Says that trying again cannot help. */
  readonly terminal?: boolean
  readonly checklist?: Extract<Command, { readonly _tag: "EndAttempt" }>["report"]
}

/** Decides how attempt `n` (from 1) of a task goes. */
export type Script = (taskId: string, attempt: number) => Effect.Effect<ScriptedAttempt>

/**
 * A plugin in place of agents, commands and reviewers, for tests: attempts go as the script says, checks pass when
 * the command is `true` and are borne by the cited lines then, a review passes, and subtasks have changed no files.
 */
export const scripted = (script: Script): Plugin => {
  const attempt: Activity = Effect.fnUntraced(function* (context) {
    const input = context.item.input as { readonly task_id: string; readonly attempt: number }
    const current = taskOf(context.state, input.task_id)?.current
    if (current?.attempt === input.attempt && current.outcome === null) return ended(input, "LOST", null, null)
    yield* context.dispatch({
      _tag: "StartAttempt",
      ...input,
      agent: context.state.config.agent,
      worker_id: context.worker_id,
      item_id: context.item.id,
      lease: context.lease,
      prompt: { sha256: "0".repeat(64), bytes: 0 }
    })
    const result = yield* script(input.task_id, input.attempt)
    const error =
      result.outcome === "COMPLETE"
        ? null
        : { code: "scripted", message: "As the script says.", terminal: result.terminal === true }
    return ended(input, result.outcome, error, result.checklist ?? { summary: "", checklist: null, problems: [] })
  })
  const checks: Activity = (context) => {
    const input = context.item.input as { readonly task_id: string; readonly attempt: number }
    const task = taskOf(context.state, input.task_id)
    return Effect.succeed({
      _tag: "RecordVerification",
      ...input,
      checks: (task === undefined ? [] : checksOf(context.state, task)).map(({ ablation, command, item_index }) => ({
        command,
        item_index,
        exit_code: command === "true" ? 0 : 1,
        signal: null,
        timed_out: false,
        duration_ms: 0,
        output: null,
        output_tail: "",
        ablation: ablation && command === "true" ? loadBearing : null
      }))
    })
  }
  const review: Activity = (context) =>
    Effect.succeed({
      _tag: "RecordJudgment",
      ...(context.item.input as { readonly task_id: string; readonly attempt: number }),
      reviewer: context.state.config.reviewer ?? "",
      judgment: "PASS",
      checks: [],
      modification_prompt: null,
      output: null
    })
  const criteria: Activity = (context) =>
    Effect.succeed({
      _tag: "RecordJudgment",
      ...(context.item.input as { readonly task_id: string; readonly attempt: number }),
      reviewer: criteriaReviewer,
      judgment: "PASS",
      checks: [],
      modification_prompt: null,
      output: null
    })
  const aggregation: Activity = Effect.fnUntraced(function* ({ item, state }) {
    const duration_ms = (yield* Clock.currentTimeMillis) - startOf(state, item.task_id ?? "")
    const outcome = {
      outcome: "merged",
      files_modified: [],
      conflicts: [],
      message: "",
      evidence: [],
      lost: []
    } as const
    return { _tag: "RecordAggregation", task_id: item.task_id ?? "", duration_ms, outcome }
  })
  return definePlugin({
    name: "scripted",
    version: "1",
    initial: null,
    activities: { attempt, checks, criteria, review, aggregation }
  })
}

const startOf = (state: State, id: string): number => Date.parse(taskOf(state, id)?.chunk?.started_at ?? "")

const ran = { exit_code: 0, timed_out: false, duration_ms: 0, output: null }

const loadBearing: Ablation = {
  verdict: "load_bearing",
  message: "As the script says.",
  base: { ...ran, exit_code: 1 },
  head: ran,
  neutralised: { ...ran, exit_code: 1 }
}

const ended = (
  input: { readonly task_id: string; readonly attempt: number },
  outcome: "COMPLETE" | "ERROR" | "TIMEOUT" | "LOST",
  error: Extract<Command, { readonly _tag: "EndAttempt" }>["error"],
  report: Extract<Command, { readonly _tag: "EndAttempt" }>["report"]
): Command => ({
  _tag: "EndAttempt",
  ...input,
  outcome,
  exit_code: outcome === "COMPLETE" ? 0 : 1,
  signal: null,
  duration_ms: 0,
  error,
  output: null,
  report,
  files_modified: null
})
