import {
  type Decision,
  type Fact,
  type Failure,
  hasPassed,
  isOver,
  parentOf,
  type Rejection,
  reject,
  rejectConflict,
  type TaskState,
  taskOf,
  tasksOf
} from "@proofline/kernel"
import { Equal, Result } from "effect"
import { compilePayload } from "../../../operations/payload.ts"
import { moved } from "./assignment.ts"
import { type Concerned, concernedBy } from "./concerned.ts"
import { exploredIn, PhaseRejected, PhaseSubmitted, PhaseVerified, verificationFailed } from "./events.ts"
import { inOrder } from "./inOrder.ts"
import { instructed, refusedAs } from "./instructions.ts"
import { asObject, filledIn, withoutChecklists } from "./leftOut.ts"
import { isToBePlanned } from "./nextAction.ts"
import type { Phase, Transition } from "./PhaseContract.ts"
import { outsideIn } from "./paths.ts"
import {
  type ConditionContext,
  commandsOf,
  conditionContextOf,
  isEmpty,
  isEnd,
  phaseOf,
  phasesWith,
  transitionOf
} from "./phase.ts"
import { failureOf } from "./phaseTexts.ts"
import { backToWork, isAfterWork, type Planned, planTasks } from "./planning.ts"
import type { Warning } from "./planWarnings.ts"
import { validatePayload } from "./pluginPhases.ts"
import type { AnswerPhaseArgs, RecordPhaseChecksArgs, SubmitPhaseArgs } from "./requests.ts"
import { noSessionRun, runOver, verificationRunning, workingSession } from "./session.ts"
import type { PhasesState, SessionState, SessionsView as State } from "./state.ts"
import { isRepeated, reportedId, reportTask, some } from "./taskReport.ts"
import { enteredBy } from "./transitions.ts"

type Payload = Readonly<Record<string, unknown>>

/** A phase is handed in: it is taken, or refused with everything that is wrong. */
export const submitPhase = (command: SubmitPhaseArgs, state: State): Decision<"sessions"> => {
  const opened = workingSession(state, command.session_id)
  if (Result.isFailure(opened)) return opened.failure
  const { phases, session } = opened.success
  // a client that got no answer resends; the submission is accepted silently even if the phase has changed
  const sent = asObject(command.payload)
  const isReport = command.isReport || Object.hasOwn(sent, "checklist")
  if (isReport && isRepeated(state, sent)) return []
  const current = phaseOf(phases, phases.phase)
  const blocked = current === undefined ? runOver(state) : submissionBlocked(state, phases, current, sent)
  if (blocked !== null || current === undefined) return blocked ?? runOver(state)
  const name = command.isReport ? reportPhaseOf(state, phases, sent) : phaseOfPayload(phases, current, command.payload)
  const phase = phaseOf(phases, name)
  if (phase === undefined || (command.isReport && phase.kind !== "tasks")) return wrongPhase(phases)
  const read = readPayload(state, phases, name, phase, command.payload)
  if (phase.kind === "tasks" && isRepeated(state, read.value)) return []
  const misplaced = command.isReport || read.failures.length > 0 ? null : misplacedPayload(phases, phase, read.value)
  if (misplaced !== null) return misplaced
  const absent = absentFiles(state, phases, name, read.value, command)
  const failures = [...read.failures, ...absent, ...validated(state, phases, name, read)]
  const beside = failures.length > 0 ? besides(state, phases, session, name, phase, read, command) : []
  const done = failures.length > 0 ? null : handIn(state, phases, session, name, phase, read.value, command)
  if (done !== null && "_tag" in done) return done
  return done === null || done.failures.length > 0
    ? refusedPhase(state, phases, name, command, read, [
        ...(done?.failures ?? [...failures, ...beside]),
        ...(command.looked?.beside ?? [])
      ])
    : takenPhase(state, name, command, read, done)
}

