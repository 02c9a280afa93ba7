import type { BlobRef } from "../../base/Blob.ts"
import type { Asked } from "../../core/contract.ts"
import type { Usage } from "../../port/Agent.ts"
import { type BudgetProblem, budgetProblem, reportedUsage } from "./budget.ts"
import { RecordUsage } from "./commands.ts"
import type { RunConfig } from "./config.ts"
import { kindOf } from "./points.ts"
import type { HasRun } from "./state.ts"

/** The limit that a run has reached; null: none. Agents that come by themselves are not limited. */
export const spentLimit = (state: HasRun & Asked): BudgetProblem | null => {
  const problem = budgetProblem(state.run.config.budget, state.run.spent)
  return problem === null || kindOf(state)?.hasBudget === false ? null : problem
}

/** A call of an agent that has ended. */
export interface AgentCall {
  readonly agent: string
  readonly role: string
  readonly task_id: string
  readonly attempt: number
  readonly usage: Usage | null
  readonly exchange?: BlobRef
}

/**
 * Records a call of an agent that has ended; null: nothing is recorded of it, because the agent did not say what it used
 * and nobody counts or records calls.
 */
export const callRecord = (config: RunConfig, { usage, ...call }: AgentCall) => {
  const said = reportedUsage(usage)
  return said === null && config.budget.max_calls === null && call.exchange === undefined
    ? null
    : RecordUsage({ ...call, usage: said })
}
