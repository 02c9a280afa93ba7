import { Schema } from "effect"
import type { Fact, Worded } from "../../core/contract.ts"
import type { AttemptError } from "../../port/Agent.ts"
import type { RetryCondition, RetryConfig } from "../run/config.ts"
import { type Verdict, worstOf } from "../run/obligations.ts"
import { PersonAsked } from "./asking.ts"
import {
  AttemptCancelled,
  GateRefused,
  TaskCompleted,
  TaskFailed,
  TaskSkipped,
  TaskStarted,
  TaskStatusChanged
} from "./events.ts"
import { type GateVerdict, type Outcome, type Stop, walk } from "./gates.ts"
import { obligationsOf } from "./obligations.ts"
import { retries, shownBy, wordings } from "./points.ts"
import { maxDelayMs, mayRetry, retryDelayMs } from "./retry.ts"
import { dependencyFailed, dependencyNotCompleted } from "./skips.ts"
import {
  answered,
  hasLostDependency,
  isOver,
  isUnanswered,
  lostDependencies,
  type TaskState,
  Tasks,
  type TasksView,
  taskOf
} from "./state.ts"

const ByTask = Schema.Struct({ task_id: Schema.String })

/** Why a task was given up, or failed, because another one had failed. A stable code. */
export const failFast = "fail_fast"

/** Why an attempt beside others is given up: another one was proven first. A stable code. */
export const overtaken = "overtaken"

type Facts = ReadonlyArray<Fact<"tasks"> | Worded>

/** An outcome in the words of whoever words it. */
export const tell = (state: TasksView, task: TaskState, outcome: Outcome): Facts => {
  const words = wordings(state)
  const before = words.flatMap((wording) => wording.before(task, outcome) ?? [])
  const [worded] = words.flatMap((wording) => wording.word(task, outcome) ?? [])
  return [...before, ...(worded === undefined ? ownWords(state, task, outcome) : [worded])]
}

const ownWords = (state: TasksView, task: TaskState, outcome: Outcome): Facts => {
  const task_id = task.spec.id
  const { attempts } = task
  switch (outcome._tag) {
    case "Started":
      return attempts === 0 ? [TaskStarted({ task_id })] : []
    case "Completed": {
      const { _tag, ...shown } = outcome
      return [TaskCompleted({ task_id, attempts, ...shown, ...verdictByWord(state, task) })]
    }
    case "Failed": {
      const { message, reason, verdict } = outcome
      // it was completed, and is opened again first
      const opened = task.status === "completed" ? [moved(task, "in_progress", reason, task.retry_count, 0)] : []
      return [...opened, TaskFailed({ task_id, attempts, verdict, reason, message })]
    }
    case "Retrying":
      return [moved(task, "retrying", outcome.reason, outcome.retry_count, outcome.delay_ms)]
    case "GivenUp":
      return [TaskSkipped({ task_id, reason: outcome.reason, waiting_for: outcome.waiting_for })]
  }
}

/** A task without a checklist may be over by the word of an agent alone. */
const verdictByWord = (state: TasksView, task: TaskState): { readonly verdict?: "unproven" } =>
  task.items.length === 0 && shownBy(state).some((one) => one.verdict(task) === "unproven")
    ? { verdict: "unproven" }
    : {}

const moved = (
  task: TaskState,
  to: "retrying" | "pending" | "in_progress",
  reason: string,
  retry_count: number,
  delay_ms: number
): Fact<"tasks"> =>
  TaskStatusChanged({
    task_id: task.spec.id,
    from: task.status,
    to,
    reason,
    retry_count,
    delay_ms,
    ...(task.status === "completed" ? { reopened_items: task.items.length } : {})
  })

/** An attempt that the log has running gets its end. */
const openAttemptEnded = ({ current, spec, status }: TaskState, reason: string): Facts =>
  // an attempt that rests while its task is blocked ends with it
  (status === "in_progress" || status === "blocked") && current?.outcome === null && !current.cancelled
    ? [AttemptCancelled({ task_id: spec.id, attempt: current.attempt, reason })]
    : []

