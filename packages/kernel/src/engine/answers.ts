import { boardStatusOf, childrenOf, parentOf, remainingOf } from "../domain/board.ts"
import { hasPassed } from "../domain/checks.ts"
import type { NextAction } from "../domain/nextAction.ts"
import { nextActionOf } from "../domain/nextAction.ts"
import { isAtEnd, isEnd, phaseOf } from "../domain/phase.ts"
import type { Rejection } from "../domain/Rejection.ts"
import type { Failure } from "../domain/Report.ts"
import { type PullState, type SessionState, type State, type TaskState, taskOf, tasksOf } from "../domain/State.ts"
import { inRoom, lineOf } from "./room.ts"
import type { Answer } from "./Sessions.ts"

type Body = Readonly<Record<string, unknown>>

/** An answer stays small: agents cut long ones anywhere. */
const maxFailures = 40
const maxOutput = 1_500
export const maxListed = 50
const maxLast = 800

const cut = (text: string, length: number): string =>
  text.length > length ? `…${text.slice(1 - length).toWellFormed()}` : text

export const accepted = (body: Body): Answer => ({ ok: true, body })

/** Says what nothing was made of: a name that is misspelt must not go unnoticed. */
export const noting = (answer: Answer, unexpected: ReadonlyArray<string>): Answer => {
  if (unexpected.length === 0) return answer
  const warnings = unexpected.map((path) => ({
    code: "field_unexpected",
    message: `Field ${path} is not asked for, so nothing is made of it.`
  }))
  return { ...answer, body: { ...answer.body, warnings: [...((answer.body["warnings"] ?? []) as []), ...warnings] } }
}

/** The same answer, as small as clients take it. */
export const small = ({ body, ok }: Answer): Answer => ({ ok, body: inRoom(body) })

/** Who asks whether it may write reads `allowed` and nothing else. */
export const ofTarget = (operation: string, answer: Answer): Answer =>
  operation === "check_write_target" && !answer.ok ? { ...answer, body: { allowed: false, ...answer.body } } : answer

/** Why a request was refused, what to do next, and where the work stands. */
export const refused = (
  { code, hint, message, open }: Pick<Rejection, "code" | "message" | "hint" | "open">,
  standing: Body,
  failures: ReadonlyArray<Failure> = []
): Answer => ({
  ok: false,
  body: {
    success: false,
    error: code,
    message,
    next_step: hint,
    ...(failures.length === 0 ? {} : failuresOf(failures)),
    ...(open.length === 0 ? {} : { open: open.slice(0, maxListed) }),
    ...standing
  }
})

const failuresOf = (failures: ReadonlyArray<Failure>): Body => ({
  failures: failures.slice(0, maxFailures).map(({ fields, item, key, message }) => ({ key, item, fields, message })),
  ...(failures.length > maxFailures ? { failures_left_out: failures.length - maxFailures } : {})
})

/** A report or a payload that does not hold, with everything that is wrong with it. */
export const mismatch = (failures: ReadonlyArray<Failure>, standing: Body): Answer =>
  refused(
    {
      code: "payload_mismatch",
      message: `${failures.length === 1 ? "One thing is" : `${failures.length} things are`} wrong: ${failures
        .slice(0, 3)
        .map(({ message }) => message)
        .join(" ")}${failures.length > 3 ? " …" : ""}`,
      hint: "Mend every failure that is named, then send it again.",
      open: []
    },
    standing,
    failures
  )

/** The phase, its instruction, what it expects, and where the work stands: every answer is enough by itself. */
export const standingOf = (state: State, session: SessionState | null): Body => {
  const { pull } = state
  if (pull === null) return {}
  const phase = phaseOf(pull, pull.phase)
  const isPerson = phase?.kind === "person"
  return {
    phase: pull.phase,
    instruction: instructionOf(pull, session, state.status === "running"),
    expected_payload: isPerson || phase === undefined ? {} : phase.expected_payload,
    ...(phase === undefined || isPerson || isEnd(phase)
      ? {}
      : { call: phase.kind === "tasks" ? "complete_task" : "submit_phase" }),
    progress: progressOf(state, session),
    needs_person: isPerson,
    ...(phase?.kind === "plan" && pull.setup.planning_guide !== ""
      ? { planning_guide: pull.setup.planning_guide }
      : {}),
    ...(pull.verification === null || pull.verification.passed ? {} : { verification: verificationOf(pull) })
  }
}

const instructionOf = (pull: PullState, session: SessionState | null, isRunning: boolean): string => {
  if (session !== null && session.closed !== null) return overText(session)
  const phase = phaseOf(pull, pull.phase)
  // how it has ended is known to the contract alone: not every end is a success
  if (isAtEnd(pull)) return phase?.instruction.trim() || "All phases are done. Call report_completed, then stop."
  if (!isRunning) return 'The run was ended by a person. Call report_completed(result: "failed", summary), then stop.'
  if (pull.verifying !== null)
    return `The commands that verify ${pull.phase} are running. Call get_next_action in a moment.`
  return phase?.instruction ?? ""
}

