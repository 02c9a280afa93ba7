// The whole, as the library needs it. Prints what holds and what does not; exits with 1 when anything does not.
import { card, reminder } from "./src/desk.js"
import { fine, owed } from "./src/fines.js"

// 2026-05-01 is a Friday
const loan = { book: "Notes on the Engine", member: "ada", due: "2026-05-01", price: 1250 }
const cheap = { book: "A Guide to Pocket Knots", member: "ada", due: "2026-05-01", price: 60 }
const library = { loans: [loan, cheap] }

let failed = 0
const check = (name, found, wanted) => {
  const isRight = JSON.stringify(found) === JSON.stringify(wanted)
  if (!isRight) failed += 1
  process.stdout.write(`${isRight ? "ok" : "NO"}  ${name}${isRight ? "" : `: ${found}, not ${wanted}`}\n`)
}

check("a book that comes back in time costs nothing", fine(loan, "2026-05-01"), 0)
check("a book that is a day late costs 20 cents", fine(loan, "2026-05-02"), 20)
check("nobody pays for a Sunday, when the library is closed", fine(loan, "2026-05-04"), 40)
check("a fine is never higher than the price of the book", fine(cheap, "2026-05-29"), 60)
check("a member owes for all books", owed(library, "ada", "2026-05-05"), 120)
check("the desk says what is owed", card(library, "ada", "2026-05-05")[0], "ada has 2 of our books and owes €1.20")
check("who is late is reminded", reminder(library, "ada", "2026-05-02"), [
  "Dear ada, please bring back: Notes on the Engine, A Guide to Pocket Knots."
])
check("who is not late is left alone", reminder(library, "ada", "2026-05-01"), [])
process.exitCode = failed === 0 ? 0 : 1
