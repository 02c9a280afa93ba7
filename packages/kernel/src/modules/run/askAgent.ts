import { Effect, HashMap, Option } from "effect"
import type { LogUnavailable } from "../../base/LogUnavailable.ts"
import type { ActivityContext, ActivityFailure, Asked, Request } from "../../core/contract.ts"
import { noStackTrace } from "../../core/Engine.ts"
import type { Rejection } from "../../core/Rejection.ts"
import type { AgentRequest, AgentResult, Agents, AskingBack, PermissionAnswer, UnknownAgent } from "../../port/Agent.ts"
import { budgetExceeded, holdsCalls } from "./budget.ts"
import { type AgentCall, callRecord, spentLimit } from "./limits.ts"
import { AskPermission, WithdrawPermissions } from "./permissions.ts"
import type { HasRun } from "./state.ts"

/** The work within which an agent is asked. */
export interface Asking extends Pick<ActivityContext<HasRun & Asked, "run">, "item" | "lease" | "state" | "until"> {
  readonly dispatch: (request: Request<"run">) => Effect.Effect<unknown, Rejection | LogUnavailable>
}

/** Who wants to know how a call goes. */
export interface Listening extends Pick<AskingBack, "stepped"> {
  /** As soon as the agent has ended, before anything of its result is recorded. */
  readonly ended?: Effect.Effect<void>
}

/** Asks an agent, and records what the call has used before anything follows from its result. */
export const askAgent = (
  context: Asking,
  agents: Agents["Service"],
  agent: string,
  request: AgentRequest,
  { ended = Effect.void, ...listening }: Listening = {}
): Effect.Effect<AgentResult, UnknownAgent | LogUnavailable> => {
  const { attempt, role, task_id } = request
  return withAskingBack(context, { agent, role, task_id, attempt }, (back) =>
    Effect.tap(agents.run(agent, request, { ...back, ...listening }), () => ended)
  ).pipe(
    Effect.tap(({ usage }) => Effect.annotateCurrentSpan(usedOf(usage))),
    // named as the conventions of OpenTelemetry for agents have it
    Effect.withSpan(
      `invoke_agent ${agent}`,
      {
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": agent,
          run: context.item.run,
          role,
          task: task_id,
          attempt
        }
      },
      noStackTrace
    ),
    Effect.tap(({ exchange, usage }) =>
      recordCall(context, { agent, role, task_id, attempt, usage, ...(exchange === undefined ? {} : { exchange }) })
    )
  )
}

/** What an agent has said of its usage, as a span has it. */
const usedOf = (usage: AgentResult["usage"]): Readonly<Record<string, unknown>> => ({
  ...(usage?.input_tokens == null ? {} : { "gen_ai.usage.input_tokens": usage.input_tokens }),
  ...(usage?.output_tokens == null ? {} : { "gen_ai.usage.output_tokens": usage.output_tokens }),
  ...(usage?.cost_usd == null ? {} : { "proofline.cost_usd": usage.cost_usd })
})

/** A call of an agent, in which it may ask back: as events, so that whoever reads the log may answer. */
export const withAskingBack = <A, E, R>(
  context: Asking,
  call: Call,
  work: (back: AskingBack) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const { end, ...back } = askingBack(context, call)
    return Effect.andThen(withdrawLeft(context, call), Effect.ensuring(work(back), Effect.suspend(end)))
  })

type Call = Pick<AgentCall, "agent" | "attempt" | "role" | "task_id">

/** What was asked by a call like this one that was broken off with its process. */
const withdrawLeft = (context: Asking, { attempt, role, task_id }: Call) => {
  const left = context.state.run.permissions.open.filter(
    (one) => one.task_id === task_id && one.attempt === attempt && one.role === role
  )
  return withdraw(
    context,
    left.map(({ key }) => key)
  )
}

const withdraw = ({ dispatch }: Pick<Asking, "dispatch">, keys: ReadonlyArray<string>): Effect.Effect<void> =>
  keys.length === 0 ? Effect.void : Effect.ignoreCause(dispatch(WithdrawPermissions({ keys })))

/** How many questions were asked within one piece of work. */
const questions = new WeakMap<object, number>()

const askingBack = (context: Asking, call: Call): AskingBack & { readonly end: () => Effect.Effect<void> } => {
  const { item, lease } = context
  const open = new Set<string>()
  return {
    permission: Effect.fnUntraced(
      function* (question) {
        const count = (questions.get(item) ?? 0) + 1
        questions.set(item, count)
        const key = `${item.id}/${lease}/${count}`
        open.add(key)
        yield* context.dispatch(AskPermission({ ...call, key, ...question }))
        const answer = yield* context.until(({ run }) => answerIn(run, key))
        open.delete(key)
        return answer
      },
      Effect.catchTag("Rejection", () => Effect.succeed<PermissionAnswer>("deny"))
    ),
    end: () => withdraw(context, [...open])
  }
}

/** Null: nobody has answered so far. What nobody waits for any more, or can answer any more, is denied. */
const answerIn = ({ permissions, status }: HasRun["run"], key: string): PermissionAnswer | null => {
  const answer = Option.getOrNull(HashMap.get(permissions.answers, key))
  if (answer !== null) return answer
  return status === "running" && permissions.open.some((one) => one.key === key) ? null : "deny"
}

/** Records the usage of a finished agent call, unless nothing is known and calls are neither limited nor recorded. */
export const recordCall = (context: Asking, call: AgentCall): Effect.Effect<void, LogUnavailable> => {
  const record = callRecord(context.state.run.config, call)
  return record === null
    ? Effect.void
    : context.dispatch(record).pipe(
        // who forbids that it is counted does not undo the call
        Effect.catchTag("Rejection", () => Effect.void),
        Effect.asVoid
      )
}

/** Fails when no agent may be asked any more; the work then waits for a resume. For work that is not an attempt. */
export const checkBudget = ({ state }: Asking): Effect.Effect<void, ActivityFailure> => {
  const problem = spentLimit(state)
  return problem !== null && holdsCalls(problem)
    ? Effect.fail({ _tag: "ActivityFailure", code: budgetExceeded, message: problem.message })
    : Effect.void
}
