import { type Rejection, reject, rejectConflict, rejectForbidden } from "@proofline/kernel"
import type { AttemptRef } from "./Attempts.ts"
import type { AgentCall } from "./AttemptTokens.ts"
import { callOf } from "./submission.ts"

/** What an agent of a role does to hand in what it was asked for. */
export const nextStepOf = ({ role, task_id }: AttemptRef): string =>
  role === "work"
    ? `Report with complete_task(task_id: "${task_id}", data: {summary, checklist}), then stop.`
    : callOf[role] === undefined
      ? "Answer as your prompt says, in the file named by PROOFLINE_REPORT_FILE, then stop."
      : `Hand in your answer with ${callOf[role]}(${role === "generate" ? "tasks" : "data"}), then stop.`

export const tokenUnknown = rejectForbidden(
  "token_unknown",
  "No agent of this project was given this token.",
  "Use the token you were started with, in PROOFLINE_TOKEN; without one, work as your prompt says."
)

export const attemptOver = ({ attempt, role, task_id }: Pick<AgentCall, "attempt" | "role" | "task_id">): Rejection =>
  rejectConflict(
    "attempt_over",
    `Attempt ${attempt} of task ${task_id} does not wait for an answer any more (role ${role}).`,
    "End your turn: nothing you hand in now counts."
  )

export const taskNotYours = ({ task_id }: AttemptRef): Rejection =>
  reject("task_not_yours", "You were started for one task, and this is another one.", `Name your own task: ${task_id}.`)

export const wrongRole = (ref: AttemptRef, operation: string): Rejection =>
  rejectForbidden(
    "wrong_role",
    `You were not asked for what ${operation} hands in: your role is ${ref.role}.`,
    nextStepOf(ref)
  )

export const notInAttempt = (ref: AttemptRef, operation: string): Rejection =>
  rejectForbidden(
    "not_in_attempt",
    `${operation} is not for an agent that was started for one task: its task goes on by what is proven.`,
    nextStepOf(ref)
  )

export const reportMissing = (ref: AttemptRef): Rejection =>
  reject(
    "report_missing",
    "Nothing was handed in so far, so there is nothing that could be completed.",
    nextStepOf(ref)
  )

export const notJudged = (why: string): Rejection =>
  reject(
    "report_not_judged",
    `The report could not be judged. ${why}`,
    "Send it again, or write it to the file named by PROOFLINE_REPORT_FILE."
  )