/** What else is wrong with the report of a task of which a field does not fit: one fault hides no other. */
const besides = (
  state: State,
  phases: PhasesState,
  session: SessionState,
  name: string,
  phase: Phase,
  read: Read,
  command: SubmitPhaseArgs
): ReadonlyArray<Failure> =>
  phase.kind === "tasks" && reportedId(read.value) !== ""
    ? reportTask(state, phases, session, name, read.value, command).failures.filter(({ key }) => !ofNotation.has(key))
    : []

/** Faults of fields, which the notation has told already. */
const ofNotation = new Set(["field_missing", "field_invalid", "checklist_required"])

/** Files that were looked at by word alone: they are not there, or not in the project. */
const absentFiles = (
  state: State,
  phases: PhasesState,
  name: string,
  read: Payload,
  { looked }: SubmitPhaseArgs
): ReadonlyArray<Failure> => {
  const missing = new Set(looked?.absent)
  const absent = missing.size === 0 ? [] : exploredIn(state, name, read as never).filter((path) => missing.has(path))
  const explores = phaseOf(phases, name)?.explores ?? []
  const files = [...explores.flatMap((field) => outsideIn(read[field], state.run.root)), ...absent]
  if (files.length === 0) return []
  return [failureOf(phases, name, "explored_file_not_found", { files: some([...new Set(files)]) })]
}

/** What the plugin that brought the phase finds wrong with a payload that fits its notation. */
const validated = (state: State, phases: PhasesState, name: string, read: Read): ReadonlyArray<Failure> =>
  read.failures.length > 0
    ? []
    : validatePayload(state, name, read.value).map(({ fields = {}, item = null, key, message }) =>
        failureOf(phases, name, key, { ...fields, message }, item, message)
      )

/** What is wrong with a payload that may be meant for another phase. */
const foreign = new Set(["field_missing", "field_invalid", "incomplete_tasks", "no_open_tasks"])

const refusedPhase = (
  state: State,
  phases: PhasesState,
  name: string,
  { at, isReport, looked = null, payload, session_id }: SubmitPhaseArgs,
  read: Read,
  failures: ReadonlyArray<Failure>
): Decision<"sessions"> => {
  // a payload that matches this phase's fields is treated as meant for it, so that its faults are reported
  const isForeign = read.failures.some(({ key }) => foreign.has(key))
  if (!isReport && isForeign && isResent(state, phases, payload)) return []
  const by = { session_id, at }
  return [PhaseRejected({ phase: name, ...by, error: "payload_mismatch", payload, report: isReport, failures, looked })]
}

const takenPhase = (
  state: State,
  name: string,
  { at, isReport, looked = null, prompt, session_id }: SubmitPhaseArgs,
  read: Read,
  done: Planned
): Decision<"sessions"> => {
  const payload = read.value as never
  return [
    PhaseSubmitted({
      phase: name,
      by: "agent",
      session_id,
      at,
      payload,
      report: isReport,
      prompt,
      warnings: [...read.warnings, ...done.warnings],
      explored: exploredIn(state, name, payload),
      looked
    }),
    ...done.events
  ]
}

/** The last accepted submission was sent again because its client did not get the answer. */
const isResent = (state: State, phases: PhasesState, payload: unknown): boolean => {
  const { last } = phases
  const phase = last === null ? undefined : phaseOf(phases, last.phase)
  if (last === null || phase === undefined || phase.kind === "person" || phases.phase === last.phase) return false
  const read = readPayload(state, phases, last.phase, phase, payload)
  return read.failures.length === 0 && Object.keys(last.payload).length > 0 && Equal.equals(read.value, last.payload)
}

const submissionBlocked = (state: State, phases: PhasesState, phase: Phase, sent: Payload): Rejection | null => {
  if (isEnd(phase)) return isRepair(state, phases, phase, sent) ? null : runOver(state)
  if (phase.kind === "person") {
    return rejectConflict(
      "person_required",
      failureOf(phases, phases.phase, "person_required", { phase: phases.phase }).message,
      instructed(state, "person_required_next")
    )
  }
  return phases.verifying === null ? null : verificationRunning(phases)
}

