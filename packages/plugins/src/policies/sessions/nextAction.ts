import { childrenOf, type HasTasks, parentOf, type TaskState, taskOf, waitsForPerson } from "@proofline/kernel"
import type { Answer, Body } from "../../operations/Answer.ts"
import { accepted, failuresOf, maxListed } from "../../operations/answers.ts"
import { payloadExcerpt } from "../../operations/excerpts.ts"
import { actionText } from "./actionTexts.ts"
import { assignmentStatusOf, remainingOf } from "./rules/assignment.ts"
import { instructed } from "./rules/instructions.ts"
import { type NextAction, nextActionOf } from "./rules/nextAction.ts"
import { isAtEnd, phaseOf } from "./rules/phase.ts"
import { refusalsFor } from "./rules/session.ts"
import type { SessionState } from "./rules/state.ts"
import { guideFor, overText, sessionStatusOf } from "./sessionStatus.ts"
import type { AnyRun } from "./state.ts"
import { taskBody } from "./taskBody.ts"

/** What an agent is told to do now; `next` is what was decided for it, `asked` the session as it was when it asked. */
export const nextActionAnswer = (
  state: AnyRun,
  session: SessionState,
  next: NextAction = nextActionOf(state, session),
  asked: SessionState = session
): Answer => {
  const sessionStatus = sessionStatusOf(state, session)
  const task = next.task_id === null ? undefined : taskOf(state, next.task_id)
  const { phases } = state.sessions
  const refusals = phases === null ? [] : refusalsFor(phases, session)
  const last = phases?.last ?? null
  return accepted({
    action: next.action,
    state: phases?.phase ?? "",
    ...sessionStatus,
    instruction: instructionFor(state, session, next, String(sessionStatus["instruction"] ?? "")),
    ...(task === undefined ? {} : { task: taskBody(state, task, session), ...partBody(state, task) }),
    ...(next.waiting.length === 0 ? {} : { waiting_subtasks: next.waiting.slice(0, maxListed) }),
    ...(last === null ? {} : { last_submission: { phase: last.phase, payload: payloadExcerpt(last.payload) } }),
    ...(refusals.length === 0 ? {} : { last_refusal: failuresOf(refusals) }),
    ...guideFor(state, asked)
  })
}

/** Actions of which the phase has nothing to say. */
const isAlone = new Set(["exit", "report_completion", "create_tasks"])

const instructionFor = (state: AnyRun, session: SessionState, next: NextAction, phaseText: string): string => {
  const { phases } = state.sessions
  const isEnded = state.run.status !== "running" || (phases !== null && isAtEnd(phases))
  if (next.action === "report_completion" && isEnded) return phaseText
  const said = next.action === "exit" ? overText(state, session) : actionText(state, next)
  return isAlone.has(next.action) ? said : [said, phaseText].filter((part) => part !== "").join("\n\n")
}

/** How far the task is that this one is a part of; empty: of none. */
const partBody = (state: HasTasks, task: TaskState): Body => {
  const parent = parentOf(state, task)
  if (parent === undefined) return {}
  const siblings = childrenOf(state, parent)
  return {
    current_subtask: { id: task.spec.id, title: task.spec.title },
    subtask_progress: {
      completed: siblings.filter((sibling) => assignmentStatusOf(sibling) === "done").length,
      total: siblings.length
    }
  }
}

/** The task to work on. */
export const myTaskAnswer = (state: AnyRun, session: SessionState): Answer => {
  const next = nextActionOf(state, session)
  const task = next.task_id === null ? remainingOf(state, session.agent)[0] : taskOf(state, next.task_id)
  return accepted({
    success: true,
    has_task: task !== undefined,
    ...(task === undefined ? {} : { task: taskBody(state, task, session) }),
    ...sessionStatusOf(state, session),
    instruction:
      task === undefined
        ? instructed(state, "no_task")
        : actionText(state, { ...next, task_id: task.spec.id }) || instructed(state, "next_action")
  })
}

/** What follows after a task was done. Source: progress tools. */
export const afterDone = (
  state: AnyRun,
  session: SessionState
): { readonly code: string; readonly instruction: string } => {
  const remaining = remainingOf(state, session.agent)
  if (remaining.length === 0) {
    const { phases } = state.sessions
    const open = phases !== null && !isAtEnd(phases) && phaseOf(phases, phases.phase)?.kind !== "tasks"
    return {
      code: "all_done",
      instruction: open
        ? instructed(state, "all_done_phase_open", { phase: phases.phase })
        : instructed(state, "all_done")
    }
  }
  return remaining.every((task) => assignmentStatusOf(task) === "blocked")
    ? {
        code: "only_blocked_left",
        instruction: instructed(state, remaining.every(waitsForPerson) ? "only_asked_left" : "only_blocked_left")
      }
    : {
        code: "tasks_left",
        instruction: instructed(state, "tasks_left")
      }
}

/** What else may be cited was told with the first task; get_my_task tells it again. */
const withoutKinds = (body: Body | undefined): Body | undefined => {
  if (body === undefined) return undefined
  const { evidence_kinds: _, ...rest } = body
  return rest
}

/** The task to go on with, as get_my_task shows it; undefined: something else comes first. */
export const toDo = (after: AnyRun, session: SessionState): Body | undefined => {
  const { action, task_id } = nextActionOf(after, session)
  const task = task_id === null || !isWork.has(action) ? undefined : taskOf(after, task_id)
  return task === undefined ? undefined : taskBody(after, task)
}

const isWork: ReadonlySet<string> = new Set(["work", "execute_subtask", "start_subtask"])

/** What follows after a task was done, with the task to go on with where there is one. */
export const nextAfterDone = (state: AnyRun, session: SessionState): Body => {
  const { code, instruction } = afterDone(state, session)
  const task = withoutKinds(toDo(state, session))
  return task === undefined ? { code, instruction } : { code, task }
}
