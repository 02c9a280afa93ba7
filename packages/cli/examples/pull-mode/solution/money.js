/** Cents as people read them, e.g. €1.20. */
export function euros(cents) {
  return `€${(cents / 100).toFixed(2)}`
}
