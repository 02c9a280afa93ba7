import { Clock, Effect, Schema } from "effect"
import type { CommandOf, Plugin } from "../core/contract.ts"
import { definePlugin, plugin } from "../core/define.ts"
import { RecordAggregation } from "../modules/chunking/commands.ts"
import { Chunking, type ChunkingView, chunkOf } from "../modules/chunking/state.ts"
import { Run } from "../modules/run/state.ts"
import { baseCheckOf, userCommands } from "../modules/tasks/baseChecks.ts"
import type { Ablation, ScratchRun } from "../modules/tasks/CheckRun.ts"
import { checksOf } from "../modules/tasks/checks.ts"
import {
  EndAttempt,
  RecordBaseChecks,
  RecordJudgment,
  RecordVerification,
  StartAttempt
} from "../modules/tasks/commands.ts"
import { criteriaReviewer } from "../modules/tasks/events.ts"
import { namedChecksOf } from "../modules/tasks/points.ts"
import { Tasks, taskOf } from "../modules/tasks/state.ts"

type Ending = CommandOf<typeof EndAttempt>

/** What a scripted attempt does. */
export type ScriptedAttempt = {
  readonly outcome: "COMPLETE" | "ERROR" | "TIMEOUT"
  /** Says that trying again cannot help. */
  readonly terminal?: boolean
  readonly checklist?: Ending["report"]
}

/** Decides how attempt `n` (from 1) of a task goes. */
export type Script = (taskId: string, attempt: number) => Effect.Effect<ScriptedAttempt>

const AttemptRef = Schema.Struct({ task_id: Schema.String, attempt: Schema.Int })
type AttemptRef = typeof AttemptRef.Type

const Scripted = plugin("scripted", { state: null, after: [Run, Tasks, Chunking] })

/**
 * A plugin in place of agents, commands and reviewers, for tests: attempts go as the script says, checks pass when
 * the command is `true` and are borne by the cited lines then, all of them failed before, a review passes, and subtasks have changed no files.
 */
export const scripted = (script: Script): Plugin =>
  definePlugin(Scripted, { version: "1", parts: [attemptBy(script), base, checks, review, criteria, aggregation] })

const attemptBy = (script: Script) =>
  Scripted.activity("attempt", {
    input: AttemptRef,
    run: Effect.fnUntraced(function* (input, { dispatch, item, lease, state, worker_id }) {
      const current = taskOf(state, input.task_id)?.current
      if (current?.attempt === input.attempt && current.outcome === null) return ended(input, "LOST", null, null)
      yield* dispatch(
        StartAttempt({
          ...input,
          agent: state.run.config.agent,
          worker_id,
          item_id: item.id,
          lease,
          prompt: { sha256: "0".repeat(64), bytes: 0 }
        })
      )
      const result = yield* script(input.task_id, input.attempt)
      const error =
        result.outcome === "COMPLETE"
          ? null
          : { code: "scripted", message: "As the script says.", terminal: result.terminal === true }
      return ended(input, result.outcome, error, result.checklist ?? { summary: "", checklist: null, problems: [] })
    })
  })

const passing: ScratchRun = {
  run: { exit_code: 0, timed_out: false, duration_ms: 0, output: null },
  message: ""
}

const base = Scripted.activity("base_checks", {
  input: Schema.Struct({}),
  run: (_, { state }) =>
    Effect.succeed(
      RecordBaseChecks({
        checks: userCommands(state)
          .filter((command) => baseCheckOf(state, command) === undefined)
          .map((command) => ({
            command,
            outcome: "red",
            message: "",
            exit_code: 1,
            signal: null,
            timed_out: false,
            duration_ms: 0,
            output: null,
            output_tail: "",
            rests_on: []
          }))
      })
    )
})

const checks = Scripted.activity("checks", {
  input: AttemptRef,
  run: (input, { state }) => {
    const task = taskOf(state, input.task_id)
    const own = task === undefined ? [] : checksOf(state, task)
    const named = task === undefined ? [] : namedChecksOf(state, task)
    return Effect.succeed(
      RecordVerification({
        ...input,
        checks: [...own, ...named.map(({ command }) => ({ command, item_index: null, ablation: false }))].map(
          ({ ablation, command, item_index }) => ({
            command,
            item_index,
            exit_code: command === "true" ? 0 : 1,
            signal: null,
            timed_out: false,
            duration_ms: 0,
            output: null,
            output_tail: "",
            ablation: ablation && command === "true" ? loadBearing : null,
            // it failed at the base, and not for want of something that a copy lacks
            ...(command === "true" ? { clean_room: { ...passing, restored: [], left_out: [] } } : {})
          })
        )
      })
    )
  }
})

const passes = (input: AttemptRef, reviewer: string) =>
  Effect.succeed(
    RecordJudgment({ ...input, reviewer, judgment: "PASS", checks: [], modification_prompt: null, output: null })
  )

const review = Scripted.activity("review", {
  input: AttemptRef,
  run: (input, { state }) => passes(input, state.run.config.reviewer ?? "")
})

const criteria = Scripted.activity("criteria", { input: AttemptRef, run: (input) => passes(input, criteriaReviewer) })

const aggregation = Scripted.activity("aggregation", {
  input: AttemptRef,
  run: Effect.fnUntraced(function* ({ task_id }, { state }) {
    const duration_ms = (yield* Clock.currentTimeMillis) - startOf(state, task_id)
    const outcome = {
      outcome: "merged",
      files_modified: [],
      conflicts: [],
      message: "",
      evidence: [],
      lost: []
    } as const
    return RecordAggregation({ task_id, duration_ms, outcome })
  })
})

const startOf = (state: ChunkingView, id: string): number => {
  const task = taskOf(state, id)
  return Date.parse((task === undefined ? null : chunkOf(state, task))?.started_at ?? "")
}

const ran = { exit_code: 0, timed_out: false, duration_ms: 0, output: null }

const loadBearing: Ablation = {
  verdict: "load_bearing",
  message: "As the script says.",
  base: { ...ran, exit_code: 1 },
  head: ran,
  neutralised: { ...ran, exit_code: 1 }
}

const ended = (
  input: AttemptRef,
  outcome: "COMPLETE" | "ERROR" | "TIMEOUT" | "LOST",
  error: Ending["error"],
  report: Ending["report"]
) =>
  EndAttempt({
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
