import { Effect } from "effect"
import type { LogUnavailable } from "../../base/LogUnavailable.ts"
import type { ActivityFailure, Asked, Request } from "../../core/contract.ts"
import type { Rejection } from "../../core/Rejection.ts"
import type { AgentRequest, AgentResult, Agents, UnknownAgent } from "../../port/Agent.ts"
import { budgetExceeded, holdsCalls } from "./budget.ts"
import { type AgentCall, callRecord, spentLimit } from "./limits.ts"
import type { HasRun } from "./state.ts"

/** The work within which an agent is asked. */
export interface Asking {
  readonly state: HasRun & Asked
  readonly dispatch: (request: Request<"run">) => Effect.Effect<unknown, Rejection | LogUnavailable>
}

/** Asks an agent, and records what the call has used before anything follows from its result. */
export const askAgent = (
  context: Asking,
  agents: Agents["Service"],
  agent: string,
  request: AgentRequest
): Effect.Effect<AgentResult, UnknownAgent | LogUnavailable> => {
  const { attempt, role, task_id } = request
  return Effect.tap(agents.run(agent, request), ({ exchange, usage }) =>
    recordCall(context, { agent, role, task_id, attempt, usage, ...(exchange === undefined ? {} : { exchange }) })
  )
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