const overText = ({ of_process }: SessionState): string =>
  `The session is over. Stop here. ${
    of_process
      ? "For something new that the user asks for, call submit_phase(data={}): a new session begins, and says what to do."
      : "Its token opens nothing any more; for something new the user opens another session."
  }`

/** Facts about all tasks of the run, and the next one of the agent. */
const progressOf = (state: State, session: SessionState | null): Body => {
  const tasks = tasksOf(state)
  const count = (status: string): number => tasks.filter((task) => boardStatusOf(task) === status).length
  const next = session === null ? null : nextActionOf(state, session).task_id
  const completed = count("done")
  const cancelled = count("cancelled")
  return {
    total: tasks.length,
    completed,
    pending: tasks.length - completed - cancelled,
    in_progress: count("in_progress"),
    blocked: count("blocked"),
    cancelled,
    next_task: next,
    all_complete: tasks.length > 0 && completed + cancelled === tasks.length
  }
}

export const verificationOf = (pull: PullState): Body => {
  const failed = (pull.verification?.checks ?? []).filter((check) => !hasPassed(check))
  const shown = failed.slice(0, 5)
  return {
    passed: pull.verification?.passed ?? false,
    commands: shown.map(({ command, exit_code, output_tail, timed_out }) => ({
      command: cut(command, 200),
      exit_code,
      timed_out,
      output: cut(output_tail, Math.floor(maxOutput / shown.length))
    })),
    ...(failed.length > shown.length ? { commands_left_out: failed.length - shown.length } : {})
  }
}

/** What was accepted and shows less than it seems to. */
export const weaknessesOf = (task: TaskState): ReadonlyArray<{ readonly code: string; readonly message: string }> =>
  task.items.flatMap(({ item, weak }) =>
    weak.map(({ message, reason }) => ({ code: `evidence_${reason}`, message: `'${item}': ${message}` }))
  )

/** Who waits for whom; of many the first, for the sentence goes on with what to do. */
const waitsOf = (waiting: NextAction["waiting"]): string =>
  firstOf(
    waiting.map(({ id, waiting_for }) => `${id} waits for ${firstOf(waiting_for, ", ")}`),
    "; "
  )

const maxNamed = 5

const firstOf = (words: ReadonlyArray<string>, glue: string): string => {
  const more = words.length - maxNamed
  return `${words.slice(0, maxNamed).join(glue)}${more > 0 ? ` and ${more} more` : ""}`
}

/** The words for an action, by its code; the sentences of the progress tools where they have one. */
const actionText = (state: State, { action, task_id, waiting }: NextAction): string => {
  const task = task_id === null ? undefined : taskOf(state, task_id)
  const finish =
    task === undefined || task.spec.checklist.length === 0
      ? "When it is done, set its status to done with update_task_status."
      : `When it is done, call complete_task(task_id: "${task.spec.id}", data: {summary, checklist}) with evidence or a reason for every item.`
  const named = task === undefined ? "" : ` ${task.spec.id}: ${lineOf(task.spec.title, 200)}.`
  // a report begins a task by itself
  const isToBegin = task !== undefined && task.spec.checklist.length === 0 && boardStatusOf(task) === "todo"
  switch (action) {
    case "report_completion":
      return 'Nothing is left for you. Call report_completed(result: "success", summary), then stop.'
    case "ask_user":
      return "A person must answer. Tell the user the question and that they answer with `proofline answer`; wait for it, then call get_next_action."
    case "wait":
      return waiting.length === 0
        ? "Something is being checked, or others have to finish first. Call get_next_action again in a moment."
        : `Others have to finish first: ${waitsOf(waiting)}. Call get_next_action again later.`
    case "create_tasks":
      return "Nothing is left to work on, and the work is not accepted yet. Create what is still to be done with create_tasks."
    case "get_task":
      return "A task was given to you. Fetch it with get_my_task."
    case "create_subtasks":
      return `Split the task, if it is too large to be done in one piece, with create_tasks (parent_task_id: "${task_id}"); otherwise call get_next_action again.${named}`
    case "work":
      return `Work on this task yourself.${named} ${isToBegin ? "Set its status to in_progress with update_task_status first. " : ""}${task !== undefined && childrenOf(state, task).length > 0 ? "All its subtasks are closed. " : ""}${finish}`
    case "execute_subtask":
      return `Carry out the current subtask.${named} ${finish}`
    case "start_subtask":
      return `Start the next subtask: set its status to in_progress with update_task_status, and carry it out.${named} ${finish}`
    case "review_and_resolve_blocks":
      return `Everything that is left is blocked or put off.${named} Resolve what blocks it and set it to in_progress, cancel it with a reason, or call report_completed(result: "blocked", summary) and say what is needed.`
    case "dependency_deadlock":
      return `Nothing can be started: ${waitsOf(waiting)}. Take up what they wait for, or cancel them with a reason.`
    default:
      return ""
  }
}

const isEnded = ({ pull, status }: State): boolean => status !== "running" || (pull !== null && isAtEnd(pull))

/** Actions after which no phase has anything to say. */
const isAlone = new Set(["exit", "report_completion"])

