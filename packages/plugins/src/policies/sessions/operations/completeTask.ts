import { Schema } from "effect"
import { Data, operation, text } from "../../../operations/Operation.ts"
import type { Asking } from "../asking.ts"
import { submit } from "../submission.ts"

export const completeTask = operation({
  name: "complete_task",
  title: "Complete a task",
  description:
    "Reports a task with its checklist: every item `done` with evidence (file:line or file:start-end) or `skipped` with a reason. The evidence is checked on disk.",
  readOnly: false,
  idempotent: true,
  args: Schema.Struct({
    task_id: text("Id of the task."),
    data: Data.annotate({ description: "{summary, checklist: [{item, status, evidence?, reason?}]}" })
  }),
  answer: Schema.Struct({ success: Schema.Literal(true), instruction: Schema.String, needs_person: Schema.Boolean }),
  run: (asking: Asking, { data, task_id }) => submit(asking, { ...data, task_id }, true)
})
