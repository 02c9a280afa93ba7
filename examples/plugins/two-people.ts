/** A policy with events, a command, an operation and options of its own: a task waits until enough people approved it. */
import {
  configurable,
  definePlugin,
  gates,
  nextFor,
  open,
  passed,
  plugin,
  Run,
  reject,
  Tasks,
  taskOf
} from "@proofline/kernel/plugin"
import { Effect, Schema } from "effect"

const Approval = plugin("approval", { state: {} as Record<string, ReadonlyArray<string>>, after: [Run, Tasks] })
const text = (description: string) => Schema.String.annotate({ description })
const By = Schema.Struct({ task_id: text("The task."), person: text("Who approves it.") })
const Approved = Approval.event("TASK_APPROVED", {
  schema: By,
  visibility: "summary",
  evolve: (own, { person, task_id }) => ({ ...own, [task_id]: [...(own[task_id] ?? []), person] }),
  sentence: ({ person, task_id }) => `${person} approved ${task_id}.`
})
const Approve = Approval.command("approval.Approve", {
  schema: By,
  decide: (args, state) =>
    taskOf(state, args.task_id) === undefined || state.approval[args.task_id]?.includes(args.person) === true
      ? reject("not_approvable", "There is no such task, or you approved it already.", "Ask somebody else.")
      : [Approved(args)],
  recall: { from: [Approved], args: (batch) => batch.first(Approved) }
})
const next = Approval.react([Approved], ({ task_id }, state) => nextFor(state, task_id))
const approve = Approval.operation("approve", {
  title: "Approve a task",
  description: "A person approves a task: `proofline call approve --run RUN '{…}'`.",
  args: By,
  answer: Schema.Struct({ approved_by: Schema.Array(Schema.String) }),
  readOnly: false,
  run: (args, { dispatch }) =>
    Effect.map(dispatch(Approve(args)), ({ approval }) => ({ approved_by: approval[args.task_id] ?? [] }))
})
export default configurable(Schema.Struct({ people: Schema.Int }), ({ people }) => {
  const gate = Approval.offer(gates, "last", {
    name: "approval",
    verdict: ({ approval }, { spec }) => ((approval[spec.id]?.length ?? 0) >= people ? passed : open)
  })
  return definePlugin(Approval, { version: "1", events: [Approved], commands: [Approve], parts: [gate, next, approve] })
})
