import { type Cents, splitByWeights, splitEvenly } from "./money.ts"

export interface Expense {
  readonly id: string
  readonly what: string
  readonly paidBy: string
  readonly amount: Cents
  readonly sharedBy: readonly string[]
  /** One for each of `sharedBy`; without them all share evenly. */
  readonly weights?: readonly number[]
}

export type Ledger = readonly Expense[]

export const emptyLedger: Ledger = []

/** The ledger with one more expense. One that makes no sense is a RangeError. */
export function addExpense(ledger: Ledger, expense: Expense): Ledger {
  const { id, amount, sharedBy, weights } = expense
  if (ledger.some((known) => known.id === id)) throw new RangeError(`there is an expense "${id}" already`)
  if (!Number.isInteger(amount) || amount <= 0) throw new RangeError(`"${id}" needs an amount above zero`)
  if (sharedBy.length === 0) throw new RangeError(`nobody shares "${id}"`)
  if (weights !== undefined && weights.length !== sharedBy.length) {
    throw new RangeError(`"${id}" has ${weights.length} weights for ${sharedBy.length} people`)
  }
  return [...ledger, expense]
}

/** Where everybody stands: above zero is owed money, below zero owes it. The sum is always zero. */
export function balances(ledger: Ledger): Map<string, Cents> {
  const result = new Map<string, Cents>()
  const add = (person: string, amount: Cents) => result.set(person, (result.get(person) ?? 0) + amount)
  for (const { paidBy, amount, sharedBy, weights } of ledger) {
    add(paidBy, amount)
    const shares = weights === undefined ? splitEvenly(amount, sharedBy.length) : splitByWeights(amount, weights)
    for (const [index, person] of sharedBy.entries()) add(person, -(shares[index] ?? 0))
  }
  return result
}

/** The ledger without one expense. One that is not there is a RangeError. */
export function removeExpense(ledger: Ledger, id: string): Ledger {
  const rest = ledger.filter((expense) => expense.id !== id)
  if (rest.length === ledger.length) throw new RangeError(`there is no expense "${id}"`)
  return rest
}
