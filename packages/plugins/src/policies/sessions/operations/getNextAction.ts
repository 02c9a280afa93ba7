import { tasksOf } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { operation } from "../../../operations/Operation.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, now } from "../context.ts"
import { closeGone } from "../liveness.ts"
import { nextActionAnswer } from "../nextAction.ts"
import { isBeingChecked } from "../rules/assignment.ts"
import { IssueNextAction } from "../rules/commands.ts"
import { type NextAction, nextActionOf } from "../rules/nextAction.ts"
import { isEndAwaited } from "../rules/phase.ts"
import { assignmentOf, type SessionState } from "../rules/state.ts"
import { settled } from "../settled.ts"
import type { AnyRun } from "../state.ts"

export const getNextAction = operation({
  name: "get_next_action",
  title: "Get the next action",
  description:
    "What to do now: the phase, its instruction, the payload it expects, and where the work stands. Call it first, and whenever you are unsure.",
  readOnly: false,
  idempotent: true,
  args: Schema.Struct({}),
  answer: Schema.Struct({ action: Schema.String, instruction: Schema.String, needs_person: Schema.Boolean }),
  run: Effect.fnUntraced(function* (asking: Asking) {
    const { ref, session } = asking
    const quiet = yield* settled(asking, ref.run, asking, isWaitedFor(session.agent))
    const asks = sessionAfter(asking, quiet)
    // nothing is given any more to who has left
    if (quiet.run.status !== "running" || session.closed !== null) return nextActionAnswer(quiet, asks)
    // those who were killed are not waited for, and nothing is left to them
    const action = nextActionOf(quiet, asks).action
    if (action === "wait" || action === "report_completion") yield* closeGone(asking, quiet)
    const { at } = yield* now
    const { state: after } = yield* execute(
      asking,
      ref.run,
      IssueNextAction({ session_id: ref.session_id, at, tool: "get_next_action" })
    )
    const told = sessionAfter(asking, after)
    return nextActionAnswer(after, beforeTold(told), issuedTo(after, told), asks)
  })
})

/** Commands of the phase run, what was accepted is judged again, or a report of the agent is being looked at. */
const isWaitedFor =
  (agent: string) =>
  (state: AnyRun): boolean =>
    state.sessions.phases?.verifying != null ||
    isEndAwaited(state) ||
    tasksOf(state).some((task) => assignmentOf(state, task)?.assignee === agent && isBeingChecked(task))

/** What the command has told the session. */
const issuedTo = (state: AnyRun, told: SessionState): NextAction => {
  const next = nextActionOf(state, beforeTold(told))
  return told.issued === null || (next.action === told.issued.action && next.task_id === told.issued.task_id)
    ? next
    : { ...told.issued, waiting: [] }
}

/** The session as it was when its action was decided: nobody is told twice to split the same task. */
const beforeTold = (told: SessionState): SessionState =>
  told.issued?.action === "create_subtasks"
    ? { ...told, offered: told.offered.filter((id) => id !== told.issued?.task_id) }
    : told