/** Ends a task from outside (fail-fast, cancel), whatever state it is in. */
export const giveUp = (
  state: TasksView,
  task: TaskState,
  reason: string,
  waiting_for: ReadonlyArray<string> = []
): Worded =>
  Tasks.tell([...openAttemptEnded(task, reason), ...tell(state, task, { _tag: "GivenUp", reason, waiting_for })])

/** A task that will not be completed, whatever its attempts came to. */
export const failTask = (state: TasksView, task: TaskState, reason: string, message: string): Worded =>
  Tasks.tell(tell(state, task, { _tag: "Failed", verdict: "refuted", reason, message, loop: "INCOMPLETE" }))

/** Decides what follows when no gate is open any more. */
export const SettleAttempt = Tasks.command("SettleAttempt", {
  schema: ByTask,
  decide: ({ task_id }, state) => {
    const task = taskOf(state, task_id)
    if (task === undefined || isOver(task) || state.run.status !== "running") return []
    const stop = walk(state, task)
    if (stop === null) return tell(state, task, { _tag: "Completed", ...countsOf(state, task) })
    return stop.verdict._tag === "open" ? [] : [...gateRefused(task, stop), ...settled(state, task, stop.verdict)]
  },
  recall: "follows"
})

/** Something it depends on will not be completed. */
export const SkipTask = Tasks.command("SkipTask", {
  schema: ByTask,
  decide: ({ task_id }, state) => {
    const task = taskOf(state, task_id)
    if (task === undefined || isOver(task) || state.run.status !== "running") return []
    if (!hasLostDependency(state, task) || walk(state, task)?.gate.name !== "dependencies") return []
    const lost = lostDependencies(state, task)
    const reason = task.parent_task_id === null ? dependencyNotCompleted : dependencyFailed
    return [giveUp(state, task, reason, lost)]
  },
  recall: "follows"
})

/** Why the gate refused, for the next attempt and for the audit, where nothing else says it. */
const gateRefused = ({ current, spec }: TaskState, { gate, verdict }: Stop): Facts => {
  if (current === null || (verdict._tag !== "refused" && verdict._tag !== "unproven")) return []
  const isSaid = verdict._tag === "refused" ? verdict.isRecorded : verdict.mayRetry !== true
  return isSaid
    ? []
    : [
        GateRefused({
          task_id: spec.id,
          attempt: current.attempt,
          gate: gate.name,
          plugin: gate.by,
          reason: verdict.reason,
          message: verdict.message
        })
      ]
}

/** What a task that is completed has shown. */
const countsOf = (state: TasksView, task: TaskState) => {
  const count = (verdict: Verdict): number => task.items.filter((item) => item.verdict === verdict).length
  const [proven, waived, weak] = [count("proven"), count("waived"), count("weak")]
  const verdict = worstOf(obligationsOf(state, task))
  return {
    proven,
    waived,
    ...(weak === 0 ? {} : { weak }),
    ...(verdict === "weak" || verdict === "reviewed" ? { verdict } : {})
  }
}

const settled = (
  state: TasksView,
  task: TaskState,
  verdict: Exclude<GateVerdict, { readonly _tag: "open" | "passed" }>
): Facts => {
  switch (verdict._tag) {
    case "deferred":
      // without a wait the breaker is open: somebody else starts a new one, or a resume
      return [
        verdict.wait_ms === undefined
          ? moved(task, "pending", verdict.reason, task.retry_count, 0)
          : moved(task, "retrying", verdict.reason, task.retry_count, waitMs(state, task, verdict.wait_ms))
      ]
    case "lost":
      return settledLost(state, task)
    case "asks":
      return [asked(task)]
    case "answered":
      return [moved(task, verdict.to, answered, task.retry_count, 0)]
    case "given_up":
      return tell(state, task, {
        _tag: "Failed",
        verdict: "unproven",
        reason: givenUp,
        message: verdict.message,
        loop: "INCOMPLETE"
      })
    case "unproven":
      return settledUnproven(state, task, verdict)
    case "refused":
      return settledRefused(state, task, verdict)
  }
}

