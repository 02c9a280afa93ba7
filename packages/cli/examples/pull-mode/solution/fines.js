import { addDays, daysBetween, isOpen } from "./days.js"

const centsADay = 20

/** Days a book is late on which it could have been brought back. */
export function daysLate(loan, today) {
  const days = Math.max(0, daysBetween(loan.due, today))
  return Array.from({ length: days }, (_, i) => addDays(loan.due, i + 1)).filter(isOpen).length
}

/** A fine, or the price of the book where that is lower. */
export function capped(cents, loan) {
  return Math.min(cents, loan.price)
}

/** What is to be paid for a book, in cents. */
export function fine(loan, today) {
  return capped(daysLate(loan, today) * centsADay, loan)
}

/** What a member has to pay for all books, in cents. */
export function owed(library, member, today) {
  return library.loans.filter((loan) => loan.member === member).reduce((sum, loan) => sum + fine(loan, today), 0)
}
