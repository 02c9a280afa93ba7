import { Schema } from "effect"
import type { Body } from "../../../operations/Answer.ts"
import { readerOf } from "../../../operations/arguments.ts"
import { Data, declare, reading, text } from "../../../operations/Operation.ts"
import type { Asking } from "../asking.ts"
import { submit } from "../submission.ts"

/** As clients send it: some put the fields of `data` beside `task_id`. */
export const reportArguments = readerOf(
  Schema.Struct({
    task_id: Schema.String,
    data: Schema.optionalKey(Data),
    summary: Schema.optionalKey(Schema.Unknown),
    checklist: Schema.optionalKey(Schema.Unknown)
  })
)

/** What is reported, wherever it was put; what stands in `data` counts. */
export const reportIn = ({ data = {}, ...flat }: { readonly data?: Body } & Body): Body => ({ ...flat, ...data })

export const completeTask = {
  ...declare({
    name: "complete_task",
    title: "Complete a task",
    description:
      "Reports a task with its checklist: every item `done` with evidence (file:line or file:start-end), `skipped` with a reason, or `cannot` with the reason why it cannot be done: a person is asked then. The evidence is checked on disk.",
    readOnly: false,
    idempotent: true,
    args: Schema.Struct({
      task_id: text("Id of the task."),
      data: Data.annotate({ description: "{summary, checklist: [{item, status, evidence?, reason?}]}" })
    }),
    answer: Schema.Struct({
      success: Schema.Literal(true),
      instruction: Schema.String,
      needs_person: Schema.Boolean,
      verdict: Schema.optionalKey(Schema.String),
      counts: Schema.optionalKey(Data)
    })
  }),
  read: reading(reportArguments, (asking: Asking, { task_id, ...said }) =>
    submit(asking, { ...reportIn(said), task_id }, true)
  )
}