/** Why a task failed that a person has given up, as a stable code. */
export const givenUp = "given_up"

const asked = (task: TaskState): Fact<"tasks"> =>
  PersonAsked({
    task_id: task.spec.id,
    attempt: task.current?.attempt ?? task.attempts,
    items: task.items.flatMap((one, index) =>
      isUnanswered(one) ? [{ index, item: one.item, reason: one.reason ?? "", evidence: one.evidence }] : []
    ),
    files: task.files
  })

const settledLost = (state: TasksView, task: TaskState): Facts => {
  if (task.lost_count <= state.run.config.max_lost_attempts) {
    return [moved(task, "retrying", "attempt_lost", task.retry_count, 0)]
  }
  // an event holds it, and a log of before says it so of one attempt too
  const message = `${task.lost_count} attempts were lost to crashes.`
  return tell(state, task, { _tag: "Failed", verdict: "refuted", reason: "attempt_lost", message, loop: "ERROR" })
}

/** It goes on with another attempt although no retry is spent. */
const goesOn = (
  state: TasksView,
  task: TaskState,
  refusal: { readonly condition: RetryCondition | null; readonly reason: string }
): Facts | null => {
  const [reason] = retries(state).flatMap((one) => one.goesOn(task, refusal) ?? [])
  return reason === undefined ? null : [moved(task, "retrying", reason, task.retry_count, 0)]
}

const settledUnproven = (
  state: TasksView,
  task: TaskState,
  { mayRetry: mayBeTriedAgain, message, reason }: Extract<GateVerdict, { readonly _tag: "unproven" }>
): Facts =>
  (mayBeTriedAgain === true
    ? triedAgain(state, task, { condition: "INCOMPLETE", message, reason })
    : goesOn(state, task, { condition: null, reason })) ?? [
    ...openAttemptEnded(task, reason),
    ...tell(state, task, { _tag: "Failed", verdict: "unproven", reason, message, loop: "INCOMPLETE" })
  ]

/** How attempts at a task are tried again. */
const retryConfigOf = (state: TasksView, task: TaskState): RetryConfig =>
  retries(state).flatMap((one) => one.config(task) ?? [])[0] ?? state.run.config

/** As before a retry, and as long as the agent says. */
const waitMs = (state: TasksView, task: TaskState, named: number): number =>
  Math.min(maxDelayMs, Math.max(named, retryDelayMs(retryConfigOf(state, task), task.transient_count - 1)))

/** Trying the same agent again has not helped as often as a task may be tried again: it is not started any more. */
export const asLastTry = (state: TasksView, task: TaskState, error: AttemptError | null): AttemptError | null =>
  error?.transient === true && !mayRetry(retryConfigOf(state, task), "ERROR", task.transient_count)
    ? { ...error, terminal: true }
    : error

type Refusal = Pick<Extract<GateVerdict, { readonly _tag: "refused" }>, "condition" | "message" | "reason">

/** What follows for a task whose last attempt does not hold. */
export const settledRefused = (state: TasksView, task: TaskState, refusal: Refusal): Facts => {
  const { condition, message, reason } = refusal
  const loop = condition === "INCOMPLETE" ? "INCOMPLETE" : "ERROR"
  return (
    triedAgain(state, task, refusal) ?? tell(state, task, { _tag: "Failed", verdict: "refuted", reason, message, loop })
  )
}

/** Another attempt, in the same loop or for a retry; null: there may be none. */
const triedAgain = (state: TasksView, task: TaskState, { condition, message, reason }: Refusal): Facts | null => {
  const again = goesOn(state, task, { condition, reason })
  if (again !== null) return again
  const config = retryConfigOf(state, task)
  return mayRetry(config, condition, task.retry_count)
    ? tell(state, task, {
        _tag: "Retrying",
        condition,
        reason,
        message,
        retry_count: task.retry_count + 1,
        delay_ms: retryDelayMs(config, task.retry_count)
      })
    : null
}
