import { Effect } from "effect"
import { budgetUsedUp, callRecord, holdsCalls, spentLimit } from "../domain/budget.ts"
import type { RecordUsage } from "../domain/Command.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import type { AgentRequest, AgentResult, Agents, UnknownAgent } from "../port/Agent.ts"
import type { ActivityContext, ActivityFailure } from "./Plugin.ts"

/** The work within which an agent is asked. */
export type Asking = Pick<ActivityContext, "dispatch" | "state">

/** Asks an agent, and records what the call has used before anything follows from its result. */
export const askAgent = (
  context: Asking,
  agents: Agents["Service"],
  agent: string,
  request: AgentRequest
): Effect.Effect<AgentResult, UnknownAgent | LogUnavailable> => {
  const { attempt, role, task_id } = request
  return Effect.tap(agents.run(agent, request), ({ usage }) =>
    recordCall(context, { agent, role, task_id, attempt, usage })
  )
}

/** Records a call of an agent that has ended, where there is something to say of it. */
export const recordCall = (context: Asking, call: Omit<RecordUsage, "_tag">): Effect.Effect<void, LogUnavailable> => {
  const record = callRecord(context.state.config, call)
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
    ? Effect.fail({ _tag: "ActivityFailure", code: budgetUsedUp, message: problem.message })
    : Effect.void
}
