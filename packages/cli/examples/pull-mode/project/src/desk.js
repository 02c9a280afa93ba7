/** What a member is told at the desk. */
export function card(library, member) {
  const loans = library.loans.filter((loan) => loan.member === member)
  return [`${member} has ${loans.length} of our books`, ...loans.map(({ book, due }) => `  ${book}, until ${due}`)]
}