/** As long as the run has not ended, what was done can be shown better, and what is missing can be planned. */
const isRepair = (state: State, phases: PhasesState, { kind }: Phase, sent: Payload): boolean =>
  isAfterWork(phases, kind) &&
  (Object.hasOwn(sent, "tasks")
    ? phasesWith(phases, (one) => one.kind === "plan").length > 0
    : taskOf(state, reportedId(sent)) !== undefined)

/** The phase in which tasks are reported; the current one, where that is none. */
const reportPhaseOf = (state: State, phases: PhasesState, sent: Payload): string => {
  const current = phaseOf(phases, phases.phase)
  const names = [phases.phase, ...(current?.also ?? [])]
  const here = names.find((name) => phaseOf(phases, name)?.kind === "tasks")
  const task = taskOf(state, reportedId(sent))
  if (task === undefined || !isAfterWork(phases, current?.kind)) return here ?? phases.phase
  // as long as the run has not ended, what was done can be shown better, and what is open can be done
  return (task.status === "completed" ? null : here) ?? phases.worked ?? phases.phase
}

/** Which of the phases that are taken here a payload is for, by its fields; the current one, when it fits none. */
const phaseOfPayload = (phases: PhasesState, current: Phase, payload: unknown): string => {
  const read = asObject(payload)
  const plan = Object.hasOwn(read, "tasks") ? lateralPlan(phases, current) : undefined
  if (plan !== undefined) return plan
  const has = (phase: Phase): boolean =>
    Object.keys(phase.expected_payload)
      .filter((field) => !field.endsWith("?") && !mayBeLeftOut.has(field))
      .every((field) => Object.hasOwn(read, field))
  if (has(current)) return phases.phase
  return (
    current.also.find((name) => {
      const phase = phaseOf(phases, name)
      return phase !== undefined && has(phase)
    }) ?? phases.phase
  )
}

/**
 * The phase that takes a plan where the work seemed to be over: as long as the run has not ended, what is missing can be
 * planned. Undefined: the phase asks for tasks itself, or there is no way back.
 */
const lateralPlan = (phases: PhasesState, { also, expected_payload, kind }: Phase): string | undefined => {
  const asks = "tasks" in expected_payload || "tasks?" in expected_payload
  if (asks || !isAfterWork(phases, kind)) return undefined
  const plans = phasesWith(phases, (one) => one.kind === "plan")
  return also.find((name) => plans.includes(name)) ?? plans[0]
}

/** A task without a checklist is reported without one. */
const mayBeLeftOut = new Set(["checklist"])

/** A plan or a report where neither is asked for would be taken for a payload of this phase, and be lost. */
const misplacedPayload = (phases: PhasesState, phase: Phase, read: Payload): Rejection | null => {
  const state = { sessions: { phases } }
  const asks = (field: string): boolean =>
    Object.hasOwn(phase.expected_payload, field) || Object.hasOwn(phase.expected_payload, `${field}?`)
  for (const [field, kind] of [
    ["tasks", "plan"],
    ["task_id", "tasks"]
  ] as const) {
    if (!Object.hasOwn(read, field) || asks(field)) continue
    const names = phasesWith(phases, (one) => one.kind === kind)
    return reject(
      "phase_mismatch",
      failureOf(phases, phases.phase, "phase_mismatch", { phase: phases.phase, field }).message,
      instructed(state, "phase_mismatch_next", {
        field,
        phases: names.join(", ") || instructed(state, "no_phase"),
        phase: phases.phase
      })
    )
  }
  return null
}

const wrongPhase = (phases: PhasesState): Rejection => {
  const { phase } = phases
  const names = phasesWith(phases, ({ kind }) => kind === "tasks")
  return reject(
    "phase_mismatch",
    failureOf(phases, phase, "phase_mismatch_complete", { phase }).message,
    instructed({ sessions: { phases } }, "phase_mismatch_complete_next", { phase, phases: names.join(", ") })
  )
}

interface Read {
  readonly value: Payload
  readonly failures: ReadonlyArray<Failure>
  readonly warnings: ReadonlyArray<Warning>
}

