import { card } from "./desk.js"
import { lend } from "./loans.js"

const library = { loans: [] }
lend(library, "Notes on the Engine", "ada", 1250, "2026-04-17")
lend(library, "A Guide to Pocket Knots", "ada", 60, "2026-04-20")

for (const today of ["2026-04-30", "2026-05-04", "2026-05-08"]) {
  process.stdout.write(`${today}\n${card(library, "ada", today).join("\n")}\n\n`)
}
