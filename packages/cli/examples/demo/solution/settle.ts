import type { Cents } from "./money.ts"

export interface Payment {
  readonly from: string
  readonly to: string
  readonly amount: Cents
}

/** The payments that bring everybody to zero: fewer than there are people, the largest debts first. */
export function settleUp(balances: ReadonlyMap<string, Cents>): Payment[] {
  const all = Array.from(balances, ([person, balance]) => ({ person, balance, open: Math.abs(balance) }))
  const total = all.reduce((sum, { balance }) => sum + balance, 0)
  if (total !== 0) throw new RangeError(`the balances are off by ${total} cents`)

  all.sort((a, b) => b.open - a.open || (a.person < b.person ? -1 : 1))
  const payments: Payment[] = []
  for (const debtor of all.filter(({ balance }) => balance < 0)) {
    for (const creditor of all.filter(({ balance }) => balance > 0)) {
      const amount = Math.min(debtor.open, creditor.open)
      if (amount === 0) continue
      debtor.open -= amount
      creditor.open -= amount
      payments.push({ from: debtor.person, to: creditor.person, amount })
    }
  }
  return payments
}