/** What an agent is told to do now. */
export const nextActionAnswer = (state: State, session: SessionState): Answer => {
  const next = nextActionOf(state, session)
  const standing = standingOf(state, session)
  const task = next.task_id === null ? undefined : taskOf(state, next.task_id)
  const said = next.action === "exit" ? overText(session) : actionText(state, next)
  const phaseText = String(standing["instruction"] ?? "")
  const parent = task === undefined ? undefined : parentOf(state, task)
  const siblings = parent === undefined ? [] : childrenOf(state, parent)
  const isOnlyPhase = next.action === "report_completion" && isEnded(state)
  const refusals = state.pull?.failures ?? []
  const last = state.pull?.last ?? null
  return accepted({
    action: next.action,
    state: state.pull?.phase ?? "",
    ...standing,
    instruction: isOnlyPhase
      ? phaseText
      : isAlone.has(next.action)
        ? said
        : [said, phaseText].filter((part) => part !== "").join("\n\n"),
    ...(task === undefined ? {} : { task: taskBody(state, task) }),
    ...(parent === undefined || task === undefined
      ? {}
      : {
          current_subtask: { id: task.spec.id, title: task.spec.title },
          subtask_progress: {
            completed: siblings.filter((sibling) => boardStatusOf(sibling) === "done").length,
            total: siblings.length
          }
        }),
    ...(next.waiting.length === 0 ? {} : { waiting_subtasks: next.waiting.slice(0, maxListed) }),
    ...(last === null ? {} : { last_submission: { phase: last.phase, payload: cutPayload(last.payload) } }),
    ...(refusals.length === 0 ? {} : { last_refusal: failuresOf(refusals) })
  })
}

/** What was handed in last, as far as an answer has room for it. */
export const cutPayload = (payload: Body): unknown => {
  const text = JSON.stringify(payload)
  return text.length > maxLast ? `${text.slice(0, maxLast).toWellFormed()}…` : payload
}

/** What came of a task is handed on to whoever was given the next one; nobody gives it to themselves. */
const isHandedOn = ({ board: from }: TaskState, { board: to }: TaskState): boolean =>
  from === null ||
  to === null ||
  to.created_by !== to.assignee ||
  [from.assignee, from.created_by].includes(to.assignee)

/** A task with its context: what it is part of, and what came of the work before it. */
export const taskBody = (state: State, task: TaskState): Body => {
  const parent = parentOf(state, task)
  const before = task.spec.depends_on.flatMap((id) => {
    const dependency = taskOf(state, id)
    const summary = dependency?.current?.report?.summary ?? ""
    return dependency === undefined || summary === "" || !isHandedOn(dependency, task)
      ? []
      : [`${id}: ${cut(summary, 400)}`]
  })
  const failures = task.status === "retrying" ? (task.current?.failures ?? []) : []
  return {
    task_id: task.spec.id,
    title: task.spec.title,
    description: cut(task.spec.instruction, 3_000),
    status: boardStatusOf(task),
    ...(task.items.length === 0
      ? {}
      : {
          checklist: task.items.map(({ item, verdict }) => ({
            item,
            status: verdict === "proven" ? "done" : "pending"
          }))
        }),
    ...(parent === undefined
      ? {}
      : { context: `Part of ${parent.spec.id}: ${parent.spec.title}. ${cut(parent.spec.instruction, 1_000)}` }),
    ...(before.length === 0 ? {} : { handoff: before.join("\n") }),
    ...(task.board?.reason ? { reason: task.board.reason } : {}),
    ...(failures.length === 0 ? {} : { last_report: failuresOf(failures) })
  }
}

export const myTaskAnswer = (state: State, session: SessionState): Answer => {
  const next = nextActionOf(state, session)
  const task = next.task_id === null ? remainingOf(state, session.agent)[0] : taskOf(state, next.task_id)
  return accepted({
    success: true,
    has_task: task !== undefined,
    ...(task === undefined ? {} : { task: taskBody(state, task) }),
    ...standingOf(state, session),
    instruction:
      task === undefined
        ? "No task is assigned to you. Call get_next_action."
        : actionText(state, { ...next, task_id: task.spec.id }) || "Call get_next_action."
  })
}

/** What follows after a task was done. Source: progress tools. */
export const afterDone = (
  state: State,
  session: SessionState
): { readonly code: string; readonly instruction: string } => {
  const remaining = remainingOf(state, session.agent)
  if (remaining.length === 0) {
    const { pull } = state
    const open = pull !== null && !isAtEnd(pull) && phaseOf(pull, pull.phase)?.kind !== "tasks"
    return {
      code: "all_done",
      instruction: `All tasks assigned to you are done. ${open ? `Submit ${pull.phase} with submit_phase; when every phase is done, call report_completed.` : "Call report_completed."}`
    }
  }
  return remaining.every((task) => boardStatusOf(task) === "blocked")
    ? {
        code: "only_blocked_left",
        instruction:
          "Only blocked tasks are left. Resolve what blocks them, or call report_completed with result blocked and say what is needed."
      }
    : {
        code: "tasks_left",
        instruction: "Look with get_my_task_progress at the tasks that are left, and go on with them."
      }
}
