import type { Ledger } from "./ledger.ts"
import { type Cents, splitByWeights } from "./money.ts"

// Looks right and is real code, so its evidence holds. But 100.00 shared by three loses a cent to rounding, and the
// project's own test "account for every cent" finds it.
export function balances(ledger: Ledger): Map<string, Cents> {
  const result = new Map<string, Cents>()
  const add = (person: string, amount: Cents) => result.set(person, (result.get(person) ?? 0) + amount)
  for (const { paidBy, amount, sharedBy, weights } of ledger) {
    add(paidBy, amount)
    const evenShare = Math.round(amount / sharedBy.length)
    const shares = weights === undefined ? sharedBy.map(() => evenShare) : splitByWeights(amount, weights)
    for (const [index, person] of sharedBy.entries()) add(person, -(shares[index] ?? 0))
  }
  return result
}