/** A payload as the notation reads it, and everything that does not fit. */
const readPayload = (state: State, phases: PhasesState, name: string, phase: Phase, payload: unknown): Read => {
  const compiled = compilePayload(phase.expected_payload)
  if (Result.isFailure(compiled)) {
    // contract files are validated when they are read; a contract from elsewhere with an unknown notation refuses every
    // payload
    const { field, message } = compiled.failure
    return {
      value: {},
      failures: [{ key: "contract_invalid", item: null, fields: { field }, message }],
      warnings: []
    }
  }
  const { check } = compiled.success
  const plain = check(inOrder(withoutChecklists(state, phase, payload)))
  const filled = plain.failures.length > 0 ? check(inOrder(filledIn(state, phase, payload))) : plain
  // contracts word their payloads themselves: nothing is filled in that would not fit
  const first = filled.failures.length < plain.failures.length ? filled : plain
  // JSON given as text is parsed first, so that what is judged is what will be recorded
  const { failures, unexpected, value } = first.failures.length > 0 ? first : check(inOrder(first.value))
  const early = failures.length > 0 ? tooEarly(state, phases, name, phase, value) : null
  if (early !== null) return { value, failures: [early], warnings: [] }
  const said = failures.map(({ expected, key, message, path }) =>
    failureOf(phases, name, key, { field: path, expected }, null, message)
  )
  const wrong = new Set(failures.map(({ path }) => path))
  return {
    value,
    failures: [
      ...said,
      ...phase.not_empty
        .filter((field) => isEmpty(value[field]) && !wrong.has(field))
        .map((field) => failureOf(phases, name, "field_empty", { field })),
      ...Object.entries(phase.min_chars)
        // what may be left out is not missed; `not_empty` says what may not
        .filter(([field, min]) => !wrong.has(field) && value[field] != null && lengthOf(value[field]) < min)
        .map(([field, min]) => failureOf(phases, name, "field_too_short", { field, min }))
    ],
    warnings: unexpected
      .filter((path) => !alwaysTaken.has(path) && !(phase.kind === "plan" && ofPlan.test(path)))
      .map((path) => ({
        code: "field_unexpected",
        message: instructed(state, "warning_field_unexpected", { field: path })
      }))
  }
}

/** A summary of the whole while tasks are still to be reported: it is told which. And where there is none, that they are planned first. */
const tooEarly = (state: State, phases: PhasesState, name: string, phase: Phase, read: Payload): Failure | null => {
  const isReport = Object.hasOwn(read, "task_id") || Object.hasOwn(read, "checklist")
  if (phase.kind !== "tasks" || isReport) return null
  if (tasksOf(state).length > 0 && isToBePlanned(state)) return failureOf(phases, name, "no_open_tasks")
  return Object.hasOwn(read, "summary") ? incomplete(state, phases, name) : null
}

/** What agents may say in every phase. Source: the phase payloads before checklists. */
const alwaysTaken = new Set(["summary", "tools_used", "compaction_count"])

