/** `12,400`. */
export const number = (n: number): string => n.toLocaleString("en")

/** The rows that are asked for when those from `first` to `last` are in sight: more on both sides, and no other for every row that is scrolled. */
export const windowAround = (first: number, last: number): { readonly from: number; readonly to: number } => ({
  from: Math.max(0, Math.floor((first - 30) / 50) * 50),
  to: Math.ceil((last + 31) / 50) * 50
})

/** Browsers do not draw elements that are higher than some ten million pixels. */
const highest = 12_000_000

/** Rows of this height that a list can hold. */
export const rowsAtMost = (height: number): number => Math.floor(highest / height)
