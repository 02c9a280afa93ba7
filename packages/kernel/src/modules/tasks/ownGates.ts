import { needsEvidence, type WeakReason } from "../run/config.ts"
import { spentLimit } from "../run/limits.ts"
import type { Obligation } from "../run/obligations.ts"
import { isUnavailable } from "../run/state.ts"
import { isClosed, isShown } from "../run/verdicts.ts"
import { isBaseOrdered } from "./baseChecks.ts"
import type { CheckRun } from "./CheckRun.ts"
import { failedChecks, hasChecks, hasPassed, isUntried, missingChecks, untried } from "./checks.ts"
import { gateTexts } from "./gateMessages.ts"
import { type GateVerdict, gates, open, passed, refused, unproven } from "./gates.ts"
import { obligationsOf } from "./obligations.ts"
import { shownBy } from "./points.ts"
import { SkipTask } from "./settle.ts"
import {
  type AttemptState,
  askedOf,
  hasLostDependency,
  isSetAside,
  isUnanswered,
  isWaiting,
  isWaivedByPerson,
  type TaskState,
  Tasks,
  type TasksView,
  waitsForPerson
} from "./state.ts"
import { activities, activityKey, activityWork, agentKeys, agentWork, attemptWork, workKey } from "./work.ts"

const unprovenAs = (state: TasksView, key: keyof typeof gateTexts) =>
  unproven(key, state.run.config.messages[key] ?? gateTexts[key])

/** What was judged so far stands in the log, and the next attempt is told of it. */
const refusedAsRecorded = (...args: Parameters<typeof refused>): GateVerdict => ({
  ...refused(...args),
  isRecorded: true
})

/** The run goes on with other tasks only. */
const setAside = Tasks.offer(gates, "asked", {
  name: "set_aside",
  verdict: (_, task) => (isSetAside(task) ? open : passed),
  wants: () => null
})

/** Work of the task could not be carried out: nothing can prove it. */
const carriedOut = Tasks.offer(gates, "ready", {
  name: "carried_out",
  verdict: (_, { blocked }) => (blocked === null ? passed : unproven(blocked.code, blocked.message))
})

/** It rests until a person has said of every item that cannot be done how it goes on. */
const person = Tasks.offer(gates, "ready", {
  name: "person",
  verdict: (_, task) => (waitsForPerson(task) ? answerVerdict(task) : passed),
  wants: () => null
})

const answerVerdict = (task: TaskState): GateVerdict => {
  const givenUp = task.items.find(({ answer }) => answer?.answer === "give_up")
  if (givenUp !== undefined) {
    const said = givenUp.answer?.text ?? ""
    return {
      _tag: "given_up",
      message: `A person has given up "${givenUp.item}", which cannot be done: ${givenUp.reason ?? ""}${said === "" ? "" : ` What they said: ${said}`}`
    }
  }
  if (askedOf(task).length > 0) return open
  return { _tag: "answered", to: task.items.some(({ status }) => status === "cannot") ? "retrying" : "in_progress" }
}

const dependencies = Tasks.offer(gates, "ready", {
  name: "dependencies",
  verdict: (state, task) => (task.status === "in_progress" || !isWaiting(state, task) ? passed : open),
  wants: (state, task) => (hasLostDependency(state, task) ? SkipTask({ task_id: task.spec.id }) : null)
})

/** No work starts while the budget is exceeded, or while nobody can be started to do it or to judge it. */
const agents = Tasks.offer(gates, "ready", {
  name: "agents",
  verdict: (state, task) => (task.status === "in_progress" || !isDeferred(state, task) ? passed : open)
})

const isDeferred = (state: TasksView, { spec }: TaskState): boolean => {
  const { agent, reviewer } = state.run.config
  return (
    spentLimit(state) !== null ||
    isUnavailable(state, agent) ||
    (spec.validation.length > 0 && reviewer !== null && isUnavailable(state, reviewer))
  )
}

const attempt = Tasks.offer(gates, "attempt", {
  name: "attempt",
  verdict: (_, { current, status }) =>
    status !== "in_progress" || current === null || current.cancelled ? open : attemptVerdict(current),
  wants: (state, task) => {
    const { attempts, current, delay_ms, status } = task
    if (status !== "in_progress") return attemptWork(state, task, attempts + 1, status === "retrying" ? delay_ms : 0)
    return current === null || current.cancelled ? null : attemptWork(state, task, current.attempt, 0)
  },
  ordered: (_, { attempts, spec }, resumes) => [
    workKey(activities.attempt, spec.id, attempts, resumes),
    workKey(activities.attempt, spec.id, attempts + 1, resumes)
  ]
})

const attemptVerdict = ({ error, outcome }: AttemptState): GateVerdict => {
  if (outcome === null) return open
  if (outcome === "COMPLETE") return passed
  if (outcome === "LOST") return { _tag: "lost" }
  if (error?.terminal === true) return { _tag: "deferred", reason: error.message }
  if (error?.transient === true) return { _tag: "deferred", reason: error.message, wait_ms: error.retry_after_ms ?? 0 }
  return refusedAsRecorded(
    error?.code ?? outcome.toLowerCase(),
    error?.message ?? `The attempt ended as ${outcome}.`,
    outcome
  )
}

const evidence = Tasks.offer(gates, "evidence", {
  name: "evidence",
  verdict: (_, { current, items }) => {
    if (items.length > 0 && current?.facts == null) return open
    const [first] = current?.failures ?? []
    if (first === undefined) return passed
    const count = current?.failures.length ?? 0
    return refusedAsRecorded(
      "payload_mismatch",
      current?.report?.problems[0] ??
        (count === 1
          ? `1 of the report's claims was refused: ${first.message}`
          : `${count} of the report's claims were refused; first: ${first.message}`)
    )
  },
  wants: (state, task) => activityWork(state, task, activities.evidence),
  ordered: (_, task, resumes) => [activityKey(task, activities.evidence, resumes)]
})

