import type { Cents } from "./money.ts"

export interface Payment {
  readonly from: string
  readonly to: string
  readonly amount: Cents
}

/** The payments that bring everybody to zero: fewer than there are people, the largest debts first. */
export function settleUp(balances: ReadonlyMap<string, Cents>): Payment[] {
  throw new Error("not implemented")
}
