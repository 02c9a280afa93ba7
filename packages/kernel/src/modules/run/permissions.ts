/** What an agent may do only with leave: a person is asked while it works, and it waits. */
import { HashMap, Schema } from "effect"
import { rejectConflict } from "../../core/Rejection.ts"
import { PermissionAnswer } from "../../port/Agent.ts"
import { AskedPermission, askFields } from "./schemas.ts"
import { Run, type RunState } from "./state.ts"

const without = (run: RunState, isMeant: (one: AskedPermission) => boolean): RunState => {
  const open = run.permissions.open.filter((one) => !isMeant(one))
  return open.length === run.permissions.open.length ? run : { ...run, permissions: { ...run.permissions, open } }
}

/** A call has ended, in whosever words that is recorded: nobody waits for an answer any more. */
export const callEnded = Run.change<{ readonly task_id: string; readonly attempt: number; readonly role: string }>(
  "callEnded",
  {
    apply: (run, { attempt, role, task_id }) =>
      without(run, (one) => one.task_id === task_id && one.attempt === attempt && one.role === role)
  }
)

/** An agent asks whether it may do something, and waits for the answer of a person. */
const PermissionAsked = Run.event("PERMISSION_ASKED", {
  schema: AskedPermission,
  visibility: "summary",
  evolve: (run, asked) => ({
    ...run,
    permissions: { ...run.permissions, count: run.permissions.count + 1, open: [...run.permissions.open, asked] }
  }),
  sentence: ({ agent, task_id, title }) => `${task_id}: ${agent} asks whether it may: ${title}`
})

const PermissionAnswered = Run.event("PERMISSION_ANSWERED", {
  schema: Schema.Struct({
    permission: Schema.String,
    task_id: Schema.String,
    key: Schema.String,
    answer: PermissionAnswer,
    /** What the person said beside it; empty: nothing. */
    text: Schema.String,
    /** ISO 8601, UTC, ms. */
    at: Schema.String
  }),
  visibility: "summary",
  evolve: (run, { answer, key, permission }) => {
    const { permissions, ...rest } = without(run, (one) => one.permission === permission)
    return { ...rest, permissions: { ...permissions, answers: HashMap.set(permissions.answers, key, answer) } }
  },
  sentence: ({ answer, permission, task_id }) => `${task_id}: a person answered ${permission}: ${answer}.`
})

/** Who asked does not wait any more. */
const PermissionWithdrawn = Run.event("PERMISSION_WITHDRAWN", {
  schema: Schema.Struct({ permission: Schema.String, task_id: Schema.String }),
  visibility: "summary",
  evolve: (run, { permission }) => without(run, (one) => one.permission === permission),
  sentence: ({ permission, task_id }) => `${task_id}: ${permission} is not asked any more.`
})

export const permissionEvents = [PermissionAsked, PermissionAnswered, PermissionWithdrawn]

export const AskPermission = Run.command("AskPermission", {
  schema: Schema.Struct(askFields),
  decide: (args, { run }) => {
    if (run.status !== "running") {
      return rejectConflict("run_not_running", `Run ${run.run_id} is not running.`, "Nobody is asked for it any more.")
    }
    const { answers, count, open } = run.permissions
    const isKnown = HashMap.has(answers, args.key) || open.some(({ key }) => key === args.key)
    return isKnown ? [] : [PermissionAsked({ ...args, permission: `permission/${count + 1}` })]
  },
  recall: {
    from: [PermissionAsked],
    args: (batch) => {
      const asked = batch.first(PermissionAsked)
      if (asked === undefined) return undefined
      const { permission, ...args } = asked
      return args
    }
  }
})

/** A person allows or denies what an agent asked for. */
export const AnswerPermission = Run.command("AnswerPermission", {
  schema: Schema.Struct({
    permission: Schema.String,
    answer: PermissionAnswer,
    text: Schema.String,
    /** ISO 8601, UTC, ms. */
    at: Schema.String
  }),
  decide: ({ answer, at, permission, text }, { run }) => {
    const asked =
      run.status === "running" ? run.permissions.open.find((one) => one.permission === permission) : undefined
    return asked === undefined
      ? rejectConflict(
          "question_changed",
          `${permission} is answered already, or its agent does not wait any more.`,
          "See `proofline status` for what waits for a person now."
        )
      : [PermissionAnswered({ permission, task_id: asked.task_id, key: asked.key, answer, text: text.trim(), at })]
  },
  recall: {
    from: [PermissionAnswered],
    args: (batch) => {
      const answered = batch.first(PermissionAnswered)
      if (answered === undefined) return undefined
      const { key, task_id, ...args } = answered
      return args
    }
  }
})

/** Who asked does not wait any more: its agent was ended, or has ended without an answer. */
export const WithdrawPermissions = Run.command("WithdrawPermissions", {
  schema: Schema.Struct({ keys: Schema.Array(Schema.String) }),
  decide: ({ keys }, { run }) =>
    run.permissions.open
      .filter(({ key }) => keys.includes(key))
      .map(({ permission, task_id }) => PermissionWithdrawn({ permission, task_id })),
  recall: {
    from: [PermissionWithdrawn],
    args: (batch, { run }) => {
      const withdrawn = batch.all(PermissionWithdrawn).map(({ permission }) => permission)
      const keys = run.permissions.open.filter((one) => withdrawn.includes(one.permission)).map(({ key }) => key)
      return keys.length === 0 ? undefined : { keys }
    }
  }
})

export const permissionCommands = [AskPermission, AnswerPermission, WithdrawPermissions]