const checks = Tasks.offer(gates, "checks", {
  name: "checks",
  verdict: (state, task) => {
    const verification = task.current?.verification ?? null
    if (verification === null) return hasChecks(state, task) ? open : passed
    if (verification.passed) return passed
    const failed = verification.checks.filter((check) => !hasPassed(check))
    const missing = missingChecks(state, task, verification.checks)
    // what cannot be done is asked about first: nobody can tell whether that is why they failed
    if (missing.length === 0 && failed.every((check) => mayFailFor(task, check))) return passed
    return failed.length > 0 && failed.every(isUntried) && missing.length === 0
      ? unproven(
          failed.some(({ not_run }) => not_run !== undefined) ? "check_not_run" : "ablation_unproven",
          untried(failed)
        )
      : refusedAsRecorded("checks_failed", failedChecks(failed, missing))
  },
  // what they come to depends on how they ended at the base
  wants: (state, task) => (isBaseOrdered(state) ? null : activityWork(state, task, activities.checks)),
  ordered: (_, task, resumes) => [activityKey(task, activities.checks, resumes)]
})

/** An item that cannot be done may be why a command fails, unless the command is to show another item. */
const mayFailFor = ({ items }: TaskState, { item_index }: CheckRun): boolean =>
  items.some((item, index) => isUnanswered(item) && (item_index === null || item_index === index))

const items = Tasks.offer(gates, "checks", {
  name: "items",
  verdict: (_, task) => {
    const left = task.items.filter(({ verdict }) => !isClosed(verdict))
    if (left.length === 0) return passed
    return left.every(isUnanswered)
      ? { _tag: "asks" }
      : refusedAsRecorded("checklist_item_pending", `Not shown to be done: ${left.map(({ item }) => item).join("; ")}.`)
  }
})

const review = Tasks.offer(gates, "review", {
  name: "review",
  verdict: (state, task) => {
    const judgment = task.current?.judgment ?? null
    if (judgment !== null && judgment.judgment !== "PASS") {
      return refusedAsRecorded(
        judgment.judgment === "RETRY" ? "review_retry" : "review_rejected",
        judgment.modification_prompt ?? `The reviewer ${judgment.reviewer} answered ${judgment.judgment}.`
      )
    }
    if (!needsReview(state, task)) return passed
    if (needsEvidence(state.run.config)) {
      return unprovenAs(state, "self_review")
    }
    if (state.run.config.reviewer === null) {
      return unprovenAs(state, "no_reviewer")
    }
    return judgment === null ? open : passed
  },
  wants: (state, task) => {
    const { reviewer } = state.run.config
    return reviewer === null ? null : agentWork(state, task, activities.review, reviewer)
  },
  ordered: (state, task, resumes) => agentKeys(state, task, activities.review, state.run.config.reviewer, resumes)
})

/** The task's validation needs a judge. Without a named reviewer, evidence for every criterion replaces the review. */
const needsReview = (state: TasksView, task: TaskState): boolean => {
  const { validation } = task.spec
  if (validation.length === 0) return false
  if (needsEvidence(state.run.config)) {
    return !validation.every((one) => task.items.some(({ item, verdict }) => item === one && isClosed(verdict)))
  }
  const offered = new Set(shownBy(state).flatMap((one) => one.criteria(task)))
  const isItem = (criterion: string): boolean =>
    offered.has(criterion) && task.items.some(({ item, verdict }) => item === criterion && isShown(verdict))
  return state.run.config.reviewer_named || !validation.every(isItem)
}

const somethingToProve = Tasks.offer(gates, "last", {
  name: "something_to_prove",
  verdict: (state, task) => {
    const isTold = shownBy(state).some((one) => one.verdict(task) !== null)
    const hasSomething = task.items.length > 0 || hasChecks(state, task) || task.spec.validation.length > 0
    if (!hasSomething && !isTold) {
      return unprovenAs(state, "nothing_to_prove")
    }
    // a person knows what is left when all that could be shown is waived
    const isByPerson = task.items.some(isWaivedByPerson)
    return isTold || isByPerson ? passed : shownVerdict(state, obligationsOf(state, task))
  }
})

/** Something must be shown: what was left out, or passed before the work as well, shows nothing. */
const shownVerdict = (state: TasksView, all: ReadonlyArray<Obligation>): GateVerdict => {
  if (all.some(({ verdict }) => isShown(verdict))) return passed
  const command = all.find(({ kind }) => kind === "command")
  if (command === undefined) {
    const verdict = unprovenAs(state, "nothing_proven")
    return state.run.config.unshown_retried === true ? { ...verdict, mayRetry: true } : verdict
  }
  const [reason = "was_green"] = command.weak
  return reason === "check_changed" ? unprovenAs(state, reason) : unproven(reason, commandTexts[reason] ?? "")
}

/** Why commands alone do not show that a task is done. */
const commandTexts: Readonly<Partial<Record<WeakReason, string>>> = {
  was_green:
    "Only commands show it, and none is known to have failed before the work. Give the task a checklist, or a check that fails until the work is done.",
  agents_check:
    "Only commands show it, and an agent wrote them, or all that they run. Give the task a checklist, or a check of your own that was there before the work."
}

export const ownGates = [
  setAside,
  carriedOut,
  person,
  dependencies,
  agents,
  attempt,
  evidence,
  checks,
  items,
  review,
  somethingToProve
]
