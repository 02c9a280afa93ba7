import { byWord } from "./board.ts"
import type { CheckRun } from "./CheckRun.ts"
import type { RetryConfig } from "./Chunking.ts"
import { type Check, hasChecks, hasPassed, missingChecks } from "./checks.ts"
import {
  chunkingComplete,
  givenUp,
  isLooped,
  loopEnd,
  maxReviewRetries,
  needsCriteria,
  needsReview,
  subtaskFailed,
  subtaskRef,
  subtaskResult
} from "./chunks.ts"
import type { KernelEvent } from "./Event.ts"
import { mayRetry, retryDelayMs } from "./RetryPolicy.ts"
import { isOver, type State, type TaskState } from "./State.ts"

/** What an attempt came to. */
export type Settlement =
  | { readonly _tag: "Accepted"; readonly proven: number; readonly waived: number }
  | {
      readonly _tag: "Refused"
      readonly condition: "INCOMPLETE" | "ERROR" | "TIMEOUT"
      readonly reason: string
      readonly message: string
    }
  | { readonly _tag: "Unproven"; readonly reason: string; readonly message: string }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Held"; readonly reason: string }

/** Judges an attempt about which everything is known. Whatever is missing counts against it. */
export const settlementOf = (state: State, task: TaskState): Settlement | null => {
  const { blocked, current } = task
  if (isOver(task)) return null
  if (blocked !== null) return { _tag: "Unproven", reason: blocked.code, message: blocked.message }
  if (task.status !== "in_progress" || current === null || current.outcome === null || current.cancelled) return null
  if (current.outcome === "LOST") return { _tag: "Lost" }
  if (current.error?.terminal === true) return { _tag: "Held", reason: current.error.message }
  if (current.outcome !== "COMPLETE") {
    const message = current.error?.message ?? `The attempt ended as ${current.outcome}.`
    return {
      _tag: "Refused",
      condition: current.outcome,
      reason: current.error?.code ?? current.outcome.toLowerCase(),
      message
    }
  }
  if (task.items.length > 0 && current.facts === null) return null
  const unusable = current.report?.problems[0]
  if (current.failures.length > 0 && unusable !== undefined) return refused("payload_mismatch", unusable)
  if (current.failures.length > 0) {
    const [first] = current.failures
    return refused(
      "payload_mismatch",
      `${current.failures.length} of the report's claims were refused; first: ${first?.message}`
    )
  }
  const { verification } = current
  if (verification?.passed === false) {
    const failed = verification.checks.filter((check) => !hasPassed(check))
    const missing = missingChecks(state, task, verification.checks)
    return failed.length > 0 && failed.every(isUntried) && missing.length === 0
      ? { _tag: "Unproven", reason: "ablation_unproven", message: untried(failed) }
      : refused("checks_failed", failedChecks(failed, missing))
  }
  const open = task.items.filter((item) => item.verdict !== "proven" && item.verdict !== "waived")
  if (open.length > 0)
    return refused("checklist_item_pending", `Not shown to be done: ${open.map((item) => item.item).join("; ")}.`)
  if (hasChecks(task) && verification === null) return null
  if (current.judgment !== null && current.judgment.judgment !== "PASS") {
    return refused(
      current.judgment.judgment === "RETRY" ? "review_retry" : "review_rejected",
      current.judgment.modification_prompt ??
        `The reviewer ${current.judgment.reviewer} answered ${current.judgment.judgment}.`
    )
  }
  if (needsCriteria(state, task) && current.criteria === null) return null
  if (needsReview(state, task)) {
    if (state.config.reviewer === null) {
      return {
        _tag: "Unproven",
        reason: "no_reviewer",
        message: "Its validation was judged by nobody: no reviewer is configured."
      }
    }
    if (current.judgment === null) return null
  }
  const proven = task.items.filter((item) => item.verdict === "proven").length
  const nothingAsked =
    task.items.length === 0 &&
    !hasChecks(task) &&
    task.spec.validation.length === 0 &&
    // what its subtasks have shown is what it was asked for
    task.chunk?.stage !== "aggregated"
  return nothingAsked && task.board === null
    ? {
        _tag: "Unproven",
        reason: "nothing_to_prove",
        message: "It has no checklist, no checks and no validation: nothing shows that it is done."
      }
    : { _tag: "Accepted", proven, waived: task.items.length - proven }
}

const refused = (reason: string, message: string): Settlement => ({
  _tag: "Refused",
  condition: "INCOMPLETE",
  reason,
  message
})

/** It passed, and whether the cited lines bear it could not be tried: nothing speaks against it, nothing proves it. */
export const isUntried = (check: CheckRun): boolean =>
  check.exit_code === 0 && !check.timed_out && check.ablation?.verdict === "unproven"

/** Items often share a command. */
const untried = (checks: ReadonlyArray<CheckRun>): string =>
  [
    ...new Set(
      checks.map(({ ablation, command }) => `\`${command}\` has not shown anything: ${ablation?.message ?? ""}`)
    )
  ].join(" ")

