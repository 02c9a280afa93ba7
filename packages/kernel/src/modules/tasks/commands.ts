import { Schema } from "effect"
import { type Rejection, reject, rejectConflict, rejectUnknown } from "../../core/Rejection.ts"
import type { Verdict } from "../run/obligations.ts"
import { breakerOf } from "../run/state.ts"
import { AnswerPerson, ItemCannot } from "./asking.ts"
import { BaseCheck } from "./BaseCheck.ts"
import { awaitsBase } from "./baseChecks.ts"
import { CheckRun } from "./CheckRun.ts"
import { hasPassed, itemVerdicts, missingChecks } from "./checks.ts"
import {
  AttemptEnded,
  AttemptOutput,
  AttemptRef,
  AttemptStarted,
  BaseChecked,
  ChecklistCompleted,
  ChecklistRegistered,
  ChecklistReported,
  EvidenceChecked,
  endFields,
  ItemAccepted,
  ItemRejected,
  judgmentFields,
  outputFields,
  QualityJudgment,
  reportFields,
  startFields,
  VerificationRun
} from "./events.ts"
import { decidedFiles } from "./files.ts"
import { walk, wantsOf } from "./gates.ts"
import { judges, shownBy } from "./points.ts"
import type { ReportedItem } from "./Report.ts"
import { evidenceFields } from "./schemas.ts"
import { asLastTry, SettleAttempt, SkipTask, tell } from "./settle.ts"
import { type AttemptState, isOver, isWaivedByPerson, type TaskState, Tasks, type TasksView, taskOf } from "./state.ts"

type About = { readonly task_id: string; readonly attempt: number }

const notCurrent = ({ attempt, task_id }: About): Rejection =>
  rejectConflict(
    "attempt_not_current",
    `Attempt ${attempt} of task ${task_id} is over or was never started.`,
    "Drop this report."
  )

/** The task and its attempt, when the attempt is what is asked for. */
const currentOf = (
  state: TasksView,
  { attempt, task_id }: About,
  isRunning: boolean
): { readonly task: TaskState; readonly current: AttemptState } | null => {
  const task = taskOf(state, task_id)
  const current = task?.current
  return task?.status === "in_progress" &&
    current?.attempt === attempt &&
    (current.outcome === null) === isRunning &&
    !current.cancelled
    ? { task, current }
    : null
}

/** Why an attempt is not begun: the breaker of its agent is open. A stable code. */
export const agentUnavailable = "agent_unavailable"

export const StartAttempt = Tasks.command("StartAttempt", {
  schema: Schema.Struct(startFields),
  decide: (args, state) => {
    const { agent, attempt, task_id, worker_id } = args
    const task = taskOf(state, task_id)
    if (task === undefined)
      return rejectUnknown("task_unknown", `There is no task ${task_id}.`, "Name a registered task.")
    if (!isWanted(state, task, attempt)) {
      return reject(
        "task_not_ready",
        `Task ${task_id} does not wait for attempt ${attempt}.`,
        "Drop this work; it was done or is not wanted any more."
      )
    }
    // with nobody left the task is not wanted: so it is another agent's turn
    if (breakerOf(state, agent) !== undefined) {
      return reject(
        agentUnavailable,
        `The breaker of the agent ${agent} is open: it is not started any more in this run.`,
        "Start the attempt with the next agent."
      )
    }
    return [...tell(state, task, { _tag: "Started", attempt, worker_id }), AttemptStarted(args)]
  },
  recall: { from: [AttemptStarted], args: (batch) => batch.first(AttemptStarted) },
  ordered: {
    item: ({ item_id }) => item_id,
    problem: ({ attempt, task_id }, by) =>
      by?.kind === "attempt" &&
      by.task_id === task_id &&
      (by.input as { readonly attempt?: unknown } | null)?.attempt === attempt
        ? null
        : `Attempt ${attempt} of task ${task_id} was started, but nothing before it asked for it.`
  }
})

/** The gates also want the attempt that is running; only a new attempt may start here. */
const isWanted = (state: TasksView, task: TaskState, attempt: number): boolean => {
  if (state.run.status !== "running" || isOver(task) || task.status === "in_progress") return false
  const wants = wantsOf(walk(state, task), task)
  return wants?._tag === "Start" && "kind" in wants && wants.kind === "attempt" && attempt === task.attempts + 1
}

export const EndAttempt = Tasks.command("EndAttempt", {
  schema: Schema.Struct({
    ...endFields,
    output: Schema.NullOr(Schema.Struct(outputFields)),
    report: Schema.NullOr(Schema.Struct(reportFields))
  }),
  decide: ({ output, report, ...ended }, state) => {
    const found = currentOf(state, ended, true)
    if (found === null) return notCurrent(ended)
    const { attempt, task_id } = ended
    const { files_modified, files_undecided, ...rest } = ended
    const owed = owedItems(state, found.task, report?.checklist ?? null)
    return [
      ...(output === null ? [] : [AttemptOutput({ task_id, attempt, ...output })]),
      AttemptEnded({
        ...rest,
        ...decidedFiles(state, found.task, ended),
        error: asLastTry(state, found.task, ended.error),
        agent: found.current.agent
      }),
      ...(owed === null ? [] : [ChecklistRegistered({ task_id, items: owed, criteria: true })]),
      ...(report === null ? [] : [ChecklistReported({ task_id, attempt, ...report })])
    ]
  },
  recall: {
    from: [AttemptEnded],
    args: (batch) => {
      const ended = batch.first(AttemptEnded)
      if (ended === undefined) return undefined
      const { agent, ...args } = ended
      return {
        ...args,
        output: withoutRef(batch.first(AttemptOutput)),
        report: withoutRef(batch.first(ChecklistReported))
      }
    }
  }
})

