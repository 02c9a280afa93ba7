import { type TaskId, type TaskState, taskOf } from "@proofline/kernel"
import { Effect, HashMap, type Schema } from "effect"
import type { Answer, Body } from "../../operations/Answer.ts"
import { accepted, mismatch, refused } from "../../operations/answers.ts"
import { weaknessesOf } from "../../operations/excerpts.ts"
import { type Asking, sessionAfter } from "./asking.ts"
import { type Executed, execute, instructionBlob, now } from "./context.ts"
import { contentOf } from "./eventContent.ts"
import { afterDone } from "./nextAction.ts"
import { assignmentStatusOf, isBeingChecked } from "./rules/assignment.ts"
import { SubmitPhase } from "./rules/commands.ts"
import { PhaseRejected, PhaseSubmitted } from "./rules/events.ts"
import { phaseOf } from "./rules/phase.ts"
import { reportedId } from "./rules/taskReport.ts"
import { sessionStatusOf } from "./sessionStatus.ts"
import { settled } from "./settled.ts"
import type { AnyRun } from "./state.ts"

/** Hands in a phase, or the report of a task, and answers what came of it once that was looked at. */
export const submit = Effect.fnUntraced(function* (asking: Asking, payload: Body, isReport: boolean) {
  const { ref, state } = asking
  const id = reportedId(payload)
  const prompt = yield* instructionBlob(asking, state, id)
  const { at } = yield* now
  const executed = yield* execute(
    asking,
    ref.run,
    SubmitPhase({
      session_id: ref.session_id,
      at,
      // arguments are JSON: nothing else was let in
      payload: payload as Schema.JsonObject,
      prompt,
      isReport
    })
  )
  const { events, state: after } = executed
  const rejected = contentOf(events, PhaseRejected)
  if (rejected !== undefined) {
    return mismatch(rejected.failures, sessionStatusOf(after, sessionAfter(asking, after)))
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
  const after = yield* settled(asking, asking.ref.run, taken, ({ sessions }) => sessions.phases?.verifying != null)
  const sessionStatus = sessionStatusOf(after, sessionAfter(asking, after))
  const { phases } = after.sessions
  const verification = phases?.verification
  const isOfThis = !isNew || verification !== taken.state.sessions.phases?.verification
  const kind = kindOf(after, phase)
  if (kind === "verify" && isOfThis && verification?.passed === false) {
    return verificationFailed(phase, phases?.phase ?? "", sessionStatus)
  }
  return accepted({
    success: true,
    submitted: phase,
    ...(kind === "plan" ? planBody(after) : {}),
    ...withWarnings(warnings),
    ...sessionStatus
  })
})

const verificationFailed = (phase: string, current: string, sessionStatus: Body): Answer =>
  refused(
    {
      code: "verification_failed",
      message: `The commands that verify ${phase} failed; ${current === phase ? "it is handed in again when that is mended" : `the work goes on in ${current}`}.`,
      hint: "Read the output in `verification`, repair what it shows, and do what the instruction says.",
      open: []
    },
    sessionStatus
  )

const planBody = ({ sessions, tasks }: AnyRun): Body => {
  const guide = sessions.phases?.setup.planning_guide ?? ""
  return { tasks_registered: HashMap.size(tasks.byId), ...(guide === "" ? {} : { planning_guide: guide }) }
}

/** The answer to the report of a task, once its evidence was looked at. */
const reported = Effect.fnUntraced(function* (asking: Asking, id: TaskId, { after: taken, warnings }: Taken) {
  const after = yield* settled(asking, asking.ref.run, taken, (state) => {
    const task = taskOf(state, id)
    return task !== undefined && isBeingChecked(task)
  })
  const task = taskOf(after, id)
  const session = sessionAfter(asking, after)
  const sessionStatus = sessionStatusOf(after, session)
  if (task === undefined) return accepted({ success: true, ...sessionStatus })
  if (task.status === "retrying") return notProven(task, sessionStatus)
  const isDone = task.status === "completed"
  return accepted({
    success: true,
    task: { id, title: task.spec.title, new_status: assignmentStatusOf(task) },
    ...(isDone ? { verdict: task.verdict } : { checking: true }),
    ...withWarnings([...warnings, ...(isDone ? weaknessesOf(task) : [])]),
    ...sessionStatus,
    ...(isDone
      ? { next: afterDone(after, session) }
      : { instruction: "The evidence is being checked. Call get_next_action in a moment." })
  })
})

/** Why the report of a task does not hold, or could not be judged. */
const notProven = (task: TaskState, sessionStatus: Body): Answer => {
  const failures = task.current?.failures ?? []
  if (failures.length > 0) return mismatch(failures, sessionStatus)
  return refused(
    {
      code: "report_not_judged",
      message: task.refused?.error?.message ?? `The report of task ${task.spec.id} could not be judged.`,
      hint: "Send it again.",
      open: []
    },
    sessionStatus
  )
}
