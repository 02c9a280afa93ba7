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
  throw new Error("not implemented")
}

/** Where everybody stands: above zero is owed money, below zero owes it. The sum is always zero. */
export function balances(ledger: Ledger): Map<string, Cents> {
  throw new Error("not implemented")
}
