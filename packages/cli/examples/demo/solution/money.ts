/** Money is a whole number of cents everywhere in this project; only text has a decimal point. */
export type Cents = number

/** Reads "12.50", "12", "12.5" or "-3.20". Anything else is a RangeError. */
export function parseAmount(text: string): Cents {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text.trim())
  if (match === null) throw new RangeError(`"${text}" is not an amount; write it like 12.50`)
  const [, sign, whole, fraction = ""] = match
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, "0"))
  return sign === "-" ? 0 - cents : cents
}

/** Writes 1250 as "12.50" and -5 as "-0.05". */
export function formatAmount(amount: Cents): string {
  const digits = String(Math.abs(amount)).padStart(3, "0")
  return `${amount < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Shares an amount out in equal parts; the cents that are left go to the first ones. */
export function splitEvenly(amount: Cents, parts: number): Cents[] {
  if (!Number.isInteger(parts) || parts < 1) throw new RangeError(`cannot share among ${parts}`)
  const share = Math.floor(amount / parts)
  const left = amount - share * parts
  return Array.from({ length: parts }, (_, index) => (index < left ? share + 1 : share))
}

/** Shares an amount out by weight; the cents that are left go where the largest fraction was cut off. */
export function splitByWeights(amount: Cents, weights: readonly number[]): Cents[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0 || weights.some((weight) => !Number.isInteger(weight) || weight < 0)) {
    throw new RangeError(`cannot share by the weights ${weights.join(", ") || "of nobody"}`)
  }
  const parts = weights.map((weight, index) => {
    const share = Math.floor((amount * weight) / total)
    return { index, share, cut: amount * weight - share * total }
  })
  const left = amount - parts.reduce((sum, { share }) => sum + share, 0)
  const luckyOnes = new Set(
    parts
      .toSorted((a, b) => b.cut - a.cut)
      .slice(0, left)
      .map(({ index }) => index)
  )
  return parts.map(({ index, share }) => (luckyOnes.has(index) ? share + 1 : share))
}

/** The amount with a tip in percent, rounded to the cent. */
export function addTip(amount: Cents, percent: number): Cents {
  if (!(percent >= 0)) throw new RangeError(`a tip of ${percent} % cannot be`)
  return amount + Math.round((amount * percent) / 100)
}
