import { chunkOf, type RunSummary, runDetailOf, runRowOf, ShownStatus } from "@proofline/kernel"
import { type Question, questionOf, undecidedTasks } from "../../policies/oversight/contract.ts"
import { loopProgressOf } from "../../policies/requirements/contract.ts"
import type { AnyRun } from "../../policies/sessions/contract.ts"
import type { FoldedRun } from "./details.ts"
import type { Approval, RunRow, RunView } from "./schemas.ts"

export const runStatuses = ShownStatus.literals

export const rowOf = (run: RunSummary): RunRow => ({ ...runRowOf(run), ...ofPlugins(run) })

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

export const viewOf = (run: RunSummary, runs: ReadonlyArray<RunSummary>, { history, state }: FoldedRun): RunView => ({
  ...runDetailOf(run, runs, state, history),
  ...ofPlugins(run),
  approvals: approvalsOf(state)
})

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
