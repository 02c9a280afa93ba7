/** Days a book is late. */
export function daysLate() {
  throw new Error("not implemented")
}

/** What is to be paid for a book, in cents. */
export function fine() {
  return 0
}
