import {
  AssignmentStatus,
  type ContentOf,
  type HasTasks,
  type TaskId,
  TaskStatusChanged,
  taskOf
} from "@proofline/kernel"
import { Effect, Schema } from "effect"
import type { Body } from "../../../operations/Answer.ts"
import { accepted } from "../../../operations/answers.ts"
import { operation, text } from "../../../operations/Operation.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, instructionBlob, now } from "../context.ts"
import { contentOf } from "../eventContent.ts"
import { afterDone, nextAfterDone } from "../nextAction.ts"
import { assignmentStatusOf } from "../rules/assignment.ts"
import { UpdateTaskStatus } from "../rules/commands.ts"
import { instructed } from "../rules/instructions.ts"
import { sessionStatusOf } from "../sessionStatus.ts"
import type { AnyRun } from "../state.ts"

export const updateTaskStatus = operation({
  name: "update_task_status",
  title: "Update the status of a task",
  description:
    "Moves a task between backlog, todo, in_progress, blocked, done and cancelled. A task with a checklist becomes done by complete_task only.",
  readOnly: false,
  idempotent: false,
  args: Schema.Struct({
    task_id: text("Id of the task."),
    status: AssignmentStatus.annotate({ description: "What the task becomes." }),
    reason: Schema.optionalKey(
      Schema.NullOr(Schema.String).annotate({ description: "Why; needed for blocked and cancelled." })
    )
  }),
  answer: Schema.Struct({ success: Schema.Literal(true), instruction: Schema.String, needs_person: Schema.Boolean }),
  run: Effect.fnUntraced(function* (asking: Asking, { reason, status, task_id }) {
    const { ref, state } = asking
    const id = task_id.trim()
    const prompt = yield* instructionBlob(asking, state, id)
    const { at } = yield* now
    const { events, state: after } = yield* execute(
      asking,
      ref.run,
      UpdateTaskStatus({ session_id: ref.session_id, at, task_id: id, status, reason: reason ?? "", prompt })
    )
    const changed = contentOf(events, TaskStatusChanged)
    const session = sessionAfter(asking, after)
    return accepted({
      success: true,
      ...changeBody(after, id, changed?.from),
      ...sessionStatusOf(after, session),
      ...(status === "done" ? { ...afterDone(after, session), next: nextAfterDone(after, session) } : {}),
      ...(status === "done" && taskOf(after, id)?.verdict === "unproven" ? { warnings: [doneByWord(after, id)] } : {})
    })
  })
})

type TaskStatus = ContentOf<typeof TaskStatusChanged>["from"]

/** From what to what the task went. */
const changeBody = (after: HasTasks, id: TaskId, from: TaskStatus | undefined): Body => {
  const task = taskOf(after, id)
  if (task === undefined) return {}
  const { spec, status } = task
  return {
    task: {
      id,
      title: spec.title,
      previous_status: assignmentStatusOf({ ...task, status: from ?? status }),
      new_status: assignmentStatusOf(task)
    }
  }
}

const doneByWord = (state: AnyRun, id: TaskId): Body => ({
  code: "done_by_word",
  message: instructed(state, "warning_done_by_word", { task_id: id })
})
