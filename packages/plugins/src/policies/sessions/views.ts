import {
  type EventManifest,
  isOver,
  type LogUnavailable,
  type Recorded,
  rejectForbidden,
  type TaskState,
  taskOf,
  tasksOf
} from "@proofline/kernel"
import { Effect } from "effect"
import type { Answer, Body, View } from "../../operations/Answer.ts"
import { accepted, refused, truncated } from "../../operations/answers.ts"
import { eventLine } from "../../operations/eventText.ts"
import { type NewestEvents, newestEvents } from "../../operations/newestEvents.ts"
import { withList } from "../../operations/sizeLimit.ts"
import { load, type SessionContext } from "./context.ts"
import { myTaskAnswer } from "./nextAction.ts"
import { assignmentStatusOf, remainingOf } from "./rules/assignment.ts"
import { sessionOf } from "./rules/session.ts"
import { assignmentOf, type SessionState } from "./rules/state.ts"
import { allTaskTrees, taskTreesOf } from "./rules/taskTree.ts"
import type { SessionRef, Sessions } from "./Sessions.ts"
import { sessionStatusOf } from "./sessionStatus.ts"
import type { AnyRun } from "./state.ts"
import { taskBody } from "./taskBody.ts"
import { rankOf, withTrees } from "./taskTrees.ts"

/** The answer of every view where no session run goes on. */
const noRunView = (view: View): Answer =>
  accepted({
    success: true,
    has_run: false,
    ...(view === "task" ? { has_task: false } : view === "progress" ? { tasks: [] } : { events: [] }),
    instruction: "No session run goes on in this project. Call get_next_action: a new one begins, and says what to do."
  })

const runOf = ({ run: { run_id, status } }: AnyRun): Body => ({ run_id, run_status: status })

/** The task of a session, as `get_my_task` shows it; null: what is next of all. */
const taskView = (state: AnyRun, session: SessionState | null): Answer => {
  if (session !== null) {
    const { body } = myTaskAnswer(state, session)
    return accepted({ ...body, ...runOf(state) })
  }
  const task = nextOfAll(state)
  return accepted({
    success: true,
    ...runOf(state),
    has_task: task !== undefined,
    ...(task === undefined
      ? {}
      : { task: { ...taskBody(state, task), assignee: assignmentOf(state, task)?.assignee ?? null } }),
    ...sessionStatusOf(state, null)
  })
}

/** What is under way comes before what nobody has begun. */
const nextOfAll = (state: AnyRun) => openOf(state)[0]

const openOf = (state: AnyRun): ReadonlyArray<TaskState> => {
  const isAssigned = (task: TaskState) => assignmentOf(state, task)?.assignee !== null
  return tasksOf(state)
    .filter((task) => !isOver(task))
    .toSorted(
      (a, b) =>
        rankOf(assignmentStatusOf(a)) - rankOf(assignmentStatusOf(b)) ||
        Number(isAssigned(a)) - Number(isAssigned(b)) ||
        a.order - b.order
    )
}

/** How far the tasks of a session are; null: all of them. */
const progressView = (state: AnyRun, session: SessionState | null): Answer => {
  const { needs_person, phase, progress } = sessionStatusOf(state, session) as Body
  return accepted(
    withTrees(
      {
        ...runOf(state),
        ...(phase === undefined ? {} : { phase, progress, needs_person }),
        ...(session === null ? {} : { open: remainingOf(state, session.agent).length })
      },
      session === null ? allTaskTrees(state) : taskTreesOf(state, session.agent)
    )
  )
}

// --- the log ------------------------------------------------------------------------------------------------------

/** Of the whole run, whoever did what. */
const ofTheRun = new Set([
  "RUN_STARTED",
  "RUN_RESUMED",
  "RUN_COMPLETED",
  "RUN_INCOMPLETE",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "PHASE_ENTERED",
  "PHASE_VERIFIED"
])

const assigneeOf = (state: AnyRun, id: string): string | null | undefined => {
  const task = taskOf(state, id)
  return task === undefined ? undefined : assignmentOf(state, task)?.assignee
}

/** Whether an event concerns a session: its own, its tasks', or the whole run's; never another agent's. */
const concerns = (state: AnyRun, { agent, session_id }: SessionState, event: Recorded): boolean => {
  const content = event.content as Body
  if (typeof content["session_id"] === "string") return content["session_id"] === session_id
  if ((content["by"] as { readonly session_id?: unknown } | undefined)?.session_id === session_id) return true
  const id = content["task_id"] ?? content["subtask_id"] ?? content["parent_task_id"]
  if (typeof id === "string") return assigneeOf(state, id) === agent
  return ofTheRun.has(event.event_type) || (event.event_type === "PHASE_SUBMITTED" && content["by"] === "person")
}

/** The newest events, the newest first. */
const logView = (
  { state, version }: { readonly state: AnyRun; readonly version: number },
  { events, isAll }: NewestEvents,
  manifest: EventManifest
): Answer =>
  accepted(
    withList({ ...runOf(state), version }, "events", events.map(eventLine(manifest)), isAll ? {} : { older: true })
  )

// --- all of them --------------------------------------------------------------------------------------------------

/** The run that a session belongs to; null: the one that goes on, if there is one. */
const runShown = Effect.fnUntraced(function* (context: SessionContext, ref: SessionRef | null) {
  return ref?.run ?? (yield* context.options.runs).find(({ isRunning }) => isRunning)?.run_id
})

/** What may be worked on next, by id. */
export const makeOpenTasks = (context: SessionContext): Sessions["Service"]["openTasks"] =>
  Effect.fnUntraced(function* (ref) {
    const run = yield* runShown(context, ref)
    if (run === undefined) return []
    const { state } = yield* load(context, run)
    const isTheirs = (task: TaskState): boolean => {
      const assignee = assignmentOf(state, task)?.assignee ?? null
      return ref === null || assignee === null || assignee === ref.agent
    }
    return openOf(state)
      .filter(isTheirs)
      .map(({ spec }) => spec.id)
  })

/** What is to be seen of the work; nothing is written, and no session is taken to be at work because of it. */
export const makeView = (context: SessionContext): Sessions["Service"]["view"] =>
  Effect.fnUntraced(function* (ref, view): Effect.fn.Return<Answer, LogUnavailable> {
    const run = yield* runShown(context, ref)
    if (run === undefined) return noRunView(view)
    const loaded = yield* load(context, run)
    const { state, version } = loaded
    const session = ref === null ? null : sessionOf(state, ref.session_id)
    if (session === undefined) {
      return refused(
        rejectForbidden(
          "session_unknown",
          `There is no session ${ref?.session_id}.`,
          "Ask the user to open a new session."
        ),
        {}
      )
    }
    switch (view) {
      case "task":
        return taskView(state, session)
      case "progress":
        return progressView(state, session)
      case "log": {
        const isWanted = (event: Recorded) => session === null || concerns(state, session, event)
        const newest = yield* newestEvents(context.log, run, version, isWanted)
        return logView(loaded, newest, context.engine.manifest)
      }
    }
  }, Effect.map(truncated))
