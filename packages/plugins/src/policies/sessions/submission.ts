import {
  askedOf,
  evidenceStale,
  type Failure,
  isOver,
  obligationsOf,
  type TaskId,
  type TaskState,
  taskOf,
  tasksOf,
  waitsForPerson
} from "@proofline/kernel"
import { Effect, HashMap, type Schema } from "effect"
import type { Answer, Body } from "../../operations/Answer.ts"
import { accepted, refused } from "../../operations/answers.ts"
import { shownBody, weaknessesOf } from "../../operations/excerpts.ts"
import { lineOf } from "../../operations/sizeLimit.ts"
import { actionText, askedText } from "./actionTexts.ts"
import { type Asking, sessionAfter } from "./asking.ts"
import { type Executed, execute, instructionBlob, now } from "./context.ts"
import { contentOf } from "./eventContent.ts"
import { lookedAt } from "./looking.ts"
import { mismatched } from "./mismatches.ts"
import { nextAfterDone, toDo } from "./nextAction.ts"
import { assignmentStatusOf, isBeingChecked } from "./rules/assignment.ts"
import { SubmitPhase } from "./rules/commands.ts"
import type { Concerned } from "./rules/concerned.ts"
import { PhaseRejected, PhaseSubmitted } from "./rules/events.ts"
import { type InstructionKey, instructed, refusedAs } from "./rules/instructions.ts"
import { isToBePlanned, nextActionOf } from "./rules/nextAction.ts"
import { isAtEnd, isEndAwaited, phaseOf } from "./rules/phase.ts"
import type { SessionState } from "./rules/state.ts"
import { reportedId } from "./rules/taskReport.ts"
import { guideFor, sessionStatusOf } from "./sessionStatus.ts"
import { settled } from "./settled.ts"
import type { AnyRun } from "./state.ts"

/** Hands in a phase, or the report of a task, and answers what came of it once that was looked at. */
export const submit = Effect.fnUntraced(function* (asking: Asking, payload: Body, isReport: boolean) {
  const { ref, state } = asking
  const id = reportedId(payload)
  const prompt = yield* instructionBlob(asking, state, id)
  const { at } = yield* now
  const request = {
    session_id: ref.session_id,
    at,
    // arguments are JSON: nothing else was let in
    payload: payload as Schema.JsonObject,
    prompt,
    isReport
  }
  const looked = yield* lookedAt(asking, request, payload)
  const executed = yield* execute(asking, ref.run, SubmitPhase({ ...request, looked }))
  const { events, state: after } = executed
  const rejected = contentOf(events, PhaseRejected)
  if (rejected !== undefined) {
    return mismatched(after, rejected.failures, sessionStatusOf(after, sessionAfter(asking, after)))
  }
  const submitted = contentOf(events, PhaseSubmitted)
  const { phases } = after.sessions
  const taken: Taken = {
    after: executed,
    // nothing happened: it was taken before
    phase: submitted?.phase ?? phases?.last?.phase ?? phases?.phase ?? "",
    isNew: submitted !== undefined,
    warnings: submitted?.warnings ?? []
  }
  const isOfTask = !taken.isNew || kindOf(after, taken.phase) === "tasks"
  return yield* isOfTask && id !== "" ? reported(asking, id, taken) : phaseTaken(asking, taken)
})

/** What was handed in, once it was taken. */
interface Taken {
  /** The run after it. */
  readonly after: Executed
  readonly phase: string
  /** False: it had been taken before. */
  readonly isNew: boolean
  readonly warnings: ReadonlyArray<unknown>
}

const kindOf = ({ sessions: { phases } }: AnyRun, phase: string): string | undefined =>
  phases === null ? undefined : phaseOf(phases, phase)?.kind

const withWarnings = (warnings: ReadonlyArray<unknown>): Body => (warnings.length === 0 ? {} : { warnings })

/** The answer to a phase, once its commands have ended. */
const phaseTaken = Effect.fnUntraced(function* (asking: Asking, { after: taken, isNew, phase, warnings }: Taken) {
  const after = yield* settled(asking, asking.ref.run, taken, isVerified)
  const session = sessionAfter(asking, after)
  const sessionStatus = goingOn(asking, after, session)
  const { phases } = after.sessions
  if (after.run.status !== "running" && isVerified(after)) return refused(endedBefore(after), sessionStatus)
  const verification = phases?.verification
  const isOfThis = !isNew || verification !== taken.state.sessions.phases?.verification
  const kind = kindOf(after, phase)
  const stale = isEndAwaited(taken.state) || kind === "verify" ? staleIn(after) : []
  if (stale.length > 0) return mismatched(after, stale, sessionStatus)
  if (kind === "verify" && isOfThis && verification?.passed === false) {
    return verificationFailed(after, phase, sessionStatus)
  }
  return accepted({
    success: true,
    submitted: phase,
    ...(kind === "plan" ? planBody(after, session) : {}),
    ...withWarnings(warnings),
    ...sessionStatus,
    ...guideFor(after, asking.session)
  })
})

/** Commands of the phase run, or what was accepted is judged again. */
const isVerified = (state: AnyRun): boolean => state.sessions.phases?.verifying != null || isEndAwaited(state)

const endedBefore = (state: AnyRun) => refusedAs(state, "run_over__before", {}, { kind: "conflict" })

/** What does not hold any more, found when everything was done. */
const staleIn = (state: AnyRun): ReadonlyArray<Failure> =>
  tasksOf(state).flatMap(({ current, status }) =>
    status === "retrying" ? (current?.failures ?? []).filter(({ key }) => key === evidenceStale) : []
  )

