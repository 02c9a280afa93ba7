import {
  chunkOf,
  proofFields,
  proofOf,
  type RunProof,
  type RunSummary,
  rowProof,
  rowVerdict,
  shownRowStatus,
  shownStatus
} from "@proofline/kernel"
import { type Question, questionOf, undecidedTasks } from "../../policies/oversight/contract.ts"
import { loopSummaryOf } from "../../policies/requirements/contract.ts"
import type { AnyRun } from "../../policies/sessions/contract.ts"
import type { RunDetail } from "./details.ts"
import type { Approval, RunRow, RunView } from "./schemas.ts"

export const runStatuses = ["running", "completed", "incomplete", "failed", "stopped", "cancelled"] as const
/** Those of Proofline; plugins bring others. */
export const runKinds = ["tasks", "requirements", "prompt", "session"] as const

export const rowOf = (run: RunSummary): RunRow => ({
  run_id: run.run_id,
  kind: run.kind,
  name: run.name,
  status: shownRowStatus(run),
  verdict: rowVerdict(run),
  counts: rowProof(run)?.counts ?? null,
  reviewers: rowProof(run)?.reviewers ?? [],
  weak: rowProof(run)?.weak ?? [],
  started_at: run.started_at,
  ended_at: run.ended_at,
  parent_run_id: run.parent_run_id,
  tasks_total: run.tasks_total,
  tasks_completed: run.tasks_completed,
  tasks_failed: run.tasks_failed,
  tasks_skipped: run.tasks_skipped,
  items_total: run.items_total,
  items_closed: run.items_closed,
  subtasks_total: run.subtasks_total ?? 0,
  subtasks_completed: run.subtasks_completed ?? 0,
  active: run.active,
  phase: typeof run["phase"] === "string" ? run["phase"] : null,
  loop: loopOf(run)
})

const loopOf = (run: RunSummary): RunRow["loop"] => {
  const { iteration, loop_status, max_iterations, requirements_met, requirements_total } = loopSummaryOf(run)
  return loop_status === undefined
    ? null
    : {
        status: loop_status,
        iteration: iteration ?? 0,
        max_iterations: max_iterations ?? 0,
        requirements_total: requirements_total ?? 0,
        requirements_met: requirements_met ?? 0
      }
}

/** The newest first; of those that began in the same millisecond, in any order that stays. */
export const newestFirst = (
  a: Pick<RunSummary, "started_at" | "run_id">,
  b: Pick<RunSummary, "started_at" | "run_id">
): number => compare(b.started_at, a.started_at) || compare(b.run_id, a.run_id)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const viewOf = (
  run: RunSummary,
  runs: ReadonlyArray<RunSummary>,
  { history: { head, updated_at }, state }: RunDetail
): RunView => ({
  ...rowOf(run),
  ...shownNow(state),
  message: state.run.message,
  failed_by: state.run.failed_by,
  agent: state.run.config.agent,
  reviewer: state.run.config.reviewer,
  workers: state.run.config.workers,
  input: state.run.input,
  base_commit: state.run.base?.commit ?? null,
  driver: state.run.driver,
  spent: state.run.spent,
  budget: state.run.config.budget,
  version: head?.version ?? 0,
  position: head?.position ?? 0,
  hash: head?.hash ?? "",
  updated_at: updated_at ?? run.started_at,
  child_run_ids: runs
    .filter(({ parent_run_id }) => parent_run_id === run.run_id)
    .toSorted((a, b) => newestFirst(b, a))
    .map(({ run_id }) => run_id),
  approvals: approvalsOf(state)
})

/** Status and proof of one moment: the summary may be of another. */
const shownNow = (state: AnyRun): Partial<Pick<RunView, "status">> & RunProof => {
  const status = shownStatus(state.run)
  return { ...(status === "none" ? {} : { status }), ...proofFields(proofOf(state)) }
}

/** What of a run waits for a person. */
export const approvalsOf = (state: AnyRun): ReadonlyArray<Approval> => {
  const { name: run_name, run_id } = state.run
  const asked = questionOf(state)
  if (asked !== null) {
    const { answers, id, phase, question } = asked
    const text = question.trim()
    return [
      { run_id, run_name, kind: "question", question_id: id, phase, task_id: null, question: text, answers, files: [] }
    ]
  }
  return undecidedTasks(state).map((task) => ({
    run_id,
    run_name,
    kind: "conflict",
    question_id: null,
    phase: null,
    task_id: task.spec.id,
    question: task.message,
    answers: [],
    files: (chunkOf(state, task)?.outcome?.conflicts ?? []).map(({ file }) => file)
  }))
}

const yes = new Set(["yes", "approve", "approved", "ok"])

/** The answer that means yes; null: the question names none, or more than one. */
export const approvalOf = ({ answers }: Question): string | null => {
  const found = answers.map(({ answer }) => answer.find((one) => yes.has(one.trim().toLowerCase())))
  const [only, ...more] = found.filter((one) => one !== undefined)
  return more.length === 0 ? (only ?? null) : null
}