const withoutRef = <T extends About>(content: T | undefined): Omit<T, keyof About> | null => {
  if (content === undefined) return null
  const { attempt, task_id, ...rest } = content
  return rest
}

/**
 * Items for acceptance criteria that the report must prove: all of them as soon as it offers evidence for one. Null:
 * none.
 */
const owedItems = (
  state: TasksView,
  task: TaskState,
  checklist: ReadonlyArray<ReportedItem> | null
): TaskState["spec"]["checklist"] | null => {
  const known = new Set(task.spec.checklist.map(({ item }) => item))
  const criteria = shownBy(state)
    .flatMap((one) => one.criteria(task))
    .filter((item) => !known.has(item))
  const offered = new Set(criteria)
  return checklist?.some(({ item }) => offered.has(item)) === true
    ? [...task.spec.checklist, ...criteria.map((item) => ({ item }))]
    : null
}

/** What was read from the disk; the policy that judges evidence decides what it shows. */
export const RecordEvidence = Tasks.command("RecordEvidence", {
  schema: Schema.Struct({ ...AttemptRef, ...evidenceFields }),
  decide: ({ facts, files, ...attemptRef }, state) => {
    const [judge] = judges(state)
    if (judge === undefined) {
      return reject("command_unowned", "No plugin judges evidence.", "Add a plugin that judges it.")
    }
    const found = currentOf(state, attemptRef, false)
    if (found === null || found.current.facts !== null) {
      return rejectConflict(
        "attempt_not_current",
        `Attempt ${attemptRef.attempt} of task ${attemptRef.task_id} does not wait for its evidence to be judged.`,
        "Drop this result."
      )
    }
    const { accepted, cannot = [], rejected } = judge.judge(found.task, facts)
    const count = (verdict: Verdict): number => accepted.filter((item) => item.verdict === verdict).length
    const weak = count("weak")
    const waived = found.task.items.filter(isWaivedByPerson).length
    const shown = { proven: count("proven"), waived: count("waived") + waived, ...(weak === 0 ? {} : { weak }) }
    // nothing registered is nothing shown: 0 of 0 completes no checklist
    const { length } = found.task.items
    const isComplete = rejected.length === 0 && length > 0 && accepted.length + waived === length
    return [
      EvidenceChecked({ ...attemptRef, facts, ...(files === undefined ? {} : { files }) }),
      ...accepted.map((item) => ItemAccepted({ ...attemptRef, ...item })),
      ...rejected.map((failure) => ItemRejected({ ...attemptRef, ...failure })),
      ...cannot.map((item) => ItemCannot({ ...attemptRef, ...item })),
      ...(isComplete ? [ChecklistCompleted({ ...attemptRef, ...shown })] : [])
    ]
  },
  recall: { from: [EvidenceChecked], args: (batch) => batch.first(EvidenceChecked) }
})

export const RecordVerification = Tasks.command("RecordVerification", {
  schema: Schema.Struct({ ...AttemptRef, checks: Schema.Array(CheckRun) }),
  decide: (args, state) => {
    const found = currentOf(state, args, false)
    if (found === null || found.current.verification !== null) return notCurrent(args)
    const { checks } = args
    // no check at all is not a pass
    const passed = checks.length > 0 && checks.every(hasPassed) && missingChecks(state, found.task, checks).length === 0
    return [VerificationRun({ ...args, passed, items: itemVerdicts(checks) })]
  },
  recall: {
    from: [VerificationRun],
    args: (batch) => {
      const run = batch.first(VerificationRun)
      return run && { task_id: run.task_id, attempt: run.attempt, checks: run.checks }
    }
  }
})

export const RecordBaseChecks = Tasks.command("RecordBaseChecks", {
  schema: Schema.Struct({ checks: Schema.Array(BaseCheck) }),
  // once: the base does not change
  decide: (args, state) => (awaitsBase(state) ? [BaseChecked(args)] : []),
  recall: { from: [BaseChecked], args: (batch) => batch.first(BaseChecked) }
})

export const RecordJudgment = Tasks.command("RecordJudgment", {
  schema: Schema.Struct(judgmentFields),
  decide: (args, state) => (currentOf(state, args, false) === null ? notCurrent(args) : [QualityJudgment(args)]),
  recall: { from: [QualityJudgment], args: (batch) => batch.first(QualityJudgment) }
})

export const commands = [
  StartAttempt,
  EndAttempt,
  RecordEvidence,
  RecordVerification,
  RecordBaseChecks,
  RecordJudgment,
  AnswerPerson,
  SettleAttempt,
  SkipTask
]
