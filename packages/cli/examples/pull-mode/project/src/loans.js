import { addDays } from "./days.js"

const loanDays = 14

export function lend(library, book, member, price, today) {
  library.loans.push({ book, member, price, due: addDays(today, loanDays) })
}

export function giveBack(library, book) {
  library.loans = library.loans.filter((loan) => loan.book !== book)
}