/** Payload fields that every plan may have, whether the contract's notation names them or not. */
const ofPlan = /^tasks\[\d+\]\.(?:title|depends_on|dependencies|reason)(?:$|\[)/

const lengthOf = (value: unknown): number => (typeof value === "string" ? [...value.trim()].length : 0)

/** What follows from a payload that fits. */
const handIn = (
  state: State,
  phases: PhasesState,
  session: SessionState,
  name: string,
  phase: Phase,
  payload: Payload,
  command: SubmitPhaseArgs
): Planned | Rejection => {
  const leave = (
    outcome: ConditionContext["outcome"] = null,
    { events, warnings }: Omit<Planned, "failures"> = { events: [], warnings: [] }
  ): Planned | Rejection => {
    if (name !== phases.phase) return { events, failures: [], warnings }
    const left = leaving(phases, transitionOf(phase.transitions, conditionContextOf(state, phases, payload, outcome)))
    return "_tag" in left ? left : { events: [...events, ...left.events], failures: [], warnings }
  }
  switch (phase.kind) {
    case "plan": {
      const planned = planTasks(state, phases, session, name, payload)
      if (planned.failures.length > 0) return planned
      return leave(null, { ...planned, events: [...planned.events, ...backToWork(phases)] })
    }
    case "tasks":
      return reportTask(state, phases, session, name, payload, command)
    case "complete": {
      const failure = incomplete(state, phases, name)
      return failure === null ? leave() : { events: [], failures: [failure], warnings: [] }
    }
    case "verify": {
      // the commands are work of the world: what follows is decided when they have ended
      if (commandsOf(phases, phase).length > 0) return { events: [], failures: [], warnings: [] }
      return leave("passed", {
        events: [],
        warnings: [
          {
            code: "no_verifiers",
            message: instructed(state, "warning_no_verifiers", { phase: name })
          }
        ]
      })
    }
    default:
      return leave()
  }
}

const incomplete = (state: State, phases: PhasesState, name: string): Failure | null => {
  const tasks = tasksOf(state)
  if (tasks.length === 0) return failureOf(phases, name, "no_tasks_registered")
  const open = tasks.filter((task) => !isOver(task)).map(({ spec }) => spec.id)
  return open.length === 0 ? null : failureOf(phases, name, "incomplete_tasks", { tasks: open.join(", ") })
}

/** The events of a transition; a refusal when there is none. */
const leaving = (
  phases: PhasesState,
  transition: Transition | undefined
): { readonly events: ReadonlyArray<Fact<"sessions">> } | Rejection =>
  transition === undefined
    ? refusedAs({ sessions: { phases } }, "no_transition", { phase: phases.phase })
    : { events: [enteredBy(phases, transition)] }

/** How a session run begins: where the contract says. */
export const firstPhase = (state: State, phases: PhasesState): ReadonlyArray<Fact<"sessions">> => {
  const left = leaving(phases, transitionOf(phases.setup.contract.start, conditionContextOf(state, phases, {})))
  return "_tag" in left ? [] : left.events
}

/** Names what a person is asked now: a phase that is entered again asks anew. */
export const questionId = ({ phase, visits }: Pick<PhasesState, "phase" | "visits">): string =>
  `${phase}.${visits[phase] ?? 1}`

/** A person answers. */
export const answerPhase = (command: AnswerPhaseArgs, state: State): Decision<"sessions"> => {
  const phases = state.sessions.phases
  if (phases === null) return noSessionRun
  const phase = phaseOf(phases, phases.phase)
  if (state.run.status !== "running" || phase?.kind !== "person") {
    return rejectConflict(
      "no_question",
      `Nobody is asked anything in phase ${phases.phase}.`,
      "See `proofline status`."
    )
  }
  if (command.question_id !== undefined && command.question_id !== questionId(phases)) {
    return rejectConflict(
      "question_changed",
      "What was asked then is answered already; something else is asked now.",
      `Read the question of phase ${phases.phase} first, then answer that.`
    )
  }
  const { failures, value, warnings } = readPayload(state, phases, phases.phase, phase, command.payload)
  const found = [...failures, ...validatePayload(state, phases.phase, value)]
  if (found.length > 0) {
    return reject(
      "answer_invalid",
      found.map(({ message }) => message).join(" "),
      `Answer as it is asked: ${payloadText(phase)}.`
    )
  }
  const left = leaving(phases, transitionOf(phase.transitions, conditionContextOf(state, phases, value)))
  if ("_tag" in left) return left
  const payload = value as never
  return [
    PhaseSubmitted({
      phase: phases.phase,
      by: "person",
      session_id: null,
      at: command.at,
      payload,
      report: false,
      prompt: null,
      warnings,
      explored: exploredIn(state, phases.phase, payload),
      looked: null
    }),
    ...left.events
  ]
}

const payloadText = ({ expected_payload }: Phase): string =>
  Object.entries(expected_payload)
    .map(([field, notation]) => `${field}: ${notation}`)
    .join(", ")

/** The commands of a phase have ended: it is left, or the work is sent back. */
export const recordPhaseChecks = (
  { checks, phase: name, submission }: RecordPhaseChecksArgs,
  state: State
): Decision<"sessions"> => {
  const phases = state.sessions.phases
  const phase = phases === null ? undefined : phaseOf(phases, name)
  if (
    phases === null ||
    phase === undefined ||
    phases.phase !== name ||
    phases.submissions !== submission ||
    phases.verifying === null
  ) {
    return rejectConflict("attempt_not_current", `Phase ${name} does not wait for its commands.`, "Drop this result.")
  }
  const passed =
    checks.length > 0 &&
    checks.every(hasPassed) &&
    commandsOf(phases, phase).every((command) => checks.some((check) => check.command === command))
  const done = passed ? [] : workOf(state)
  const concerned = passed ? null : concernedBy(done.filter(isShownTask(done)), checks, state.run.root)
  const sent = passed ? [] : sentBack(state, done, concerned)
  const verified = (sent_back: boolean) =>
    PhaseVerified({
      phase: name,
      submission,
      passed,
      sent_back,
      checks,
      ...(sent_back && concerned !== null ? { concerned } : {})
    })
  const failing = sent.map(({ spec }) => spec.id)
  const context = conditionContextOf(state, phases, phases.verifying.payload, passed ? "passed" : "failed", failing)
  const transition = transitionOf(phase.transitions, context)
  // a contract without a way back keeps the phase: it is handed in again
  if (transition === undefined || transition.to === name) {
    return [verified(false), ...(transition === undefined ? [] : [enteredBy(phases, transition)])]
  }
  return [
    verified(!passed),
    ...sent.map((task) => moved(task, "retrying", verificationFailed, { reopened_items: task.spec.checklist.length })),
    enteredBy(phases, transition)
  ]
}

const workOf = (state: State): ReadonlyArray<TaskState> => tasksOf(state).filter(({ status }) => status === "completed")

/** Tasks with a checklist; all of them where none has one. */
const isShownTask =
  (done: ReadonlyArray<TaskState>) =>
  ({ spec }: TaskState): boolean =>
    spec.checklist.length > 0 || done.every((task) => task.spec.checklist.length === 0)

/**
 * Tasks to reopen after a failed verification: completed tasks with a checklist and their completed parents; all
 * completed tasks where none has a checklist. Where it can be told, only those that are concerned.
 */
const sentBack = (
  state: State,
  done: ReadonlyArray<TaskState>,
  concerned: ReadonlyArray<Concerned> | null
): ReadonlyArray<TaskState> => {
  const ids = new Set<string>()
  for (const task of done.filter(isShownTask(done))) {
    if (concerned?.every(({ task_id }) => task_id !== task.spec.id) === true) continue
    for (let at: TaskState | undefined = task; at !== undefined; at = parentOf(state, at)) ids.add(at.spec.id)
  }
  return done.filter(({ spec }) => ids.has(spec.id))
}

/** The phase of tasks is left when none is open any more. */
export const advancePhase = (state: State): ReadonlyArray<Fact<"sessions">> => {
  const phases = state.sessions.phases
  const phase = phases === null ? undefined : phaseOf(phases, phases.phase)
  if (phases === null || phase?.kind !== "tasks" || state.run.status !== "running") return []
  const context = conditionContextOf(state, phases, {})
  // what was just sent back is not left before something was done about it
  if (context.tasks !== "done" || phases.sent_back || !leadsOut(phases, context)) return []
  const left = leaving(phases, transitionOf(phase.transitions, context))
  return "_tag" in left ? [] : left.events
}

/** False when the transitions from this phase only cycle between tasks phases; the run then stays in its phase. */
const leadsOut = (phases: PhasesState, context: ConditionContext): boolean => {
  const seen = new Set<string>()
  for (let name: string | undefined = phases.phase; name !== undefined; ) {
    const phase = phaseOf(phases, name)
    if (phase?.kind !== "tasks") return true
    if (seen.has(name)) return false
    seen.add(name)
    name = transitionOf(phase.transitions, context)?.to
  }
  return true
}