/** The next step is that of the phase it leads to: what waits for a person is not repaired meanwhile. */
const verificationFailed = (after: AnyRun, phase: string, sessionStatus: Body): Answer => {
  const { phases } = after.sessions
  const current = phases?.phase ?? phase
  const said = (what: InstructionKey, hint: InstructionKey, tasks = "") =>
    refused(
      {
        code: "verification_failed",
        message: instructed(after, what, { phase, current, tasks }),
        hint: instructed(after, hint),
        open: []
      },
      sessionStatus
    )
  if (kindOf(after, current) === "person") {
    return said("verification_failed_person", "verification_failed_person_next")
  }
  if (phases !== null && isAtEnd(phases)) return said("verification_failed_end", "verification_failed_end_next")
  if (kindOf(after, current) === "tasks" && isToBePlanned(after)) {
    return said("verification_failed_unplanned", "verification_failed_unplanned_next")
  }
  if (current === phase) return said("verification_failed_again", "verification_failed_next")
  const concerned = phases?.verification?.concerned ?? null
  // why these
  return concerned === null
    ? said("verification_failed_all", "verification_failed_next")
    : said("verification_failed_some", "verification_failed_next", concernedText(after, concerned))
}

const concernedText = (state: AnyRun, concerned: ReadonlyArray<Concerned>): string =>
  concerned
    .map(({ files, task_id }) => instructed(state, "verification_concerns", { task_id, files: files.join(", ") }))
    .join("; ")

const planBody = (after: AnyRun, session: SessionState): Body => {
  const task = toDo(after, session)
  return { tasks_registered: HashMap.size(after.tasks.byId), ...(task === undefined ? {} : { next: { task } }) }
}

/**
 * Where the work stands, with the next step in place of an instruction that the session has: the phase is the one it was
 * in when it asked.
 */
const goingOn = ({ state }: Asking, after: AnyRun, session: SessionState): Body => {
  const { phases } = after.sessions
  const standing = sessionStatusOf(after, session)
  if (phases === null || phases.phase !== state.sessions.phases?.phase || kindOf(after, phases.phase) !== "tasks") {
    return standing
  }
  const step = actionText(after, nextActionOf(after, session))
  return step === "" ? standing : { ...standing, instruction: `${step} ${instructed(after, "whole_instruction")}` }
}

/** The answer to the report of a task, once its evidence was looked at. */
const reported = Effect.fnUntraced(function* (asking: Asking, id: TaskId, { after: taken, warnings }: Taken) {
  const after = yield* settled(asking, asking.ref.run, taken, (state) => {
    const task = taskOf(state, id)
    return (task !== undefined && isBeingChecked(task)) || isEndAwaited(state)
  })
  const task = taskOf(after, id)
  const session = sessionAfter(asking, after)
  const sessionStatus = sessionStatusOf(after, session)
  // with the run what was open is given up
  const isGivenUp = task !== undefined && isOver(task) && task.status !== "completed"
  if (after.run.status !== "running" && isGivenUp) return refused(endedBefore(after), sessionStatus)
  if (task === undefined) return accepted({ success: true, ...sessionStatus })
  if (task.status === "retrying") return notProven(after, task, sessionStatus)
  if (waitsForPerson(task)) return personAsked(after, session, task, warnings)
  const isDone = task.status === "completed"
  return accepted({
    success: true,
    task: { id, title: task.spec.title, new_status: assignmentStatusOf(task) },
    ...(isDone ? shownBody(task.verdict, obligationsOf(after, task)) : { checking: true }),
    ...withWarnings([...warnings, ...(isDone ? weaknessesOf(task) : [])]),
    ...goingOn(asking, after, session),
    ...(isDone ? { next: nextAfterDone(after, session) } : { instruction: instructed(after, "evidence_being_checked") })
  })
})

/** What was said of the items that cannot be done is taken; a person is asked, and there may be other work meanwhile. */
const personAsked = (
  after: AnyRun,
  session: SessionState,
  task: TaskState,
  warnings: ReadonlyArray<unknown>
): Answer => {
  const next = nextActionOf(after, session)
  const others =
    next.action === "ask_user"
      ? actionText(after, next)
      : `${instructed(after, "other_work")} ${actionText(after, next)}`
  return accepted({
    success: true,
    task: { id: task.spec.id, title: task.spec.title, new_status: assignmentStatusOf(task) },
    asked: askedOf(task).map(({ evidence, item, reason }) => ({
      item: lineOf(item, 200),
      reason: lineOf(reason, 400),
      ...(evidence === null ? {} : { evidence })
    })),
    ...shownBody(task.verdict, obligationsOf(after, task)),
    ...withWarnings([...warnings, ...weaknessesOf(task)]),
    ...sessionStatusOf(after, session),
    instruction: `${askedText(after, task)} ${others}`.trim(),
    next: nextAfterDone(after, session)
  })
}

/** Why the report of a task does not hold, or could not be judged. */
const notProven = (state: AnyRun, task: TaskState, sessionStatus: Body): Answer => {
  const failures = task.current?.failures ?? []
  if (failures.length > 0) return mismatched(state, failures, sessionStatus)
  const unjudged = refusedAs(state, "report_not_judged", { task_id: task.spec.id })
  return refused({ ...unjudged, message: task.refused?.error?.message ?? unjudged.message }, sessionStatus)
}
