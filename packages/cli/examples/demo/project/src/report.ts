import { addExpense, balances, type Expense, emptyLedger, type Ledger } from "./ledger.ts"
import { addTip, formatAmount, parseAmount } from "./money.ts"
import { settleUp } from "./settle.ts"

/** A trip as it stands in its file: amounts are text, a tip is in percent. */
export interface Trip {
  readonly name: string
  readonly expenses: readonly (Omit<Expense, "amount"> & { readonly amount: string; readonly tip?: number })[]
}
