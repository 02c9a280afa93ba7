import { rejectUnknown, taskOf } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { Data, operation, text } from "../../../operations/Operation.ts"
import { type Asking, run_id, stateNamed } from "../context.ts"
import { subtasksBody } from "../overviews.ts"

export const getSubtasks = operation({
  name: "get_subtasks",
  level: "standard",
  subject: "project",
  title: "Get subtasks",
  description: "The subtasks of one task: status, attempts, and what each waits for.",
  readOnly: true,
  idempotent: true,
  args: Schema.Struct({ task_id: text("Id of the task whose subtasks are shown."), run_id }),
  answer: Schema.Struct({ run_id: Schema.String, task: Data, subtasks: Schema.Array(Schema.Unknown) }),
  run: Effect.fnUntraced(function* (asking: Asking, { run_id, task_id }) {
    const state = yield* stateNamed(asking, run_id)
    const id = task_id.trim()
    const task = taskOf(state, id)
    if (task !== undefined) return accepted(subtasksBody(state, task))
    return yield* rejectUnknown(
      "task_unknown",
      `Run ${state.run.run_id} has no task ${id}.`,
      "Call get_run for the tasks there are."
    )
  })
})
