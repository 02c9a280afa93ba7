import { daysLate, owed } from "./fines.js"
import { euros } from "./money.js"

/** What a member is told at the desk. */
export function card(library, member, today) {
  const loans = library.loans.filter((loan) => loan.member === member)
  const cents = owed(library, member, today)
  return [
    `${member} has ${loans.length} of our books${cents === 0 ? "" : ` and owes ${euros(cents)}`}`,
    ...loans.map(({ book, due }) => `  ${book}, until ${due}`)
  ]
}

/** A letter to a member with late books; no lines: there is nothing to say. */
export function reminder(library, member, today) {
  const late = library.loans.filter((loan) => loan.member === member && daysLate(loan, today) > 0)
  return late.length === 0 ? [] : [`Dear ${member}, please bring back: ${late.map(({ book }) => book).join(", ")}.`]
}
