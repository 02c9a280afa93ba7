import {
  type AgentRole,
  type AttemptState,
  acceptanceCriteria,
  type CheckRun,
  checksOf,
  type EventManifest,
  failedChecks,
  hasPassed,
  isFailedInWords,
  obligationsOf,
  parentOf,
  type Recorded,
  subtasksOf,
  type TaskId,
  type TaskState,
  taskOf,
  unended
} from "@proofline/kernel"
import type { Body } from "../../operations/Answer.ts"
import { eventLine } from "../../operations/eventText.ts"
import { checklistBody, shownBody } from "../../operations/excerpts.ts"
import type { NewestEvents } from "../../operations/newestEvents.ts"
import { withList } from "../../operations/sizeLimit.ts"
import { type AnyRun, assignmentStatusOf, type TaskNode, withTrees } from "../sessions/contract.ts"
import type { AttemptRef } from "./Attempts.ts"
import { callOf, payloads } from "./submission.ts"

/** Where an attempt stands: every answer is enough by itself. */
export const attemptStanding = ({ attempt, role, task_id }: AttemptRef, isReported: boolean): Body => ({
  task_id,
  attempt,
  role,
  instruction: isReported ? reported : (instructions[role] ?? byFile),
  ...(callOf[role] === undefined ? {} : { call: callOf[role], expected_payload: payloads[role] ?? {} }),
  needs_person: false
})

/** What the task has shown so far: what is handed in now is judged later. */
export const taskShown = (state: AnyRun, { task_id }: AttemptRef): Body => {
  const task = taskOf(state, task_id)
  return task === undefined ? {} : shownBody(task.verdict, obligationsOf(state, task))
}

const reported =
  "Your report was taken. It is judged when you end your turn: call report_completed, then stop. What you hand in again takes its place."

const instructions: Readonly<Partial<Record<AgentRole, string>>> = {
  work: "Do the task, then report it with complete_task: every item of the checklist `done` with evidence (file:line or file:start-end), `skipped` with a reason, or `cannot` with the reason why it cannot be done. A refusal names everything that is wrong.",
  review:
    "Judge the work that is described in your prompt, and change nothing. Hand your judgment in with submit_review.",
  generate:
    "Plan new tasks as your prompt says, and change nothing. Hand all of them in at once with create_tasks. A refusal names everything that is wrong.",
  verify:
    "Look which of the requirements in your prompt are met, and change nothing. Hand in what you saw with submit_verification."
}

const byFile = "Answer as your prompt says: in the file named by PROOFLINE_REPORT_FILE."

/** The task of an attempt, what it is judged by, and what came of the attempt before. */
export const attemptTask = (state: AnyRun, ref: AttemptRef, isReported: boolean): Body => {
  const task = taskOf(state, ref.task_id)
  return {
    success: true,
    has_task: task !== undefined,
    ...(task === undefined ? {} : { task: taskBody(state, task) }),
    ...attemptStanding(ref, isReported)
  }
}

export const attemptAction = (state: AnyRun, ref: AttemptRef, isReported: boolean): Body => ({
  action: isReported ? "report_completion" : ref.role,
  ...attemptTask(state, ref, isReported)
})

/** The task of an attempt with its subtasks. */
export const attemptProgress = (state: AnyRun, ref: AttemptRef, offset?: number): Body => {
  const task = taskOf(state, ref.task_id)
  return withTrees({}, task === undefined ? [] : [nodeOf(state, task, true)], offset)
}

const nodeOf = (state: AnyRun, task: TaskState, isRoot: boolean): TaskNode => {
  const parts = subtasksOf(state, task)
  return {
    id: task.spec.id,
    title: task.spec.title,
    status: assignmentStatusOf(task),
    ...(isRoot || parts.length > 0 ? { subtasks: parts.map((part) => nodeOf(state, part, false)) } : {})
  }
}

const taskBody = (state: AnyRun, task: TaskState): Body => {
  const parent = parentOf(state, task)
  const owed = new Set(task.items.map(({ item }) => item))
  const criteria = [...task.spec.validation, ...acceptanceCriteria(state, task)].filter(
    (criterion) => !owed.has(criterion)
  )
  const checks = checksOf(state, task).map(({ command }) => command)
  return {
    task_id: task.spec.id,
    title: task.spec.title,
    description: task.spec.instruction,
    status: assignmentStatusOf(task),
    checklist: checklistBody(task),
    ...(task.guidance.length === 0 ? {} : { person_said: task.guidance }),
    ...(task.refused === null ? {} : { last_attempt: refusedBody(task.refused) }),
    ...(criteria.length === 0 ? {} : { criteria: [...new Set(criteria)] }),
    ...(checks.length === 0 ? {} : { checks: [...new Set(checks)] }),
    ...(parent === undefined
      ? {}
      : { context: `Part of ${parent.spec.id}: ${unended(parent.spec.title)}. ${parent.spec.instruction}` })
  }
}

/** Everything that spoke against an attempt. */
const refusedBody = ({ attempt, error, failures, judgment, report, verification }: AttemptState): Body => {
  const failed = (verification?.checks ?? []).filter((check) => !hasPassed(check))
  const problems = report?.problems ?? []
  const isRefused = judgment !== null && judgment.judgment !== "PASS"
  return {
    attempt,
    ...(error === null ? {} : { error: { code: error.code, message: error.message } }),
    ...(problems.length === 0 ? {} : { problems }),
    ...(failures.length === 0 ? {} : { failures }),
    ...(failed.length === 0 ? {} : { failed_checks: failed.map(checkBody) }),
    ...(isRefused
      ? {
          review: {
            judgment: judgment.judgment,
            modification_prompt: judgment.modification_prompt,
            not_met: judgment.checks.filter(({ passed }) => !passed)
          }
        }
      : {})
  }
}

const checkBody = (check: CheckRun): Body => {
  const { ablation, command, exit_code, output_tail, timed_out } = check
  return {
    command,
    exit_code,
    timed_out,
    ...(isFailedInWords(check) ? { why: failedChecks([check], []) } : {}),
    ...(ablation === null ? {} : { ablation: ablation.message }),
    ...(check.failed_tests === undefined ? {} : { failed_tests: check.failed_tests }),
    // what is wrong stands at the end
    output: output_tail.slice(-maxOutput).toWellFormed()
  }
}

/** Characters of the output of one check. */
const maxOutput = 1_500

/** Whether an event is of the task of an attempt, or of a part of it. */
export const isOfTask = (task_id: TaskId): ((event: Recorded) => boolean) => {
  return ({ content }) => {
    const { parent_task_id, subtask_id, task_id: id } = (content ?? {}) as Body
    return [id, subtask_id, parent_task_id].includes(task_id)
  }
}

/** The newest events of a task, the newest first, one line each. */
export const attemptLog = (
  { run, task_id }: AttemptRef,
  { events, isAll }: NewestEvents,
  manifest: EventManifest
): Body => withList({ run_id: run, task_id }, "events", events.map(eventLine(manifest)), isAll ? {} : { older: true })
