/** The number and the unit of an amount such as `500 ml`, as `{ amount, unit }`; what is counted has the unit "". Null: it is no amount. */
export function parseAmount() {
  throw new Error("not implemented")
}

/** The entries of a list, in order. A line that cannot be read is a SyntaxError that tells its number. */
export function parseList() {
  throw new Error("not implemented")
}
