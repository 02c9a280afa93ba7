/** A policy with events, a command and options of its own: a task waits until enough people approved it. */
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
import { Schema } from "effect"

const Approval = plugin("approval", { state: {} as Record<string, ReadonlyArray<string>>, after: [Run, Tasks] })
const By = Schema.Struct({ task_id: Schema.String, person: Schema.String })
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
export default configurable(Schema.Struct({ people: Schema.Int }), ({ people }) => {
  const gate = Approval.offer(gates, "last", {
    name: "approval",
    verdict: ({ approval }, { spec }) => ((approval[spec.id]?.length ?? 0) >= people ? passed : open)
  })
  return definePlugin(Approval, { version: "1", events: [Approved], commands: [Approve], parts: [gate, next] })
})
