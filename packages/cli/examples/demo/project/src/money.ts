/** Money is a whole number of cents everywhere in this project; only text has a decimal point. */
export type Cents = number

/** Reads "12.50", "12", "12.5" or "-3.20". Anything else is a RangeError. */
export function parseAmount(text: string): Cents {
  // TODO
  throw new Error("not implemented")
}

/** Writes 1250 as "12.50" and -5 as "-0.05". */
export function formatAmount(amount: Cents): string {
  // TODO
  throw new Error("not implemented")
}

/** Shares an amount out in equal parts; the cents that are left go to the first ones. */
export function splitEvenly(amount: Cents, parts: number): Cents[] {
  // TODO
  throw new Error("not implemented")
}

/** Shares an amount out by weight; the cents that are left go where the largest fraction was cut off. */
export function splitByWeights(amount: Cents, weights: readonly number[]): Cents[] {
  // TODO
  throw new Error("not implemented")
}
