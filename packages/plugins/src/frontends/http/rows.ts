import {
  askedId,
  askedIn,
  chunkOf,
  permissionsIn,
  type RunSummary,
  runDetailOf,
  runRowNow,
  runRowOf,
  ShownStatus
} from "@proofline/kernel"
import {
  itemAnswers,
  permissionAnswers,
  type Question,
  questionOf,
  undecidedTasks
} from "../../policies/oversight/contract.ts"
import { loopProgressOf } from "../../policies/requirements/contract.ts"
import type { AnyRun } from "../../policies/sessions/contract.ts"
import type { FoldedRun } from "./details.ts"
import type { Approval, RunRow, RunView } from "./schemas.ts"

export const runStatuses = ShownStatus.literals

/** A run of a list; of one that goes on, `folded` says what it has shown so far. */
export const rowOf = (run: RunSummary, folded: FoldedRun | null = null): RunRow => ({
  ...(folded === null ? runRowOf(run) : runRowNow(run, folded.state)),
  ...ofPlugins(run)
})

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
  const nothing = { run_id, run_name, question_id: null, phase: null, task_id: null, answers: [], files: [] } as const
  const asked = questionOf(state)
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
      answers: answersOf(itemAnswers),
      files: one.files
    })),
    ...(asked === null
      ? undecidedTasks(state).map((task) => ({
          ...nothing,
          kind: "conflict" as const,
          task_id: task.spec.id,
          question: task.message,
          files: (chunkOf(state, task)?.outcome?.conflicts ?? []).map(({ file }) => file)
        }))
      : [
          {
            ...nothing,
            kind: "question" as const,
            question_id: asked.id,
            phase: asked.phase,
            question: asked.question.trim(),
            answers: asked.answers
          }
        ])
  ]
}

const answersOf = (answers: Readonly<Record<string, string>>): Approval["answers"] =>
  Object.entries(answers).map(([answer, goes_on_with]) => ({ answer: [answer], goes_on_with }))

const yes = new Set(["yes", "approve", "approved", "ok"])

/** The answer that means yes; null: the question names none, or more than one. */
export const approvalOf = ({ answers }: Question): string | null => {
  const found = answers.map(({ answer }) => answer.find((one) => yes.has(one.trim().toLowerCase())))
  const [only, ...more] = found.filter((one) => one !== undefined)
  return more.length === 0 ? (only ?? null) : null
}
