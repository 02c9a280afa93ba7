import { counted } from "../../core/words.ts"
import type { Usage } from "../../port/Agent.ts"
import type { Budget } from "./config.ts"
import type { Spent } from "./schemas.ts"

/** A limit that is reached, and in a sentence how much was spent. */
export interface BudgetProblem {
  readonly limit: "max_attempts" | "max_calls" | "max_tokens" | "max_cost_usd"
  readonly message: string
}

/** Code of work that was not begun because the budget is used up. */
export const budgetExceeded = "budget_used_up"

/**
 * The limit that what was spent has reached; null while there is something left. Those that hold back every call of an
 * agent come before the one that only holds back attempts. Time is not among them: only a clock sees it.
 */
export const budgetProblem = (budget: Budget, spent: Spent): BudgetProblem | null => {
  const { max_attempts, max_calls, max_cost_usd, max_tokens } = budget
  const problem = (limit: BudgetProblem["limit"], used: string): BudgetProblem => ({
    limit,
    message: `The budget is used up: ${used} (${limit}).`
  })
  if (max_calls === 1 && isReached(max_calls, spent.calls)) {
    return { limit: "max_calls", message: "It was stopped after one call of an agent, to be looked at." }
  }
  if (isReached(max_calls, spent.calls)) return problem("max_calls", ofLimit(spent.calls, max_calls, "agent call"))
  if (isReached(max_tokens, spent.tokens)) return problem("max_tokens", ofLimit(spent.tokens, max_tokens, "token"))
  if (isReached(max_cost_usd, spent.cost_usd)) {
    return problem("max_cost_usd", `${dollars(spent.cost_usd)} of ${dollars(max_cost_usd)}`)
  }
  return isReached(max_attempts, spent.attempts)
    ? problem("max_attempts", ofLimit(spent.attempts, max_attempts, "attempt"))
    : null
}

/** What is left of every limit, never below 0; null: no limit. Time is left as it is. */
export const remainingBudget = (budget: Budget, spent: Spent): Budget => ({
  max_attempts: left(budget.max_attempts, spent.attempts),
  max_calls: left(budget.max_calls, spent.calls),
  max_duration_ms: budget.max_duration_ms,
  max_tokens: left(budget.max_tokens, spent.tokens),
  max_cost_usd: left(budget.max_cost_usd, spent.cost_usd)
})

/** No agent may be asked for anything any more. */
export const holdsCalls = (problem: BudgetProblem | null): boolean =>
  problem !== null && problem.limit !== "max_attempts"

/** What was spent, with one call more. */
export const withCall = (spent: Spent, usage: Usage | null): Spent => ({
  ...spent,
  calls: spent.calls + 1,
  tokens: spent.tokens + (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
  cost_usd: spent.cost_usd + (usage?.cost_usd ?? 0)
})

/** What an agent used that did not say so. */
export const unreportedUsage: Usage = { input_tokens: null, output_tokens: null, cost_usd: null }

/** The figures an agent gave of itself; null where it gave none. */
export const reportedUsage = (usage: Usage | null): Usage | null => (isReported(usage) ? usage : null)

const isReported = (usage: Usage | null): boolean =>
  usage !== null && Object.values(usage).some((figure) => figure !== null)

/** Sums of dollars are inexact in their last digits. */
const isReached = (limit: number | null, spent: number): boolean => limit !== null && spent >= limit - 1e-9

const left = (limit: number | null, spent: number): number | null =>
  limit === null ? null : Math.max(0, limit - spent)

const ofLimit = (spent: number, limit: number | null, what: string): string =>
  `${spent} of ${counted(limit ?? 0, what)}`

const dollars = (amount: number | null): string => `$${Number((amount ?? 0).toFixed(4))}`
