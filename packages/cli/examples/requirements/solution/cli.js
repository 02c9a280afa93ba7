import { readFileSync } from "node:fs"
import { addDays } from "./dates.js"
import { expiring } from "./expiring.js"
import { parseList } from "./list.js"
import { missing } from "./shopping.js"

/** How many days ahead it looks. */
const ahead = 3

/** What has to be used up and what is to be bought, as text. */
export function summary(stock, recipe, today) {
  const old = expiring(stock, today, ahead).map((entry) => `  ${describe(entry)} (${entry.bestBefore})`)
  const wanted = missing(stock, recipe).map((entry) => `  ${describe(entry)}`)
  return [`To be used up by ${addDays(today, ahead)}:`, ...old, "To be bought:", ...wanted, ""].join("\n")
}

/** A name and how much of it. */
export function describe({ name, amount, unit }) {
  return `${name}, ${unit === "" ? amount : `${amount} ${unit}`}`
}

const [stock, recipe, today] = process.argv.slice(2)
if (today === undefined) {
  process.stderr.write("Usage: node src/cli.js <stock> <recipe> <today>\n")
  process.exitCode = 2
} else {
  const read = (file) => parseList(readFileSync(file, "utf8"))
  process.stdout.write(summary(read(stock), read(recipe), today))
}
