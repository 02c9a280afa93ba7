import {
  afterAnswer,
  askedId,
  askedIn,
  type CheckRun,
  chunkOf,
  failuresOf,
  hasPassed,
  historyOf,
  itemAnswers,
  permissionAnswers,
  permissionsIn,
  type RunSummary,
  runDetailOf,
  runRowNow,
  runRowOf,
  ShownStatus
} from "@proofline/kernel"
import { HashMap, Option } from "effect"
import { isAway, type Question, questionOf, undecidedTasks } from "../../policies/oversight/contract.ts"
import { loopProgressOf } from "../../policies/requirements/contract.ts"
import type { AnyRun } from "../../policies/sessions/contract.ts"
import type { FoldedRun } from "./details.ts"
import type { Approval, RunRow, RunView } from "./schemas.ts"

/** What runs may be filtered by. `waiting`: a person is asked something, whatever the status is. */
export const runStatuses = ["waiting", ...ShownStatus.literals] as const

/** A run of a list; of one that goes on, `folded` says what it has shown so far. `waits`: a person is asked something. */
export const rowOf = (run: RunSummary, folded: FoldedRun | null, waits: boolean): RunRow => {
  // what one that is away asks waits where it is now; what plugins ask a person for makes a run wait as well
  const known = isAway(run) ? false : waits || undefined
  return {
    ...(folded === null ? runRowOf(run, known) : runRowNow(run, folded.state, known)),
    ...ofPlugins(run)
  }
}

const ofPlugins = (run: RunSummary): Pick<RunRow, "phase" | "loop"> => ({
  phase: typeof run["phase"] === "string" ? run["phase"] : null,
  loop: loopOf(run)
})

const loopOf = (run: RunSummary): RunRow["loop"] => {
  const loop = loopProgressOf(run)
  if (loop === null) return null
  const { loop_status: status, ...rest } = loop
  return { status, ...rest }
}

export const viewOf = (run: RunSummary, runs: ReadonlyArray<RunSummary>, folded: FoldedRun): RunView => {
  const { history, state } = folded
  const approvals = approvalsOf(state, folded)
  return {
    ...runDetailOf(run, runs, state, history, approvals.length > 0),
    ...ofPlugins(run),
    approvals,
    failures: failuresOf(state, history)
  }
}

/** What of a run waits for a person; `folded` says since when, and what failed before. */
export const approvalsOf = (state: AnyRun, folded: FoldedRun | null): ReadonlyArray<Approval> => {
  const { name: run_name, run_id } = state.run
  const nothing = {
    run_id,
    run_name,
    question_id: null,
    phase: null,
    task_id: null,
    answers: [],
    other_leads_to: null,
    after: state.run.status === "running" ? null : afterAnswer(false),
    files: [],
    failed: [],
    changes: null
  } as const
  const asked = questionOf(state)
  const askedAt = (question: string) =>
    folded === null ? null : Option.getOrNull(HashMap.get(folded.asked_at, question))
  const lastOf = (task: string) => (folded === null ? undefined : historyOf(folded.history, task).attempts.at(-1))
  return [
    ...permissionsIn(state).map((one) => ({
      ...nothing,
      kind: "permission" as const,
      question_id: one.permission,
      task_id: one.task_id,
      question: one.title,
      agent: one.agent,
      role: one.role,
      attempts: one.attempt,
      detail: one.detail,
      asked_at: askedAt(one.permission),
      answers: answersOf(permissionAnswers),
      files: one.files
    })),
    ...askedIn(state).map((one) => ({
      ...nothing,
      kind: "cannot" as const,
      question_id: askedId(one),
      task_id: one.task_id,
      question: one.item,
      reason: one.reason,
      evidence: one.evidence,
      attempts: one.attempt,
      asked_at: lastOf(one.task_id)?.ended_at ?? null,
      failed: failedOf(lastOf(one.task_id)?.checks ?? []),
      answers: answersOf(itemAnswers),
      files: one.files
    })),
    ...(asked === null
      ? undecidedTasks(state).map((task) => ({
          ...nothing,
          kind: "conflict" as const,
          task_id: task.spec.id,
          question: task.message,
          asked_at: folded === null ? null : historyOf(folded.history, task.spec.id).ended_at,
          files: (chunkOf(state, task)?.outcome?.conflicts ?? []).map(({ file }) => file)
        }))
      : [
          {
            ...nothing,
            kind: "question" as const,
            question_id: asked.id,
            phase: asked.phase,
            question: asked.question.trim(),
            asked_at: askedAt(asked.id),
            failed: failedOf(state.sessions.phases?.verification?.checks ?? []),
            answers: asked.answers,
            other_leads_to: asked.other_leads_to
          }
        ])
  ]
}

const failedOf = (checks: ReadonlyArray<CheckRun>): Approval["failed"] =>
  checks
    .filter((check) => !hasPassed(check))
    .map(({ command, exit_code, output_tail, signal, timed_out }) => ({
      command,
      exit_code,
      signal,
      timed_out,
      output: output_tail
    }))

const answersOf = (answers: Readonly<Record<string, string>>): Approval["answers"] =>
  Object.entries(answers).map(([answer, leads_to]) => ({ answer: [answer], goes_on_with: leads_to, leads_to }))

const yes = new Set(["yes", "approve", "approved", "ok"])

/** The answer that means yes; null: the question names none, or more than one. */
export const approvalOf = ({ answers }: Question): string | null => {
  const found = answers.map(({ answer }) => answer.find((one) => yes.has(one.trim().toLowerCase())))
  const [only, ...more] = found.filter((one) => one !== undefined)
  return more.length === 0 ? (only ?? null) : null
}
