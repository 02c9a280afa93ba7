/** Browsers do not draw elements that are higher than some ten million pixels. */
const highest = 12_000_000

/** Rows of this height that a list can hold. */
export const rowsAtMost = (height: number): number => Math.floor(highest / height)