const failedChecks = (failed: ReadonlyArray<CheckRun>, missing: ReadonlyArray<Check>): string => {
  const ended = failed.flatMap((check) => {
    if (check.timed_out) return [`\`${check.command}\` ran out of time`]
    if (check.exit_code === null) return [`\`${check.command}\` was ended by ${check.signal}`]
    return check.exit_code === 0 ? [] : [`\`${check.command}\` exited with ${check.exit_code}`]
  })
  const open = [...ended, ...missing.map(({ command }) => `\`${command}\` was not run`)]
  const vacuous = failed.filter((check) => check.exit_code === 0 && check.ablation?.verdict === "vacuous")
  return [
    ...(open.length === 0 ? [] : [`Checks failed: ${open.join("; ")}.`]),
    ...vacuous.map(({ ablation, command }) => `\`${command}\` shows nothing: ${ablation?.message ?? ""}`),
    ...(failed.some(isUntried) ? [untried(failed.filter(isUntried))] : [])
  ].join(" ")
}

/** The events that follow from a settlement. */
export const settle = (state: State, task: TaskState, settlement: Settlement): ReadonlyArray<KernelEvent> => {
  const task_id = task.spec.id
  const { loop, part } = task
  const change = (to: "retrying" | "pending", reason: string, retry_count: number, delay_ms: number): KernelEvent => ({
    type: "TASK_STATUS_CHANGED",
    content: { task_id, from: task.status, to, reason, retry_count, delay_ms }
  })
  const fail = (verdict: "refuted" | "unproven", reason: string, message: string): KernelEvent =>
    part === null
      ? { type: "TASK_FAILED", content: { task_id, attempts: task.attempts, verdict, reason, message } }
      : subtaskFailed(state, task, verdict, reason, message)
  switch (settlement._tag) {
    case "Accepted": {
      const { proven, waived } = settlement
      const { attempts, retry_count } = task
      return [
        ...loopEnd(task, "COMPLETE"),
        ...chunkingComplete(task),
        part === null
          ? {
              type: "TASK_COMPLETED",
              content: {
                task_id,
                attempts,
                proven,
                waived,
                ...(task.board !== null && task.items.length === 0 ? byWord(state, task) : {})
              }
            }
          : {
              type: "SUBTASK_COMPLETE",
              content: {
                ...subtaskRef(task),
                subtask_result: subtaskResult(state, task, "COMPLETE"),
                retry_count,
                attempts,
                proven,
                waived
              }
            }
      ]
    }
    case "Unproven":
      if (task.board !== null) return [change("retrying", settlement.reason, task.retry_count, 0)]
      return [
        ...openAttemptEnded(state, task, settlement.reason),
        ...loopEnd(task, "INCOMPLETE"),
        fail("unproven", settlement.reason, settlement.message)
      ]
    case "Held":
      // the breaker is open: the attempt does not count, a resume starts a new one
      return [change("pending", settlement.reason, task.retry_count, 0)]
    case "Lost":
      return task.lost_count > state.config.max_lost_attempts
        ? [
            ...loopEnd(task, "ERROR"),
            fail("refuted", "attempt_lost", `${task.lost_count} attempts were lost to crashes.`)
          ]
        : [change("retrying", "attempt_lost", task.retry_count, 0)]
    case "Refused": {
      const { condition, message, reason } = settlement
      // it stays with the agent that came for it, until it holds
      if (task.board !== null) return [change("retrying", reason, task.retry_count, 0)]
      if (isLooped(state, task) && condition === "INCOMPLETE") {
        if (reason === "review_retry" && loop.again < maxReviewRetries) {
          return [change("retrying", "review_retry", task.retry_count, 0)]
        }
        if (loop.refused + 1 < state.config.chunking.max_iterations) {
          return [change("retrying", counted(reason), task.retry_count, 0)]
        }
      }
      const retry = retryOf(state, task)
      const end = loopEnd(task, condition === "INCOMPLETE" ? "INCOMPLETE" : "ERROR")
      if (!mayRetry(retry, condition, task.retry_count)) return [...end, fail("refuted", reason, message)]
      const retry_count = task.retry_count + 1
      const delay_ms = retryDelayMs(retry, task.retry_count)
      return [
        ...end,
        part === null
          ? change("retrying", reason, retry_count, delay_ms)
          : {
              type: "SUBTASK_RETRY",
              content: {
                ...subtaskRef(task),
                retry_count,
                reason: condition,
                failure_reason: reason,
                message,
                delay_ms
              }
            }
      ]
    }
  }
}

/** A reviewer that has asked for the same again too often counts as one that rejects. */
const counted = (reason: string): string => (reason === "review_retry" ? "review_retries_exhausted" : reason)

/** What came of a splitting is tried again as that is configured. */
const retryOf = ({ config }: State, { chunk, part }: TaskState): RetryConfig =>
  part !== null || chunk?.stage === "skipped" ? config.chunking.retry : config

/** An attempt that is given up while the log has it running gets its end. */
const openAttemptEnded = (state: State, task: TaskState, reason: string): ReadonlyArray<KernelEvent> =>
  givenUp(state, task, reason).filter(({ type }) => type === "ATTEMPT_CANCELLED")
