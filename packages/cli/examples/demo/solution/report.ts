import { addExpense, balances, type Expense, emptyLedger, type Ledger } from "./ledger.ts"
import { addTip, formatAmount, parseAmount } from "./money.ts"
import { settleUp } from "./settle.ts"

/** A trip as it stands in its file: amounts are text, a tip is in percent. */
export interface Trip {
  readonly name: string
  readonly expenses: readonly (Omit<Expense, "amount"> & { readonly amount: string; readonly tip?: number })[]
}

/** What was spent, where everybody stands and who pays whom. */
export function report(trip: Trip): string {
  let ledger: Ledger = emptyLedger
  for (const { amount, tip = 0, ...expense } of trip.expenses) {
    ledger = addExpense(ledger, { ...expense, amount: addTip(parseAmount(amount), tip) })
  }
  const spent = ledger.reduce((sum, { amount }) => sum + amount, 0)
  const standing = balances(ledger)
  const payments = settleUp(standing).map(({ from, to, amount }) => `${from} pays ${to} ${formatAmount(amount)}`)
  return [
    `${trip.name}: ${formatAmount(spent)}`,
    "",
    ...Array.from(standing, ([person, balance]) => `  ${person} ${formatAmount(balance)}`),
    "",
    ...(payments.length > 0 ? payments : ["Nobody owes anything."])
  ].join("\n")
}
